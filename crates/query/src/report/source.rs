//! What a report is made of: a profile, its tree of calls, and the stacks that pass
//! the filters.

use std::cell::OnceCell;

use residue_calltree::{
    CallTree, Detail, FunctionSums, Functions, NOT_SHOWN, NodeValues, PathReader,
};
use residue_profile::{Counter, MemoryKind, Profile};
use thiserror::Error;

use crate::choice::Choice;

pub struct Source<'a> {
    pub profile: &'a Profile,
    pub choice: Choice,
    /// The counter that ranks, and those that stand beside it.
    pub counters: Vec<Counter>,
    tree: OnceCell<CallTree>,
    sums: OnceCell<Vec<FunctionSums>>,
}

/// A counter that nothing can be ranked by.
#[derive(Debug, Error)]
#[error("`{counter}` {why}")]
pub struct NotRecorded {
    counter: &'static str,
    why: &'static str,
}

impl<'a> Source<'a> {
    pub fn new(
        profile: &'a Profile,
        choice: Choice,
        counters: Vec<Counter>,
    ) -> Result<Source<'a>, NotRecorded> {
        let source = Source {
            profile,
            choice,
            counters,
            tree: OnceCell::new(),
            sums: OnceCell::new(),
        };
        match source.has(source.counter()) {
            true => Ok(source),
            false => Err(NotRecorded {
                counter: source.counter().name(),
                why: (source.choice.measured).why_not(profile, source.counter()),
            }),
        }
    }

    pub fn kind(&self) -> MemoryKind {
        self.choice.kind
    }

    /// Whether a counter was recorded of what is read.
    pub fn has(&self, counter: Counter) -> bool {
        self.choice.measured.has(self.profile, counter)
    }

    /// The same of all counters, in their order.
    pub fn is_known(&self) -> Vec<bool> {
        self.counters.iter().map(|&it| self.has(it)).collect()
    }

    /// The counter that ranks.
    pub fn counter(&self) -> Counter {
        self.counters.first().copied().unwrap_or_default()
    }

    /// The tree of calls by function; made when it is first asked for.
    pub fn tree(&self) -> &CallTree {
        self.tree.get_or_init(|| self.tree_of(Detail::Function))
    }

    pub fn tree_of(&self, detail: Detail) -> CallTree {
        self.choice.tree(self.profile, detail)
    }

    /// The sums by function of all counters, in their order.
    pub fn sums(&self) -> &[FunctionSums] {
        self.sums.get_or_init(|| self.sums_of(self.tree()))
    }

    pub fn sums_of(&self, tree: &CallTree) -> Vec<FunctionSums> {
        let functions = Functions::of(tree, &tree.children());
        let sums = |&counter: &Counter| functions.sums(&self.own(tree, counter));
        self.counters.iter().map(sums).collect()
    }

    /// Paths of single stacks, with their lines.
    pub fn paths(&self) -> PathReader<'_> {
        PathReader::new(self.profile, self.choice.options(Detail::Line))
    }

    pub fn is_filtered(&self) -> bool {
        !self.choice.filter.is_empty()
    }

    /// Whether a stack is of the kind that is asked for and passes the filters.
    pub fn admits(&self, stack: usize) -> bool {
        match self.is_filtered() {
            true => self.tree().node_of_stack[stack] != NOT_SHOWN,
            false => self.kind().holds(self.profile.stacks[stack].kind),
        }
    }

    pub fn admitted(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.profile.stacks.len()).filter(|&stack| self.admits(stack))
    }

    pub fn value(&self, counter: Counter, stack: usize) -> u64 {
        counter.value(&self.profile.stacks[stack])
    }

    /// The same, `None` where it was not recorded.
    pub fn known_value(&self, counter: Counter, stack: usize) -> Option<u64> {
        self.has(counter).then(|| self.value(counter, stack))
    }

    /// What a counter comes to over the stacks that pass; `None` where it was not
    /// recorded.
    pub fn sum(&self, counter: Counter) -> Option<u64> {
        let values = || self.admitted().map(|stack| self.value(counter, stack));
        self.has(counter).then(|| counter.merge().all(values()))
    }

    /// Per node of a tree, what the stacks that end there come to.
    pub fn own(&self, tree: &CallTree, counter: Counter) -> NodeValues {
        tree.own(counter.merge(), |stack| self.value(counter, stack))
    }

    /// What values are shares of: the sum over all stacks that pass. Peaks fall on
    /// different moments and have no sum; theirs is the peak of the whole. Of largest blocks it
    /// is the largest, of which rows can be too small a percentage, but no share.
    pub fn whole(&self, counter: Counter) -> u64 {
        if counter == Counter::Peak || !self.is_filtered() {
            return counter.whole(self.profile, self.kind());
        }
        self.sum(counter).unwrap_or(0)
    }
}
