//! The call paths as the recorder has them: the nodes of its trie, under its numbers.
//!
//! Threads that raced may have made two nodes for one path. Both stand for the first,
//! parents before children, so whole duplicate branches fold together.

use crate::arena_file::{ArenaFile, Error};
use residue_arena::header;
use residue_arena::node::{self, Cell};
use residue_arena::region::Region;
use residue_profile::StackKind;
use rustc_hash::FxHashMap;

/// Number of a node in the trie.
pub type TrieNode = u32;

pub struct Trie {
    nodes: Vec<Entry>,
    /// By stack id: the path that it was given to, and what for.
    pub stacks: Vec<Option<(TrieNode, StackKind)>>,
}

/// Cells that are no nodes have the root's.
#[derive(Clone, Copy)]
struct Entry {
    /// The first node of the same path.
    first: TrieNode,
    parent: TrieNode,
    key: u64,
}

impl Entry {
    const ROOT: Entry = Entry {
        first: node::ROOT,
        parent: node::ROOT,
        key: 0,
    };
}

impl Trie {
    /// The node that stands for the path of this one; the root where there is none.
    pub fn first(&self, node: TrieNode) -> TrieNode {
        let entry = self.nodes.get(node as usize);
        entry.map_or(node::ROOT, |entry| entry.first)
    }

    /// All nodes that stand for a path, parents before children: number, parent, key.
    pub fn paths(&self) -> impl Iterator<Item = (TrieNode, TrieNode, u64)> {
        let nodes = self.nodes.iter().zip(0..);
        nodes
            .filter(|(entry, number)| entry.first == *number)
            .map(|(entry, number)| (number, entry.parent, entry.key))
    }

    pub fn parent(&self, node: TrieNode) -> TrieNode {
        self.nodes[node as usize].parent
    }

    /// All nodes, those of one path twice where threads raced.
    pub fn count(&self) -> u64 {
        let nodes = self.nodes.iter().skip(1);
        1 + nodes.filter(|entry| entry.key != 0).count() as u64
    }

    /// One more than the highest number.
    pub fn end(&self) -> usize {
        self.nodes.len()
    }
}

/// Cells that memory is taken for before they are read: what a program says of itself is not
/// believed in advance.
const MOST_EXPECTED: usize = 1 << 20;

pub fn read(arena: &ArenaFile) -> Result<Trie, Error> {
    let count = arena.used(Region::Nodes) as usize;
    let stack_ids = arena.word(header::STACKS).min(node::STACK_LIMIT.into());
    // As long as the ids that nodes have, whatever the program says was given out.
    let mut stacks = Vec::new();
    let mut give = |stack: u32, node: TrieNode, kind: StackKind| {
        if stack == 0 || u64::from(stack) >= stack_ids {
            return;
        }
        let stack = stack as usize;
        if stacks.len() <= stack {
            stacks.resize(stack + 1, None);
        }
        stacks[stack] = Some((node, kind));
    };
    give(node::POOLED_STACK, node::ROOT, StackKind::Pooled);
    give(node::OVERFLOW_STACK, node::ROOT, StackKind::Overflow);
    let expected = count.min(MOST_EXPECTED);
    // The root is there although nothing was recorded yet.
    let mut nodes: Vec<Entry> = Vec::with_capacity(expected.max(1));
    nodes.push(Entry::ROOT);
    // Children that links lead to. Others stand behind their parents, and whoever looks for a child
    // looks there first, so that only below a second node of a path there may be another.
    let mut linked: FxHashMap<(TrieNode, u64), TrieNode> = FxHashMap::default();
    linked.reserve(expected / 4);
    let mut next = node::ROOT;
    // The node that the next cell goes on from; none where that was never written.
    let mut at = Some(node::ROOT);
    arena.each_item(Region::Nodes, |item| {
        let number = next;
        next += 1;
        if number == node::ROOT {
            return;
        }
        let mut entry = Entry::ROOT;
        match (Cell::of(item.word(0)), at) {
            (Cell::Key(key), Some(above)) => {
                let parent = nodes[above as usize].first;
                let is_alone = above + 1 == number && parent == above;
                let first = match nodes.get(parent as usize + 1) {
                    _ if is_alone => number,
                    Some(behind) if behind.parent == parent && behind.key == key => behind.first,
                    _ => *linked.entry((parent, key)).or_insert(number),
                };
                entry = Entry { first, parent, key };
                at = Some(number);
            }
            // To a node that was there when this was read.
            (Cell::Link(parent), _) => {
                let known = nodes.get(parent as usize);
                let is_node = |entry: &&Entry| parent == node::ROOT || entry.key != 0;
                at = known.filter(is_node).map(|_| parent);
            }
            (Cell::HeapStack(stack), Some(above)) => {
                let Entry { first, parent, key } = nodes[above as usize];
                // Below the path of a reported block, or of a sample, stands a node that is no frame.
                let (path, kind) = match key {
                    node::REPORTED_KEY => (parent, StackKind::Reported),
                    node::CPU_KEY => (parent, StackKind::Cpu),
                    _ => (first, StackKind::Heap),
                };
                give(stack, path, kind);
            }
            (Cell::MapStack(stack), Some(above)) => {
                give(stack, nodes[above as usize].first, StackKind::Mapping);
            }
            // A run that was being written when the program died.
            (Cell::Empty, _) => at = None,
            (Cell::NoStack, _) | (_, None) => {}
        }
        nodes.push(entry);
    })?;
    Ok(Trie { nodes, stacks })
}
