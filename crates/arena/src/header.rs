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
/// CPU time of a thread that one sample stands for; zero where none are taken.
pub const CPU_PERIOD_NS: Word = 18;
/// The signal that brings them.
pub const CPU_SIGNAL: Word = 19;
/// Not zero where allocations were not to be recorded.
pub const WITHOUT_HEAP: Word = 20;

// Read by every call, written once an event or once a tick.
/// The event or tick that blocks are born into, where their thread works for none.
pub const BIRTH: Word = 24;
/// Not zero: a call has more to do than usual. But for [`ASKS_FOR_PICTURE`] it means that allocations
/// are counted as paused and not recorded.
pub const PAUSED: Word = 25;
/// The bit of that word by which the command asks for a picture. It pauses nothing, and may be lost
/// where recording is paused or resumed at the same moment: who asks asks again.
pub const ASKS_FOR_PICTURE: u64 = 1 << 63;
/// Number of the interval that runs, see [`crate::moments`].
pub const INTERVAL: Word = 26;
/// Number of the latest moment that keeps totals, see [`crate::moments`].
pub const TOTALS: Word = 27;
/// One kept event in so many keeps totals.
pub const TOTALS_STRIDE: Word = 28;

// Events. Written by the recorder, or by the command where it finds the events.
/// How events are found, one of `SOURCE_*`.
pub const SOURCE: Word = 56;
/// Births up to this one are ticks from before the first event.
pub const EVENT_BASE: Word = 57;
/// Events that began.
pub const EVENTS: Word = 58;
/// One event in so many is kept in the log of moments.
pub const STRIDE: Word = 59;
/// Most streams that were open at once.
pub const STREAMS: Word = 60;
pub const TICK_NS: Word = 61;
/// Next place in the ring of the latest moments that were not kept.
pub const LATEST: Word = 62;

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
/// Address space of the recorder: the arena and the private mappings, in bytes.
pub const VIRTUAL_BYTES: Word = 46;
/// Threads that made a recorded call.
pub const THREADS: Word = 45;
/// The clock and the time stamp counter again, at some later moment: with those of
/// the start they say how long a tick is.
pub const LATER_MONOTONIC_NS: Word = 43;
pub const LATER_TICKS: Word = 44;
/// Mapped bytes now and at their highest.
pub const MAPPED_BYTES: Word = 48;
pub const MAPPED_PEAK_BYTES: Word = 49;

/// Calls of the marks that made no sense.
pub const END_WITHOUT_BEGIN: Word = 64;
pub const BEGIN_INSIDE_EVENT: Word = 65;
pub const END_OF_ANOTHER: Word = 66;
pub const SCOPE_END_WITHOUT_BEGIN: Word = 67;
pub const NO_ROOM: Word = 68;
/// Changes that the log had no room for.
pub const CHANGES_LOST: Word = 69;

// The search for functions whose entries are events: the recorder raises the first
// and waits until the second has caught up. Both count modules.
pub const MODULES_ASKED: Word = 72;
pub const MODULES_ANSWERED: Word = 73;
/// Modules whose files could not be searched.
pub const MODULES_UNREAD: Word = 81;
/// Functions in the last answer; those that no answer had room for.
pub const FUNCTIONS_FOUND: Word = 78;
pub const FUNCTIONS_UNTOLD: Word = 80;
/// Of the functions in all answers: the ones that are watched, and those that cannot
/// be, because of their instructions, for want of room nearby, or by the kernel's word.
pub const FUNCTIONS_WATCHED: Word = 74;
pub const FUNCTIONS_REFUSED: Word = 75;
pub const FUNCTIONS_WITHOUT_ROOM: Word = 79;
pub const FUNCTIONS_FORBIDDEN: Word = 82;
/// Bytes to leak at every event, and whether they are left untouched.
pub const INJECTED_BYTES: Word = 76;
pub const INJECTED_UNTOUCHED: Word = 77;

