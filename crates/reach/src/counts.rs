//! What was scanned and found, and how far the scan is.

use crate::block::{Block, PointerKind};
use crate::heap::Heap;
use crate::root::Root;

/// Called about once per MiB: bytes scanned, and of how many.
pub type Progress<'a> = &'a dyn Fn(u64, u64);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub root_bytes: u64,
    /// Read, without what is in front of the first and behind the last aligned word.
    pub block_bytes: u64,
    /// Not there when they were to be read.
    pub unread_root_bytes: u64,
    pub unread_block_bytes: u64,
    /// Words that point to the start of a block.
    pub start_pointers: u64,
    /// To a start plus 1 to 7.
    pub tagged_pointers: u64,
    pub interior_pointers: u64,
    /// Right behind the end of a block and into no other. They hold nothing.
    pub end_pointers: u64,
    /// From a block into itself. They hold nothing and are not counted above.
    pub own_pointers: u64,
    /// Words of roots above the number that can be kept: blocks they hold may seem lost.
    pub root_words_left_out: u64,
}

impl Counts {
    #[inline]
    pub(crate) fn count(&mut self, kind: PointerKind) {
        match kind {
            PointerKind::Start => self.start_pointers += 1,
            PointerKind::Tagged => self.tagged_pointers += 1,
            PointerKind::Interior => self.interior_pointers += 1,
        }
    }
}

pub(crate) struct Meter<'a> {
    progress: Progress<'a>,
    all_bytes: u64,
    bytes: u64,
    told_bytes: u64,
}

const STEP_BYTES: u64 = 1 << 20;

impl<'a> Meter<'a> {
    pub fn new(heap: &Heap, roots: &[Root], progress: Progress<'a>) -> Self {
        let mut all_bytes = 0u64;
        for root in roots {
            all_bytes = all_bytes.saturating_add(root.words.bytes());
        }
        let mut end = 0;
        for block in heap.blocks().iter().filter(|block| block.bytes > 0) {
            let bytes = Block::end(block).saturating_sub(end.max(block.start));
            all_bytes = all_bytes.saturating_add(bytes);
            end = end.max(block.end());
        }
        Meter {
            progress,
            all_bytes,
            bytes: 0,
            told_bytes: 0,
        }
    }

    #[inline]
    pub fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes - self.told_bytes >= STEP_BYTES {
            self.tell();
        }
    }

    fn tell(&mut self) {
        self.told_bytes = self.bytes;
        (self.progress)(self.bytes.min(self.all_bytes), self.all_bytes);
    }

    pub fn finish(&mut self) {
        self.bytes = self.all_bytes;
        self.tell();
    }
}
