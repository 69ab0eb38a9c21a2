//! From an address to the last block that starts at or before it.
//!
//! ```text
//!   starts      | |||| | ||  |                   (1 MiB and more)    || | ||||| ||
//!   spans       [------------]                                       [-----------]
//!   granules    |   |   |   |   as wide as four blocks are on average
//!   firsts      0   4   6   8   the first block that starts in the granule or after it
//! ```
//!
//! So there is about a byte per block, two loads lead to the few blocks in question, and
//! blocks that lie anywhere (a heap, mappings, whatever a hostile file claims) cost no table
//! of the address space between them.

use crate::block::Block;

/// Starts further apart than this belong to different spans.
const GAP_BYTES: u64 = 1 << 20;
const BLOCKS_PER_GRANULE: u64 = 4;
/// No granule is smaller than the smallest block of an allocator.
const MIN_GRANULE_SHIFT: u32 = 4;

#[derive(Debug)]
pub(crate) struct Index {
    spans: Vec<Span>,
    /// Of all granules of all spans, one more at the end of each span.
    firsts: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: u64,
    /// Where the next span starts.
    limit: u64,
    first_granule: usize,
    last_granule: usize,
    granule_shift: u32,
}

/// The span of the last answer: the next is mostly in it too.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastSpan(usize);

impl Index {
    /// The blocks are sorted by start.
    pub fn new(blocks: &[Block]) -> Self {
        let mut index = Index {
            spans: Vec::new(),
            firsts: Vec::new(),
        };
        let mut first = 0;
        while first < blocks.len() {
            let mut end = first + 1;
            while end < blocks.len() && blocks[end].start - blocks[end - 1].start < GAP_BYTES {
                end += 1;
            }
            index.add_span(blocks, first, end);
            first = end;
        }
        index.firsts.shrink_to_fit();
        index
    }

    fn add_span(&mut self, blocks: &[Block], first: usize, end: usize) {
        let start = blocks[first].start;
        let width = blocks[end - 1].start - start + 1;
        let wanted = (width / (end - first) as u64).saturating_mul(BLOCKS_PER_GRANULE);
        let granule_shift = wanted.max(1).ilog2().max(MIN_GRANULE_SHIFT);
        let first_granule = self.firsts.len();
        let granules = ((width - 1) >> granule_shift) + 1;
        let mut block = first;
        for granule in 0..granules {
            let from = start + (granule << granule_shift);
            while block < end && blocks[block].start < from {
                block += 1;
            }
            self.firsts.push(block as u32);
        }
        self.firsts.push(end as u32);
        self.spans.push(Span {
            start,
            limit: blocks.get(end).map_or(u64::MAX, |next| next.start),
            first_granule,
            last_granule: self.firsts.len() - 2,
            granule_shift,
        });
    }

    /// The last of the blocks that start at or before the address, an inner one where
    /// several start there.
    #[inline]
    pub fn last_from(&self, blocks: &[Block], address: u64, last: &mut LastSpan) -> Option<u32> {
        let mut span = self.spans.get(last.0)?;
        if address < span.start || address >= span.limit {
            let after = self.spans.partition_point(|span| span.start <= address);
            last.0 = after.checked_sub(1)?;
            span = &self.spans[last.0];
        }
        let granule = (address - span.start) >> span.granule_shift;
        // What lies behind the last start of the span belongs to its last granule.
        let granule = (granule as usize)
            .saturating_add(span.first_granule)
            .min(span.last_granule);
        let first = self.firsts[granule] as usize;
        let end = self.firsts[granule + 1] as usize;
        let inside = blocks[first..end].partition_point(|block| block.start <= address);
        // The first of a span starts where its first granule does, so it is at or before.
        (first + inside).checked_sub(1).map(|block| block as u32)
    }

    pub fn heap_bytes(&self) -> usize {
        self.spans.capacity() * size_of::<Span>() + self.firsts.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::random::Random;

    fn blocks_at(starts: &[u64]) -> Vec<Block> {
        let block = |&start| Block {
            start,
            bytes: 8,
            stack: 1,
            birth: 0,
        };
        starts.iter().map(block).collect()
    }

    fn compare(starts: &[u64]) {
        let blocks = blocks_at(starts);
        let index = Index::new(&blocks);
        let mut last = LastSpan::default();
        let near = |&start: &u64| [start.wrapping_sub(1), start, start.wrapping_add(1)];
        for address in starts.iter().flat_map(near).chain([0, u64::MAX]) {
            let expected = starts.partition_point(|&start| start <= address);
            let found = index.last_from(&blocks, address, &mut last);
            assert_eq!(found, expected.checked_sub(1).map(|at| at as u32));
        }
    }

    #[test]
    fn blocks_that_lie_anywhere_are_found() {
        compare(&[]);
        compare(&[0]);
        compare(&[u64::MAX]);
        compare(&[5, 5, 5, 6, 1 << 20, 1 << 40, (1 << 40) + 1, u64::MAX]);
        let mut random = Random::new(1);
        for _ in 0..200 {
            let count = random.below(50);
            let width = random.below(62) + 1;
            let mut starts: Vec<u64> = (0..count).map(|_| random.skewed(width)).collect();
            starts.sort_unstable();
            compare(&starts);
        }
    }
}
