//! What each event cost: time, CPU time, allocations.
//!
//! ```text
//!   begin ----------------- end        wall    = end.time - begin.time
//!     |  thread's CPU clock  |         CPU     = of the thread that marked both
//!     |  blocks made so far  |         waited  = wall - CPU
//! ```
//!
//! An event without an end of its own (ticks, lines of output) lasts until the next one of its stream
//! begins, if that one was kept.

use crate::timeline::{About, EventNumber, Moment, MomentId, MomentKind, Spent, Timeline};
use std::collections::HashMap;

/// What one event cost; `None` where that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventCost {
    pub event: EventNumber,
    /// What the program calls it.
    pub id: u64,
    /// From where to where it lasted.
    pub begin: MomentId,
    pub end: MomentId,
    pub wall_ns: u64,
    /// Of the thread that marked its begin and its end: what other threads did for it is not in it.
    /// Of ticks it is the process's.
    pub cpu_ns: Option<u64>,
    /// Allocations of the whole program while it lasted, and their bytes; not known where events
    /// overlap, which share them.
    pub calls: Option<u64>,
    pub total_bytes: Option<u64>,
}

impl EventCost {
    /// What it was not on a processor.
    pub fn waited_ns(&self) -> Option<u64> {
        Some(self.wall_ns.saturating_sub(self.cpu_ns?))
    }

    fn between(
        [begin_id, end_id]: [MomentId; 2],
        [begin, end]: [&Moment; 2],
        about: &About,
    ) -> Option<EventCost> {
        let (from, to) = (&begin.spent, &end.spent);
        let less = |from: Option<u64>, to: Option<u64>| to?.checked_sub(from?);
        let cpu_ns = match begin.kind {
            MomentKind::Tick => less(from.process_cpu_ns, to.process_cpu_ns),
            _ => to.thread_cpu_since(from),
        };
        let is_alone = about.streams <= 1;
        Some(EventCost {
            event: begin.event,
            id: begin.id,
            begin: begin_id,
            end: end_id,
            wall_ns: end.time_ns.checked_sub(begin.time_ns)?,
            cpu_ns,
            calls: less(from.calls, to.calls).filter(|_| is_alone),
            total_bytes: less(from.total_bytes, to.total_bytes).filter(|_| is_alone),
        })
    }
}

impl Spent {
    /// CPU time of the thread since another mark, where both are its.
    pub fn thread_cpu_since(&self, earlier: &Spent) -> Option<u64> {
        let used = self.thread_cpu_ns?.checked_sub(earlier.thread_cpu_ns?)?;
        (self.tid == earlier.tid).then_some(used)
    }
}

impl Timeline {
    /// What the events cost whose begin and end are known, by their numbers.
    pub fn event_costs(&self) -> Vec<EventCost> {
        let mut open: HashMap<u32, MomentId> = HashMap::new();
        let mut costs = Vec::new();
        for (id, moment) in (0..).zip(&self.moments) {
            let begin = match moment.kind {
                MomentKind::End => open.remove(&moment.stream),
                MomentKind::Begin | MomentKind::Tick => open.insert(moment.stream, id),
                MomentKind::Snapshot | MomentKind::Last => continue,
            };
            let Some(begin) = begin else {
                continue;
            };
            let begun = &self.moments[begin as usize];
            let follows = match moment.kind {
                MomentKind::End => begun.event == moment.event,
                // The next one that was kept may be a later one.
                _ => Some(moment.event) == begun.event.checked_add(1),
            };
            if follows {
                costs.extend(EventCost::between(
                    [begin, id],
                    [begun, moment],
                    &self.about,
                ));
            }
        }
        costs.sort_by_key(|cost| cost.event);
        costs.dedup_by_key(|cost| cost.event);
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Spent;

    fn moment(kind: MomentKind, event: u32, time_ns: u64, tid: u32) -> Moment {
        Moment {
            id: u64::from(event) + 100,
            spent: Spent {
                calls: Some(time_ns / 10),
                total_bytes: Some(time_ns),
                thread_cpu_ns: Some(time_ns / 2),
                tid,
                process_cpu_ns: Some(time_ns * 2),
            },
            ..Moment::unread(kind, event, time_ns)
        }
    }

    fn cost(
        event: u32,
        [begin, end]: [u32; 2],
        wall_ns: u64,
        cpu_ns: Option<u64>,
        shares: Option<(u64, u64)>,
    ) -> EventCost {
        EventCost {
            begin,
            end,
            event,
            id: u64::from(event) + 100,
            wall_ns,
            cpu_ns,
            calls: shares.map(|(calls, _)| calls),
            total_bytes: shares.map(|(_, bytes)| bytes),
        }
    }

    #[test]
    fn events_last_from_begin_to_end_and_have_the_time_of_one_thread() {
        use MomentKind::{Begin, End, Last};
        let mut timeline = Timeline {
            moments: vec![
                moment(Begin, 1, 100, 7),
                moment(End, 1, 300, 7),
                moment(Begin, 2, 400, 7),
                // Another thread ends it.
                moment(End, 2, 1000, 8),
                // Killed before its end.
                moment(Begin, 3, 1100, 7),
                moment(Last, 3, 1200, 0),
            ],
            ..Timeline::default()
        };
        let expected = [
            cost(1, [0, 1], 200, Some(100), Some((20, 200))),
            cost(2, [2, 3], 600, None, Some((60, 600))),
        ];
        assert_eq!(timeline.event_costs(), expected);
        assert_eq!(expected[0].waited_ns(), Some(100));
        assert_eq!(expected[1].waited_ns(), None);
        timeline.about.streams = 2;
        assert_eq!(
            timeline.event_costs()[0],
            cost(1, [0, 1], 200, Some(100), None)
        );
    }

    #[test]
    fn ticks_last_until_the_next_and_have_the_time_of_the_process() {
        use MomentKind::Tick;
        let timeline = Timeline {
            moments: vec![
                moment(Tick, 1, 100, 0),
                moment(Tick, 2, 200, 0),
                // The third was not kept.
                moment(Tick, 4, 400, 0),
            ],
            ..Timeline::default()
        };
        let expected = [cost(1, [0, 1], 100, Some(200), Some((10, 100)))];
        assert_eq!(timeline.event_costs(), expected);
    }
}
