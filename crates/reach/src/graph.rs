//! Who points to whom. Made in one pass over the memory; nothing that follows reads it again.

use crate::block::{BlockId, PointerKind};
use crate::counts::{Counts, Progress};
use crate::heap::Heap;
use crate::memory::Memory;
use crate::root::{Root, RootWord};
use crate::rows::Rows;
use crate::scan::scan;

#[derive(Debug)]
pub struct Graph {
    heap: Heap,
    roots: Vec<Root>,
    root_words: Vec<RootWord>,
    rows: Rows,
    counts: Counts,
}

/// A word of a block that points into another block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// Of the word in the block it belongs to.
    pub offset_bytes: u64,
    pub target: BlockId,
    pub kind: PointerKind,
}

impl Graph {
    pub fn scan<M: Memory + ?Sized>(
        heap: Heap,
        roots: Vec<Root>,
        memory: &M,
        progress: Progress<'_>,
    ) -> Self {
        let scan = scan(&heap, &roots, memory, progress);
        Graph {
            heap,
            roots,
            root_words: scan.root_words,
            rows: scan.rows,
            counts: scan.counts,
        }
    }

    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// In the order of the roots that were given, and of their words.
    pub fn root_words(&self) -> &[RootWord] {
        &self.root_words
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Of equal pointers in words that follow each other the first is meant.
    pub fn pointers(&self, block: BlockId) -> impl ExactSizeIterator<Item = Pointer> + '_ {
        let from = self.heap.blocks()[block.index()];
        self.rows.edges(block.0).map(move |edge| Pointer {
            offset_bytes: from.offset_of_word(edge.word),
            target: BlockId(edge.target),
            kind: edge.kind,
        })
    }

    /// What is kept here, the heap included.
    pub fn heap_bytes(&self) -> usize {
        self.heap.heap_bytes()
            + self.rows.heap_bytes()
            + self.root_words.capacity() * size_of::<RootWord>()
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Every block that this one holds: where it points, and the block it lies in.
    #[inline]
    pub(crate) fn each_held_by(&self, block: u32, mut each: impl FnMut(u32, Option<PointerKind>)) {
        for edge in self.rows.edges(block) {
            each(edge.target, Some(edge.kind));
        }
        if let Some(outer) = self.heap.outer(BlockId(block)) {
            each(outer.0, None);
        }
    }
}
