//! Cycles that are lost, by the stacks that made them.

use crate::graph::Graph;
use crate::lost::Amount;
use crate::marks::Marks;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// More stacks of one cycle are only counted.
const MAX_STACKS: usize = 16;

/// All cycles whose blocks come from the same stacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CycleKind {
    /// Sorted; the first ones if there are many.
    pub stacks: Vec<u32>,
    pub stacks_left_out: usize,
    pub cycles: u64,
    /// Of the blocks in them, without what hangs on them.
    pub amount: Amount,
}

/// Most bytes first.
pub fn lost_cycles(graph: &Graph, marks: &Marks) -> Vec<CycleKind> {
    let heap = graph.heap();
    let mut kinds: FxHashMap<(Vec<u32>, usize), (u64, Amount)> = FxHashMap::default();
    for members in marks.lost_cycles() {
        let mut amount = Amount::default();
        let mut stacks = Vec::new();
        for id in members {
            amount.add(Amount::of(heap.bytes(id)));
            stacks.push(heap.stack(id));
        }
        stacks.sort_unstable();
        stacks.dedup();
        let left_out = stacks.len().saturating_sub(MAX_STACKS);
        stacks.truncate(MAX_STACKS);
        let (cycles, sum) = kinds.entry((stacks, left_out)).or_default();
        *cycles += 1;
        sum.add(amount);
    }
    let kind = |((stacks, stacks_left_out), (cycles, amount))| CycleKind {
        stacks,
        stacks_left_out,
        cycles,
        amount,
    };
    let mut kinds: Vec<CycleKind> = kinds.into_iter().map(kind).collect();
    kinds.sort_by(|one, other| {
        let key = |kind: &CycleKind| (Reverse(kind.amount.bytes), kind.stacks_left_out);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.stacks.cmp(&other.stacks))
    });
    kinds
}
