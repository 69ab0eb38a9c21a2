//! Profiles in the forms that other tools read: one file a format.
//!
//! ```text
//!   Profile, CallTree ──► Source ──► folded, flame graph, speedscope, pprof, ... ──► bytes
//!   Profile ──► its events and stamps ──► csv, npy, stamps
//! ```
//!
//! Nothing here chooses names or stacks; that is done when the tree is made. The sum
//! of every counter over what is written is the sum over the tree.
#![forbid(unsafe_code)]

pub mod callgrind;
pub mod dot;
pub mod events_csv;
pub mod firefox;
pub mod flamegraph;
pub mod folded;
pub mod heaptrack_csv;
pub mod igprof;
pub mod massif;
pub mod mdr;
pub mod npy;
pub mod parquet;
pub mod pprof;
pub mod speedscope;
pub mod stamps;

mod bounds;
mod plain;
mod protobuf;
#[cfg(test)]
mod sample;
mod walk;

use residue_calltree::{CallTree, NodeValues};
use residue_profile::{Counter, Profile};

/// What is written.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub profile: &'a Profile,
    /// Made from the profile, with the detail that the format asks for.
    pub tree: &'a CallTree,
    /// The counters that are written; formats with one value a stack take the first.
    pub counters: &'a [Counter],
}

impl Source<'_> {
    /// Per node of the tree: what a counter of the stacks that end there comes to.
    pub fn own(&self, counter: Counter) -> NodeValues {
        let of_stack = |stack: usize| counter.value(&self.profile.stacks[stack]);
        self.tree.own(counter.merge(), of_stack)
    }

    /// The one counter of formats that have room for one.
    pub fn counter(&self) -> Counter {
        self.counters.first().copied().unwrap_or_default()
    }
}
