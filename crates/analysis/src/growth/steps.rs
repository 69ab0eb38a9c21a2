//! Growth in steps: high-water marks, single jumps, rare leaks.
//!
//! A few jumps look like a slope to any line fit. Two questions keep them apart from growth. Does
//! a line explain the readings better than at most three jumps, each model charged for its
//! parameters (Schwarz criterion, on at most 32 block means, so that short memory does not pose
//! as evidence)? And where the readings only ever stay or rise: how many rises are there, and
//! what rates are compatible with that number? A record process (the high-water mark of random
//! demand) has on average ln 2 rises in the second half of any run, so at least
//! [`FEWEST_LATE_RISES`] are asked for before rises are taken for growth.

use crate::series::{Series, mean};

const MOST_BLOCKS: usize = 32;
const MOST_JUMPS: usize = 3;
/// Chance that a record process has this many in the second half: 0.06 %.
pub(super) const FEWEST_LATE_RISES: usize = 5;
/// Share of readings that repeat the one before, from which on a series counts as stepped.
const STILL_SHARE: f64 = 0.3;

/// A series that only stays or rises, and mostly stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rises {
    pub count: usize,
    /// Rises after the middle event.
    pub late: usize,
    pub mean_bytes: f64,
    /// Mean square over squared mean of the rises: by how much unequal rises thin out the count.
    pub unevenness: f64,
    /// Longest number of events without a rise before the last rise.
    pub longest_wait: f64,
    /// Events since the last rise.
    pub wait_now: f64,
}

/// The rises, if the series is stepped; `None` if it falls anywhere or moves in most events.
pub(super) fn rises(series: &Series) -> Option<Rises> {
    let (values, events) = (series.values(), series.events());
    let middle = series.events().first()? + 0.5 * series.span();
    let mut sizes = Vec::new();
    let (mut late, mut still, mut longest_wait) = (0, 0, 0.0_f64);
    let mut last_rise = events[0];
    for i in 1..values.len() {
        let change = values[i] - values[i - 1];
        if change < 0.0 {
            return None;
        }
        if change == 0.0 {
            still += 1;
            continue;
        }
        sizes.push(change);
        late += usize::from(events[i] > middle);
        longest_wait = longest_wait.max(events[i] - last_rise);
        last_rise = events[i];
    }
    if (still as f64) < STILL_SHARE * (values.len() - 1) as f64 {
        return None;
    }
    let mean_bytes = mean(&sizes);
    let squares: f64 = sizes.iter().map(|s| s * s).sum();
    let unevenness = if sizes.is_empty() {
        1.0
    } else {
        squares / sizes.len() as f64 / (mean_bytes * mean_bytes)
    };
    Some(Rises {
        count: sizes.len(),
        late,
        mean_bytes,
        unevenness,
        longest_wait,
        wait_now: events[events.len() - 1] - last_rise,
    })
}

impl Rises {
    /// Limits of the mean rate when rises come at random (Byar's approximation to the exact
    /// limits of a Poisson count); `z` is the normal quantile asked for.
    pub fn limits(&self, span: f64, z: f64) -> (f64, f64) {
        let unit = self.mean_bytes * self.unevenness / span;
        let count = self.count as f64 / self.unevenness;
        let cube = |m: f64, side: f64| {
            m * (1.0 - 1.0 / (9.0 * m) + side * z / (3.0 * m.sqrt()))
                .max(0.0)
                .powi(3)
        };
        let low = if self.count == 0 {
            0.0
        } else {
            cube(count, -1.0)
        };
        (unit * low, unit * cube(count + 1.0, 1.0))
    }
}

/// Whether at most three jumps explain the series at least as well as a line.
pub(super) fn jumps_explain(series: &Series) -> bool {
    let (values, _) = series.evenly(MOST_BLOCKS);
    let n = values.len();
    if n < 4 {
        return true;
    }
    let cost = |squares: f64, parameters: usize| {
        n as f64 * squares.max(f64::MIN_POSITIVE).ln() + parameters as f64 * (n as f64).ln()
    };
    let line = Series::consecutive(0, values.clone());
    let fit = line.line_fit();
    let line_squares: f64 = (0..n)
        .map(|i| values[i] - fit.intercept - fit.rate * i as f64)
        .map(|residual| residual * residual)
        .sum();
    let line_cost = cost(line_squares, 2);
    let mut parts = vec![(0, n)];
    for jumps in 1..=MOST_JUMPS {
        // Split the part whose split gains most.
        let Some((part, at, _)) = parts
            .iter()
            .enumerate()
            .filter_map(|(index, &(from, to))| {
                best_split(&values[from..to]).map(|(at, gain)| (index, from + at, gain))
            })
            .max_by(|a, b| a.2.total_cmp(&b.2))
        else {
            break;
        };
        let (from, to) = parts[part];
        parts[part] = (from, at);
        parts.push((at, to));
        let squares: f64 = parts
            .iter()
            .map(|&(from, to)| squares_about_mean(&values[from..to]))
            .sum();
        if cost(squares, 2 * jumps + 1) <= line_cost {
            return true;
        }
    }
    false
}

/// Index at which two means instead of one gain most, and the gain in squares.
fn best_split(values: &[f64]) -> Option<(usize, f64)> {
    let n = values.len();
    let centre = mean(values);
    let mut sum = 0.0;
    let mut best = None;
    for at in 1..n {
        sum += values[at - 1] - centre;
        let gain = sum * sum * n as f64 / (at * (n - at)) as f64;
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((at, gain));
        }
    }
    best
}

fn squares_about_mean(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|v| (v - centre) * (v - centre)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_jump_is_not_a_line_and_a_line_is_not_jumps() {
        let noise = |i: usize| ((i * 7919) % 101) as f64;
        let jump = (0..300).map(|i| noise(i) + if i > 170 { 5000.0 } else { 0.0 });
        assert!(jumps_explain(&Series::consecutive(0, jump.collect())));
        let line = (0..300).map(|i| noise(i) + 20.0 * i as f64);
        assert!(!jumps_explain(&Series::consecutive(0, line.collect())));
    }

    #[test]
    fn rises_are_counted_and_sized() {
        let values = vec![0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 40.0, 40.0, 40.0];
        let found = rises(&Series::consecutive(0, values)).unwrap();
        assert_eq!((found.count, found.late, found.mean_bytes), (2, 1, 20.0));
        assert_eq!((found.longest_wait, found.wait_now), (4.0, 2.0));
        assert_eq!(found.unevenness, 1.25);
        let falling = Series::consecutive(0, vec![1.0, 0.0, 0.0, 0.0]);
        assert_eq!(rises(&falling), None);
    }

    #[test]
    fn limits_are_those_of_a_poisson_count() {
        let ten = Rises {
            count: 10,
            late: 5,
            mean_bytes: 1.0,
            unevenness: 1.0,
            longest_wait: 1.0,
            wait_now: 1.0,
        };
        let (low, high) = ten.limits(1.0, 1.96);
        assert!(
            (low - 4.795).abs() < 0.05 && (high - 18.39).abs() < 0.05,
            "{low} {high}"
        );
    }
}
