//! Nodes of the stack trie: one per distinct call path, root node first.
//!
//! ```text
//!   byte  0        8        12       16           20
//!         +--------+--------+--------+------------+-----------+
//!         | key    | parent | hint   | heap stack | map stack |
//!         +--------+--------+--------+------------+-----------+
//! ```
//!
//! `hint` is the child taken last. A stack id is given to a node when something
//! is first allocated there; zero means none. The parent is written before the
//! node can be found, so a parent's number is always below its child's.

pub const NODE_BYTES: u64 = 24;
pub const KEY: usize = 0;
pub const PARENT: usize = 8;
pub const HINT: usize = 12;
pub const HEAP_STACK: usize = 16;
pub const MAP_STACK: usize = 20;

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
