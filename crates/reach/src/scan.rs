//! One pass over roots and blocks, in the order of addresses: every aligned word that points
//! into a block becomes an edge.
//!
//! A word belongs to the innermost block that contains it; a word that lies across the
//! boundary of two belongs to none. Pointers of a block into itself hold nothing and are
//! counted only: a string that keeps its characters inside itself has one.

use crate::block::{Block, BlockId, WORD_BYTES};
use crate::counts::{Counts, Meter, Progress};
use crate::finder::Finder;
use crate::heap::Heap;
use crate::memory::{Memory, Window};
use crate::root::{Root, RootWord, RootWords};
use crate::rows::{Edge, OpenRow, Rows};

pub(crate) struct Scan {
    pub rows: Rows,
    pub root_words: Vec<RootWord>,
    pub counts: Counts,
}

/// Blocks closer than this are read together with what lies between them.
const NEAR_BYTES: u64 = 16 << 10;
const AHEAD_BYTES: u64 = 1 << 20;
const MAX_ROOT_WORDS: usize = 1 << 30;

pub(crate) fn scan<M: Memory + ?Sized>(
    heap: &Heap,
    roots: &[Root],
    memory: &M,
    progress: Progress<'_>,
) -> Scan {
    let mut window = Window::new(memory);
    let mut scanner = Scanner {
        finder: Finder::new(heap),
        meter: Meter::new(heap, roots, progress),
        counts: Counts::default(),
        root_words: Vec::new(),
    };
    for (number, root) in roots.iter().enumerate() {
        scanner.scan_root(&mut window, number as u32, &root.words);
    }
    let mut rows = Rows::new(heap.len());
    scanner.scan_blocks(&mut window, heap.blocks(), &mut rows);
    rows.shrink();
    scanner.meter.finish();
    scanner.counts.end_pointers = scanner.finder.end_pointers;
    Scan {
        rows,
        root_words: scanner.root_words,
        counts: scanner.counts,
    }
}

struct Scanner<'a> {
    finder: Finder<'a>,
    meter: Meter<'a>,
    counts: Counts,
    root_words: Vec<RootWord>,
}

impl Scanner<'_> {
    fn scan_root<M: Memory + ?Sized>(
        &mut self,
        window: &mut Window<'_, M>,
        root: u32,
        words: &RootWords,
    ) {
        self.counts.root_bytes = self.counts.root_bytes.saturating_add(words.bytes());
        match words {
            RootWords::Values(values) => {
                for (place, &value) in values.iter().enumerate() {
                    self.add_root_word(root, place as u64, value);
                }
            }
            RootWords::Range(range) => {
                let unread = window.visit(
                    range.clone(),
                    || 0,
                    |base, bytes| {
                        self.meter.add(bytes.len() as u64);
                        each_word(base, bytes, |at, word| self.add_root_word(root, at, word));
                    },
                );
                self.counts.unread_root_bytes += unread;
                self.meter.add(unread);
            }
        }
    }

    #[inline]
    fn add_root_word(&mut self, root: u32, at: u64, word: u64) {
        let Some(hit) = self.finder.find(word) else {
            return;
        };
        self.counts.count(hit.kind);
        if self.root_words.len() >= MAX_ROOT_WORDS {
            self.counts.root_words_left_out += 1;
            return;
        }
        self.root_words.push(RootWord {
            root,
            at,
            target: BlockId(hit.target),
            kind: hit.kind,
        });
    }

    /// Walks the pieces of all blocks. `open` are the blocks that contain the place that has
    /// been reached, innermost last, each with its row.
    fn scan_blocks<M: Memory + ?Sized>(
        &mut self,
        window: &mut Window<'_, M>,
        blocks: &[Block],
        rows: &mut Rows,
    ) {
        let mut open: Vec<u32> = Vec::new();
        let mut open_rows: Vec<OpenRow> = Vec::new();
        let mut at = 0;
        for next in 0..=blocks.len() {
            let start = blocks.get(next).map_or(u64::MAX, |block| block.start);
            while let Some(&id) = open.last() {
                let block = &blocks[id as usize];
                let end = block.end().min(start);
                let row = &mut open_rows[open.len() - 1];
                let unread = window.visit(
                    at..end,
                    || read_ahead(blocks, next, end),
                    |base, bytes| self.scan_piece(block, id, row, base, bytes),
                );
                self.counts.unread_block_bytes += unread;
                self.meter.add(unread);
                at = end;
                if block.end() > start {
                    break;
                }
                rows.put(id, &open_rows[open.len() - 1]);
                open.pop();
            }
            if next < blocks.len() {
                if open_rows.len() == open.len() {
                    open_rows.push(OpenRow::default());
                }
                open_rows[open.len()].begin(next as u32);
                open.push(next as u32);
                at = start;
            }
        }
    }

    fn scan_piece(&mut self, block: &Block, id: u32, row: &mut OpenRow, base: u64, bytes: &[u8]) {
        self.meter.add(bytes.len() as u64);
        self.counts.block_bytes += bytes.len() as u64;
        let first_word = block.first_word();
        each_word(base, bytes, |at, word| {
            let Some(hit) = self.finder.find(word) else {
                return;
            };
            if hit.target == id {
                self.counts.own_pointers += 1;
                return;
            }
            self.counts.count(hit.kind);
            row.add(Edge {
                word: (at - first_word) / WORD_BYTES,
                target: hit.target,
                kind: hit.kind,
            });
        });
    }
}

/// How far it is worth to read from here on: what is near, and near to that.
fn read_ahead(blocks: &[Block], next: usize, from: u64) -> u64 {
    let mut reach = from;
    for block in &blocks[next..] {
        if block.start.saturating_sub(reach) > NEAR_BYTES || reach - from > AHEAD_BYTES {
            break;
        }
        reach = reach.max(block.end());
    }
    reach
}

#[inline]
fn each_word(base: u64, bytes: &[u8], mut each: impl FnMut(u64, u64)) {
    let (words, _) = bytes.as_chunks::<{ WORD_BYTES as usize }>();
    for (place, word) in words.iter().enumerate() {
        each(base + place as u64 * WORD_BYTES, u64::from_le_bytes(*word));
    }
}
