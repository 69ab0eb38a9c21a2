//! How long each event took, what of it was CPU time, and what it did meanwhile.
//!
//! ```text
//!   begin ─────────────────────────── end        wall time
//!   ▓▓▓▓▓▓▓▓▓░░░░░▓▓▓▓▓▓▓▓▓▓▓░░░▓▓▓▓▓▓           ▓ CPU time of the thread that marks, ░ waited
//! ```
//!
//! CPU time is known where one thread marked both ends. An event without an end of its own lasts
//! until the next one of its stream begins, if that one was kept.

use super::Missing;
use crate::history::EventRange;
use residue_profile::timeline::{EventNumber, Moment, MomentId, Source};
use residue_profile::{EventCost, Timeline};
use rustc_hash::FxHashMap;

/// One event, from its begin to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventTime {
    pub event: EventNumber,
    /// What the program calls it.
    pub id: u64,
    pub begin: MomentId,
    pub end: MomentId,
    pub wall_ns: f64,
    /// CPU time of the thread that marked it.
    pub cpu_ns: Option<f64>,
    /// Allocations of the whole heap meanwhile, and their bytes.
    pub calls: Option<f64>,
    pub bytes: Option<f64>,
    /// Whether the recorder took an account of the memory meanwhile.
    pub has_account: bool,
}

impl EventTime {
    fn of(cost: &EventCost) -> EventTime {
        let number = |value: Option<u64>| value.map(|value| value as f64);
        EventTime {
            event: cost.event,
            id: cost.id,
            begin: cost.begin,
            end: cost.end,
            wall_ns: cost.wall_ns as f64,
            cpu_ns: number(cost.cpu_ns),
            calls: number(cost.calls),
            bytes: number(cost.total_bytes),
            has_account: false,
        }
    }

    pub fn waited_ns(&self) -> Option<f64> {
        Some((self.wall_ns - self.cpu_ns?).max(0.0))
    }
}

/// Fewest events with a time.
const FEWEST_EVENTS: usize = 2;
/// Share of events whose lines came too late from which on nothing is said.
const MOST_LATE_LINES: f64 = 0.05;

/// The times of the kept events of a range, in their order.
pub(super) fn event_times(
    timeline: &Timeline,
    range: EventRange,
) -> Result<Vec<EventTime>, Missing> {
    let about = &timeline.about;
    match about.source {
        Source::Ticks => return Err(Missing::TicksOnly),
        Source::None => return Err(Missing::NoEvents),
        Source::Marks | Source::Function | Source::Lines | Source::Imported => {}
    }
    if about.late_lines as f64 > about.events as f64 * MOST_LATE_LINES {
        return Err(Missing::LateLines {
            late_events: about.late_lines,
            events: about.events,
        });
    }
    let events = range.from.max(1)..=range.to;
    let costs = timeline.event_costs().into_iter();
    let mut times: Vec<EventTime> = costs
        .filter(|cost| events.contains(&cost.event))
        .map(|cost| EventTime::of(&cost))
        .collect();
    mark_accounts(timeline, &mut times);
    match times.len() {
        0..FEWEST_EVENTS => Err(Missing::TooFew {
            events: times.len(),
        }),
        _ if times.iter().all(|time| time.wall_ns == 0.0) => Err(Missing::NoTimes),
        _ => Ok(times),
    }
}

/// Marks events in which the recorder itself was at work: an account of the memory takes a part
/// of a millisecond, or some, of the thread that begins the event.
fn mark_accounts(timeline: &Timeline, times: &mut [EventTime]) {
    let accounts: Vec<MomentId> = timeline.accounts.iter().map(|it| it.moment).collect();
    for time in times {
        let first = accounts.partition_point(|moment| *moment < time.begin);
        time.has_account = accounts.get(first).is_some_and(|moment| *moment < time.end);
    }
}

/// What threads used that marked no events, between the first and the last reading of the
/// process's CPU time; `None` where it was not read twice.
pub(super) fn other_threads(timeline: &Timeline, times: &[EventTime]) -> Option<OtherThreads> {
    let within = times.first()?.begin as usize..=times.last()?.end as usize;
    let moments = timeline.moments.get(within)?;
    let is_read = |moment: &&Moment| moment.spent.process_cpu_ns.is_some();
    let first = moments.iter().find(is_read)?;
    let last = moments.iter().rfind(is_read)?;
    let process_ns = last
        .spent
        .process_cpu_ns?
        .checked_sub(first.spent.process_cpu_ns?)?;
    // Of each thread that marks: its clock when it was first and last seen in between.
    let mut clocks: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let in_time = |moment: &&Moment| (first.time_ns..=last.time_ns).contains(&moment.time_ns);
    for moment in moments.iter().filter(in_time) {
        if let Some(clock) = moment.spent.thread_cpu_ns {
            let seen = clocks.entry(moment.spent.tid).or_insert((clock, clock));
            *seen = (seen.0.min(clock), seen.1.max(clock));
        }
    }
    let marking_ns: u64 = clocks.values().map(|(first, last)| last - first).sum();
    (process_ns > 0 && !clocks.is_empty()).then(|| OtherThreads {
        process_ns,
        others_ns: process_ns.saturating_sub(marking_ns),
    })
}

