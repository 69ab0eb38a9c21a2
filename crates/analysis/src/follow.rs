//! Does the growth follow a counter: so many bytes per hit, or so many per event whatever happens?
//!
//! The increments of memory are regressed on the counts of the same events: bytes = constant +
//! unit × count. Plain standard errors would trust noise that is larger in larger events and noise
//! that lingers over events, so two robust ones are made and the wider is taken: one that allows
//! for unequal noise (HC3, residuals inflated by their leverage) and one that allows for short
//! memory (Newey and West). Quantiles are Student's, with n - 2 degrees of freedom.
//!
//! Of a long run not every event is kept: then increments and counts are means over some events,
//! and weigh as many. So what is explained is a share of the whole growth, and the many events of
//! before thinning do not drown the few calm means of after.

use crate::growth::student::Student;
use serde::Serialize;

/// What the growth depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Dependence {
    /// All of it goes with the counter.
    Proportional,
    /// The same in every event, whatever the counter says.
    PerEvent,
    /// A constant part and one that goes with the counter.
    Both,
    /// The data cannot tell.
    Unclear,
}

/// How increments follow a counter. Each estimate comes with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Follow {
    pub bytes_per_unit: f64,
    /// Bounds are infinite where nothing can be told, never for a counter that is followed.
    pub bytes_per_unit_low: f64,
    pub bytes_per_unit_high: f64,
    /// Bytes per event that do not depend on the counter.
    pub constant_bytes: f64,
    pub constant_bytes_low: f64,
    pub constant_bytes_high: f64,
    /// Correlation of increments and counts.
    pub correlation: f64,
    /// Its square: the share of the variance of increments that the counter accounts for.
    pub r_squared: f64,
    /// Share of the whole growth that the proportional part makes.
    pub explained_share: f64,
    pub dependence: Dependence,
    pub events: usize,
    /// Probability of so steep a dependence by chance.
    pub chance: f64,
}

/// Fewest events from which a dependence is claimed.
const FEWEST_EVENTS: usize = 8;
/// A part below this share of the growth is none.
const MINOR_SHARE: f64 = 0.05;
/// All of the growth goes with the counter where the constant part is known to be less than this
/// share of it, either way. That zero cannot be told from it is not enough: of a few large leaks
/// nothing can be told at all.
const UNKNOWN_SHARE: f64 = 0.5;
/// How probable it may be that the best of all counters is followed by chance. As for growth: there
/// are many stacks, and each is asked.
const CHANCE: f64 = 0.01;

/// Regresses increments of memory on the counts of the same events, each a mean over so many
/// events.
pub fn follow(increments_bytes: &[f64], counts: &[f64], events: &[f64]) -> Follow {
    let points = || {
        let increments = increments_bytes.iter().zip(counts).zip(events);
        increments.map(|((&bytes, &count), &weight)| (bytes, count, weight))
    };
    let n = points().count();
    let whole: f64 = points().map(|(_, _, weight)| weight).sum();
    let mean = |value: fn((f64, f64, f64)) -> f64| points().map(value).sum::<f64>() / whole;
    let mean_bytes = mean(|(bytes, _, weight)| weight * bytes);
    let mean_count = mean(|(_, count, weight)| weight * count);
    let (mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0);
    for (bytes, count, weight) in points() {
        sxx += weight * (count - mean_count) * (count - mean_count);
        sxy += weight * (count - mean_count) * (bytes - mean_bytes);
        syy += weight * (bytes - mean_bytes) * (bytes - mean_bytes);
    }
    if n < 3 || sxx <= 0.0 {
        return unclear(n, mean_bytes);
    }
    let unit = sxy / sxx;
    let constant = mean_bytes - unit * mean_count;
    let scores = points().map(|(bytes, count, weight)| {
        let distance = count - mean_count;
        let slope = weight * distance / sxx;
        let level = weight / whole - mean_count * slope;
        let leverage = weight / whole + distance * slope;
        let residual = bytes - constant - unit * count;
        let inflated = residual / (1.0 - leverage).max(1e-3);
        (slope * inflated, level * inflated)
    });
    let (slope_scores, level_scores): (Vec<f64>, Vec<f64>) = scores.unzip();
    // Rounding of the sums, so that exact data do not claim more digits than there are.
    let rounding = f64::EPSILON * syy.max(mean_bytes * mean_bytes * whole).sqrt();
    let unit_error = standard_error(&slope_scores).max(rounding / sxx.sqrt());
    let constant_error = standard_error(&level_scores).max(rounding);
    let student = Student::new((n - 2) as f64);
    let t = student.quantile(0.975);
    let correlation = if syy > 0.0 {
        sxy / (sxx * syy).sqrt()
    } else {
        0.0
    };
    let mut result = Follow {
        bytes_per_unit: unit,
        bytes_per_unit_low: unit - t * unit_error,
        bytes_per_unit_high: unit + t * unit_error,
        constant_bytes: constant,
        constant_bytes_low: constant - t * constant_error,
        constant_bytes_high: constant + t * constant_error,
        correlation,
        r_squared: correlation * correlation,
        explained_share: if mean_bytes == 0.0 {
            0.0
        } else {
            (unit * mean_count / mean_bytes).clamp(0.0, 1.0)
        },
        dependence: Dependence::Unclear,
        events: n,
        chance: 2.0 * student.below(-(unit / unit_error.max(f64::MIN_POSITIVE)).abs()),
    };
    result.dependence = dependence(&result, mean_bytes);
    result
}

