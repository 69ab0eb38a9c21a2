//! The header: 512 words of 64 bits. Words that are written often stand on
//! cache lines apart from those that every thread reads.

/// Index of a word in the header.
pub type Word = usize;

pub const WORDS: usize = 512;

// Written once, when the arena is made.
pub const MAGIC: Word = 0;
pub const VERSION: Word = 1;
/// [`READY`] once everything above the counters is in place.
pub const STATE: Word = 2;
pub const PID: Word = 3;
pub const PARENT_PID: Word = 4;
pub const STARTED_UNIX_NS: Word = 5;
/// `CLOCK_MONOTONIC` at the same moment; pairs with the time stamp counter below.
pub const STARTED_MONOTONIC_NS: Word = 6;
pub const STARTED_TICKS: Word = 7;
/// String references (see [`crate::tables::text`]).
pub const EXECUTABLE: Word = 8;
pub const COMMAND: Word = 9;
pub const ALLOCATOR: Word = 10;
/// Log2 of the bytes of address space one live entry stands for.
pub const GRANULE_SHIFT: Word = 11;
pub const MIN_SIZE: Word = 12;
pub const MAX_SIZE: Word = 13;
pub const MAX_DEPTH: Word = 14;
pub const VERIFY_EVERY: Word = 15;
/// Bits, see `NOTE_*`.
pub const NOTES: Word = 16;
pub const START_PAUSED: Word = 17;

// Read by every thread, written from outside about once a second.
/// The moment blocks are born into: seconds since the start.
pub const BIRTH: Word = 24;
/// Not zero: allocations are counted as paused and not recorded.
pub const PAUSED: Word = 25;

// The whole heap and its highest moment; written by all threads.
/// Live bytes published by the threads; what they still hold back is in their records.
pub const LIVE_BYTES: Word = 32;
pub const PEAK_BYTES: Word = 33;
/// Number of the last moment at which the heap stopped rising.
pub const PEAK_EPOCH: Word = 34;
/// Not zero while every change makes a new peak.
pub const RISING: Word = 35;
/// Next stack id.
pub const STACKS: Word = 40;
/// Private memory of the recorder, in bytes.
pub const PRIVATE_BYTES: Word = 41;
pub const RULES: Word = 42;
/// Threads that made a recorded call.
pub const THREADS: Word = 45;
/// The clock and the time stamp counter again, at some later moment: with those of
/// the start they say how long a tick is.
pub const LATER_MONOTONIC_NS: Word = 43;
pub const LATER_TICKS: Word = 44;
/// Mapped bytes now and at their highest.
pub const MAPPED_BYTES: Word = 48;
pub const MAPPED_PEAK_BYTES: Word = 49;

/// The region table: [`crate::region::WORDS_PER_REGION`] words for each region.
pub const REGIONS: Word = 64;

/// Value of [`STATE`] when the arena can be read.
pub const READY: u64 = 1;

/// The executable brings its own `malloc`, which no preloaded library can see.
pub const NOTE_MALLOC_IN_EXECUTABLE: u64 = 1 << 0;
/// Some region could not grow; what did not fit was counted as dropped.
pub const NOTE_ARENA_FULL: u64 = 1 << 1;
/// `--verify-stacks` was asked for but libgcc's unwinder is not there.
pub const NOTE_NO_LIBGCC: u64 = 1 << 2;
