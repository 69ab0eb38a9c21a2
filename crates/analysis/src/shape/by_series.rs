//! What the readings at event begins say.
//!
//! The order of the questions matters: growth first, then teeth, then turnover (blocks freed in
//! later events), and only then the ways in which a level can rise and stay.

use super::{Deferral, Outcome, Reason, Shape, StackHistory};
use crate::growth::Growth;

/// Freed by the end of the process, as a share of what the last event left.
const FREED_AT_EXIT: f64 = 0.9;
/// Deferred frees happen within this many events; what lives longer is a cache.
const FEW_EVENTS: f64 = 8.0;
/// A tooth falls by at least this share of the whole range.
const TOOTH: f64 = 0.3;
/// Frees per event from which on late frees are the rule and not the odd reallocation.
const REGULAR: f64 = 0.3;
/// Readings below which one or two rises prove nothing.
const MANY_READINGS: f64 = 100.0;
/// Warm-up ends within this share of the readings.
const EARLY_SHARE: f64 = 0.2;

pub(super) fn shape(history: &StackHistory, growth: &Growth) -> (Shape, Vec<Reason>) {
    let values = history.live.values();
    if growth.outcome == Outcome::Growing {
        let grows = Reason::Grows {
            bytes_per_event: growth.rate,
            low: growth.low,
            high: growth.high,
        };
        return match history.freed_at_exit() {
            Some(freed) => (Shape::ExitFreed, vec![grows, freed]),
            None => (Shape::Leak, vec![grows]),
        };
    }
    let level = Level::of(values);
    if values.len() < 4 {
        let readings = values.len();
        return (Shape::Undetermined, vec![Reason::FewReadings { readings }]);
    }
    match level.teeth(values) {
        0 => {}
        1 => return (Shape::Undetermined, vec![Reason::FellBackOnce]),
        times => {
            let reason = Reason::FallsBackAgainAndAgain { times };
            return (Shape::Sawtooth, vec![reason]);
        }
    }
    if let Some((shape, reason)) = turnover(history) {
        return (shape, vec![reason]);
    }
    if level.range == 0.0 {
        let bytes = level.first;
        return (Shape::Flat, vec![Reason::StaysAt { bytes }]);
    }
    let (shape, reason) = level.rise(values);
    // A rise that goes on is not settled by its looks.
    let settled =
        growth.outcome == Outcome::NoGrowth || matches!(shape, Shape::Plateau | Shape::Step);
    if settled {
        return (shape, vec![reason]);
    }
    let undetermined = Reason::GrowthUndetermined {
        bytes_per_event: growth.rate,
        low: growth.low,
        high: growth.high,
    };
    (Shape::Undetermined, vec![reason, undetermined])
}

impl StackHistory {
    /// Whether next to nothing is left when the process ends of what the last event left.
    fn freed_at_exit(&self) -> Option<Reason> {
        let left_bytes = self.end_of_run_bytes;
        let freed_bytes = left_bytes.saturating_sub(self.at_exit_bytes);
        let is_freed = left_bytes > 0 && freed_bytes as f64 >= FREED_AT_EXIT * left_bytes as f64;
        is_freed.then_some(Reason::FreedAfterLastEvent {
            freed_bytes,
            left_bytes,
        })
    }
}

/// Blocks that regularly outlive their event and are freed later.
fn turnover(history: &StackHistory) -> Option<(Shape, Reason)> {
    let Deferral {
        frees,
        mean_events,
        longest_events,
    } = history.deferral?;
    if (frees as f64) < REGULAR * f64::from(history.events) {
        return None;
    }
    // A single array that outgrows itself frees the old one whenever the level rises.
    let changes = || history.live.values().windows(2).map(|v| v[1] - v[0]);
    let rises = changes().filter(|change| *change > 0.0).count() as u64;
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    let is_one_block = sum(&mut history.births.iter().map(|birth| birth.blocks)) == 1;
    if is_one_block && frees <= rises && changes().all(|change| change >= 0.0) {
        return None;
    }
    // What is older than anything that is ever freed is not part of the turnover.
    let end = history.live.events().last().copied().unwrap_or(0.0);
    let kept = history
        .births
        .iter()
        .filter(|birth| end - birth.event as f64 > longest_events);
    let kept_bytes = sum(&mut kept.map(|birth| birth.bytes));
    if kept_bytes.saturating_mul(2) > history.end_of_range_bytes {
        return None;
    }
    let reason = Reason::FreedInLaterEvents {
        blocks: frees,
        mean_events,
        longest_events,
    };
    let soon =
        mean_events <= FEW_EVENTS && longest_events <= (2.0 * mean_events).max(mean_events + 2.0);
    Some((if soon { Shape::Deferred } else { Shape::Cache }, reason))
}

/// The course of the level, from its first reading to its highest.
struct Level {
    first: f64,
    range: f64,
    /// Highest reading above the first.
    rise: f64,
    /// Deepest fall below an earlier reading.
    deepest_fall: f64,
}

