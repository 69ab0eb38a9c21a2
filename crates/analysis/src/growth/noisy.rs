//! Series with noise: the rate from `drift`, and the doubts against calling it growth.

use super::drift::{self, Drift};
use super::steps::{self, FEWEST_LATE_RISES, Rises};
use super::student::Mixture;
use super::{
    FEWEST_READINGS, Growth, GrowthOptions, Method, Outcome, Reason, events_for_readings,
    fell_back, warm_up,
};
use crate::series::Series;

/// Chance of error that is accepted for calling a series growing (one-sided).
const ALARM: f64 = 0.005;
/// Fewest readings for "no growth": below, a run sees too little to deny anything.
const FEWEST_TO_DENY: usize = 20;
/// A series that would add less than this share of its range in another run of the same length
/// has filled up.
const SATURATED: f64 = 0.02;
/// Least rate of the last third of the events, in units of the rate of all.
const LEAST_LATE_SHARE: f64 = 0.3;
/// Normal quantile of a two-sided 95 % interval.
const Z95: f64 = 1.96;

/// Rate and interval of a series or of a part of it.
struct Estimate {
    drift: Drift,
    rate: f64,
    low: f64,
    high: f64,
    smallest_visible: f64,
    rises: Option<Rises>,
}

impl Estimate {
    /// Where the series is stepped, the interval must also hold the rates compatible with the
    /// number of steps; `like` is the whole series, whose steps tell what one step may be.
    fn of(series: &Series, like: Option<&Rises>) -> Option<Self> {
        let drift = drift::estimate(series)?;
        let belief = &drift.belief;
        let mut estimate = Self {
            rate: belief.mean(),
            low: belief.quantile(0.025),
            high: belief.quantile(0.975),
            smallest_visible: belief.quantile(1.0 - ALARM) - belief.quantile(0.1),
            rises: steps::rises(series),
            drift,
        };
        if let Some(mut rises) = estimate.rises {
            if let Some(like) = like {
                rises.mean_bytes = like.mean_bytes;
                rises.unevenness = like.unevenness;
            }
            let (low, high) = rises.limits(series.span(), Z95);
            estimate.low = estimate.low.min(low);
            estimate.high = estimate.high.max(high);
            estimate.smallest_visible = estimate.smallest_visible.max(high - estimate.rate);
        }
        Some(estimate)
    }

