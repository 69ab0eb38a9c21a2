//! Where the steady part of a series begins.
//!
//! The second half is taken as steady, and every stretch of it of some length has a growth rate;
//! these rates span a range. The series is peeled from the front: a leading stretch is warm-up
//! when its rate lies outside the range of the second half's stretches *of the same length* by
//! the width of that range again. The rule has no model of the noise, so random walks and rare
//! large steps do not look like warm-up, while one odd first event, an exponential approach, a
//! linear fill and a slow start all do. It never takes more than half of the readings.

use crate::series::Series;

/// A length of stretch with the lowest and highest rate that counts as steady.
struct Steady {
    length: usize,
    low: f64,
    high: f64,
}

/// Number of leading readings to leave out.
pub(super) fn warm_up_readings(series: &Series) -> usize {
    let n = series.len();
    let half = n / 2;
    let ranges = steady_ranges(series, half);
    let mut start = 0;
    while let Some(length) = ranges
        .iter()
        .filter(|steady| start + steady.length <= half)
        .find(|steady| {
            let rate = rate_over(series, start, steady.length);
            rate < steady.low || rate > steady.high
        })
        .map(|steady| steady.length)
    {
        start += length;
    }
    start
}

fn steady_ranges(series: &Series, half: usize) -> Vec<Steady> {
    let n = series.len();
    let mut ranges = Vec::new();
    let mut length = 1;
    while length <= n / 4 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for start in half..n - length {
            let rate = rate_over(series, start, length);
            low = low.min(rate);
            high = high.max(rate);
        }
        // Few long stretches fit into half a series, and they overlap: their range is too small.
        let room = if length * 16 <= n { 1.0 } else { 2.0 };
        let margin = room * (high - low) + 1e-9 * high.abs().max(low.abs());
        ranges.push(Steady {
            length,
            low: low - margin,
            high: high + margin,
        });
        length += (length / 2).max(1);
    }
    ranges
}

fn rate_over(series: &Series, start: usize, length: usize) -> f64 {
    let end = start + length;
    (series.values()[end] - series.values()[start])
        / (series.events()[end] - series.events()[start])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warm_up_of(increments: impl IntoIterator<Item = f64>) -> usize {
        let mut values = vec![0.0];
        for increment in increments {
            values.push(values[values.len() - 1] + increment);
        }
        warm_up_readings(&Series::consecutive(0, values))
    }

    fn jitter(i: usize) -> f64 {
        f64::from(((i * 7919) % 101) as u8) - 50.0
    }

    #[test]
    fn one_odd_first_event() {
        let increments = (0..100).map(|i| if i == 0 { 6884.0 } else { 2196.0 + jitter(i) });
        assert_eq!(warm_up_of(increments), 1);
    }

    #[test]
    fn none_in_a_steady_series() {
        assert_eq!(warm_up_of((0..200).map(|i| 100.0 + jitter(i))), 0);
    }

    #[test]
    fn a_slow_start() {
        let increments = (0..300).map(|i| if i < 100 { 0.0 } else { 2000.0 + jitter(i) });
        assert_eq!(warm_up_of(increments), 100);
    }

    #[test]
    fn an_exponential_approach_up_to_half() {
        let increments = (0..300).map(|i| 1e6 * (-f64::from(i) / 20.0).exp() + jitter(i as usize));
        let found = warm_up_of(increments);
        assert!((100..=150).contains(&found), "{found}");
    }
}
