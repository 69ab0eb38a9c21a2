//! What stacks came to hold, allocated and used of the CPU, at the places of a file's axis of time.
//!
//! ```text
//!   begins       B1 .... B4 .... B7 .... last end ....
//!   places   -1  |   0   |   1   |   2   |     3
//! ```
//!
//! A change at a begin is of what came before it.

use residue_profile::timeline::{EventNumber, MomentId, StackId, Timeline};
use rustc_hash::FxHashSet;
use serde::{Serialize, Serializer};

/// In place of a number for stacks whose changes are not wanted.
pub const NO_HISTORY: u32 = u32::MAX;

/// What a place with its numbers takes in the file, about.
const STEP_BYTES: usize = 16;

pub struct Places {
    begins: Vec<(EventNumber, MomentId)>,
    /// Begins that could be told apart.
    pub known: usize,
    of_moment: Vec<i64>,
    /// Between which it is known what was allocated, and what CPU time was used.
    pub allocated: Ends,
    pub cpu: Ends,
}

/// Places at whose begins something is known, ascending: ranges that begin and end there have it.
/// The place after the last begin is the end of the last event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Ends {
    pub places: Vec<i64>,
}

impl Ends {
    /// Where all that lies up to the next end is told.
    fn start(&self, place: i64) -> i64 {
        let before = self.places.partition_point(|end| *end <= place);
        before.checked_sub(1).map_or(-1, |at| self.places[at])
    }

    /// One in so many, the first and the last in any case.
    fn thinned(&self, step: usize) -> Ends {
        let last = self.places.len().saturating_sub(1);
        let places = self.places.iter().enumerate();
        let kept = places.filter(|(at, _)| at % step == 0 || *at == last);
        Ends {
            places: kept.map(|(_, place)| *place).collect(),
        }
    }
}

impl Places {
    pub fn of(timeline: &Timeline, most_begins: usize) -> Places {
        let known = timeline.event_begins();
        let step = known.len().div_ceil(most_begins).max(1);
        let begins: Vec<(EventNumber, MomentId)> = known.iter().copied().step_by(step).collect();
        let last_end = timeline.last_end();
        let place = |moment: usize| {
            if begins.is_empty() || last_end.is_some_and(|end| moment > end as usize) {
                return begins.len() as i64;
            }
            let before = begins.partition_point(|(_, begin)| (*begin as usize) < moment);
            before as i64 - 1
        };
        let of_moment: Vec<i64> = (0..timeline.moments.len()).map(place).collect();
        let moments = begins.iter().map(|(_, begin)| *begin).chain(last_end);
        let ends = moments.zip(0..);
        let has_totals = |moment: MomentId| {
            let moment = Some(moment);
            timeline.allocated_between(moment, moment).is_some()
        };
        let with_totals = ends.clone().filter(|(moment, _)| has_totals(*moment));
        Places {
            allocated: Ends {
                places: with_totals.map(|(_, place)| place).collect(),
            },
            cpu: Ends {
                places: match timeline.cpu.is_empty() {
                    true => Vec::new(),
                    false => ends.map(|(_, place)| place).collect(),
                },
            },
            known: known.len(),
            of_moment,
            begins,
        }
    }

    /// Leaves out ends until what lies between them takes no more than so many bytes in the file.
    /// Of stacks that have a number.
    pub fn thin(&mut self, timeline: &Timeline, number_of_stack: &[u32], most_bytes: usize) {
        let is_meant = |(_, stack): &(MomentId, StackId)| {
            let number = number_of_stack.get(*stack as usize);
            number.is_some_and(|number| *number != NO_HISTORY)
        };
        let made = timeline.allocated.iter().map(|it| (it.moment, it.stack));
        let made = made.filter(is_meant);
        self.allocated = self.fitting(&self.allocated, made, most_bytes);
        let used = timeline.cpu.iter().map(|it| (it.moment, it.stack));
        let used = used.filter(is_meant);
        self.cpu = self.fitting(&self.cpu, used, most_bytes);
    }

    /// As many of some ends as fit.
    fn fitting(
        &self,
        all: &Ends,
        entries: impl Iterator<Item = (MomentId, StackId)> + Clone,
        most_bytes: usize,
    ) -> Ends {
        let mut step = 1;
        loop {
            let ends = all.thinned(step);
            let told: FxHashSet<(StackId, i64)> = entries
                .clone()
                .filter_map(|(moment, stack)| {
                    let place = self.of_moment.get(moment as usize)?;
                    Some((stack, ends.start(*place)))
                })
                .collect();
            if told.len() * STEP_BYTES <= most_bytes || ends.places.len() <= 2 {
                return ends;
            }
            step *= 2;
        }
    }

