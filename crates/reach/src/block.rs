//! A live block, and the number it has here.

/// A live block as the recorder knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub start: u64,
    /// As many as were asked for; zero is allowed.
    pub bytes: u64,
    /// The call path that allocated it.
    pub stack: u32,
    /// The event it was made in.
    pub birth: u32,
}

impl Block {
    /// The address after its last byte. A block of no bytes has a place all the same:
    /// its start, which is where pointers to it point.
    pub(crate) fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes.max(1))
    }

    /// Where its first aligned word is.
    pub(crate) fn first_word(&self) -> u64 {
        self.start.saturating_add(WORD_BYTES - 1) & !(WORD_BYTES - 1)
    }

    /// From the number of a word to its offset in the block.
    pub(crate) fn offset_of_word(&self, word: u64) -> u64 {
        (self.first_word() - self.start).saturating_add(word.saturating_mul(WORD_BYTES))
    }
}

/// The place of a block in its [`Heap`](crate::Heap): in the order of addresses, an outer
/// block before those inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl BlockId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where no block is.
pub(crate) const NONE: u32 = u32::MAX;

pub(crate) const WORD_BYTES: u64 = 8;

/// What a word points at in the block it points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PointerKind {
    /// The start.
    Start,
    /// The start plus 1 to 7, of a block whose start is aligned to 8: the start with a tag
    /// in its low bits, most likely. It could be the second character of a text.
    Tagged,
    /// Anything behind.
    Interior,
}

impl PointerKind {
    pub(crate) fn of(block: &Block, address: u64) -> PointerKind {
        match address.wrapping_sub(block.start) {
            0 => PointerKind::Start,
            1..8 if block.start.is_multiple_of(WORD_BYTES) => PointerKind::Tagged,
            _ => PointerKind::Interior,
        }
    }
}
