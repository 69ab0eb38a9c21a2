//! By how much live memory changed, at the places of a file's axis of time.
//!
//! ```text
//!   begins       B1 .... B4 .... B7 .... last end ....
//!   places   -1  |   0   |   1   |   2   |     3
//! ```
//!
//! A change at a begin is of what came before it.

use residue_profile::timeline::{EventNumber, MomentId, Timeline};
use serde::{Serialize, Serializer};

/// In place of a number for stacks whose changes are not wanted.
pub const NO_HISTORY: u32 = u32::MAX;

pub struct Places {
    begins: Vec<(EventNumber, MomentId)>,
    /// Begins that could be told apart.
    pub known: usize,
    of_moment: Vec<i64>,
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
        Places {
            of_moment: (0..timeline.moments.len()).map(place).collect(),
            known: known.len(),
            begins,
        }
    }

    /// Events at whose begins places begin.
    pub fn events(&self) -> Vec<EventNumber> {
        self.begins.iter().map(|(event, _)| *event).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    place: i64,
    bytes: i64,
    blocks: i64,
}

/// Changes by place, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    steps: Vec<Step>,
}

impl History {
    /// Places come ascending.
    fn add(&mut self, step: Step) {
        match self.steps.last_mut() {
            Some(last) if last.place == step.place => {
                last.bytes = last.bytes.saturating_add(step.bytes);
                last.blocks = last.blocks.saturating_add(step.blocks);
            }
            _ => self.steps.push(step),
        }
    }

    /// Both together.
    pub fn join(&mut self, other: &History) {
        let mut steps = std::mem::take(&mut self.steps);
        steps.extend(&other.steps);
        steps.sort_by_key(|step| step.place);
        for step in steps {
            self.add(step);
        }
    }

    /// Whether there are places in which it came to hold less.
    pub fn falls(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.bytes < 0 || step.blocks < 0)
    }
}

impl Serialize for History {
    /// Triples of place, bytes, blocks in one list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps = self.steps.iter();
        let moved = steps.filter(|step| (step.bytes, step.blocks) != (0, 0));
        serializer.collect_seq(moved.flat_map(|step| [step.place, step.bytes, step.blocks]))
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
    // They stand in the order of moments.
    for change in &timeline.changes {
        let number = number_of_stack.get(change.stack as usize);
        let history = number.and_then(|&number| histories.get_mut(number as usize));
        let place = places.of_moment.get(change.moment as usize);
        if let (Some(history), Some(&place)) = (history, place) {
            history.add(Step {
                place,
                bytes: change.bytes,
                blocks: change.blocks,
            });
        }
    }
    histories
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(steps: &[(i64, i64, i64)]) -> History {
        let mut history = History::default();
        for &(place, bytes, blocks) in steps {
            history.add(Step {
                place,
                bytes,
                blocks,
            });
        }
        history
    }

    #[test]
    fn changes_of_one_place_are_one() {
        let mut one = history(&[(-1, 10, 1), (0, 5, 1), (0, -5, -1), (3, 7, 0)]);
        assert_eq!(serde_json::to_string(&one).unwrap(), "[-1,10,1,3,7,0]");
        assert!(!one.falls());
        assert!(history(&[(0, 5, -1)]).falls());
        one.join(&history(&[(-1, -4, 0), (2, 1, 1), (3, 1, 1)]));
        let joined = "[-1,6,1,2,1,1,3,8,1]";
        assert_eq!(serde_json::to_string(&one).unwrap(), joined);
    }
}
