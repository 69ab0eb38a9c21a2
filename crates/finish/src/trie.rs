//! The call paths as the recorder has them: the nodes of its trie, under its numbers.
//!
//! Threads that raced may have made two nodes for one path. Both stand for the first,
//! parents before children, so whole duplicate branches fold together.

use crate::arena_file::{ArenaFile, Error};
use residue_arena::region::Region;
use residue_arena::{header, node};
use residue_profile::StackKind;
use rustc_hash::FxHashMap;

/// Number of a node in the trie.
pub type TrieNode = u32;

pub struct Trie {
    nodes: Vec<Entry>,
    /// By stack id: the path that it was given to, and what for.
    pub stacks: Vec<Option<(TrieNode, StackKind)>>,
}

struct Entry {
    /// The first node of the same path.
    first: TrieNode,
    parent: TrieNode,
    key: u64,
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

    /// One more than the highest number.
    pub fn end(&self) -> usize {
        self.nodes.len()
    }
}

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
    // The root is there although nothing was recorded yet.
    let mut nodes: Vec<Entry> = Vec::with_capacity(count.max(1));
    nodes.push(Entry {
        first: node::ROOT,
        parent: node::ROOT,
        key: 0,
    });
    let mut known: FxHashMap<(TrieNode, u64), TrieNode> = FxHashMap::default();
    known.reserve(count);
    let mut next = node::ROOT;
    arena.each_item(Region::Nodes, |item| {
        let number = next;
        next += 1;
        let key = item.word(node::KEY);
        if number != node::ROOT {
            let parent = nodes.get(item.half(node::PARENT) as usize);
            // A node whose key is missing was being made when the program died.
            let (first, parent) = match parent.filter(|_| key != 0) {
                Some(parent) => {
                    let parent = parent.first;
                    (*known.entry((parent, key)).or_insert(number), parent)
                }
                None => (node::ROOT, node::ROOT),
            };
            nodes.push(Entry { first, parent, key });
        }
        let Entry { first, parent, .. } = nodes[number as usize];
        // Below the path of a reported block, or of a sample, stands a node that is no frame.
        let (path, kind) = match key {
            node::REPORTED_KEY => (parent, StackKind::Reported),
            node::CPU_KEY => (parent, StackKind::Cpu),
            _ => (first, StackKind::Heap),
        };
        give(item.half(node::HEAP_STACK), path, kind);
        give(item.half(node::MAP_STACK), first, StackKind::Mapping);
    })?;
    Ok(Trie { nodes, stacks })
}