/// Of several counters the one that the increments follow most closely, by its index; `None` if
/// they follow none more than chance would make the best of so many.
pub fn best_counter(
    increments_bytes: &[f64],
    counters: &[(&str, &[f64])],
    events: &[f64],
) -> Option<(usize, Follow)> {
    let follows = counters
        .iter()
        .map(|(_, counts)| follow(increments_bytes, counts, events));
    follows
        .enumerate()
        .filter(|(_, f)| f.events >= FEWEST_EVENTS && f.bytes_per_unit > 0.0)
        .filter(|(_, f)| f.chance * (counters.len() as f64) < CHANCE)
        .max_by(|a, b| a.1.correlation.total_cmp(&b.1.correlation))
}

fn dependence(follow: &Follow, mean_bytes: f64) -> Dependence {
    if follow.events < FEWEST_EVENTS {
        return Dependence::Unclear;
    }
    let growth = mean_bytes.abs();
    let is_notable = |part: f64| part.abs() >= MINOR_SHARE * growth;
    let unit = (follow.bytes_per_unit_low > 0.0 || follow.bytes_per_unit_high < 0.0)
        && is_notable(mean_bytes - follow.constant_bytes);
    let constant = (follow.constant_bytes_low > 0.0 || follow.constant_bytes_high < 0.0)
        && is_notable(follow.constant_bytes);
    let furthest = (follow.constant_bytes_low.abs()).max(follow.constant_bytes_high.abs());
    match (unit, constant) {
        (true, false) if furthest <= UNKNOWN_SHARE * growth => Dependence::Proportional,
        (true, false) => Dependence::Unclear,
        (true, true) => Dependence::Both,
        (false, true) => Dependence::PerEvent,
        (false, false) => Dependence::Unclear,
    }
}

/// Root of the wider of two variances of a sum of scores: independent, or with Bartlett weights
/// for the covariances at short distances.
fn standard_error(scores: &[f64]) -> f64 {
    let n = scores.len();
    let lags = (4.0 * (n as f64 / 100.0).powf(2.0 / 9.0)) as usize;
    let independent: f64 = scores.iter().map(|s| s * s).sum();
    let mut dependent = independent;
    for lag in 1..=lags.min(n.saturating_sub(1)) {
        let products: f64 = scores[lag..].iter().zip(scores).map(|(a, b)| a * b).sum();
        dependent += 2.0 * (1.0 - lag as f64 / (lags + 1) as f64) * products;
    }
    independent.max(dependent).sqrt()
}

/// Nothing can be separated: the counter does not vary, or there are hardly any events.
fn unclear(events: usize, mean_bytes: f64) -> Follow {
    Follow {
        bytes_per_unit: 0.0,
        bytes_per_unit_low: f64::NEG_INFINITY,
        bytes_per_unit_high: f64::INFINITY,
        constant_bytes: mean_bytes,
        constant_bytes_low: f64::NEG_INFINITY,
        constant_bytes_high: f64::INFINITY,
        correlation: 0.0,
        r_squared: 0.0,
        explained_share: 0.0,
        dependence: Dependence::Unclear,
        events,
        chance: 1.0,
    }
}