/// CPU time of the process, and what of it was not of the threads that mark events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherThreads {
    pub process_ns: u64,
    pub others_ns: u64,
}

impl OtherThreads {
    pub fn share(&self) -> f64 {
        self.others_ns as f64 / self.process_ns as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::{Account, MomentKind, Spent};

    fn marked(kind: MomentKind, event: u32, time_ns: u64, cpu_ns: u64, tid: u32) -> Moment {
        Moment {
            spent: Spent {
                thread_cpu_ns: Some(cpu_ns),
                tid,
                ..Spent::default()
            },
            ..Moment::unread(kind, event, time_ns)
        }
    }

    fn timeline(moments: Vec<Moment>) -> Timeline {
        let mut timeline = Timeline {
            moments,
            ..Timeline::default()
        };
        timeline.about.source = Source::Marks;
        timeline
    }

    #[test]
    fn wall_cpu_and_waiting_are_told_apart() {
        use MomentKind::{Begin, End};
        let timeline = timeline(vec![
            marked(Begin, 1, 100, 10, 7),
            marked(End, 1, 150, 40, 7),
            marked(Begin, 2, 200, 50, 7),
            // Handed on: the CPU time of two threads says nothing.
            marked(End, 2, 290, 999, 8),
            // Not ended, and the next one was not kept.
            marked(Begin, 3, 300, 60, 7),
            marked(Begin, 9, 400, 70, 7),
            marked(Begin, 10, 450, 75, 7),
            marked(End, 10, 470, 80, 7),
        ]);
        let times = event_times(&timeline, EventRange::ALL).unwrap();
        let told: Vec<_> = times
            .iter()
            .map(|it| (it.event, it.wall_ns, it.cpu_ns, it.waited_ns()))
            .collect();
        assert_eq!(
            told,
            [
                (1, 50.0, Some(30.0), Some(20.0)),
                (2, 90.0, None, None),
                (9, 50.0, Some(5.0), Some(45.0)),
                (10, 20.0, Some(5.0), Some(15.0)),
            ]
        );
        let range = EventRange { from: 2, to: 9 };
        assert_eq!(event_times(&timeline, range).unwrap().len(), 2);
    }

    #[test]
    fn events_in_which_the_recorder_was_at_work_are_marked() {
        use MomentKind::{Begin, End};
        let event = |event: u32| {
            let at = u64::from(event) * 100;
            [
                marked(Begin, event, at, at, 7),
                marked(End, event, at + 50, at + 20, 7),
            ]
        };
        let mut timeline = timeline((1..=5).flat_map(event).collect());
        // At the begin of event 2, and at the end of event 4, which is after it.
        timeline.accounts = [2, 7]
            .map(|moment| Account {
                moment,
                ..Account::default()
            })
            .to_vec();
        let times = event_times(&timeline, EventRange::ALL).unwrap();
        let marked = times.iter().filter(|time| time.has_account);
        let events: Vec<u32> = marked.map(|time| time.event).collect();
        assert_eq!(events, [2]);
    }

    #[test]
    fn ticks_have_no_event_times() {
        let mut ticks = timeline(vec![marked(MomentKind::Tick, 1, 1, 1, 1)]);
        ticks.about.source = Source::Ticks;
        assert_eq!(
            event_times(&ticks, EventRange::ALL),
            Err(Missing::TicksOnly)
        );
        let one = timeline(vec![
            marked(MomentKind::Begin, 1, 1, 1, 1),
            marked(MomentKind::End, 1, 9, 1, 1),
        ]);
        assert_eq!(
            event_times(&one, EventRange::ALL),
            Err(Missing::TooFew { events: 1 })
        );
    }

    #[test]
    fn threads_that_mark_nothing_show_in_the_time_of_the_process() {
        let process = |mut moment: Moment, ns| {
            moment.spent.process_cpu_ns = Some(ns);
            moment
        };
        use MomentKind::{Begin, End};
        let timeline = timeline(vec![
            process(marked(Begin, 1, 100, 10, 7), 1000),
            marked(End, 1, 150, 40, 7),
            process(marked(Begin, 2, 200, 110, 7), 1400),
            marked(End, 2, 290, 150, 7),
        ]);
        let times = event_times(&timeline, EventRange::ALL).unwrap();
        let others = other_threads(&timeline, &times).unwrap();
        assert_eq!((others.process_ns, others.others_ns), (400, 300));
        assert_eq!(others.share(), 0.75);
    }
}
