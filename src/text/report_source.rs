//! What a report is made of: a profile, its tree of calls, and the stacks that pass
//! the filters.

use std::cell::OnceCell;

use anyhow::Result;
use residue_calltree::{
    CallTree, Detail, Filter, FunctionSums, Functions, NOT_SHOWN, Options as TreeOptions,
    PathReader,
};
use residue_names::{NameStyle, Rules};
use residue_profile::Profile;

use super::counter::{Counter, Kind};
use super::reading::Reading;

pub struct Source<'a> {
    pub profile: &'a Profile,
    pub kind: Kind,
    /// The counter that ranks, and those that stand beside it.
    pub counters: Vec<Counter>,
    rules: Rules,
    style: NameStyle,
    filter: Filter,
    tree: OnceCell<CallTree>,
    sums: OnceCell<Vec<FunctionSums>>,
}

impl<'a> Source<'a> {
    pub fn new(
        profile: &'a Profile,
        reading: &Reading,
        counters: Vec<Counter>,
    ) -> Result<Source<'a>> {
        Ok(Source {
            profile,
            kind: reading.kind,
            counters,
            rules: reading.naming.rules()?,
            style: reading.naming.style(),
            filter: reading.filter()?,
            tree: OnceCell::new(),
            sums: OnceCell::new(),
        })
    }

    /// The counter that ranks.
    pub fn counter(&self) -> Counter {
        self.counters.first().copied().unwrap_or_default()
    }

    fn options(&self, detail: Detail) -> TreeOptions<'_> {
        TreeOptions {
            rules: &self.rules,
            style: self.style,
            detail,
            kind: self.kind,
            filter: &self.filter,
        }
    }

    /// The tree of calls by function; made when it is first asked for.
    pub fn tree(&self) -> &CallTree {
        self.tree.get_or_init(|| self.tree_of(Detail::Function))
    }

    pub fn tree_of(&self, detail: Detail) -> CallTree {
        CallTree::of(self.profile, &self.options(detail))
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
        PathReader::new(self.profile, self.options(Detail::Line))
    }

    pub fn is_filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Whether a stack is of the kind that is asked for and passes the filters.
    pub fn admits(&self, stack: usize) -> bool {
        match self.is_filtered() {
            true => self.tree().node_of_stack[stack] != NOT_SHOWN,
            false => self.kind.holds(self.profile.stacks[stack].kind),
        }
    }

    pub fn admitted(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.profile.stacks.len()).filter(|&stack| self.admits(stack))
    }

    pub fn value(&self, counter: Counter, stack: usize) -> u64 {
        counter.value(&self.profile.stacks[stack])
    }

    /// Per node of a tree, the sum over the stacks that end there.
    pub fn own(&self, tree: &CallTree, counter: Counter) -> Vec<u64> {
        tree.own(|stack| self.value(counter, stack))
    }

    /// What values are shares of: the sum over all stacks that pass. Peaks fall on
    /// different moments and have no sum; theirs is the peak of the whole.
    pub fn whole(&self, counter: Counter) -> u64 {
        if counter == Counter::Peak || !self.is_filtered() {
            return counter.whole(self.profile, self.kind);
        }
        self.admitted().fold(0, |sum, stack| {
            sum.saturating_add(self.value(counter, stack))
        })
    }
}
