//! What each interval did in each turn, and how sure its mean is.

use super::Stages;
use crate::growth::student::Student;

/// The part of chance on each side of a 95 % interval.
const TAIL: f64 = 0.025;

impl Stages {
    /// By row, then by interval: its growth in that turn; `None` where the event lacks the
    /// stamp it ends with, or there is no next event.
    pub fn by_turn(&self) -> impl Iterator<Item = Vec<Option<i64>>> + '_ {
        let column = |name: &str| self.columns.iter().position(|title| title == name);
        // The interval that ends with each column.
        let mut interval_of_column = vec![None; self.columns.len()];
        let mut outside = None;
        for (index, interval) in self.intervals.iter().enumerate() {
            match (interval.outside, column(&interval.to)) {
                (true, _) => outside = Some(index),
                (false, Some(column)) => interval_of_column[column] = Some(index),
                (false, None) => {}
            }
        }
        self.rows.iter().enumerate().map(move |(index, row)| {
            let mut values = vec![None; self.intervals.len()];
            for step in row.path.windows(2) {
                let cell = |column: usize| row.cells[column].unwrap_or(0);
                if let Some(interval) = interval_of_column[step[1]] {
                    values[interval] = Some(cell(step[1]) - cell(step[0]));
                }
            }
            if let (Some(outside), Some(next)) = (outside, self.rows.get(index + 1)) {
                values[outside] = Some(next.first - row.last);
            }
            values
        })
    }

    /// By interval: the 95 % interval of its mean, if its turns were independent; `None`
    /// where there are too few.
    pub fn mean_bounds(&self) -> Vec<Option<(f64, f64)>> {
        let turns = self.rows.len().saturating_sub(1 + self.warm_up_rows);
        if turns < 2 {
            return vec![None; self.intervals.len()];
        }
        let mut squares = vec![0.0; self.intervals.len()];
        for values in self.by_turn().skip(self.warm_up_rows).take(turns) {
            for ((square, interval), value) in squares.iter_mut().zip(&self.intervals).zip(values) {
                // A turn that lacks it adds nothing to the mean either.
                *square += (value.unwrap_or(0) as f64 - interval.mean).powi(2);
            }
        }
        let freedom = turns as f64 - 1.0;
        let quantile = Student::new(freedom).quantile(1.0 - TAIL);
        let bounds = |(interval, square): (&super::Interval, f64)| {
            let error = (square / freedom / turns as f64).sqrt();
            Some((
                interval.mean - quantile * error,
                interval.mean + quantile * error,
            ))
        };
        self.intervals.iter().zip(squares).map(bounds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Value, analyse};
    use residue_profile::timeline::Stamp;

    /// Events of two stamps; the first adds `within`, what follows adds 100.
    fn stamps(within: &[u64]) -> Vec<Stamp> {
        let mut live = 1000;
        let mut stamps = Vec::new();
        for (event, within) in (1..).zip(within) {
            for (name, more) in [(0, *within), (1, 100)] {
                stamps.push(Stamp {
                    spent: residue_profile::timeline::Spent::default(),
                    name,
                    event,
                    time_ns: u64::from(event) * 10 + u64::from(name),
                    vm_bytes: None,
                    rss_bytes: None,
                    live_bytes: Some(live),
                });
                live += more;
            }
        }
        stamps
    }

    #[test]
    fn turns_add_up_and_their_means_have_bounds() {
        let names = ["head", "tail"].map(String::from);
        let stages = analyse(&names, &stamps(&[10, 14, 12, 12]), Value::Live).unwrap();
        let turns: Vec<Vec<Option<i64>>> = stages.by_turn().collect();
        let expected = [
            [Some(10), Some(100)],
            [Some(14), Some(100)],
            [Some(12), Some(100)],
            [Some(12), None],
        ];
        assert_eq!(turns, expected);
        let sums = turns[..3].iter().map(|turn| turn.iter().flatten().sum());
        assert_eq!(sums.collect::<Vec<i64>>(), stages.start_to_start.values);
        // Of 10, 14 and 12: mean 12, standard error 2 / sqrt(3), t with two degrees 4.3027.
        let bounds = stages.mean_bounds();
        let (low, high) = bounds[0].unwrap();
        assert!((low - (12.0 - 4.968_28)).abs() < 1e-3, "{low}");
        assert!((high - (12.0 + 4.968_28)).abs() < 1e-3, "{high}");
        assert_eq!(bounds[1], Some((100.0, 100.0)));
        let short = analyse(&names, &stamps(&[10, 14]), Value::Live).unwrap();
        assert_eq!(short.mean_bounds(), [None, None]);
    }
}
