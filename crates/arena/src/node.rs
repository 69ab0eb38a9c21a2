//! Nodes of the stack trie: one per distinct call path, root node first. A node is a cell, and
//! its number that of the cell.
//!
//! ```text
//!   cell   n         n+1     n+2     n+3     n+4            a run: of a path that was new,
//!        +---------+-------+-------+-------+--------------+ all that it did not share with one
//!        | link: p | key   | key   | key   | stack: 1234  | that was there
//!        +---------+-------+-------+-------+--------------+
//! ```
//!
//! The parent of a node is the cell before it; at the beginning of a run stands a link to it.
//! So most paths are walked from cell to cell, and only where they part a table is asked. The cell
//! behind a node that ends a run has room for its stack id; other nodes get theirs in a run
//! without keys. A link's node is always below it in number.

/// A cell is a key, or has one of two values where a key has its generation.
pub const CELL_BYTES: u64 = 8;
/// A link, with the parent's number in its lower half.
pub const LINK: u64 = 0x7fff << GENERATION_SHIFT;
/// The stack id of the node that stands before it, or that the link before it names; zero: not
/// given out.
pub const STACK: u64 = 0x7ffe << GENERATION_SHIFT;
/// Whose id it is, where it is given out: of blocks of the heap, or of mappings.
pub const IS_HEAP: u64 = 1 << 32;
pub const IS_MAPPING: u64 = 1 << 33;

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Nothing yet: the program died before it was written.
    Empty,
    Key(u64),
    Link(u32),
    HeapStack(u32),
    MapStack(u32),
    /// Room for a stack id.
    NoStack,
}

impl Cell {
    pub const fn of(word: u64) -> Cell {
        let tag = word >> GENERATION_SHIFT << GENERATION_SHIFT;
        match (word, tag) {
            (0, _) => Cell::Empty,
            (_, LINK) => Cell::Link(word as u32),
            (_, STACK) if word & IS_HEAP != 0 => Cell::HeapStack(word as u32),
            (_, STACK) if word & IS_MAPPING != 0 => Cell::MapStack(word as u32),
            (_, STACK) => Cell::NoStack,
            _ => Cell::Key(word),
        }
    }
}

pub const ROOT: u32 = 0;

/// Stack ids are 24 bits wide, to fit a live entry.
pub const STACK_BITS: u32 = 24;
/// Blocks outside the size thresholds, counted without a path.
pub const POOLED_STACK: u32 = 1;
/// Blocks whose path found no room.
pub const OVERFLOW_STACK: u32 = 2;
pub const FIRST_FREE_STACK: u32 = 3;
pub const STACK_LIMIT: u32 = 1 << STACK_BITS;

/// A frame as the trie knows it:
///
/// ```text
///   63          49 48       47    46                                0
///   +-------------+--------+-----+----------------------------------+
///   | generation  |no table|exact|  instruction address             |
///   +-------------+--------+-----+----------------------------------+
/// ```
///
/// Addresses come back after `dlclose`, so a frame is an address in one
/// generation of the modules. `exact` marks a frame that a signal interrupted:
/// its address is that of the next instruction, not of a return. `no table` marks
/// code without an unwind table: its caller, if it has one, was found by the frame
/// pointer alone.
pub const EXACT_BIT: u64 = 1 << 47;
pub const ADDRESS_MASK: u64 = EXACT_BIT - 1;
pub const NO_TABLE_BIT: u64 = 1 << 48;
pub const GENERATION_SHIFT: u32 = 49;

/// The key of the node that stands for the left-out middle of a deep stack.
pub const CUT_KEY: u64 = 1;

/// The key of the node below a path at which samples of CPU time were taken.
pub const CPU_KEY: u64 = 3;

/// The key of the node of a scope: its name's number above these, below any address
/// that code can have.
/// The key of the node below a path at which a program's own allocator reported blocks.
pub const REPORTED_KEY: u64 = 2;
pub const FIRST_SCOPE_KEY: u64 = 16;
pub const SCOPE_KEYS_END: u64 = FIRST_SCOPE_KEY + crate::moments::MOST_NAMES;
