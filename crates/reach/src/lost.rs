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
    /// What hangs on the lost blocks of this stack, of whatever stack.
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

/// What of one stack hangs on the lost blocks of another: each block on the one that is
/// nearest to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenAlong {
    pub lost_stack: u32,
    pub stack: u32,
    pub amount: Amount,
}

#[derive(Debug)]
pub struct Lost {
    sums: Vec<Sum>,
    stacks: Vec<StackSums>,
    taken_along: Vec<TakenAlong>,
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
        let taken_along = taken_along(graph, marks);
        for taken in &taken_along {
            let place = stacks.binary_search_by_key(&taken.lost_stack, |sums| sums.stack);
            if let Ok(place) = place {
                stacks[place].taken_along.add(taken.amount);
            }
        }
        Lost {
            sums,
            stacks,
            taken_along,
        }
    }

    /// Sorted by stack, birth and state.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Every stack that left anything, sorted by its number.
    pub fn stacks(&self) -> &[StackSums] {
        &self.stacks
    }

    /// Sorted by the stack that is lost, then by the other.
    pub fn taken_along(&self) -> &[TakenAlong] {
        &self.taken_along
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

/// Four bytes a block while it runs.
fn taken_along(graph: &Graph, marks: &Marks) -> Vec<TakenAlong> {
    if marks.not_held().is_empty() {
        return Vec::new();
    }
    let mut amounts: FxHashMap<(u32, u32), Amount> = FxHashMap::default();
    let mut lost_stacks = vec![0; graph.heap().len()];
    for &block in marks.not_held() {
        let stack = graph.heap().stack(BlockId(block));
        let holder = marks.holder_block(block);
        if holder == NONE {
            lost_stacks[block as usize] = stack;
        } else {
            let lost_stack = lost_stacks[holder as usize];
            lost_stacks[block as usize] = lost_stack;
            let amount = Amount::of(graph.heap().bytes(BlockId(block)));
            amounts.entry((lost_stack, stack)).or_default().add(amount);
        }
    }
    let mut rows: Vec<TakenAlong> = amounts
        .into_iter()
        .map(|((lost_stack, stack), amount)| TakenAlong {
            lost_stack,
            stack,
            amount,
        })
        .collect();
    rows.sort_unstable_by_key(|taken| (taken.lost_stack, taken.stack));
    rows
}
