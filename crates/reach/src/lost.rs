//! Sums of what is lost and what is not, by stack and by birth.

use crate::BlockId;
use crate::block::NONE;
use crate::graph::Graph;
use crate::marks::{Marks, State};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    pub blocks: u64,
    pub bytes: u64,
}

impl Amount {
    pub fn of(bytes: u64) -> Self {
        Amount { blocks: 1, bytes }
    }

    pub fn add(&mut self, other: Amount) {
        self.blocks += other.blocks;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Of one stack, one birth and one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    pub stack: u32,
    pub birth: u32,
    pub state: State,
    pub amount: Amount,
    /// Of these, what only interior pointers lead to.
    pub interior_only: Amount,
}

/// Of one stack: the bytes are those that were asked for, so that they compare with what a
/// profile calls live.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StackSums {
    pub stack: u32,
    pub held: Amount,
    /// In cycles too.
    pub lost: Amount,
    pub lost_in_cycle: Amount,
    pub held_by_lost: Amount,
    pub interior_only: Amount,
    /// What hangs on the lost blocks of this stack, of whatever stack: each on the lost
    /// block that is nearest to it.
    pub taken_along: Amount,
    /// The first and last birth of what is lost.
    pub lost_births: Option<(u32, u32)>,
    /// The same of all that is not.
    pub other_births: Option<(u32, u32)>,
}

impl StackSums {
    pub fn all(&self) -> Amount {
        let mut all = self.held;
        all.add(self.lost);
        all.add(self.held_by_lost);
        all
    }

    fn add(&mut self, sum: &Sum) {
        let births = match sum.state {
            State::Lost | State::LostInCycle => {
                self.lost.add(sum.amount);
                if sum.state == State::LostInCycle {
                    self.lost_in_cycle.add(sum.amount);
                }
                &mut self.lost_births
            }
            State::Held => {
                self.held.add(sum.amount);
                &mut self.other_births
            }
            State::HeldByLost => {
                self.held_by_lost.add(sum.amount);
                &mut self.other_births
            }
        };
        let (first, last) = births.unwrap_or((sum.birth, sum.birth));
        *births = Some((first.min(sum.birth), last.max(sum.birth)));
        self.interior_only.add(sum.interior_only);
    }
}

#[derive(Debug)]
pub struct Lost {
    sums: Vec<Sum>,
    stacks: Vec<StackSums>,
}

impl Lost {
    pub fn new(graph: &Graph, marks: &Marks) -> Self {
        let sums = sums(graph, marks);
        let mut stacks: Vec<StackSums> = Vec::new();
        for sum in &sums {
            if stacks.last().is_none_or(|last| last.stack != sum.stack) {
                stacks.push(StackSums {
                    stack: sum.stack,
                    ..StackSums::default()
                });
            }
            if let Some(last) = stacks.last_mut() {
                last.add(sum);
            }
        }
        for (stack, amount) in taken_along(graph, marks) {
            if let Ok(place) = stacks.binary_search_by_key(&stack, |sums| sums.stack) {
                stacks[place].taken_along = amount;
            }
        }
        Lost { sums, stacks }
    }

    /// Sorted by stack, birth and state.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Every stack that left anything, sorted by its number.
    pub fn stacks(&self) -> &[StackSums] {
        &self.stacks
    }

    pub fn of_stack(&self, stack: u32) -> Option<&StackSums> {
        let place = self.stacks.binary_search_by_key(&stack, |sums| sums.stack);
        place.ok().map(|place| &self.stacks[place])
    }
}

/// Sixteen bytes a block while it runs: sorted, because there may be as many sums as blocks.
fn sums(graph: &Graph, marks: &Marks) -> Vec<Sum> {
    let heap = graph.heap();
    let key = |id: BlockId| {
        let block = &heap.blocks()[id.index()];
        (block.stack, block.birth, marks.state(id), id)
    };
    let mut blocks: Vec<_> = heap.ids().map(key).collect();
    blocks.sort_unstable();
    let mut sums: Vec<Sum> = Vec::new();
    for (stack, birth, state, id) in blocks {
        let is_same = |last: &Sum| (last.stack, last.birth, last.state) == (stack, birth, state);
        if !sums.last().is_some_and(is_same) {
            sums.push(Sum {
                stack,
                birth,
                state,
                amount: Amount::default(),
                interior_only: Amount::default(),
            });
        }
        if let Some(sum) = sums.last_mut() {
            let amount = Amount::of(heap.bytes(id));
            sum.amount.add(amount);
            if marks.is_interior_only(id) {
                sum.interior_only.add(amount);
            }
        }
    }
    sums
}

/// By the stack of what is lost. Four bytes a block while it runs.
fn taken_along(graph: &Graph, marks: &Marks) -> FxHashMap<u32, Amount> {
    let mut amounts: FxHashMap<u32, Amount> = FxHashMap::default();
    if marks.not_held().is_empty() {
        return amounts;
    }
    let mut stacks = vec![0; graph.heap().len()];
    for &block in marks.not_held() {
        let id = BlockId(block);
        let holder = marks.holder_block(block);
        stacks[id.index()] = if holder == NONE {
            graph.heap().stack(id)
        } else {
            let stack = stacks[holder as usize];
            let amount = Amount::of(graph.heap().bytes(id));
            amounts.entry(stack).or_default().add(amount);
            stack
        };
    }
    amounts
}
