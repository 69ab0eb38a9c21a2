//! A profile, and sums over the stacks in which a function occurs.

use super::truth::Truths;
use residue_names::{DemangleStyle, demangle};
use residue_profile::{CUT, Counters, FrameId, NONE, Profile, ROOT, Stack, StackKind};
use std::path::Path;

pub struct Ledger {
    pub profile: Profile,
    /// Readable names of `profile.functions`, without compilers' suffixes.
    names: Vec<String>,
}

impl Ledger {
    /// Reads a profile that must be whole.
    pub fn read(path: &Path) -> Ledger {
        let profile = residue_profile::read(path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let names = profile.functions.iter().map(|name| plain(name)).collect();
        Ledger { profile, names }
    }

    /// All heap stacks in which the function occurs, added up.
    pub fn sum(&self, function: &str) -> Counters {
        self.sum_of(StackKind::Heap, function)
    }

    pub fn sum_of(&self, kind: StackKind, function: &str) -> Counters {
        total(
            self.stacks_with(function)
                .map(|(_, stack)| stack)
                .filter(|stack| stack.kind == kind),
        )
    }

    /// The heap stacks in which both functions occur, added up.
    pub fn sum_under(&self, function: &str, caller: &str) -> Counters {
        let is_under = self.nodes_under(caller);
        total(
            self.stacks_with(function)
                .map(|(_, stack)| stack)
                .filter(|stack| stack.kind == StackKind::Heap && is_under[stack.node as usize]),
        )
    }

    pub fn total_of(&self, kind: StackKind) -> Counters {
        total(
            self.profile
                .stacks
                .iter()
                .filter(|stack| stack.kind == kind),
        )
    }

    /// Stacks of any kind in which the function occurs, with their indices.
    pub fn stacks_with(&self, function: &str) -> impl Iterator<Item = (usize, &Stack)> {
        let is_here = self.nodes_under(function);
        self.profile
            .stacks
            .iter()
            .enumerate()
            .filter(move |(_, stack)| is_here[stack.node as usize])
    }

    /// For each node whether the function is its own or one of its callers.
    fn nodes_under(&self, function: &str) -> Vec<bool> {
        let mut is_here = vec![false; self.profile.nodes.len().max(1)];
        for (index, node) in self.profile.nodes.iter().enumerate() {
            // A parent stands before its children.
            let is_under = index != ROOT as usize && is_here[node.parent as usize];
            is_here[index] = is_under || self.name_of(node.frame) == Some(function);
        }
        is_here
    }

    pub fn name_of(&self, frame: FrameId) -> Option<&str> {
        if frame == NONE || frame == CUT {
            return None;
        }
        let frame = self.profile.frames.get(frame as usize)?;
        self.names.get(frame.function as usize).map(String::as_str)
    }

    /// Names of a stack's functions from the leaf to the root; `...` for a cut.
    pub fn names_leaf_first(&self, stack: &Stack) -> Vec<&str> {
        self.profile
            .frames_leaf_first(stack.node)
            .map(|frame| match self.name_of(frame) {
                _ if frame == CUT => "...",
                Some(name) => name,
                None => "?",
            })
            .collect()
    }

    /// Fails with every difference between the truths and what was recorded.
    pub fn expect_truths(&self, truths: &Truths) {
        let mut checked = 0;
        let mut wrong = Vec::new();
        for (function, what, truth) in truths.of_functions() {
            let heap = || self.sum(function);
            let mappings = || self.sum_of(StackKind::Mapping, function);
            let recorded = match what {
                "calls" => heap().calls,
                "total" => heap().total_bytes,
                "frees" => heap().frees,
                "live" => heap().live_bytes,
                "live_blocks" => heap().live_blocks,
                // What happens at `sbrk` is for the test of that workload.
                _ if truths.find(&format!("{function}.brk_up")).is_some() => continue,
                "map_calls" => mappings().calls,
                "map_total" => mappings().total_bytes,
                "map_live" => mappings().live_bytes,
                _ => continue,
            };
            checked += 1;
            if recorded != truth {
                wrong.push(format!(
                    "{function}.{what}: truth {truth}, recorded {recorded}"
                ));
            }
        }
        assert!(checked > 0, "the workload told no truth about a function");
        assert!(
            wrong.is_empty(),
            "{} of {checked} numbers are wrong:\n{}\nrecorder: {:?}",
            wrong.len(),
            wrong.join("\n"),
            self.profile.recorder
        );
    }

    /// The recorder had room for everything and saw every free.
    pub fn expect_nothing_lost(&self) {
        let recorder = &self.profile.recorder;
        assert_eq!(recorder.dropped, 0, "dropped allocations: {recorder:?}");
        assert_eq!(recorder.missed_frees, 0, "missed frees: {recorder:?}");
        let overflow = self.total_of(StackKind::Overflow);
        assert_eq!(overflow.calls, 0, "stacks that were not kept: {recorder:?}");
    }
}

/// A name as the workload's author wrote it: `f(int) [clone .cold]` is `f`.
fn plain(linkage_name: &str) -> String {
    let name = demangle(linkage_name, DemangleStyle::NoParams);
    name.split(" [").next().unwrap_or(&name).to_string()
}

pub fn total<'a>(stacks: impl Iterator<Item = &'a Stack>) -> Counters {
    stacks.fold(Counters::default(), |mut sum, stack| {
        sum.add(&stack.counters);
        sum
    })
}