    /// Events at whose begins places begin.
    pub fn events(&self) -> Vec<EventNumber> {
        self.begins.iter().map(|(event, _)| *event).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step<const N: usize> {
    place: i64,
    by: [i64; N],
}

/// By how much some numbers changed, by place, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course<const N: usize> {
    steps: Vec<Step<N>>,
}

impl<const N: usize> Default for Course<N> {
    fn default() -> Course<N> {
        Course { steps: Vec::new() }
    }
}

impl<const N: usize> Course<N> {
    /// Places come ascending.
    fn add(&mut self, place: i64, by: [i64; N]) {
        match self.steps.last_mut() {
            Some(last) if last.place == place => {
                for (sum, more) in last.by.iter_mut().zip(by) {
                    *sum = sum.saturating_add(more);
                }
            }
            _ => self.steps.push(Step { place, by }),
        }
    }

    /// Both together.
    fn join(&mut self, other: &Course<N>) {
        let mut steps = std::mem::take(&mut self.steps);
        steps.extend(&other.steps);
        steps.sort_by_key(|step| step.place);
        for step in steps {
            self.add(step.place, step.by);
        }
    }
}

impl<const N: usize> Serialize for Course<N> {
    /// Each place with its numbers, all in one list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps = self.steps.iter();
        let moved = steps.filter(|step| step.by != [0; N]);
        serializer.collect_seq(moved.flat_map(|step| [step.place].into_iter().chain(step.by)))
    }
}

/// What stacks did, place by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// Live bytes and blocks.
    pub live: Course<2>,
    /// Calls, bytes and temporaries that were allocated.
    pub allocated: Course<3>,
    /// CPU time in nanoseconds.
    pub cpu: Course<1>,
}

impl History {
    /// Both together.
    pub fn join(&mut self, other: &History) {
        self.live.join(&other.live);
        self.allocated.join(&other.allocated);
        self.cpu.join(&other.cpu);
    }

    /// Whether there are places in which it came to hold less.
    pub fn falls(&self) -> bool {
        let mut steps = self.live.steps.iter();
        steps.any(|step| step.by.iter().any(|by| *by < 0))
    }
}

/// So many histories, each of the stacks that have its number.
pub fn histories(
    timeline: &Timeline,
    places: &Places,
    number_of_stack: &[u32],
    count: u32,
) -> Vec<History> {
    let mut histories = vec![History::default(); count as usize];
    let number = |stack: StackId| {
        let number = number_of_stack.get(stack as usize).copied();
        number
            .filter(|number| *number < count)
            .map(|it| it as usize)
    };
    let place = |moment: MomentId| places.of_moment.get(moment as usize).copied();
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    // All of them stand in the order of moments.
    for change in &timeline.changes {
        if let (Some(at), Some(place)) = (number(change.stack), place(change.moment)) {
            let live = &mut histories[at].live;
            live.add(place, [change.bytes, change.blocks]);
        }
    }
    for made in &timeline.allocated {
        if let (Some(at), Some(place)) = (number(made.stack), place(made.moment)) {
            let by = [made.calls, made.bytes, made.temporaries].map(signed);
            let allocated = &mut histories[at].allocated;
            allocated.add(places.allocated.start(place), by);
        }
    }
    for time in &timeline.cpu {
        if let (Some(at), Some(place)) = (number(time.stack), place(time.moment)) {
            let cpu = &mut histories[at].cpu;
            cpu.add(places.cpu.start(place), [signed(time.ns)]);
        }
    }
    histories
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course<const N: usize>(steps: &[(i64, [i64; N])]) -> Course<N> {
        let mut course = Course::default();
        for &(place, by) in steps {
            course.add(place, by);
        }
        course
    }

    fn falls(steps: &[(i64, [i64; 2])]) -> bool {
        let live = course(steps);
        let history = History {
            live,
            ..History::default()
        };
        history.falls()
    }

    #[test]
    fn changes_of_one_place_are_one() {
        let steps = [(-1, [10, 1]), (0, [5, 1]), (0, [-5, -1]), (3, [7, 0])];
        let mut one = course(&steps);
        assert_eq!(serde_json::to_string(&one).unwrap(), "[-1,10,1,3,7,0]");
        assert!(!falls(&steps) && falls(&[(0, [5, -1])]));
        one.join(&course(&[(-1, [-4, 0]), (2, [1, 1]), (3, [1, 1])]));
        let joined = "[-1,6,1,2,1,1,3,8,1]";
        assert_eq!(serde_json::to_string(&one).unwrap(), joined);
    }

    #[test]
    fn what_lies_between_two_ends_is_told_at_the_first() {
        let ends = Ends {
            places: vec![0, 4, 10],
        };
        let starts = [-1, 0, 3, 4, 9, 10, 11].map(|place| ends.start(place));
        assert_eq!(starts, [-1, 0, 0, 4, 4, 10, 10]);
        assert_eq!(Ends::default().start(7), -1);
    }
}