impl Level {
    fn of(values: &[f64]) -> Self {
        let first = values.first().copied().unwrap_or(0.0);
        let (mut low, mut high, mut deepest_fall) = (first, first, 0.0_f64);
        for value in values {
            low = low.min(*value);
            high = high.max(*value);
            deepest_fall = deepest_fall.max(high - value);
        }
        Self {
            first,
            range: high - low,
            rise: high - first,
            deepest_fall,
        }
    }

    /// Number of teeth: falls that undo much, each after several smaller rises.
    fn teeth(&self, values: &[f64]) -> usize {
        let changes = || values.windows(2).map(|v| v[1] - v[0]);
        let rises = changes().filter(|change| *change > 0.0);
        let falls = changes().filter(|change| *change < 0.0);
        let (rise_count, fall_count) = (rises.clone().count(), falls.clone().count());
        let teeth = falls
            .clone()
            .filter(|fall| -fall >= TOOTH * self.range)
            .count();
        let mean_rise = rises.sum::<f64>() / rise_count.max(1) as f64;
        let mean_fall = -falls.sum::<f64>() / fall_count.max(1) as f64;
        let toothed = 2 * fall_count <= rise_count && mean_fall >= 2.0 * mean_rise;
        if toothed { teeth } else { 0 }
    }

    /// The kind of a rise that stays.
    fn rise(&self, values: &[f64]) -> (Shape, Reason) {
        let n = values.len() as f64;
        if self.deepest_fall > 0.25 * self.rise {
            let range_bytes = self.range;
            return (Shape::Flat, Reason::MovesWithoutDirection { range_bytes });
        }
        let reached = |share: f64| {
            let mark = self.first + share * self.rise;
            values
                .iter()
                .position(|value| *value >= mark)
                .unwrap_or(values.len())
        };
        let (half, most) = (reached(0.5), reached(0.95));
        // Where most readings repeat the one before, every rise is real; else small ones are noise.
        let still = values.windows(2).filter(|v| v[0] == v[1]).count() as f64 >= 0.5 * (n - 1.0);
        let records = Records::of(values, if still { 0.0 } else { 0.005 * self.rise });
        let count = records.at.len();
        let dense = most <= 2 || records.within(most) as f64 >= 0.8 * most as f64;
        let brief = most as f64 <= (EARLY_SHARE * n).max(5.0);
        let last = records.at.last().copied().unwrap_or(0);
        let stepping_on = still && (count as f64) < 0.8 * last as f64;
        let few = count as f64 <= 5.0 + 2.5 * n.ln() && records.late <= 3;
        let even = (0.4..=0.68).contains(&(half as f64 / most.max(1) as f64));
        let reason = Reason::Rises {
            bytes: self.rise,
            rises: count,
            most_by_reading: most,
            readings: values.len(),
        };
        let shape = if n < MANY_READINGS && count <= 3 && records.late > 0 {
            Shape::Undetermined
        } else if records.largest >= 0.9 * self.rise && !brief {
            Shape::Step
        } else if dense && brief && !stepping_on {
            Shape::WarmUp
        } else if few && (!dense || brief) {
            records.few(n)
        } else if even && !brief {
            Shape::Stopped
        } else if !even || !dense {
            Shape::Cache
        } else {
            Shape::Undetermined
        };
        (shape, reason)
    }
}

/// The readings that exceed all before them by more than noise.
struct Records {
    at: Vec<usize>,
    /// How many lie in the second half.
    late: usize,
    largest: f64,
    equal: bool,
}

impl Records {
    fn of(values: &[f64], least: f64) -> Self {
        let mut highest = values[0];
        let (mut at, mut sizes) = (Vec::new(), Vec::new());
        for (index, value) in values.iter().enumerate() {
            if *value > highest + least {
                at.push(index);
                sizes.push(value - highest);
                highest = *value;
            }
        }
        let late = at
            .iter()
            .filter(|index| 2 * **index >= values.len())
            .count();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let equal = sizes.iter().all(|size| *size == sizes[0]);
        Self {
            at,
            late,
            largest,
            equal,
        }
    }

    /// Few rises with rests between them. Records of random demand seldom open with many rises in
    /// a row (n in a row: once in n!), as the misses of an empty cache do.
    fn few(&self, readings: f64) -> Shape {
        let opening = self
            .at
            .iter()
            .enumerate()
            .take_while(|(i, at)| **at == i + 1)
            .count();
        match opening {
            4.. => Shape::Cache,
            3 if readings < MANY_READINGS => Shape::Undetermined,
            _ if self.equal && self.at.len() >= 6 => Shape::Cache,
            _ => Shape::Plateau,
        }
    }

    fn within(&self, limit: usize) -> usize {
        self.at.iter().filter(|index| **index <= limit).count()
    }
}
