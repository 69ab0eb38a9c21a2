//! Where the search begins: what the program reaches without going through a block.

use crate::block::{BlockId, PointerKind};
use std::ops::Range;

/// Data and bss of a module, the stack of a thread above its stack pointer, its thread-local
/// storage, its registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Whatever the caller knows it by.
    pub id: u32,
    /// All that roots of a lower rank reach is held by them. Data and bss should have the
    /// lowest, stacks and registers the highest: a stack points to many things at the moment,
    /// and some of its words are left over, but it is seldom why they are kept.
    pub rank: u8,
    pub words: RootWords,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootWords {
    /// To be read from memory.
    Range(Range<u64>),
    /// Registers.
    Values(Vec<u64>),
}

impl RootWords {
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            RootWords::Range(range) => range.end.saturating_sub(range.start),
            RootWords::Values(values) => values.len() as u64 * 8,
        }
    }
}

/// A word of a root that points into a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RootWord {
    /// The number of the root in what was given, not its id.
    pub root: u32,
    /// The address of the word; of values the place among them.
    pub at: u64,
    pub target: BlockId,
    pub kind: PointerKind,
}
