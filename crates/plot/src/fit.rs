//! The line of a rate through its readings, and the wedge that its interval opens.
//!
//! ```text
//!                    .-'  high
//!      \       .-'_.--    rate
//!         \ _.-'--____    low
//!         .-'  middle of the events used
//! ```

use residue_analysis::growth::Growth;
use residue_analysis::series::Series;

/// (event, bytes)
pub type Point = (f64, f64);

#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// From the first event that was used to the last.
    pub line: [Point; 2],
    /// Between the lines of the lowest and of the highest rate, which cross in the
    /// middle; `None` where the interval is not known, or nothing.
    pub wedge: Option<[Point; 6]>,
}

impl Fit {
    /// `None` without a reading among the events used, or without a rate.
    pub fn of(series: &Series, growth: &Growth) -> Option<Fit> {
        let (first, last) = (growth.first_event as f64, growth.last_event as f64);
        let middle = (first + last) / 2.0;
        let pairs = series.events().iter().zip(series.values());
        let mut levels: Vec<f64> = pairs
            .filter(|(event, _)| (first..=last).contains(*event))
            .map(|(event, bytes)| bytes - growth.rate * (event - middle))
            .filter(|level| level.is_finite())
            .collect();
        // Half of the readings lie above the line, however far some stick out.
        let level = median(&mut levels)?;
        let half = (last - first) / 2.0;
        let (at_first, at_last) = (
            |rate: f64| (first, level - rate * half),
            |rate: f64| (last, level + rate * half),
        );
        let (low, high) = (growth.low, growth.high);
        let is_wedge = low.is_finite() && high.is_finite() && low < high;
        Some(Fit {
            line: [at_first(growth.rate), at_last(growth.rate)],
            wedge: is_wedge.then(|| {
                let middle = (middle, level);
                let (start, end) = (at_first(high), at_last(high));
                [start, middle, end, at_last(low), middle, at_first(low)]
            }),
        })
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(match values.len() % 2 {
        0 => f64::midpoint(values[values.len() / 2 - 1], upper),
        _ => upper,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_analysis::growth::{GrowthOptions, assess};

    fn leak(events: u64, rate: f64) -> (Series, Growth) {
        let values = (0..events)
            .map(|event| 1000.0 + rate * event as f64)
            .collect();
        let series = Series::consecutive(1, values);
        let growth = assess(&series, &GrowthOptions::default());
        (series, growth)
    }

    #[test]
    fn an_exact_leak_is_a_line_through_its_readings() {
        let (series, growth) = leak(101, 64.0);
        let fit = Fit::of(&series, &growth).unwrap();
        assert_eq!(fit.line, [(1.0, 1000.0), (101.0, 7400.0)]);
        assert_eq!(fit.wedge, None);
    }

    #[test]
    fn the_wedge_opens_from_the_middle_by_the_interval() {
        let (series, mut growth) = leak(101, 64.0);
        (growth.low, growth.high) = (54.0, 84.0);
        let wedge = Fit::of(&series, &growth).unwrap().wedge.unwrap();
        let middle = (51.0, 4200.0);
        assert_eq!(
            wedge,
            [
                (1.0, 4200.0 - 84.0 * 50.0),
                middle,
                (101.0, 4200.0 + 84.0 * 50.0),
                (101.0, 4200.0 + 54.0 * 50.0),
                middle,
                (1.0, 4200.0 - 54.0 * 50.0),
            ]
        );
    }

    #[test]
    fn only_events_that_were_used_count_and_none_that_sticks_out() {
        let mut values: Vec<f64> = (1..=100).map(|event| f64::from(event) * 10.0).collect();
        values[..10].fill(1e9);
        values[50] = 1e9;
        let series = Series::consecutive(1, values);
        let (_, mut growth) = leak(3, 10.0);
        (growth.first_event, growth.last_event) = (11, 100);
        let fit = Fit::of(&series, &growth).unwrap();
        assert_eq!(fit.line, [(11.0, 110.0), (100.0, 1000.0)]);
    }

    #[test]
    fn without_readings_or_numbers_there_is_no_line() {
        let (series, mut growth) = leak(9, 1.0);
        assert_eq!(Fit::of(&Series::default(), &growth), None);
        (growth.low, growth.high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(Fit::of(&series, &growth).unwrap().wedge, None);
        growth.rate = f64::NAN;
        assert_eq!(Fit::of(&series, &growth), None);
    }
}
