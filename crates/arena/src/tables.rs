//! The small tables: modules, threads, mappings, texts, symbols of generated code.

/// A reference to bytes in the strings region.
pub mod text {
    pub const LENGTH_BITS: u32 = 24;

    pub const fn pack(offset: u64, length: u64) -> u64 {
        offset << LENGTH_BITS | length
    }

    /// Offset and length, both in bytes.
    pub const fn unpack(reference: u64) -> (u64, u64) {
        (
            reference >> LENGTH_BITS,
            reference & ((1 << LENGTH_BITS) - 1),
        )
    }
}

/// One load of one file, as words. `MODULE_END` is written last: a record
/// without it is not there yet.
pub const MODULE_START: usize = 0;
pub const MODULE_END: usize = 1;
/// Load address minus link-time address.
pub const MODULE_BIAS: usize = 2;
/// Generation of the frames in it; see [`crate::node`].
pub const MODULE_GENERATION: usize = 3;
pub const MODULE_PATH: usize = 4;
/// Raw bytes.
pub const MODULE_BUILD_ID: usize = 5;
pub const MODULE_WORDS: usize = 8;
pub const MODULE_BYTES: u64 = (MODULE_WORDS * 8) as u64;

/// What a thread's recorder counted, as words; records are reused by later
/// threads and go on counting.
pub mod thread {
    pub const TID: usize = 0;
    /// Live bytes not yet published to the header, signed.
    pub const PENDING_BYTES: usize = 1;
    /// Blocks of the heap made, and their bytes.
    pub const MADE_BLOCKS: usize = 2;
    pub const MADE_BYTES: usize = 3;
    pub const RULE_MISSES: usize = 4;
    pub const CUT_STACKS: usize = 5;
    pub const DROPPED: usize = 6;
    pub const DROPPED_BYTES: usize = 7;
    pub const UNKNOWN_FREES: usize = 8;
    pub const MISSED_FREES: usize = 9;
    pub const PAUSED_CALLS: usize = 10;
    pub const VERIFIED: usize = 11;
    pub const DIFFERENCES: usize = 12;
    /// Time stamp counter ticks of the timed calls, and how many calls those were.
    pub const TIMED_TICKS: usize = 13;
    pub const TIMED_CALLS: usize = 14;
    pub const CALLS: usize = 15;
    /// What the thread is called, as the kernel keeps it: up to fifteen bytes and zeros.
    pub const NAME: usize = 16;
    pub const NAME_WORDS: usize = 2;
    /// Threads that had this record before and have ended.
    pub const EARLIER_THREADS: usize = 18;
    /// What the first of them was called when it ended, and whether another of them was
    /// called something else.
    pub const EARLIER_NAME: usize = 19;
    pub const EARLIER_NAMES_DIFFER: usize = 21;
    /// Libc's handle of the thread, for the recorder.
    pub const HANDLE: usize = 22;
    /// Frees that could not be recorded: their blocks count as live.
    pub const DROPPED_FREES: usize = 23;
    /// Stacks, of those unwound, that did not reach the root; and those in which a frame
    /// pointer had to stand in for an unwind table.
    pub const EARLY_STACKS: usize = 24;
    pub const GUESSED_STACKS: usize = 25;
    /// CPU time of the thread that has this record, as it was read last; and of those before it, less
    /// what each had used when it got the record (wrapping).
    pub const CPU_NS: usize = 26;
    pub const EARLIER_CPU_NS: usize = 27;
    /// Stacks that were not the thread's last one.
    pub const UNWOUND_STACKS: usize = 28;
    pub const FRAMES_UNWOUND: usize = 29;
    pub const WORDS: usize = 32;
}
pub const THREAD_BYTES: u64 = (thread::WORDS * 8) as u64;

/// A live mapping: start, length in bytes (zero: record free), stack id, birth.
pub const MAPPING_START: usize = 0;
pub const MAPPING_LENGTH: usize = 1;
pub const MAPPING_STACK: usize = 2;
pub const MAPPING_BIRTH: usize = 3;
pub const MAPPING_BYTES: u64 = 32;

/// An ELF file with the symbols of generated code, as a just-in-time compiler registered
/// it for debuggers.
pub mod code_file {
    /// Addresses of the entry in the compiler's list and of the file, and its size.
    pub const ENTRY: usize = 0;
    pub const FILE: usize = 1;
    pub const BYTES: usize = 2;
    /// Frames of earlier generations are not in this code; see [`crate::node`].
    pub const GENERATION: usize = 3;
    /// Offset of its copy among the bytes of such files, plus one; zero where there is
    /// none. Written last.
    pub const COPY: usize = 4;
    pub const WORDS: usize = 8;
}
pub const CODE_FILE_BYTES: u64 = (code_file::WORDS * 8) as u64;
