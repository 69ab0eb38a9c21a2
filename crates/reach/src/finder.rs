//! From a word to the block it points into, if any: the inner loop of the scan.

use crate::block::{Block, PointerKind};
use crate::heap::{Heap, Miss};
use crate::index::LastSpan;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub target: u32,
    pub kind: PointerKind,
}

pub(crate) struct Finder<'a> {
    heap: &'a Heap,
    /// Nearly all words that are no pointers are outside of these two.
    low: u64,
    width: u64,
    last: LastSpan,
    pub end_pointers: u64,
}

impl<'a> Finder<'a> {
    pub fn new(heap: &'a Heap) -> Self {
        let blocks = heap.blocks();
        let low = blocks.first().map_or(0, |block| block.start);
        let high = blocks.iter().map(Block::end).max().unwrap_or(0);
        Finder {
            heap,
            low,
            // The end itself too, for it is counted.
            width: high - low,
            last: LastSpan::default(),
            end_pointers: 0,
        }
    }

    #[inline]
    pub fn find(&mut self, word: u64) -> Option<Hit> {
        if word.wrapping_sub(self.low) > self.width {
            return None;
        }
        self.look_up(word)
    }

    fn look_up(&mut self, word: u64) -> Option<Hit> {
        match self.heap.innermost(word, &mut self.last) {
            Ok(target) => Some(Hit {
                target,
                kind: PointerKind::of(&self.heap.blocks()[target as usize], word),
            }),
            Err(Miss::JustBehind) => {
                self.end_pointers += 1;
                None
            }
            Err(Miss::Outside) => None,
        }
    }
}
