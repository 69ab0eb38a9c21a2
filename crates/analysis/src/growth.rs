//! Does a series of memory readings grow, by how much per event, and how sure is that?
//!
//! A series is first looked at without statistics: where its end repeats itself to the byte, the
//! rate is known exactly (`exact`). Otherwise single odd readings are set aside (`spikes`), leading events that differ from the rest are left
//! out (`warm_up`), the rate and its interval come from the low frequencies of what remains
//! (`drift`), which is honest for noise on the level as well as for noise that adds up, and three
//! doubts are raised against calling it growth (`noisy`): that the last part no longer grows, that
//! a few jumps explain it as well (`steps`), and that it has fallen back before.
//!
//! The interval has 95 %. To be called growing a series must exclude zero at 99 % and pass all
//! doubts, because a false alarm costs more trust than the answer "undetermined"; what such a run
//! could not have seen is always stated (`smallest_visible`). All work is O(n log n).

mod drift;
mod exact;
mod noisy;
mod reason;
mod spikes;
mod steps;
pub(crate) mod student;
mod warm_up;

use crate::series::Series;
pub use reason::Reason;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Growing,
    Shrinking,
    NoGrowth,
    Undetermined,
}

/// How rate and interval were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Too few readings for any.
    TooShort,
    /// All increments are equal; there is no noise.
    Exact,
    /// The increments repeat exactly; the interval is what part of a period can hide.
    Periodic,
    /// Low-frequency cosine coefficients, averaged over forms of noise.
    LowFrequency,
    /// The rate at the end of growth that slows down, from how what was added thins out.
    Slowing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowthOptions {
    /// Smallest change a reading can show: 1 for the heap, a page for RSS.
    pub granularity_bytes: f64,
    /// Growth whose interval ends below this rate is of no interest and is called no growth.
    pub negligible_rate: f64,
}

impl Default for GrowthOptions {
    fn default() -> Self {
        Self {
            granularity_bytes: 1.0,
            negligible_rate: 0.0,
        }
    }
}

/// What a series says about growth. Rates are in bytes per event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Growth {
    pub outcome: Outcome,
    pub rate: f64,
    /// The 95 % interval of the rate; infinite, and null in JSON, where it has no bound.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub low: f64,
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub high: f64,
    /// Leading events that were left out.
    pub warm_up_events: u64,
    /// First and last event that were used.
    pub first_event: u64,
    pub last_event: u64,
    /// Last reading minus first, over all events.
    pub end_to_end_rate: f64,
    /// The same over the events that were used.
    pub end_to_end_after_warm_up: f64,
    /// Least-squares line over all events; the intercept is at event number 0.
    pub line_fit_rate: f64,
    pub line_fit_intercept: f64,
    /// The smallest growth that this run would have been called growing for, nine times in ten;
    /// infinite, and null in JSON, where no growth would have been.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub smallest_visible: f64,
    /// If undetermined: about how many events would decide.
    pub needs_events: Option<u64>,
    pub method: Method,
    /// What was found, and why numbers differ.
    #[serde(rename = "reason_codes")]
    pub reasons: Vec<Reason>,
}

/// Fewest readings after warm-up from which noise can be judged.
const FEWEST_READINGS: usize = 8;
/// Readings that tell growth from most noise.
const ENOUGH_READINGS: f64 = 30.0;

/// Judges a series.
pub fn assess(series: &Series, options: &GrowthOptions) -> Growth {
    let mut growth = describe(series);
    if series.len() < 2 {
        growth.reasons.push(Reason::TooFewReadings {
            readings: series.len(),
        });
        return growth;
    }
    if !exact::judge(series, options, &mut growth) {
        let (smooth, spikes) = spikes::without_spikes(series);
        if spikes > 0 {
            growth
                .reasons
                .push(Reason::SpikesSetAside { readings: spikes });
        }
        if spikes == 0 || !exact::judge(&smooth, options, &mut growth) {
            noisy::judge(&smooth, options, &mut growth);
        }
    }
    if growth.outcome == Outcome::Growing && growth.high < options.negligible_rate {
        growth.outcome = Outcome::NoGrowth;
        growth.reasons.push(Reason::BelowNegligible {
            negligible_bytes_per_event: options.negligible_rate,
        });
    }
    explain_fit(series, &mut growth);
    growth
}

