//! The call paths: the arena's trie nodes, with duplicates merged.
//!
//! Threads that raced may have made two nodes for one path. Both are mapped to
//! the first, parents before children, so whole duplicate branches fold together.

use crate::arena_file::{ArenaFile, Error, half, word};
use residue_arena::node;
use residue_arena::region::Region;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub struct Tree {
    /// Per node that was kept: parent (an index into this table) and frame key.
    pub nodes: Vec<(u32, u64)>,
    /// From a stack id to the node it belongs to, [`ABSENT`] where it was never used.
    pub heap_stacks: Vec<u32>,
    pub map_stacks: Vec<u32>,
    /// From the arena's node numbers to the kept ones.
    pub kept: Vec<u32>,
}

pub const ABSENT: u32 = u32::MAX;

/// A hasher for keys that are mixed already or nearly so.
#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0.rotate_left(23) ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

pub fn read(arena: &ArenaFile) -> Result<Tree, Error> {
    let count = arena.used(Region::Nodes);
    let stack_limit = arena
        .word(residue_arena::header::STACKS)
        .min(u64::from(node::STACK_LIMIT)) as usize;
    let mut tree = Tree {
        nodes: vec![(node::ROOT, 0)],
        heap_stacks: vec![ABSENT; stack_limit],
        map_stacks: vec![ABSENT; stack_limit],
        kept: Vec::new(),
    };
    let mut kept: Vec<u32> = Vec::with_capacity(count as usize);
    let mut known: FastMap<(u32, u64), u32> = FastMap::default();
    known.reserve(count as usize);
    arena.each_chunk(Region::Nodes, count, |first, bytes| {
        for (index, item) in bytes.chunks_exact(node::NODE_BYTES as usize).enumerate() {
            let key = word(item, 0);
            let parent = half(item, node::PARENT);
            let number = if first + index as u64 == u64::from(node::ROOT) {
                node::ROOT
            } else {
                // A node whose key is missing was being made when the program died.
                let parent = kept.get(parent as usize).copied();
                match parent.filter(|_| key != 0) {
                    None => node::ROOT,
                    Some(parent) => *known.entry((parent, key)).or_insert_with(|| {
                        tree.nodes.push((parent, key));
                        (tree.nodes.len() - 1) as u32
                    }),
                }
            };
            kept.push(number);
            for (field, stacks) in [
                (node::HEAP_STACK, &mut tree.heap_stacks),
                (node::MAP_STACK, &mut tree.map_stacks),
            ] {
                if let Some(place) = stacks.get_mut(half(item, field) as usize)
                    && half(item, field) != 0
                {
                    *place = number;
                }
            }
        }
    })?;
    tree.kept = kept;
    Ok(tree)
}
