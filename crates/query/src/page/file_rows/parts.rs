//! The stacks of a row by the path they end in: through the same functions, they may
//! differ by what was inlined.
//!
//! Stacks of the same path are one part if none of them ever falls: then the part has
//! grown in a range by what its stacks have, and none of them has fallen. One that falls
//! is a part of its own, as long as these are few.

use residue_calltree::{CallNodeId, Detail};
use residue_profile::Counter;
use residue_profile::timeline::StackId;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::histories::{Course, History};
use super::labels::FileLabels;
use crate::page::opened::Opened;

/// In the order of [`Counter::ALL`].
pub type CounterValues = [u64; Counter::ALL.len()];

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FilePart {
    /// Indices into `labels`, root first.
    pub path: Vec<u32>,
    /// Indices into `libraries`, root first.
    pub by_library: Vec<u32>,
    /// Of the whole recording, in the order of `COUNTERS`.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<u64>"))]
    pub counters: CounterValues,
    /// Triples of place, bytes, blocks: by how much live memory changed, by place. Place -1
    /// is before the first begin, place `begins.length` after the last event.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<i64>"))]
    pub changes: Course<2>,
    /// Place, calls, bytes, temporaries, and so on: what was allocated from one of the places in
    /// `allocated_at` to the next.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<i64>"))]
    pub allocated: Course<3>,
    /// Place, nanoseconds, and so on: the CPU time from one of the places in `cpu_at` to the next.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<i64>"))]
    pub cpu: Course<1>,
}

/// The nodes that a stack ends in, by function and by library.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Ends {
    by_function: CallNodeId,
    by_library: CallNodeId,
}

pub struct Part {
    ends: Ends,
    counters: CounterValues,
    history: History,
}

impl Part {
    pub fn written(self, labels: &mut FileLabels<'_>, libraries: &mut FileLabels<'_>) -> FilePart {
        FilePart {
            path: labels.path(self.ends.by_function),
            by_library: libraries.path(self.ends.by_library),
            counters: self.counters,
            changes: self.history.live,
            allocated: self.history.allocated,
            cpu: self.history.cpu,
        }
    }
}

/// The parts of a row; the first member is in the first.
pub fn parts(
    opened: &Opened,
    members: &[StackId],
    histories: Vec<History>,
    most_falling: usize,
) -> Vec<Part> {
    let trees = [Detail::Function, Detail::Library].map(|detail| &opened.tree(detail).tree);
    let falling = histories.iter().filter(|history| history.falls()).count();
    let mut parts: Vec<Part> = Vec::new();
    let mut known: FxHashMap<Ends, usize> = FxHashMap::default();
    for (&stack, history) in members.iter().zip(histories) {
        let [by_function, by_library] = trees.map(|tree| tree.node_of_stack[stack as usize]);
        let ends = Ends {
            by_function,
            by_library,
        };
        let stands_apart = falling <= most_falling && history.falls();
        let next = parts.len();
        let place = match stands_apart {
            true => next,
            false => *known.entry(ends).or_insert(next),
        };
        let counters = counters(opened, stack);
        match parts.get_mut(place) {
            Some(part) => {
                add(&mut part.counters, &counters);
                part.history.join(&history);
            }
            None => parts.push(Part {
                ends,
                counters,
                history,
            }),
        }
    }
    parts
}

pub fn counters(opened: &Opened, stack: StackId) -> CounterValues {
    let stack = &opened.profile.stacks[stack as usize];
    Counter::ALL.map(|counter| counter.value(stack))
}

pub fn add(sums: &mut CounterValues, more: &CounterValues) {
    for ((sum, more), counter) in sums.iter_mut().zip(more).zip(Counter::ALL) {
        counter.merge().include(sum, *more);
    }
}
