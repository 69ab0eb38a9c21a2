//! On what the bytes hang: which single block or origin all chains to a block go through.
//!
//! ```text
//!   (all roots) --> origins --> blocks that are held          Search
//!        Search, Predecessors --> immediate dominators --> Tree
//!        Tree --> retained bytes of each block, heads of each stack
//! ```
//!
//! A block dominates another if the other were lost without it. What a block *retains* are
//! its own bytes and those of all it dominates, each byte counted once: an outer block has
//! the bytes that no inner one covers.

mod heads;
mod lengauer_tarjan;
mod search;
mod tree;

use crate::block::{BlockId, NONE};
use crate::graph::Graph;
use crate::origins::Origins;
pub use heads::Head;
use search::Vertices;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tree::Tree;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dominator {
    /// By its number in [`Origins`].
    Origin(u32),
    Block(BlockId),
}

/// Of what is held. Keeps 28 bytes for each held block and origin; while it is made about 44
/// for each, and 4 to 8 for each pointer.
pub struct Dominators {
    tree: Tree,
    /// By the numbers of the tree.
    retained_bytes: Vec<u64>,
    first_block: u32,
    heads: Vec<Head>,
}

impl Dominators {
    pub fn new(graph: &Graph, origins: &Origins) -> Self {
        let vertices = Vertices::new(graph, origins);
        let tree = Tree::new(vertices);
        let retained_bytes = retained(graph, vertices, &tree);
        let mut dominators = Dominators {
            tree,
            retained_bytes,
            first_block: vertices.first_block(),
            heads: Vec::new(),
        };
        dominators.heads = heads::heads(graph, &dominators);
        dominators
    }

    /// What it hangs on, the nearest. `None` where origins reach it on ways of which no two
    /// have a block in common, and where it is not held.
    pub fn dominator(&self, block: BlockId) -> Option<Dominator> {
        let number = self.number(Dominator::Block(block))?;
        self.at(self.tree.ancestors.parent(number)?)
    }

    /// Whether every chain to the block goes through it. It dominates itself.
    pub fn is_dominated(&self, block: BlockId, by: Dominator) -> bool {
        let block = self.number(Dominator::Block(block));
        let (Some(block), Some(by)) = (block, self.number(by)) else {
            return false;
        };
        (by..self.tree.ends[by as usize]).contains(&block)
    }

    /// Zero of what is not held.
    pub fn retained_bytes(&self, by: Dominator) -> u64 {
        let number = self.number(by);
        number.map_or(0, |number| self.retained_bytes[number as usize])
    }

    /// Those that retain the most, most first.
    pub fn largest(&self, count: usize) -> Vec<(Dominator, u64)> {
        let mut largest = BinaryHeap::new();
        for (number, &bytes) in self.retained_bytes.iter().enumerate().skip(1) {
            largest.push((Reverse(bytes), number as u32));
            if largest.len() > count {
                largest.pop();
            }
        }
        let sorted = largest.into_sorted_vec().into_iter();
        let named = sorted.filter_map(|(Reverse(bytes), number)| Some((self.at(number)?, bytes)));
        named.collect()
    }

    /// Sorted by stack.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    pub fn head_of_stack(&self, stack: u32) -> Option<&Head> {
        let place = self.heads.binary_search_by_key(&stack, |head| head.stack);
        place.ok().map(|place| &self.heads[place])
    }

    fn number(&self, of: Dominator) -> Option<u32> {
        let vertex = match of {
            Dominator::Origin(origin) => 1 + origin,
            Dominator::Block(id) => self.first_block + id.0,
        };
        let number = self.tree.numbers.get(vertex as usize).copied();
        number.filter(|&number| number != NONE)
    }

    fn at(&self, number: u32) -> Option<Dominator> {
        let vertex = self.tree.vertices[number as usize];
        Some(match vertex.checked_sub(self.first_block) {
            Some(block) => Dominator::Block(BlockId(block)),
            None => Dominator::Origin(vertex.checked_sub(1)?),
        })
    }
}

fn retained(graph: &Graph, vertices: Vertices<'_>, tree: &Tree) -> Vec<u64> {
    let heap = graph.heap();
    let number_of = |block: u32| tree.numbers[vertices.of_block(block) as usize] as usize;
    let mut bytes = vec![0u64; tree.vertices.len()];
    for (block, known) in (0..).zip(heap.blocks()) {
        if let Some(own) = bytes.get_mut(number_of(block)) {
            *own = known.bytes;
        }
    }
    for (block, known) in (0..).zip(heap.blocks()) {
        let outer = heap.outer(BlockId(block));
        if let Some(own) = outer.and_then(|outer| bytes.get_mut(number_of(outer.0))) {
            *own = own.saturating_sub(known.bytes);
        }
    }
    for number in (0..bytes.len()).rev() {
        if let Some(above) = tree.ancestors.parent(number as u32) {
            bytes[above as usize] = bytes[above as usize].saturating_add(bytes[number]);
        }
    }
    bytes
}
