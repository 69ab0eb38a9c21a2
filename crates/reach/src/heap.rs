//! The live blocks in the order of their addresses, and which block an address belongs to.
//!
//! Blocks may lie inside blocks: what a custom pool hands out, in the block the pool got.
//! An address belongs to the innermost block that contains it. Two blocks that overlap
//! without one containing the other cannot both be live; the one that starts first is taken
//! to end where the other starts, and the fault is counted.

use crate::ancestors::Ancestors;
use crate::block::{Block, BlockId, NONE};
use crate::index::{Index, LastSpan};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Numbers above this are of words in roots.
const MAX_BLOCKS: usize = 1 << 31;

#[derive(Debug)]
pub struct Heap {
    /// Sorted; those that were cut have the bytes that are left to them.
    blocks: Vec<Block>,
    index: Index,
    /// Only where any block lies inside another.
    nesting: Option<Ancestors>,
    /// The bytes that were asked for, of blocks that were cut.
    cut: FxHashMap<u32, u64>,
    blocks_left_out: u64,
}

impl Heap {
    /// In any order, overlapping or not.
    pub fn new(mut blocks: Vec<Block>) -> Self {
        let blocks_left_out = blocks.len().saturating_sub(MAX_BLOCKS) as u64;
        blocks.truncate(MAX_BLOCKS);
        // An outer block comes before those inside it.
        blocks.sort_unstable_by_key(|block| {
            (block.start, Reverse(block.bytes), block.stack, block.birth)
        });
        let mut cut = FxHashMap::default();
        let parents = nest(&mut blocks, &mut cut);
        Heap {
            index: Index::new(&blocks),
            nesting: parents.map(Ancestors::new),
            blocks,
            cut,
            blocks_left_out,
        }
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// As it was given, whatever overlaps it.
    pub fn block(&self, id: BlockId) -> Block {
        Block {
            bytes: self.bytes(id),
            ..self.blocks[id.index()]
        }
    }

    pub fn bytes(&self, id: BlockId) -> u64 {
        let whole = self.cut.get(&id.0).copied();
        whole.unwrap_or(self.blocks[id.index()].bytes)
    }

    pub fn stack(&self, id: BlockId) -> u32 {
        self.blocks[id.index()].stack
    }

    /// The block it lies in, if any: the smallest one.
    pub fn outer(&self, id: BlockId) -> Option<BlockId> {
        self.nesting.as_ref()?.parent(id.0).map(BlockId)
    }

    /// The innermost block that contains the address.
    pub fn block_at(&self, address: u64) -> Option<BlockId> {
        let found = self.innermost(address, &mut LastSpan::default());
        found.ok().map(BlockId)
    }

    /// Blocks that another one overlapped, and that were therefore cut for the search.
    pub fn overlapped_blocks(&self) -> u64 {
        self.cut.len() as u64
    }

    /// Blocks above the number that can be examined.
    pub fn blocks_left_out(&self) -> u64 {
        self.blocks_left_out
    }

    /// What is kept here, blocks and indices.
    pub fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.index.heap_bytes()
            + self.nesting.as_ref().map_or(0, Ancestors::heap_bytes)
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    #[inline]
    pub(crate) fn innermost(&self, address: u64, last: &mut LastSpan) -> Result<u32, Miss> {
        let found = self.index.last_from(&self.blocks, address, last);
        let Some(id) = found else {
            return Err(Miss::Outside);
        };
        let end_of = |id: u32| self.blocks[id as usize].end();
        if address < end_of(id) {
            return Ok(id);
        }
        let outer = self.nesting.as_ref();
        let outer = outer.and_then(|nesting| nesting.nearest(id, |id| address < end_of(id)));
        match outer {
            Some(outer) => Ok(outer),
            None if address == end_of(id) => Err(Miss::JustBehind),
            None => Err(Miss::Outside),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    /// In no block, and right behind the end of one.
    JustBehind,
    Outside,
}

/// The block each block lies in, if any block does. Cuts what overlaps.
fn nest(blocks: &mut [Block], cut: &mut FxHashMap<u32, u64>) -> Option<Vec<u32>> {
    let mut parents: Option<Vec<u32>> = None;
    // The blocks that contain the place that has been reached, innermost last.
    let mut open: Vec<u32> = Vec::new();
    for place in 0..blocks.len() {
        let (start, end) = (blocks[place].start, blocks[place].end());
        while let Some(&outer) = open.last() {
            let block = &mut blocks[outer as usize];
            if start < block.end() && end <= block.end() {
                break;
            }
            if start < block.end() {
                cut.insert(outer, block.bytes);
                block.bytes = start - block.start;
            }
            open.pop();
        }
        if let Some(&outer) = open.last() {
            parents.get_or_insert_with(|| vec![NONE; blocks.len()])[place] = outer;
        }
        open.push(place as u32);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(ranges: &[(u64, u64)]) -> Heap {
        let block = |(stack, &(start, end)): (usize, &(u64, u64))| Block {
            start,
            bytes: end - start,
            stack: stack as u32,
            birth: 0,
        };
        Heap::new(ranges.iter().enumerate().map(block).collect())
    }

    fn stack_at(heap: &Heap, address: u64) -> Option<u32> {
        heap.block_at(address).map(|id| heap.stack(id))
    }

    #[test]
    fn an_address_belongs_to_the_innermost_block() {
        let heap = heap(&[(100, 200), (100, 150), (120, 130), (160, 170), (300, 300)]);
        let expected = [
            (99, None),
            (100, Some(1)),
            (119, Some(1)),
            (120, Some(2)),
            (130, Some(1)),
            (150, Some(0)),
            (169, Some(3)),
            (170, Some(0)),
            (199, Some(0)),
            (200, None),
            (300, Some(4)),
            (301, None),
        ];
        for (address, stack) in expected {
            assert_eq!(stack_at(&heap, address), stack, "{address}");
        }
        let inner = heap.block_at(125).unwrap();
        let outer = heap.outer(inner).unwrap();
        assert_eq!(heap.stack(outer), 1);
        assert_eq!(heap.outer(outer).map(|id| heap.stack(id)), Some(0));
    }

    #[test]
    fn a_block_that_is_overlapped_ends_early_and_keeps_its_bytes() {
        let heap = heap(&[(100, 200), (150, 250), (160, 170)]);
        assert_eq!(stack_at(&heap, 149), Some(0));
        assert_eq!(stack_at(&heap, 165), Some(2));
        assert_eq!(stack_at(&heap, 199), Some(1));
        assert_eq!(heap.overlapped_blocks(), 1);
        assert_eq!(heap.bytes(heap.block_at(100).unwrap()), 100);
    }

    #[test]
    fn an_address_behind_a_deep_nest_is_found_without_walking_it() {
        let depth = 200_000;
        let ranges: Vec<_> = (0..depth).map(|i| (i, 4 * depth - i)).collect();
        let heap = heap(&ranges);
        for i in 0..depth {
            assert_eq!(stack_at(&heap, 4 * depth - i - 1), Some(i as u32));
        }
    }

    #[test]
    fn blocks_at_the_end_of_the_address_space() {
        let heap = heap(&[(u64::MAX - 8, u64::MAX), (u64::MAX, u64::MAX)]);
        assert_eq!(stack_at(&heap, u64::MAX - 1), Some(0));
        assert_eq!(stack_at(&heap, u64::MAX), None);
    }
}
