//! Series of differences, a number an event: their means, their drift, and where
//! the warm-up ends.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    pub values: Vec<i64>,
    /// Over all values.
    pub mean: Option<f64>,
    /// Without the warm-up.
    pub mean_after_warm_up: Option<f64>,
    /// Of the values after warm-up.
    pub standard_error: Option<f64>,
    /// Means over the first and the last fifth of the values after warm-up.
    pub early_mean: Option<f64>,
    pub late_mean: Option<f64>,
    pub drift: Option<Drift>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    Rises,
    Flat,
    Declines,
}

/// Fewer values do not show a drift.
const LEAST_FOR_DRIFT: usize = 10;
/// A drift below this share of the mean is none.
const FLAT_SHARE: f64 = 0.05;
/// A difference within this many standard errors is none.
const ERRORS: f64 = 3.0;

impl Series {
    pub(super) fn new(values: Vec<i64>, warm_up: usize) -> Series {
        let measured = values.get(warm_up..).unwrap_or_default();
        let fifth = measured.len().div_ceil(5);
        let early = &measured[..fifth];
        let late = &measured[measured.len() - fifth..];
        Series {
            mean: mean(&values),
            mean_after_warm_up: mean(measured),
            standard_error: standard_error(measured),
            early_mean: mean(early),
            late_mean: mean(late),
            drift: drift(measured, early, late),
            values,
        }
    }
}

fn mean(values: &[i64]) -> Option<f64> {
    let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
    (!values.is_empty()).then(|| sum as f64 / values.len() as f64)
}

fn standard_error(values: &[i64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values
        .iter()
        .map(|&value| (value as f64 - mean).powi(2))
        .sum();
    let count = values.len() as f64;
    Some((squares / (count - 1.0) / count).sqrt())
}

fn drift(measured: &[i64], early: &[i64], late: &[i64]) -> Option<Drift> {
    if measured.len() < LEAST_FOR_DRIFT {
        return None;
    }
    let change = mean(late)? - mean(early)?;
    let noise = standard_error(early)?.hypot(standard_error(late)?);
    let least = (ERRORS * noise).max(FLAT_SHARE * mean(measured)?.abs());
    Some(match change {
        _ if change.abs() <= least => Drift::Flat,
        ..0.0 => Drift::Declines,
        _ => Drift::Rises,
    })
}

/// Fewer differences have no warm-up that could be told from them.
const LEAST_FOR_WARM_UP: usize = 4;
/// In standard deviations, as the median deviation gives them for normal noise.
const UNLIKE: f64 = 6.0;
const DEVIATIONS_PER_MEDIAN: f64 = 1.4826;
/// Less than a page is never unlike.
const PAGE_BYTES: f64 = 4096.0;

/// How many differences at the start are unlike the others; at most a half.
pub fn warm_up(differences: &[i64]) -> usize {
    if differences.len() < LEAST_FOR_WARM_UP {
        return 0;
    }
    let typical = median(differences.iter().map(|&value| value as f64));
    let deviations = differences
        .iter()
        .map(|&value| (value as f64 - typical).abs());
    let spread = median(deviations) * DEVIATIONS_PER_MEDIAN;
    let limit = (UNLIKE * spread).max(PAGE_BYTES);
    differences
        .iter()
        .take(differences.len() / 2)
        .take_while(|&&value| (value as f64 - typical).abs() > limit)
        .count()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warm_up_is_what_is_unlike_the_rest() {
        let mut differences = vec![7_000_000, 900_000];
        differences.extend((0..50).map(|index| 100_000 + index % 7 * 1000));
        assert_eq!(warm_up(&differences), 2);
        assert_eq!(warm_up(&differences[2..]), 0);
        differences.push(7_000_000);
        assert_eq!(warm_up(&differences), 2);
        assert_eq!(warm_up(&[4096, 0, 0, 0, 0]), 0);
        assert_eq!(warm_up(&[4097, 0, 0, 0, 0]), 1);
        assert_eq!(warm_up(&[1 << 30, 0, 0]), 0);
        // Steps everywhere are not a warm-up.
        assert_eq!(warm_up(&[1 << 20, 0, 1 << 20, 0, 1 << 20, 0, 0, 0]), 1);
    }

    #[test]
    fn means_with_and_without_the_warm_up() {
        let series = Series::new(vec![10, 1, 2, 3], 1);
        assert_eq!(series.mean, Some(4.0));
        assert_eq!(series.mean_after_warm_up, Some(2.0));
        assert_eq!(series.early_mean, Some(1.0));
        assert_eq!(series.late_mean, Some(3.0));
        assert_eq!(series.drift, None);
        let empty = Series::new(Vec::new(), 0);
        assert_eq!((empty.mean, empty.late_mean), (None, None));
    }

    #[test]
    fn a_drift_is_more_than_noise() {
        let drift = |value: fn(i64) -> i64| Series::new((0..100).map(value).collect(), 0).drift;
        assert_eq!(drift(|index| 1000 - index * 5), Some(Drift::Declines));
        assert_eq!(drift(|index| 1000 + index * 5), Some(Drift::Rises));
        assert_eq!(drift(|index| 1000 + index % 2 * 500), Some(Drift::Flat));
        assert_eq!(drift(|_| 0), Some(Drift::Flat));
    }
}
