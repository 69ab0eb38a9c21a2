//! Series without noise: the end of the series repeats itself to the byte.
//!
//! The live heap of a single-threaded program is exact. A leak in every event, a leak in every
//! k-th event, a buffer flushed every k-th event and a flat line all have increments that repeat
//! with some period. The longest such end of the series is found with the prefix function of the
//! reversed increments (Knuth, Morris, Pratt) in O(n); what lies before it is warm-up.

use super::steps::rises;
use super::{Growth, GrowthOptions, Method, Outcome, Reason, fell_back};
use crate::series::Series;

/// A pattern counts as repeating when it is seen this many times.
const REPEATS: usize = 4;

/// The longest end of a series whose increments repeat exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ExactTail {
    /// Number of increments in it.
    length: usize,
    /// Number of increments after which they repeat.
    period: usize,
    /// Mean change per event.
    rate: f64,
    /// How far the readings move about the line of that rate within a period, in bytes: what a
    /// part of a period at either end can hide.
    swing: f64,
}

/// Fewest increments of an exact end that follows on something else.
const FEWEST_AFTER_WARM_UP: usize = 8;
/// An end without growth must last this many times longer than any stillness before it.
const LONGER_THAN_BEFORE: usize = 3;
/// Steps that come at random are ruled out only by an end that lasts this many times longer.
const RULES_OUT_STEPS: usize = 10;
/// Mean number of steps of which none is seen by a chance of 2.5 %.
const RARE_WAIT: f64 = 3.7;

/// Fills in the verdict if the end of the series is exact and long enough to speak for the run.
pub(super) fn judge(series: &Series, options: &GrowthOptions, growth: &mut Growth) -> bool {
    let Some(tail) = exact_tail(series) else {
        return false;
    };
    let all = series.len() - 1;
    let before = all - tail.length;
    if before > 0 && tail.length < FEWEST_AFTER_WARM_UP {
        return false;
    }
    let used = series.skip(before);
    let still = tail.rate.abs() * used.span() <= 1e-9 * tail.swing;
    let mut unseen_steps = 0.0;
    if still {
        let longest = longest_stillness(&series.increments()[..before]);
        let outlasts = |times: usize| tail.period == 1 && tail.length >= times * longest.max(1);
        if 2 * tail.length < all && !(outlasts(LONGER_THAN_BEFORE) && 8 * tail.length >= all) {
            return false;
        }
        if !outlasts(RULES_OUT_STEPS)
            && let Some(rises) = rises(series)
        {
            unseen_steps = RARE_WAIT * rises.mean_bytes * rises.unevenness;
        }
    } else if 3 * tail.length < all || fell_back(series, before) {
        return false;
    }
    growth.leave_out(series, before);
    let half_width = tail.swing / used.span();
    growth.rate = if still { 0.0 } else { tail.rate };
    growth.low = growth.rate - half_width;
    growth.high = growth.rate + half_width.max(unseen_steps / used.span());
    growth.smallest_visible =
        (options.granularity_bytes + tail.swing).max(unseen_steps) / used.span();
    growth.needs_events = None;
    growth.method = if tail.period == 1 {
        Method::Exact
    } else {
        Method::Periodic
    };
    growth.outcome = match growth.rate {
        0.0 => Outcome::NoGrowth,
        rate if rate > 0.0 => Outcome::Growing,
        _ => Outcome::Shrinking,
    };
    growth.reasons.push(reason(&tail, growth.rate, before));
    true
}

fn reason(tail: &ExactTail, rate: f64, before: usize) -> Reason {
    let after_warm_up = before > 0;
    match (tail.period, rate == 0.0) {
        (1, true) if after_warm_up => Reason::UnchangedAtTheEnd {
            readings: tail.length,
        },
        (1, true) => Reason::AllReadingsEqual,
        (1, false) => Reason::IncrementsEqual {
            increments: tail.length,
            after_warm_up,
        },
        (period_events, adds_up_to_nothing) => Reason::IncrementsRepeat {
            period_events,
            adds_up_to_nothing,
            after_warm_up,
        },
    }
}

fn longest_stillness(increments: &[f64]) -> usize {
    let runs = increments.split(|increment| *increment != 0.0);
    runs.map(<[f64]>::len).max().unwrap_or(0)
}

fn exact_tail(series: &Series) -> Option<ExactTail> {
    let increments = series.increments();
    let reversed: Vec<f64> = increments.iter().rev().copied().collect();
    let (length, period) = longest_repeating_prefix(&reversed)?;
    let first = increments.len() - length;
    let events = &series.events()[first..];
    let evenly = events.windows(3).all(|e| same(e[2] - e[1], e[1] - e[0]));
    if period > 1 && !evenly {
        return None;
    }
    let pattern = &increments[first..first + period];
    let rate = pattern.iter().sum::<f64>() / period as f64;
    let gap = events[1] - events[0];
    let (mut at, mut low, mut high) = (0.0, 0.0_f64, 0.0_f64);
    for increment in pattern {
        at += (increment - rate) * gap;
        low = low.min(at);
        high = high.max(at);
    }
    let swing = if period > 1 { high - low } else { 0.0 };
    Some(ExactTail {
        length,
        period,
        rate,
        swing,
    })
}

/// Length and period of the longest prefix that repeats at least [`REPEATS`] times.
fn longest_repeating_prefix(values: &[f64]) -> Option<(usize, usize)> {
    let mut border = vec![0; values.len()];
    let mut longest = None;
    let mut matched = 0;
    for i in 1..values.len() {
        while matched > 0 && !same(values[i], values[matched]) {
            matched = border[matched - 1];
        }
        if same(values[i], values[matched]) {
            matched += 1;
        }
        border[i] = matched;
        let (length, period) = (i + 1, i + 1 - matched);
        if length >= REPEATS * period {
            longest = Some((length, period));
        }
    }
    longest
}

/// Equal but for the rounding of readings that are not whole bytes.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(increments: &[f64]) -> Option<ExactTail> {
        let mut values = vec![1000.0];
        for increment in increments {
            values.push(values[values.len() - 1] + increment);
        }
        exact_tail(&Series::consecutive(0, values))
    }

    #[test]
    fn a_line_after_warm_up() {
        let tail = tail_of(&[900.0, 70.0, 64.0, 64.0, 64.0, 64.0, 64.0]).unwrap();
        assert_eq!((tail.length, tail.period), (5, 1));
        assert_eq!((tail.rate, tail.swing), (64.0, 0.0));
    }

    #[test]
    fn every_third_event() {
        let increments: Vec<f64> = (0..14)
            .map(|i| f64::from(u8::from(i % 3 == 2)) * 96.0)
            .collect();
        let tail = tail_of(&increments).unwrap();
        assert_eq!((tail.length, tail.period, tail.rate), (14, 3, 32.0));
        assert_eq!(tail.swing, 64.0);
    }

    #[test]
    fn noise_does_not_repeat() {
        assert_eq!(tail_of(&[1.0, 5.0, 2.0, 8.0, 3.0, 3.0, 4.0, 9.0]), None);
    }

    #[test]
    fn a_line_with_gaps_is_exact_and_a_pattern_with_gaps_is_not() {
        let events = vec![0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let line = events.iter().map(|e| 7.0 * e).collect();
        let tail = exact_tail(&Series::new(events.clone(), line)).unwrap();
        assert_eq!((tail.length, tail.rate), (6, 7.0));
        let stepped = vec![0.0, 1.0, 0.0, 2.0, 0.0, 8.0, 0.0];
        assert_eq!(exact_tail(&Series::new(events, stepped)), None);
    }
}
