//! Who holds what is held: chains from a root to the blocks of a stack.
//!
//! Each block has one shortest chain. Chains that pass the same stacks from the same origin
//! are one, with the blocks and bytes at its end:
//!
//! ```text
//!   origin --> stack 4 at 16 --> stack 9, repeated at 8 --> (stack 7: 3 000 blocks)
//! ```
//!
//! A stack that comes again within a few steps is the same step, repeated: the nodes of a
//! list (one after the other), of a tree of objects and their tables (every second). So a
//! chain has as many steps as there are kinds of holders, not as many as there are holders.

use crate::block::{BlockId, NONE};
use crate::graph::Graph;
use crate::lost::Amount;
use crate::marks::Marks;
use crate::origins::Origins;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// How far back a stack counts as the same step.
const MAX_PERIOD: u32 = 4;
/// Longer chains leave steps out in the middle.
const MAX_STEPS: u16 = 64;

/// Where in a holder the pointer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    Bytes(u64),
    /// Not the same in all holders that were merged.
    Various,
    /// No pointer: the holder lies inside what it holds.
    Inside,
}

impl Offset {
    fn merge(self, other: Offset) -> Offset {
        if self == other { self } else { Offset::Various }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// One where blocks of the stack hold each other, two where every second does, ...
    pub period: u32,
    /// Where the pointer is that leads back to a block of this stack.
    pub offset: Offset,
    /// The blocks that are held so, the first of each run not among them.
    pub blocks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub stack: u32,
    /// Where blocks of this step are held: in a block of the step before. `None` where a
    /// root holds them.
    pub held_at: Option<Offset>,
    pub repeat: Option<Repeat>,
    /// Steps between the one before and this one were left out.
    pub follows_gap: bool,
    /// The blocks at this step, of all chains that go through it.
    pub amount: Amount,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub origin: u32,
    /// The first of the words of the origin that hold the first step, by its place in
    /// `Graph::root_words`, and how many there are.
    pub root_word: u32,
    pub root_words: u64,
    /// From the root on. The last are the blocks that are asked about.
    pub steps: Vec<Step>,
    /// The largest of these blocks.
    pub largest: BlockId,
}

impl Chain {
    pub fn amount(&self) -> Amount {
        self.steps
            .last()
            .map_or(Amount::default(), |step| step.amount)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackChains {
    pub stack: u32,
    /// All that is held of this stack.
    pub amount: Amount,
    /// Most bytes first.
    pub chains: Vec<Chain>,
    pub chains_left_out: u64,
    pub left_out: Amount,
}

#[derive(Debug)]
pub struct Chains {
    stacks: Vec<StackChains>,
}

impl Chains {
    /// Needs four bytes a block while it runs, and about 80 for each distinct chain.
    pub fn new(graph: &Graph, marks: &Marks, origins: &Origins, max_per_stack: usize) -> Self {
        let trie = Trie::new(graph, marks, origins);
        let mut ends: Vec<u32> = (0..trie.nodes.len() as u32).collect();
        ends.sort_by_key(|&end| {
            let node = &trie.nodes[end as usize];
            (node.stack, Reverse(node.amount.bytes), end)
        });
        let of_one_stack = ends.chunk_by(|&one, &other| {
            trie.nodes[one as usize].stack == trie.nodes[other as usize].stack
        });
        let stacks = of_one_stack.map(|ends| trie.stack_chains(ends, max_per_stack));
        Chains {
            stacks: stacks.collect(),
        }
    }

    /// Every stack of which anything is held, sorted by its number.
    pub fn stacks(&self) -> &[StackChains] {
        &self.stacks
    }

    pub fn of_stack(&self, stack: u32) -> Option<&StackChains> {
        let place = self.stacks.binary_search_by_key(&stack, |of| of.stack);
        place.ok().map(|place| &self.stacks[place])
    }
}

/// All chains, with their common beginnings once.
#[derive(Default)]
struct Trie {
    nodes: Vec<Node>,
    known: FxHashMap<(Parent, u32), u32>,
    /// Of nodes that are repeated.
    repeats: FxHashMap<u32, Repeat>,
    /// Of nodes that a root holds: the first word, and how many.
    root_words: FxHashMap<u32, (u32, u64)>,
}

/// There may be as many as blocks, where no two chains are alike.
struct Node {
    parent: Parent,
    stack: u32,
    depth: u16,
    follows_gap: bool,
    largest: u32,
    largest_bytes: u64,
    amount: Amount,
    held_at: Option<Offset>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Parent {
    Origin(u32),
    Node(u32),
}

impl Trie {
    fn new(graph: &Graph, marks: &Marks, origins: &Origins) -> Self {
        let heap = graph.heap();
        let mut trie = Trie::default();
        let mut node_of = vec![NONE; heap.len()];
        for (number, word) in graph.root_words().iter().enumerate() {
            if marks.holds_from_root(number, word) {
                let parent = Parent::Origin(origins.of_word(number));
                let node = trie.node(parent, heap.stack(word.target));
                trie.root_words.entry(node).or_insert((number as u32, 0)).1 += 1;
                trie.add(node, word.target, graph);
                node_of[word.target.index()] = node;
            }
        }
        for &holder in marks.held() {
            let holder_node = node_of[holder as usize];
            let from = heap.blocks()[holder as usize];
            let mut take = |target: u32, offset: Offset| {
                let place = target as usize;
                if marks.holder_block(target) == holder && node_of[place] == NONE {
                    let node = trie.step(holder_node, heap.stack(BlockId(target)), offset);
                    trie.add(node, BlockId(target), graph);
                    node_of[place] = node;
                }
            };
            for edge in graph.rows().edges(holder) {
                take(edge.target, Offset::Bytes(from.offset_of_word(edge.word)));
            }
            if let Some(outer) = heap.outer(BlockId(holder)) {
                take(outer.0, Offset::Inside);
            }
        }
        trie
    }

    /// The node of a block of this stack that is held by one of that node.
    fn step(&mut self, holder: u32, stack: u32, offset: Offset) -> u32 {
        let mut back = holder;
        for period in 1..=MAX_PERIOD {
            let node = &self.nodes[back as usize];
            if node.stack == stack {
                self.repeat(back, period, offset);
                return back;
            }
            match node.parent {
                Parent::Node(parent) => back = parent,
                Parent::Origin(_) => break,
            }
        }
        let mut parent = holder;
        let mut follows_gap = false;
        while self.nodes[parent as usize].depth >= MAX_STEPS
            && let Parent::Node(before) = self.nodes[parent as usize].parent
        {
            parent = before;
            follows_gap = true;
        }
        let node = self.node(Parent::Node(parent), stack);
        let slot = &mut self.nodes[node as usize];
        let offset = if follows_gap { Offset::Various } else { offset };
        slot.held_at = Some(slot.held_at.map_or(offset, |known| known.merge(offset)));
        slot.follows_gap |= follows_gap;
        node
    }

    /// Of several periods the shortest is told.
    fn repeat(&mut self, node: u32, period: u32, offset: Offset) {
        let first = Repeat {
            period,
            offset,
            blocks: 0,
        };
        let repeat = self.repeats.entry(node).or_insert(first);
        repeat.blocks += 1;
        repeat.period = repeat.period.min(period);
        repeat.offset = repeat.offset.merge(offset);
    }

    fn node(&mut self, parent: Parent, stack: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let found = *self.known.entry((parent, stack)).or_insert(next);
        if found == next {
            let depth = match parent {
                Parent::Origin(_) => 1,
                Parent::Node(node) => self.nodes[node as usize].depth + 1,
            };
            self.nodes.push(Node {
                parent,
                stack,
                depth,
                follows_gap: false,
                largest: NONE,
                largest_bytes: 0,
                amount: Amount::default(),
                held_at: None,
            });
        }
        found
    }

    fn add(&mut self, node: u32, block: BlockId, graph: &Graph) {
        let bytes = graph.heap().bytes(block);
        let node = &mut self.nodes[node as usize];
        node.amount.add(Amount::of(bytes));
        if node.largest == NONE || bytes > node.largest_bytes {
            node.largest = block.0;
            node.largest_bytes = bytes;
        }
    }

    fn stack_chains(&self, ends: &[u32], max: usize) -> StackChains {
        let sum = |ends: &[u32]| {
            let mut sum = Amount::default();
            for &end in ends {
                sum.add(self.nodes[end as usize].amount);
            }
            sum
        };
        let (shown, rest) = ends.split_at(max.min(ends.len()));
        StackChains {
            stack: ends
                .first()
                .map_or(0, |&end| self.nodes[end as usize].stack),
            amount: sum(ends),
            chains: shown.iter().map(|&end| self.chain(end)).collect(),
            chains_left_out: rest.len() as u64,
            left_out: sum(rest),
        }
    }

    fn chain(&self, end: u32) -> Chain {
        let mut steps = Vec::new();
        let mut at = end;
        loop {
            let node = &self.nodes[at as usize];
            steps.push(Step {
                stack: node.stack,
                held_at: node.held_at,
                repeat: self.repeats.get(&at).copied(),
                follows_gap: node.follows_gap,
                amount: node.amount,
            });
            match node.parent {
                Parent::Node(parent) => at = parent,
                Parent::Origin(origin) => {
                    steps.reverse();
                    let (root_word, root_words) = self.root_words[&at];
                    return Chain {
                        origin,
                        root_word,
                        root_words,
                        steps,
                        largest: BlockId(self.nodes[end as usize].largest),
                    };
                }
            }
        }
    }
}
