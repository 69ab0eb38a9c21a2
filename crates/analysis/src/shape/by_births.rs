//! What the survivors at the end say: which events left something behind.

use super::{Reason, Shape, StackHistory};

/// A run's first and last events, in which set-up and unfinished work live.
const FEW_EVENTS: f64 = 8.0;
/// Births up to this share of the run are early.
const EARLY_SHARE: f64 = 0.2;

pub(super) fn shape(history: &StackHistory) -> (Shape, Reason) {
    let events = f64::from(history.events.max(1));
    let (Some(first), Some(last)) = (history.births.first(), history.births.last()) else {
        return (Shape::Flat, Reason::NoSurvivors);
    };
    let start = history
        .live
        .events()
        .first()
        .copied()
        .unwrap_or(first.event as f64);
    let position = |event: u64| (event as f64 - start) / events;
    let count = history.births.len();
    let sizes = history.births.iter().map(|birth| birth.bytes);
    let bytes = sizes.fold(0_u64, u64::saturating_add);
    let of_events = u64::from(history.events.max(1));
    // A running program goes on while it is read: some births are younger than the last event.
    let survivors = Reason::Survivors {
        from_events: of_events.min(count as u64),
        of_events,
        mean_bytes: bytes as f64 / count as f64,
    };

    let recent = events - FEW_EVENTS.min(events / 4.0);
    let old = history
        .births
        .iter()
        .filter(|birth| (birth.event as f64 - start) < recent - 1.0);
    let old_sizes = old.clone().map(|birth| birth.bytes);
    let old_bytes = old_sizes.fold(0_u64, u64::saturating_add);
    if old_bytes == 0 || (old_bytes as f64) < 0.02 * bytes as f64 {
        let depth = events - (first.event as f64 - start);
        let reason = Reason::SurvivorsOfLastEvents {
            events: depth.max(0.0) as u64,
            of_events,
        };
        return (Shape::Deferred, reason);
    }
    if position(last.event) <= EARLY_SHARE {
        let reason = Reason::SurvivorsOfFirstEvents {
            events: (last.event as f64 - start + 1.0).max(0.0) as u64,
            of_events,
        };
        return (Shape::WarmUp, reason);
    }
    // Quarters of the time in which blocks had a chance to grow old: a leak has survivors in all,
    // about equally many. One event of set-up must not outweigh them, so its bytes are capped.
    let mut sizes: Vec<u64> = history.births.iter().map(|birth| birth.bytes).collect();
    let cap = sizes.select_nth_unstable(count / 2).1.saturating_mul(10);
    let mut quarters = [0.0; 4];
    let mut quarter_events = [0; 4];
    for birth in old {
        let quarter = 4.0 * (birth.event as f64 - start).max(0.0) / (recent - 1.0);
        let quarter = (quarter as usize).min(3);
        quarters[quarter] += birth.bytes.min(cap) as f64;
        quarter_events[quarter] += 1;
    }
    let most = quarters.iter().copied().fold(0.0, f64::max);
    let throughout = quarters.iter().all(|quarter| *quarter > 0.25 * most) && count >= 8;
    let begun_late = late_start(&quarters) && quarter_events[3] >= 6;
    let shape = if throughout || begun_late || evenly_spaced(history) {
        Shape::Leak
    } else if count == 1 {
        Shape::Step
    } else if count as f64 <= 3.0 + 2.5 * events.ln() && quarters[3] <= 0.5 * most {
        Shape::Plateau
    } else if quarters[3] < 0.1 * most && steady(&quarters) {
        Shape::Stopped
    } else if quarters[3] < 0.5 * most || quarters[0] < 0.5 * most {
        Shape::Cache
    } else {
        Shape::Undetermined
    };
    (shape, survivors)
}

/// Whether every k-th event left a survivor, four times or more, over most of the run and to its end.
pub(super) fn evenly_spaced(history: &StackHistory) -> bool {
    let births = &history.births;
    let gaps = || births.windows(2).map(|b| b[1].event.abs_diff(b[0].event));
    let (Some(shortest), Some(longest)) = (gaps().min(), gaps().max()) else {
        return false;
    };
    let end = history.live.events().last().copied().unwrap_or(0.0);
    let since = end - births[births.len() - 1].event as f64;
    let most = 2 * longest * births.len() as u64 >= u64::from(history.events);
    births.len() >= 4 && shortest == longest && most && since <= longest as f64
}

/// Little at first, then steadily more: from some quarter on all are alike.
fn late_start(quarters: &[f64; 4]) -> bool {
    let steady = 0.6 * quarters[3];
    quarters[3] > 0.0
        && quarters[2] > steady
        && quarters[2] < 1.7 * quarters[3]
        && quarters[0] < 0.1 * quarters[3]
}

/// Full quarters, then at most one partial one, then nothing.
fn steady(quarters: &[f64; 4]) -> bool {
    let full = quarters[0];
    full > 0.0
        && quarters[1..].windows(2).all(|q| q[0] >= q[1])
        && (quarters[1] > 0.7 * full || quarters[1] == 0.0)
}
