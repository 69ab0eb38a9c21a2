//! Does the program slow down from event to event?
//!
//! Times are judged by the machinery of memory (`growth`): warm-up, outliers, jumps and noise that
//! adds up are its business. Only the unit differs: nanoseconds per event, each event.

use super::{EventTime, Measure};
use crate::growth::{Growth, GrowthOptions, Outcome, assess};
use crate::series::{Series, mean};

/// The course of one measure. Rates are in nanoseconds per event, each event.
#[derive(Debug, Clone)]
pub struct Trend {
    pub measure: Measure,
    pub growth: Growth,
    /// Mean of the line at the first event that was used.
    pub first_level_ns: f64,
    /// Of all events.
    pub mean_ns: f64,
    /// Standard error of the mean, with events as they come.
    pub mean_error_ns: f64,
    pub median_ns: f64,
    /// One event in twenty takes longer.
    pub high_ns: f64,
    pub longest_ns: f64,
}

impl Trend {
    /// A change from the first event that was used to the last, as a part of the first.
    pub fn over_run(&self, rate: f64) -> Option<f64> {
        let growth = &self.growth;
        let events = growth.last_event.saturating_sub(growth.first_event) as f64;
        let change = rate * events / self.first_level_ns;
        (self.first_level_ns > 0.0 && change.is_finite()).then_some(change)
    }

    pub fn is_slowing(&self) -> bool {
        self.growth.outcome == Outcome::Growing
    }
}

/// A clock's reading.
const GRANULARITY_NS: f64 = 1.0;

/// `explained` is taken off before judging: what a counter says of each event.
pub(super) fn trend(
    measure: Measure,
    times: &[EventTime],
    values: &[f64],
    explained: Option<&[f64]>,
) -> Trend {
    let adjusted: Vec<f64> = match explained {
        Some(explained) => values.iter().zip(explained).map(|(v, e)| v - e).collect(),
        None => values.to_vec(),
    };
    let events: Vec<f64> = times.iter().map(|time| f64::from(time.event)).collect();
    let series = Series::new(events, adjusted);
    let options = GrowthOptions {
        granularity_bytes: GRANULARITY_NS,
        ..GrowthOptions::default()
    };
    let growth = assess(&series, &options);
    let first = growth.first_event as f64;
    let from = series.events().partition_point(|event| *event < first);
    let used = series.skip(from);
    let mean_event = mean(used.events());
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Trend {
        measure,
        first_level_ns: mean(used.values()) - growth.rate * (mean_event - first),
        growth,
        mean_ns: mean(values),
        mean_error_ns: mean_error(values),
        median_ns: super::bulk::quantile(&sorted, 0.5),
        high_ns: super::bulk::quantile(&sorted, 0.95),
        longest_ns: sorted.last().copied().unwrap_or(0.0),
    }
}

/// Blocks whose means are taken as independent: the noise of neighbouring events may not be.
const BLOCKS: usize = 32;

fn mean_error(values: &[f64]) -> f64 {
    let (means, _) = Series::consecutive(0, values.to_vec()).evenly(BLOCKS);
    let n = means.len() as f64;
    let centre = mean(&means);
    let squares: f64 = means.iter().map(|v| (v - centre) * (v - centre)).sum();
    (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt()
}