    fn holds_zero(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// A reason not to call a series growing although its rate is.
enum Doubt {
    /// The last part, starting at this reading, no longer grows.
    Stopped(usize, Estimate),
    /// Something else explains it as well.
    Otherwise(Reason),
}

pub(super) fn judge(series: &Series, options: &GrowthOptions, growth: &mut Growth) {
    growth.method = Method::LowFrequency;
    let cut = settled_from(series);
    let used = series.skip(cut);
    let (true, Some(estimate)) = (used.len() >= FEWEST_READINGS, Estimate::of(&used, None)) else {
        too_short(series, growth);
        return;
    };
    growth.leave_out(series, cut);
    if cut > 0 {
        growth.reasons.push(Reason::WarmUpExcluded {
            first_event: growth.first_event.saturating_sub(growth.warm_up_events),
            events: growth.warm_up_events,
        });
    }
    let below_zero = estimate.drift.belief.below(0.0);
    let doubt = if estimate.holds_zero() {
        None
    } else {
        doubt(series, cut, &used, &estimate)
    };
    describe_noise(&estimate, growth);
    match doubt {
        Some(Doubt::Stopped(start, tail)) => {
            growth.leave_out(series, cut + start);
            let stopped_at_event = growth.first_event;
            growth.reasons.push(match estimate.rate > 0.0 {
                true => Reason::GrewThenStopped { stopped_at_event },
                false => Reason::ShrankThenStopped { stopped_at_event },
            });
            fill(growth, &tail, options);
            deny(growth);
        }
        Some(Doubt::Otherwise(reason)) => {
            fill(growth, &estimate, options);
            growth.outcome = Outcome::Undetermined;
            growth.needs_events = Some(2 * series.span().max(FEWEST_READINGS as f64) as u64);
            growth.reasons.push(reason);
        }
        None => {
            fill(growth, &estimate, options);
            growth.outcome = outcome(&used, &estimate, below_zero);
            if growth.outcome == Outcome::Undetermined {
                growth.needs_events = Some(events_needed(&used, &estimate, growth.warm_up_events));
                growth.reasons.push(why_undetermined(&used, &estimate));
            }
        }
    }
    let most_added = growth.high.abs().max(growth.low.abs()) * used.span();
    let filled_up = cut > 0 && most_added < SATURATED * range(series);
    if growth.outcome == Outcome::Undetermined && filled_up && used.len() >= FEWEST_TO_DENY {
        deny(growth);
        growth.reasons.push(Reason::FilledUp);
    }
}

fn deny(growth: &mut Growth) {
    growth.low = growth.low.min(0.0);
    growth.high = growth.high.max(0.0);
    growth.needs_events = None;
    growth.outcome = Outcome::NoGrowth;
}

fn fill(growth: &mut Growth, estimate: &Estimate, options: &GrowthOptions) {
    growth.rate = estimate.rate;
    growth.low = estimate.low;
    growth.high = estimate.high;
    let span = (growth.last_event - growth.first_event).max(1) as f64;
    growth.smallest_visible = estimate
        .smallest_visible
        .max(options.granularity_bytes / span);
    growth.needs_events = None;
}

fn too_short(series: &Series, growth: &mut Growth) {
    if let Some(estimate) = Estimate::of(series, None) {
        growth.rate = estimate.rate;
        growth.low = estimate.low;
        growth.high = estimate.high;
        growth.smallest_visible = estimate.smallest_visible;
    }
    growth.method = Method::TooShort;
    growth.needs_events = Some(events_for_readings(series));
    growth.reasons.push(Reason::TooFewForNoise {
        readings: series.len(),
    });
}

fn outcome(used: &Series, estimate: &Estimate, below_zero: f64) -> Outcome {
    if below_zero < ALARM && estimate.low > 0.0 {
        return Outcome::Growing;
    }
    if below_zero > 1.0 - ALARM && estimate.high < 0.0 {
        return Outcome::Shrinking;
    }
    // Steps that still come now and then are neither growth nor its absence.
    let rising = estimate.rises.is_some_and(|rises| {
        rises.count > 1
            && rises.wait_now < 0.5 * used.span()
            && rises.wait_now < 3.0 * rises.longest_wait
    });
    if used.len() < FEWEST_TO_DENY || rising || !estimate.holds_zero() {
        return Outcome::Undetermined;
    }
    Outcome::NoGrowth
}

fn doubt(series: &Series, cut: usize, used: &Series, estimate: &Estimate) -> Option<Doubt> {
    let mut slowing = false;
    for part in [2, 4, 8] {
        let length = used.len() / part;
        if length < FEWEST_READINGS {
            break;
        }
        let start = used.len() - length;
        let tail = Estimate::of(&used.skip(start), estimate.rises.as_ref())?;
        let (low, high) = (
            tail.drift.belief.quantile(ALARM),
            tail.drift.belief.quantile(1.0 - ALARM),
        );
        let slower = if estimate.rate > 0.0 {
            high.max(tail.high) < 0.5 * estimate.rate
        } else {
            low.min(tail.low) > 0.5 * estimate.rate
        };
        let saturated = tail.rate.abs() * used.span() < SATURATED * range(series);
        if slower && (tail.holds_zero() || saturated) {
            return Some(Doubt::Stopped(start, tail));
        }
        slowing |= slower;
    }
    if slowing {
        return Some(Doubt::Otherwise(Reason::MayBeFillingUp));
    }
    let last_third = Estimate::of(&used.skip(2 * used.len() / 3), None)?;
    if last_third.rate / estimate.rate < LEAST_LATE_SHARE {
        return Some(Doubt::Otherwise(Reason::NotInLastThird));
    }
    if fell_back(series, cut) {
        return Some(Doubt::Otherwise(Reason::FellBackBefore));
    }
    if stands_still(series) {
        return Some(Doubt::Otherwise(Reason::StillLately));
    }
    let few_rises = steps::rises(series).is_some_and(|rises| rises.late < FEWEST_LATE_RISES);
    (few_rises || steps::jumps_explain(used)).then_some(Doubt::Otherwise(Reason::FewJumpsExplain))
}

/// Whether the last readings are equal, three times longer than any before.
fn stands_still(series: &Series) -> bool {
    let increments = series.increments();
    let mut runs: Vec<usize> = increments
        .split(|increment| *increment != 0.0)
        .map(<[f64]>::len)
        .collect();
    let now = runs.pop().unwrap_or(0);
    now >= 3 * runs.into_iter().max().unwrap_or(0).max(1)
}

fn range(series: &Series) -> f64 {
    let high = series
        .values()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let low = series
        .values()
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    high - low
}

/// Readings to leave out: what `warm_up` peels, and then quarter by quarter, up to two thirds, as
/// long as the first quarter's rate is incompatible with that of the rest.
fn settled_from(series: &Series) -> usize {
    let mut cut = warm_up::warm_up_readings(series);
    loop {
        let used = series.skip(cut);
        let quarter = used.len() / 4;
        if quarter < FEWEST_READINGS || 3 * (cut + quarter) > 2 * series.len() {
            return cut;
        }
        let rest = used.skip(quarter);
        let first = Series::new(
            used.events()[..quarter].to_vec(),
            used.values()[..quarter].to_vec(),
        );
        let (Some(first), Some(rest)) = (drift::estimate(&first), drift::estimate(&rest)) else {
            return cut;
        };
        if !are_apart(&first.belief, &rest.belief) {
            return cut;
        }
        cut += quarter;
    }
}

/// Whether no rate is credible for both.
fn are_apart(one: &Mixture, other: &Mixture) -> bool {
    let holds = |belief: &Mixture, rate| (ALARM..=1.0 - ALARM).contains(&belief.below(rate));
    // Mostly the mean of one is credible for the other; that is known without their bounds.
    let both_hold = |rate: f64| holds(one, rate) && holds(other, rate);
    if both_hold(one.mean()) || both_hold(other.mean()) {
        return false;
    }
    one.quantile(ALARM) > other.quantile(1.0 - ALARM)
        || one.quantile(1.0 - ALARM) < other.quantile(ALARM)
}

fn describe_noise(estimate: &Estimate, growth: &mut Growth) {
    let drift = &estimate.drift;
    if let Some(rises) = estimate.rises {
        growth.reasons.push(Reason::RisesInSteps {
            steps: rises.count,
            mean_step_bytes: rises.mean_bytes,
        });
    } else if drift.walk > 0.5 {
        growth.reasons.push(Reason::RandomWalkNoise);
    } else if drift.memory > 0.5 {
        growth.reasons.push(Reason::CorrelatedNoise);
    }
}

fn why_undetermined(used: &Series, estimate: &Estimate) -> Reason {
    if used.len() < FEWEST_TO_DENY {
        Reason::FewReadingsAfterWarmUp {
            readings: used.len(),
        }
    } else if estimate.holds_zero() {
        Reason::FewSteps
    } else {
        Reason::NotCertainEnough
    }
}

/// Events at which a rate like the present one would be seen: the interval narrows as n^-3/2 for
/// noise on the level and as n^-1/2 for noise that adds up.
fn events_needed(used: &Series, estimate: &Estimate, warm_up_events: u64) -> u64 {
    let exponent = 1.5 - estimate.drift.walk.clamp(0.0, 1.0);
    // An estimate near zero would ask for infinitely many; a tenth of what is visible is enough.
    let aim = estimate.rate.abs().max(0.1 * estimate.smallest_visible);
    let factor = (estimate.smallest_visible / aim)
        .max(1.2)
        .powf(1.0 / exponent);
    let needed = factor * (used.span() + 1.0).max(FEWEST_TO_DENY as f64);
    warm_up_events + (needed.min(1e9).ceil() as u64).max(30)
}
