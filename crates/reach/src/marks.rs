//! Of every block: lost or held, and by whom.
//!
//! ```text
//!   roots --> held --> held ...                   breadth first: the holder is the nearest
//!   lost  --> held by lost --> held by lost ...   the same from what no block points to
//!   (lost in a cycle <-> lost in a cycle) --> held by lost ...
//! ```
//!
//! Of the blocks that no root reaches, those are lost that nothing unreached points to either,
//! and the members of a cycle that nothing outside of it points into. All others hang on them.

use crate::block::{BlockId, NONE, PointerKind};
use crate::components::Components;
use crate::graph::Graph;
use crate::root::RootWord;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// A chain of pointers leads to it from a root.
    Held,
    /// Nothing points to it.
    Lost,
    /// Only blocks of its own cycle point to it.
    LostInCycle,
    /// Only blocks that are lost themselves lead to it.
    HeldByLost,
}

/// Who holds a block, by the shortest chain from roots of the lowest rank that reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// By its place in [`Graph::root_words`].
    Root(usize),
    Block(BlockId),
}

#[derive(Debug)]
pub struct Marks {
    /// Of each block its state, and whether the search met a pointer to its start.
    flags: Vec<u8>,
    /// Of each block the block that holds it, or the number of blocks plus that of the root
    /// word, or `NONE`.
    holders: Vec<u32>,
    /// By rank of the roots, nearest to a root first; then what is lost and what hangs on it.
    order: Vec<u32>,
    held_blocks: usize,
    /// Members of lost cycles, those of one together: a number for each cycle, and the block.
    cycles: Vec<(u32, u32)>,
}

const UNSEEN: u8 = 7;
const STATE: u8 = 7;
const START_SEEN: u8 = 8;

impl Marks {
    pub fn new(graph: &Graph) -> Self {
        let blocks = graph.heap().len();
        let mut marks = Marks {
            flags: vec![UNSEEN; blocks],
            holders: vec![NONE; blocks],
            order: Vec::with_capacity(blocks),
            held_blocks: 0,
            cycles: Vec::new(),
        };
        let mut ranks: Vec<u8> = graph.roots().iter().map(|root| root.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let next = marks.order.len();
            for (number, word) in graph.root_words().iter().enumerate() {
                if graph.roots()[word.root as usize].rank == rank {
                    let holder = (blocks + number) as u32;
                    marks.reach(word.target.0, State::Held, holder, Some(word.kind));
                }
            }
            marks.go_on(graph, next, State::Held);
        }
        marks.held_blocks = marks.order.len();
        if marks.held_blocks < blocks {
            marks.find_lost(graph);
        }
        marks
    }

    fn find_lost(&mut self, graph: &Graph) {
        let components = Components::new(graph, |block| self.is_unseen(block));
        for block in (0..self.flags.len() as u32).filter(|&block| components.is_source(block)) {
            let state = if components.is_cycle(block) {
                self.cycles.push((components.number(block), block));
                State::LostInCycle
            } else {
                State::Lost
            };
            self.reach(block, state, NONE, None);
        }
        drop(components);
        self.cycles.sort_unstable();
        self.go_on(graph, self.held_blocks, State::HeldByLost);
    }

    fn go_on(&mut self, graph: &Graph, mut next: usize, state: State) {
        while let Some(&block) = self.order.get(next) {
            next += 1;
            graph.each_held_by(block, |target, kind| self.reach(target, state, block, kind));
        }
    }

    fn reach(&mut self, block: u32, state: State, holder: u32, kind: Option<PointerKind>) {
        let flags = &mut self.flags[block as usize];
        if *flags & STATE == UNSEEN {
            *flags = state as u8;
            self.holders[block as usize] = holder;
            self.order.push(block);
        }
        // A pointer that is lost itself says nothing about what a root reaches.
        let is_own = state == State::Held || *flags & STATE != State::Held as u8;
        if is_own && matches!(kind, Some(PointerKind::Start | PointerKind::Tagged)) {
            *flags |= START_SEEN;
        }
    }

    fn is_unseen(&self, block: u32) -> bool {
        self.flags[block as usize] & STATE == UNSEEN
    }

    pub fn state(&self, block: BlockId) -> State {
        match self.flags[block.index()] & STATE {
            0 => State::Held,
            1 => State::Lost,
            2 => State::LostInCycle,
            _ => State::HeldByLost,
        }
    }

    /// `None` of what is lost, cycles included.
    pub fn holder(&self, block: BlockId) -> Option<Holder> {
        let holder = self.holders[block.index()];
        if holder == NONE {
            return None;
        }
        let root_word = (holder as usize).checked_sub(self.holders.len());
        Some(match root_word {
            Some(number) => Holder::Root(number),
            None => Holder::Block(BlockId(holder)),
        })
    }

    /// Where in its holder the first pointer to it is; `None` where no block holds it, or
    /// one does because it lies inside. Takes as long as the holder has pointers.
    pub fn offset_in_holder(&self, graph: &Graph, block: BlockId) -> Option<u64> {
        let Some(Holder::Block(holder)) = self.holder(block) else {
            return None;
        };
        let mut pointers = graph.pointers(holder);
        let found = pointers.find(|pointer| pointer.target == block);
        found.map(|pointer| pointer.offset_bytes)
    }

    /// No pointer to its start or to its start with a tag leads to it, only others into it,
    /// or blocks inside it. Words that look like pointers do so most often. Never of what is
    /// lost.
    pub fn is_interior_only(&self, block: BlockId) -> bool {
        self.flags[block.index()] & START_SEEN == 0 && self.state(block) != State::Lost
    }

    pub fn held_blocks(&self) -> usize {
        self.held_blocks
    }

    /// The blocks of each cycle that is lost.
    pub fn lost_cycles(&self) -> impl Iterator<Item = impl Iterator<Item = BlockId> + '_> + '_ {
        let cycles = self.cycles.chunk_by(|one, other| one.0 == other.0);
        cycles.map(|members| members.iter().map(|&(_, block)| BlockId(block)))
    }

    /// What is kept here.
    pub fn heap_bytes(&self) -> usize {
        self.flags.capacity()
            + (self.holders.capacity() + self.order.capacity()) * 4
            + self.cycles.capacity() * 8
    }

    /// All that is held, each after its holder.
    pub(crate) fn held(&self) -> &[u32] {
        &self.order[..self.held_blocks]
    }

    /// All that is not held, each after its holder.
    pub(crate) fn not_held(&self) -> &[u32] {
        &self.order[self.held_blocks..]
    }

    /// Whether this root word is the one that holds its target.
    pub(crate) fn holds_from_root(&self, number: usize, word: &RootWord) -> bool {
        self.holders[word.target.index()] as usize == self.holders.len() + number
    }

    pub(crate) fn holder_block(&self, block: u32) -> u32 {
        self.holders[block as usize]
    }
}