/// Files with symbols of generated code that were not copied, for want of room or
/// because they went away.
pub const CODE_FILES_LEFT_OUT: Word = 84;
/// What could not be recorded and had no thread state to be counted in: allocations, their
/// bytes, frees of known blocks, frees of unknown ones. See also `tables::thread`.
pub const DROPPED: Word = 88;
pub const DROPPED_BYTES: Word = 89;
pub const DROPPED_FREES: Word = 90;
pub const UNKNOWN_FREES: Word = 91;
/// The status that the process ended with, as far as it says so itself, plus one.
pub const EXIT_STATUS: Word = 87;
/// Not zero in a child that was forked: it has blocks that its parent made.
pub const IS_FORKED: Word = 86;
/// What the program wrote over its arguments, as servers do to say what a process is for.
pub const TITLE: Word = 85;

/// Moments that the command saw and had no room to write down.
pub const MOMENTS_LOST: Word = 92;
/// With the number of the process, what tells it from all others: the kernel's ticks at which
/// it started, and the namespace that the number is of. `exec` changes neither; zero where
/// `/proc` does not say.
pub const PROCESS_STARTED_TICKS: Word = 93;
pub const PID_NAMESPACE: Word = 94;
/// Lines of output that came together with the line of the next event.
pub const LATE_LINES: Word = 95;
/// Forked children, and programs executed, that could have no arena.
pub const NOT_RECORDED: Word = 96;
/// Threads whose CPU time has no timer, because the kernel had none left.
pub const THREADS_WITHOUT_TIMER: Word = 97;
/// CPU time of samples that could not be recorded.
pub const CPU_LOST_NS: Word = 98;
/// Changes in the log that are of totals; and how many there were when the stride last doubled.
pub const TOTALS_LOGGED: Word = 99;
pub const TOTALS_LOGGED_AT_STRIDE: Word = 100;
/// Blocks that are missing in the bins of their records, and for which no largest block was
/// noted: there was no room for an overflow item.
pub const SIZES_LOST: Word = 101;

// The events to record, from the begin of one to the begin of another, as they were asked for;
// zero for the start and the end of the program.
pub const RECORD_FROM: Word = 104;
pub const RECORD_TO: Word = 105;
/// Those that were recorded, in one stretch, the latest; zero for the start, and for the end of
/// the program where it is not paused there.
pub const RECORDED_FROM: Word = 106;
pub const RECORDED_TO: Word = 107;

// The frozen picture of the process (the recorder's `picture.rs`). Whose turn it is, one of
// `PICTURE_*` below.
pub const PICTURE_STATE: Word = 112;
/// Pictures that were begun.
pub const PICTURES: Word = 113;
/// The process that is the picture, by the number that the program knows it by.
pub const PICTURE_PID: Word = 114;
/// The thread that took it, as the program numbers it, how many there were, and whether the
/// others ran meanwhile.
pub const PICTURE_TID: Word = 115;
pub const PICTURE_THREADS: Word = 116;
pub const PICTURE_UNSTOPPED: Word = 117;
/// The stack pointer of that thread, below which its registers lie, and its thread pointer.
pub const PICTURE_STACK: Word = 118;
pub const PICTURE_THREAD_POINTER: Word = 119;
/// The birth that blocks had then, and where the program was, one of `AT_*`.
pub const PICTURE_BIRTH: Word = 120;
pub const PICTURE_AT: Word = 121;
/// How long the program was held up.
pub const PICTURE_TOOK_NS: Word = 122;
/// Why there is none: an error number, or [`NO_ROOM_FOR_PICTURE`].
pub const PICTURE_ERROR: Word = 123;
/// Pages of the live table that belong to it; those of them that were kept as they were, and
/// those that could not be.
pub const PICTURE_PAGES: Word = 124;
pub const PICTURE_KEPT: Word = 125;
pub const PICTURE_LOST: Word = 126;
/// Where the list of the recorder's private mappings begins, which are no memory of the program.
pub const PRIVATE_LIST: Word = 127;

/// Where on that stack a detour keeps the vectors, which hold what was copied last and are nobody's
/// at the entry of a function; both zero where none does.
pub const PICTURE_VECTORS: Word = 128;
pub const PICTURE_VECTORS_END: Word = 129;