/// The figures that need no judgement, in an undetermined result.
fn describe(series: &Series) -> Growth {
    let line = series.line_fit();
    let event = |e: Option<&f64>| e.copied().unwrap_or(0.0).max(0.0) as u64;
    Growth {
        outcome: Outcome::Undetermined,
        rate: series.end_to_end_rate(),
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        warm_up_events: 0,
        first_event: event(series.events().first()),
        last_event: event(series.events().last()),
        end_to_end_rate: series.end_to_end_rate(),
        end_to_end_after_warm_up: series.end_to_end_rate(),
        line_fit_rate: line.rate,
        line_fit_intercept: line.intercept,
        smallest_visible: f64::INFINITY,
        needs_events: Some(events_for_readings(series)),
        method: Method::TooShort,
        reasons: Vec::new(),
    }
}

/// Events that have enough readings, at the pace at which these were taken.
fn events_for_readings(series: &Series) -> u64 {
    let steps = series.len().saturating_sub(1).max(1) as f64;
    (ENOUGH_READINGS * (series.span() / steps).max(1.0)).ceil() as u64
}

impl Growth {
    /// Last reading minus first, over all events.
    pub fn change_bytes(&self) -> f64 {
        self.end_to_end_rate * (self.used_events() + self.warm_up_events) as f64
    }

    /// The same over the events that were used.
    pub fn change_after_warm_up_bytes(&self) -> f64 {
        self.end_to_end_after_warm_up * self.used_events() as f64
    }

    /// The same series, whose growth slows down to a rate.
    pub(crate) fn slowed_to(self, rate: f64, low: f64, high: f64) -> Growth {
        Growth {
            outcome: Outcome::Growing,
            rate,
            low,
            high,
            warm_up_events: 0,
            first_event: self.first_event - self.warm_up_events,
            end_to_end_after_warm_up: self.end_to_end_rate,
            needs_events: None,
            method: Method::Slowing,
            reasons: Vec::new(),
            ..self
        }
    }

    /// Whether it neither grows nor moved before: `NoGrowth` says only how it ends.
    pub fn is_flat(&self) -> bool {
        self.outcome == Outcome::NoGrowth && self.is_unseen(self.change_bytes())
    }

    /// The same of the events that were used.
    pub fn is_flat_after_warm_up(&self) -> bool {
        self.outcome == Outcome::NoGrowth && self.is_unseen(self.change_after_warm_up_bytes())
    }

    /// Whether a change is below what the run would have called growth.
    fn is_unseen(&self, change_bytes: f64) -> bool {
        let limit_bytes = self.smallest_visible * self.used_events().max(1) as f64;
        limit_bytes.is_finite() && change_bytes.abs() <= limit_bytes
    }

    fn used_events(&self) -> u64 {
        self.last_event.saturating_sub(self.first_event)
    }

    /// Notes that the first `readings` readings are left out.
    fn leave_out(&mut self, series: &Series, readings: usize) {
        let used = series.skip(readings);
        if let (Some(all), Some(first)) = (series.events().first(), used.events().first()) {
            self.warm_up_events = (first - all) as u64;
            self.first_event = first.max(0.0) as u64;
        }
        self.end_to_end_after_warm_up = used.end_to_end_rate();
    }
}

/// Whether the readings before `cut` fell by at least half of what those after it grew: then the
/// growth after `cut` may be the next tooth of a saw. Falls in the first few events are set-up.
fn fell_back(series: &Series, cut: usize) -> bool {
    let values = series.values();
    let settled = 2.max(series.len() / 20);
    if cut <= settled {
        return false;
    }
    let mut highest = f64::NEG_INFINITY;
    let mut largest_fall = 0.0_f64;
    for value in &values[settled..=cut.min(values.len() - 1)] {
        highest = highest.max(*value);
        largest_fall = largest_fall.max(highest - value);
    }
    largest_fall > 0.0 && largest_fall >= 0.5 * (values[values.len() - 1] - values[cut]).abs()
}

/// Says why the line fit and the ends disagree, where they do by more than a fiftieth.
fn explain_fit(series: &Series, growth: &mut Growth) {
    let difference = growth.end_to_end_rate - growth.line_fit_rate;
    let larger = growth.end_to_end_rate.abs().max(growth.line_fit_rate.abs());
    if difference.abs() <= 0.02 * larger || larger * series.span() <= 1.0 {
        return;
    }
    let above = |index: usize| {
        let fitted = growth.line_fit_intercept + growth.line_fit_rate * series.events()[index];
        series.values()[index] - fitted
    };
    growth.reasons.push(Reason::EndsAndFitDiffer {
        end_to_end_bytes_per_event: growth.end_to_end_rate,
        line_fit_bytes_per_event: growth.line_fit_rate,
        first_above_fit_bytes: above(0),
        last_above_fit_bytes: above(series.len() - 1),
    });
}
