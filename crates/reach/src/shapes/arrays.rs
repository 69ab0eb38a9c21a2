//! Blocks that are mostly pointers to blocks of one other stack, evenly spaced.

use super::LargestArray;
use crate::block::{Block, BlockId, PointerKind};
use crate::graph::Graph;
use crate::rows::Edge;
use rustc_hash::FxHashMap;

/// Fewer could be the members of a struct.
const MIN_ELEMENTS: usize = 16;
/// An element is no larger.
const MAX_STRIDE_WORDS: u64 = 64;
/// What libstdc++ gives a chunk of a deque.
const CHUNK_BYTES: u64 = 512;

pub(super) struct Arrays {
    stacks: Vec<StackArrays>,
    sizes: FxHashMap<u32, Sizes>,
}

/// The arrays of one stack that are like the largest.
pub(super) struct StackArrays {
    pub stack: u32,
    pub arrays: u64,
    pub elements_stack: u32,
    pub stride_bytes: u64,
    pub largest: LargestArray,
    pub could_be_buckets: bool,
    pub could_be_deque: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Sizes {
    blocks: u64,
    bytes: u64,
    chunks: u64,
}

impl Arrays {
    pub fn new(graph: &Graph) -> Self {
        let mut sizes: FxHashMap<u32, Sizes> = FxHashMap::default();
        let mut found: FxHashMap<u32, Vec<Array>> = FxHashMap::default();
        for id in graph.heap().ids() {
            let block = graph.heap().block(id);
            let size = sizes.entry(block.stack).or_default();
            size.blocks += 1;
            size.bytes = size.bytes.saturating_add(block.bytes);
            size.chunks += u64::from(block.bytes == CHUNK_BYTES);
            if let Some(array) = Array::recognise(graph, id, &block) {
                found.entry(block.stack).or_default().push(array);
            }
        }
        let mut stacks: Vec<StackArrays> = found
            .into_iter()
            .filter_map(|(stack, arrays)| summarise(stack, &arrays, sizes[&stack].bytes))
            .collect();
        stacks.sort_unstable_by_key(|arrays| arrays.stack);
        Arrays { stacks, sizes }
    }

    /// Sorted by stack.
    pub fn stacks(&self) -> &[StackArrays] {
        &self.stacks
    }

    pub fn blocks(&self, stack: u32) -> u64 {
        self.sizes.get(&stack).map_or(0, |sizes| sizes.blocks)
    }

    pub fn chunks(&self, stack: u32) -> u64 {
        self.sizes.get(&stack).map_or(0, |sizes| sizes.chunks)
    }

    pub fn are_chunks(&self, stack: u32) -> bool {
        self.chunks(stack) == self.blocks(stack)
    }
}

/// `None` where most bytes of the stack are in no array, or in arrays of different kinds.
fn summarise(stack: u32, arrays: &[Array], stack_bytes: u64) -> Option<StackArrays> {
    let largest = arrays
        .iter()
        .max_by_key(|array| (array.elements, array.block))?;
    let alike = arrays.iter().filter(|array| {
        array.elements_stack == largest.elements_stack && array.stride_words == largest.stride_words
    });
    let mut count = 0;
    let mut bytes = 0u64;
    let (mut could_be_buckets, mut could_be_deque) = (true, true);
    for array in alike {
        count += 1;
        bytes = bytes.saturating_add(array.bytes);
        could_be_buckets &= array.could_be_buckets;
        could_be_deque &= array.could_be_deque;
    }
    (bytes >= stack_bytes / 2).then_some(StackArrays {
        stack,
        arrays: count,
        elements_stack: largest.elements_stack,
        stride_bytes: largest.stride_words * 8,
        largest: LargestArray {
            block: largest.block,
            elements: largest.elements,
        },
        could_be_buckets,
        could_be_deque,
    })
}

struct Array {
    block: BlockId,
    bytes: u64,
    elements_stack: u32,
    elements: u64,
    stride_words: u64,
    could_be_buckets: bool,
    could_be_deque: bool,
}

impl Array {
    fn recognise(graph: &Graph, id: BlockId, block: &Block) -> Option<Array> {
        let edges = graph.rows().edges(id.0);
        if edges.len() < MIN_ELEMENTS {
            return None;
        }
        let stack_of = |edge: &Edge| graph.heap().stack(BlockId(edge.target));
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for edge in edges.clone() {
            *counts.entry(stack_of(&edge)).or_default() += 1;
        }
        let (&elements_stack, &count) = counts
            .iter()
            .max_by_key(|&(&stack, &count)| (count, stack))?;
        if elements_stack == block.stack || count < MIN_ELEMENTS {
            return None;
        }
        let elements: Vec<Edge> = edges
            .filter(|edge| stack_of(edge) == elements_stack)
            .collect();
        let stride_words = stride(&elements)?;
        let (first, last) = (elements.first()?.word, elements.last()?.word);
        let span_words = last - first + stride_words;
        let block_words = block.bytes / 8;
        // Buckets that are empty, and room that is not used yet, are at most three times the rest.
        if count as u64 * stride_words * 4 < span_words || span_words * 4 < block_words {
            return None;
        }
        let mut targets: Vec<u32> = elements.iter().map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        // Many pointers into few blocks are places in a text, not elements.
        if targets.len() * 2 < count {
            return None;
        }
        let are_starts = elements.iter().all(|edge| edge.kind == PointerKind::Start);
        let are_dense = stride_words == 1 && are_starts;
        Some(Array {
            block: id,
            bytes: block.bytes,
            elements_stack,
            elements: count as u64,
            stride_words,
            could_be_buckets: are_dense
                && targets.len() == count
                && block.bytes.is_multiple_of(8)
                && is_prime(block_words),
            // What was taken out of a deque is still in its map, and may be in it again.
            could_be_deque: are_dense,
        })
    }
}

/// In words, where nine of ten gaps are multiples of the one that is most frequent.
fn stride(elements: &[Edge]) -> Option<u64> {
    let gaps = || elements.windows(2).map(|pair| pair[1].word - pair[0].word);
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for gap in gaps() {
        *counts.entry(gap).or_default() += 1;
    }
    let (&stride, &count) = counts
        .iter()
        .max_by_key(|&(&gap, &count)| (count, u64::MAX - gap))?;
    let multiples = gaps().filter(|gap| gap.is_multiple_of(stride)).count();
    let all = elements.len() - 1;
    let is_even = count * 8 >= all && multiples * 10 >= all * 9;
    (is_even && stride <= MAX_STRIDE_WORDS).then_some(stride)
}

/// The numbers of buckets that libstdc++ and libc++ choose are.
fn is_prime(number: u64) -> bool {
    if !(2..1 << 40).contains(&number) {
        return false;
    }
    (2..)
        .take_while(|divisor| divisor * divisor <= number)
        .all(|divisor| !number.is_multiple_of(divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes() {
        let primes: Vec<u64> = (0..30).filter(|&number| is_prime(number)).collect();
        assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    }
}