/// Requests of users for a picture now, numbered from one, and the latest of them that was answered
/// or taken back; the run that records the program answers them.
pub const PICTURE_REQUESTS: Word = 130;
pub const PICTURE_ANSWERED: Word = 131;
/// The latest that the run has seen.
pub const PICTURE_SEEN: Word = 136;
/// How far that run is with reading it, in bytes.
pub const PICTURE_READ_BYTES: Word = 132;
pub const PICTURE_TO_READ_BYTES: Word = 133;
/// Memory that was left on the machine, and to the program, when the run looked last; zero where that
/// is not known. What the program had of its own when there was no room for a picture.
pub const PICTURE_ROOM_BYTES: Word = 134;
pub const PICTURE_OWN_BYTES: Word = 135;
/// The latest picture of which is written down what it said.
pub const PICTURES_WRITTEN: Word = 137;

/// At the end of an event.
pub const AT_EVENT_END: u64 = 0;
/// The program had begun to end.
pub const AT_EXIT: u64 = 1;
/// In an event, or before the first: somebody asked.
pub const AT_REQUEST: u64 = 2;

/// No number of an error: there was too little memory for a copy.
pub const NO_ROOM_FOR_PICTURE: u64 = u64::MAX;

pub const PICTURE_NONE: u64 = 0;
/// The command asks for one: the next allocation, the end of an event or the exit takes it.
pub const PICTURE_ASKED: u64 = 1;
/// A thread is about to take one, and waits for the command to stop the others.
pub const PICTURE_WAITS: u64 = 2;
/// The answer: they are stopped, or they run on.
pub const PICTURE_STANDS: u64 = 7;
pub const PICTURE_RUN_ON: u64 = 8;
/// The child is being made.
pub const PICTURE_READY: u64 = 3;
/// It is there, or there is none.
pub const PICTURE_TAKEN: u64 = 4;
pub const PICTURE_FAILED: u64 = 5;
/// The command has read it.
pub const PICTURE_OVER: u64 = 6;

pub const SOURCE_NONE: u64 = 0;
pub const SOURCE_TICKS: u64 = 1;
pub const SOURCE_MARKS: u64 = 2;
pub const SOURCE_FUNCTION: u64 = 3;
pub const SOURCE_LINES: u64 = 4;

/// The region table: [`crate::region::WORDS_PER_REGION`] words for each region.
pub const REGIONS: Word = 256;

/// Value of [`STATE`] when the arena can be read.
pub const READY: u64 = 1;

/// The executable brings its own `malloc`, which no preloaded library can see, and which could
/// have no detour.
pub const NOTE_MALLOC_IN_EXECUTABLE: u64 = 1 << 0;
/// Some region could not grow; what did not fit was counted as dropped.
pub const NOTE_ARENA_FULL: u64 = 1 << 1;
/// `--verify-stacks` was asked for but libgcc's unwinder is not there.
pub const NOTE_NO_LIBGCC: u64 = 1 << 2;
/// Modules loaded later could not be searched for functions that begin events.
pub const NOTE_LATER_MODULES_UNSEEN: u64 = 1 << 3;
/// The kernel does not tell children of a bare `clone` from their parent.
pub const NOTE_BARE_CLONES_UNSEEN: u64 = 1 << 4;
/// Samples of CPU time ended early: a filter of system calls does not let handlers return, or the
/// program took every signal that could bring them.
pub const NOTE_CPU_ENDED: u64 = 1 << 5;

/// The note that a family of functions by names of their own is recorded; see
/// [`crate::own_names::FAMILIES`].
pub fn records_own_names(family: usize) -> u64 {
    1 << (FAMILIES_SHIFT + family)
}

/// The note of a `malloc` in the executable, with the number of the reason why a function of
/// its allocator could have no detour.
pub fn malloc_in_executable(reason: u64) -> u64 {
    NOTE_MALLOC_IN_EXECUTABLE | (reason & REASON_MASK) << REASON_SHIFT
}

/// The reason in the notes of a `malloc` in the executable.
pub fn reason_without_detour(notes: u64) -> u64 {
    notes >> REASON_SHIFT & REASON_MASK
}

const REASON_SHIFT: u32 = 8;
const REASON_MASK: u64 = 0xff;
const FAMILIES_SHIFT: usize = 16;
