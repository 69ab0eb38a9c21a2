//! Of every stack, the block or the origin that most of its bytes hang on.

use super::tree::Tree;
use super::{Dominator, Dominators};
use crate::graph::Graph;
use crate::lost::Amount;

/// What hangs on one block or origin, of one stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub stack: u32,
    /// The lowest on which at least 95 % hangs of what hangs on the highest; no block of the
    /// stack itself where there is another.
    pub head: Dominator,
    pub dominated: Amount,
    /// All that is held of this stack.
    pub all: Amount,
}

/// Of each stack of which more than half of the bytes hang on one block or origin.
pub(crate) fn heads(graph: &Graph, dominators: &Dominators) -> Vec<Head> {
    let tree = &dominators.tree;
    let mut places: Vec<(u32, u32)> = Vec::new();
    for id in graph.heap().ids() {
        if let Some(number) = dominators.number(Dominator::Block(id)) {
            places.push((graph.heap().stack(id), number));
        }
    }
    places.sort_unstable();
    let of_one_stack = places.chunk_by(|one, other| one.0 == other.0);
    let heads = of_one_stack.filter_map(|places| {
        let stack = Stack::new(graph, dominators, places);
        stack.head(graph, dominators, tree)
    });
    heads.collect()
}

struct Stack<'a> {
    /// The stack, and the number of each of its blocks, in order.
    places: &'a [(u32, u32)],
    /// Of the blocks before each, and of all.
    bytes_before: Vec<u64>,
}

impl<'a> Stack<'a> {
    fn new(graph: &Graph, dominators: &Dominators, places: &'a [(u32, u32)]) -> Self {
        let mut sum = 0u64;
        let mut bytes_before = vec![0];
        for &(_, number) in places {
            if let Some(Dominator::Block(id)) = dominators.at(number) {
                sum = sum.saturating_add(graph.heap().bytes(id));
            }
            bytes_before.push(sum);
        }
        Stack {
            places,
            bytes_before,
        }
    }

    fn all(&self) -> Amount {
        Amount {
            blocks: self.places.len() as u64,
            bytes: self.bytes_before[self.places.len()],
        }
    }

    fn below(&self, tree: &Tree, number: u32) -> Amount {
        let place_of = |limit: u32| self.places.partition_point(|&(_, number)| number < limit);
        let (first, end) = (place_of(number), place_of(tree.ends[number as usize]));
        Amount {
            blocks: (end - first) as u64,
            bytes: self.bytes_before[end] - self.bytes_before[first],
        }
    }

    fn head(&self, graph: &Graph, dominators: &Dominators, tree: &Tree) -> Option<Head> {
        let all = self.all();
        // Whatever dominates more than half of the bytes dominates the block in their middle.
        let half = all.bytes / 2;
        let middle = self.bytes_before.partition_point(|&before| before <= half);
        let &(stack, middle) = self.places.get(middle.checked_sub(1)?)?;
        let parent = |number| tree.ancestors.parent(number);
        let is_highest = |number| number == 0 || parent(number) == Some(0);
        let highest = tree.ancestors.nearest(middle, is_highest)?;
        let most = self.below(tree, highest).bytes;
        if most <= half {
            return None;
        }
        let is_as_much =
            |number| u128::from(self.below(tree, number).bytes) * 20 >= u128::from(most) * 19;
        let lowest = tree.ancestors.nearest(middle, is_as_much)?;
        let mut number = lowest;
        while let Some(Dominator::Block(id)) = dominators.at(number)
            && graph.heap().stack(id) == stack
            && let Some(above) = parent(number).filter(|&above| above != 0)
        {
            number = above;
        }
        Some(Head {
            stack,
            head: dominators.at(number)?,
            dominated: self.below(tree, number),
            all,
        })
    }
}
