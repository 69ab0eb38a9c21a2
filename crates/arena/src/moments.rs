//! Time: moments, the intervals between them, and what changed in each.
//!
//! ```text
//!   interval   0     |    1     |   2   |     3      |  ...   header word INTERVAL
//!              ------B----------E-------B------------E--
//!                    moment 1   2       3            4       rows, numbered from one
//! ```
//!
//! A moment raises the interval's number to its own. Nothing else happens then: a
//! record of the ledger that is touched for the first time in a new interval logs
//! what the interval of its last touch had left, if that was not known yet. So an
//! event costs nothing for the stacks it does not touch, and one compare for each
//! call of those it does; stacks that end an event as they began it log nothing.
//! What the records did not log yet is read from them at the end.
//!
//! Events beyond the first thousands are thinned: those that are not kept make no
//! moment, and their rows go to a ring that holds the latest.

use crate::node::{STACK_BITS, STACK_LIMIT};

/// One row: a moment, a stamp, or a count.
///
/// ```text
///   word 0  kind (low 8), number of the moment (bits 8..40), name + 1 (bits 40..64)
///        1  event (low), stream (high)      6  shared bytes
///        2  id, or the value counted (f64)  7  live bytes
///        3  nanoseconds since the start     8  mapped bytes
///        4  virtual bytes, or the running   9  the recorder's bytes
///           total of the counter (f64)     10  threads (low), tid of the marking one (high)
///        5  resident bytes                 11  whether it keeps totals
///       12  blocks made so far             14  CPU time of the marking thread
///       13  bytes of them                  15  CPU time of the process
/// ```
///
/// Word 0 is written last: a row without a kind is not there yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MomentRow {
    /// One of `KIND_*`.
    pub kind: u64,
    /// Of the moment; zero in rows that are none.
    pub number: u32,
    pub name: Option<u32>,
    pub event: u32,
    pub stream: u32,
    /// What the program calls the event, or the bits of the value counted.
    pub id: u64,
    pub time_ns: u64,
    /// Sizes of the process are zero where they were not read. In a count this is none: the
    /// bits of the counter's running total.
    pub vm_bytes: u64,
    pub rss_bytes: u64,
    pub shared_bytes: u64,
    pub live_bytes: u64,
    pub mapped_bytes: u64,
    pub recorder_bytes: u64,
    pub threads: u32,
    /// The kernel's number of the thread that made the row.
    pub tid: u32,
    /// What every stack had allocated by then is in the log.
    pub has_totals: bool,
    /// Blocks of the heap made so far, and their bytes.
    pub made_blocks: u64,
    pub made_bytes: u64,
    /// CPU time of the thread that made the row, by the kernel's clock; zero where it was not read.
    pub thread_cpu_ns: u64,
    /// The same of the whole process, which is read with its sizes.
    pub process_cpu_ns: u64,
}

pub const ROW_WORDS: usize = 16;
pub const ROW_BYTES: u64 = (ROW_WORDS * 8) as u64;

impl MomentRow {
    pub const fn to_words(&self) -> [u64; ROW_WORDS] {
        let name = match self.name {
            Some(name) => name as u64 + 1,
            None => 0,
        };
        [
            self.kind | (self.number as u64) << 8 | name << 40,
            (self.stream as u64) << 32 | self.event as u64,
            self.id,
            self.time_ns,
            self.vm_bytes,
            self.rss_bytes,
            self.shared_bytes,
            self.live_bytes,
            self.mapped_bytes,
            self.recorder_bytes,
            (self.tid as u64) << 32 | self.threads as u64,
            self.has_totals as u64,
            self.made_blocks,
            self.made_bytes,
            self.thread_cpu_ns,
            self.process_cpu_ns,
        ]
    }

    /// `None` where there is no row yet.
    pub const fn from_words(words: [u64; ROW_WORDS]) -> Option<MomentRow> {
        let [
            head,
            event_and_stream,
            id,
            time_ns,
            vm_bytes,
            rss_bytes,
            shared_bytes,
            live_bytes,
            mapped_bytes,
            recorder_bytes,
            threads_and_tid,
            has_totals,
            made_blocks,
            made_bytes,
            thread_cpu_ns,
            process_cpu_ns,
        ] = words;
        let kind = head & 0xFF;
        if kind == 0 {
            return None;
        }
        Some(MomentRow {
            kind,
            number: (head >> 8) as u32,
            name: ((head >> 40) as u32).checked_sub(1),
            event: event_and_stream as u32,
            stream: (event_and_stream >> 32) as u32,
            id,
            time_ns,
            vm_bytes,
            rss_bytes,
            shared_bytes,
            live_bytes,
            mapped_bytes,
            recorder_bytes,
            threads: threads_and_tid as u32,
            tid: (threads_and_tid >> 32) as u32,
            has_totals: has_totals != 0,
            made_blocks,
            made_bytes,
            thread_cpu_ns,
            process_cpu_ns,
        })
    }
}

pub const KIND_BEGIN: u64 = 1;
pub const KIND_END: u64 = 2;
pub const KIND_SNAPSHOT: u64 = 3;
pub const KIND_STAMP: u64 = 4;
/// A number counted in an event.
pub const KIND_COUNT: u64 = 5;
/// The running total of a counter at the moment whose row stands before.
pub const KIND_TOTAL: u64 = 6;

/// The ring of rows that were not kept.
pub const LATEST_ROWS: u64 = 1 << 14;

/// One change, two words: stack (low 24 bits), interval (32 bits) and what changed, written last;
/// blocks (low 24 bits, signed) and bytes (signed). Larger ones are several.
///
/// A change is of what is live, or of what was allocated: the second is logged at fewer moments,
/// those with totals, because it never comes back to where it was. An interval has been touched
/// by a record before the moment of totals that ends it, so the interval of the record's last
/// touch says which moment that is.
pub const CHANGE_WORDS: usize = 2;
pub const CHANGE_BYTES: u64 = (CHANGE_WORDS * 8) as u64;
pub const CHANGE_HEAD: usize = 0;
pub const CHANGE_AMOUNTS: usize = 1;

/// What a change is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOf {
    /// Live bytes and blocks; of samples, CPU time.
    Live,
    /// Blocks made and their bytes.
    Made,
    /// Temporaries, in place of blocks.
    Temporaries,
}

const CHANGE_OF_SHIFT: u32 = 56;
const INTERVAL_MASK: u64 = u32::MAX as u64;

/// The first word of a change.
pub const fn pack_head(of: ChangeOf, interval: u64, stack: u32) -> u64 {
    let of = match of {
        ChangeOf::Live => 0_u64,
        ChangeOf::Made => 1,
        ChangeOf::Temporaries => 2,
    };
    of << CHANGE_OF_SHIFT | (interval & INTERVAL_MASK) << STACK_BITS | stack as u64
}

/// What it is of, its interval, and the stack's id; `None` where it says what there is not.
pub const fn unpack_head(head: u64) -> Option<(ChangeOf, u64, u32)> {
    let of = match head >> CHANGE_OF_SHIFT {
        0 => ChangeOf::Live,
        1 => ChangeOf::Made,
        2 => ChangeOf::Temporaries,
        _ => return None,
    };
    let stack = (head & (STACK_LIMIT as u64 - 1)) as u32;
    Some((of, head >> STACK_BITS & INTERVAL_MASK, stack))
}

/// Most that one change can say.
const MOST_CHANGED_BLOCKS: i64 = (1 << 23) - 1;
const MOST_CHANGED_BYTES: i64 = (1 << 39) - 1;

/// The part of a change that fits one record, packed; what is left of bytes and blocks.
pub const fn pack_change(bytes: i64, blocks: i64) -> (u64, i64, i64) {
    let part_bytes = within(bytes, MOST_CHANGED_BYTES);
    let part_blocks = within(blocks, MOST_CHANGED_BLOCKS);
    let packed = (part_bytes << 24) as u64 | (part_blocks as u64 & 0xFF_FFFF);
    (packed, bytes - part_bytes, blocks - part_blocks)
}

const fn within(value: i64, most: i64) -> i64 {
    if value > most {
        most
    } else if value < -most {
        -most
    } else {
        value
    }
}

/// Bytes and blocks of a packed change.
pub const fn unpack_change(packed: u64) -> (i64, i64) {
    (packed as i64 >> 24, (packed << 40) as i64 >> 40)
}

/// What is resident by kind, and the allocator's own statistics. The time is
/// written last.
pub const ACCOUNT_WORDS: usize = 16;
pub const ACCOUNT_BYTES: u64 = (ACCOUNT_WORDS * 8) as u64;
pub const ACCOUNT_TIME_NS: usize = 0;
pub const ACCOUNT_HEAP: usize = 1;
pub const ACCOUNT_MAPPED: usize = 2;
pub const ACCOUNT_STACKS: usize = 3;
pub const ACCOUNT_FILES: usize = 4;
pub const ACCOUNT_RECORDER: usize = 5;
pub const ACCOUNT_OTHER: usize = 6;
pub const ACCOUNT_PSS: usize = 7;
pub const ACCOUNT_LIVE: usize = 8;
/// Not zero where the allocator said something.
pub const ACCOUNT_SYSTEM: usize = 10;
pub const ACCOUNT_IN_USE: usize = 11;
pub const ACCOUNT_FREE: usize = 12;
/// Number of the moment it was taken at; zero: by the time.
pub const ACCOUNT_MOMENT: usize = 13;

/// A snapshot: number of its moment, name, and maps, smaps and numa_maps, each an offset and a
/// length in bytes. The number is written last.
pub const SNAPSHOT_WORDS: usize = 8;
pub const SNAPSHOT_BYTES: u64 = (SNAPSHOT_WORDS * 8) as u64;
pub const SNAPSHOT_MOMENT: usize = 0;
pub const SNAPSHOT_NAME: usize = 1;
pub const SNAPSHOT_PROC_MAPS: usize = 2;
pub const PROC_MAPS_NAMES: [&str; 3] = ["maps", "smaps", "numa_maps"];

/// Names of stamps, counters, scopes and snapshots: text references.
pub const MOST_NAMES: u64 = 1 << 12;

/// A module to be searched for functions: an address in its data, by which its file is
/// found among the mappings, and its load address less its link-time address. Each
/// question begins at the first item again.
pub const LOAD_BYTES: u64 = 16;

/// A function whose entries begin events: its address; and its size in bytes, with, in the
/// highest byte, how many bytes further the next symbol stands, zero where that is far. Each
/// answer begins at the first item again.
pub const TARGET_BYTES: u64 = 16;

/// The second word of a target.
pub mod target {
    const SIZE_BITS: u32 = 56;

    pub const fn pack(size: u64, next_symbol: Option<u64>) -> u64 {
        let next_symbol = match next_symbol {
            Some(bytes @ 1..=0xff) => bytes,
            _ => 0,
        };
        next_symbol << SIZE_BITS | size & ((1 << SIZE_BITS) - 1)
    }

    /// The size, and the distance to the next symbol.
    pub const fn unpack(word: u64) -> (u64, Option<u64>) {
        let next_symbol = match word >> SIZE_BITS {
            0 => None,
            bytes => Some(bytes),
        };
        (word & ((1 << SIZE_BITS) - 1), next_symbol)
    }
}
/// Most functions in one answer.
pub const MOST_TARGETS: u64 = 1 << 12;

/// Events of which every one is kept, and how many of the later ones are before
/// the stride doubles.
pub const WHOLE_EVENTS: u64 = 4096;
pub const KEPT_PER_STRIDE: u64 = 2048;

/// Whether an event is kept where all up to `whole_until` are, and one in `stride` after.
pub const fn is_kept(event: u64, whole_until: u64, stride: u64) -> bool {
    event <= whole_until || event.is_multiple_of(stride)
}

/// Part of the log of changes that totals may take, in the end; and which part of what is left of it
/// each stride may.
const TOTALS_SHARE: u64 = 8;
const TOTALS_STRIDE_SHARE: u64 = 8;

/// How many changes of totals may be logged until fewer moments have them, where so many were when
/// that last happened. A little more is for ever: a hundred doublings would not fill the log.
pub const fn most_totals_per_stride(capacity: u64, logged: u64) -> u64 {
    let left = (capacity / TOTALS_SHARE).saturating_sub(logged) / TOTALS_STRIDE_SHARE;
    let least = capacity / 1024;
    if left > least { left } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_come_back_as_they_went_in() {
        for of in [ChangeOf::Live, ChangeOf::Made, ChangeOf::Temporaries] {
            for interval in [0, 1, u64::from(u32::MAX)] {
                let head = pack_head(of, interval, STACK_LIMIT - 1);
                assert_eq!(unpack_head(head), Some((of, interval, STACK_LIMIT - 1)));
            }
        }
        assert_eq!(unpack_head(u64::MAX), None);
    }

    #[test]
    fn changes_come_back_whole_or_in_parts() {
        for bytes in [0, 1, -1, 64, -4096, MOST_CHANGED_BYTES, 1 << 41, -(1 << 42)] {
            for blocks in [0, 1, -1, MOST_CHANGED_BLOCKS, 1 << 24, -(1 << 25)] {
                let (mut left_bytes, mut left_blocks) = (bytes, blocks);
                let (mut sum_bytes, mut sum_blocks, mut parts) = (0, 0, 0);
                while parts == 0 || left_bytes != 0 || left_blocks != 0 {
                    let (packed, more_bytes, more_blocks) = pack_change(left_bytes, left_blocks);
                    let (part_bytes, part_blocks) = unpack_change(packed);
                    sum_bytes += part_bytes;
                    sum_blocks += part_blocks;
                    (left_bytes, left_blocks) = (more_bytes, more_blocks);
                    parts += 1;
                }
                assert_eq!((sum_bytes, sum_blocks), (bytes, blocks));
                assert!(parts <= 9, "{bytes} {blocks}");
            }
        }
    }

    #[test]
    fn rows_come_back_as_they_went_in() {
        for name in [None, Some(0), Some(MOST_NAMES as u32 - 1)] {
            for number in [0, 1, u32::MAX] {
                let row = MomentRow {
                    kind: KIND_TOTAL,
                    number,
                    name,
                    event: u32::MAX,
                    stream: 1,
                    id: 2,
                    time_ns: 3,
                    vm_bytes: 4,
                    rss_bytes: 5,
                    shared_bytes: 6,
                    live_bytes: 7,
                    mapped_bytes: 8,
                    recorder_bytes: 9,
                    threads: 10,
                    tid: 11,
                    has_totals: number == 1,
                    made_blocks: 12,
                    made_bytes: 13,
                    thread_cpu_ns: 14,
                    process_cpu_ns: 15,
                };
                assert_eq!(MomentRow::from_words(row.to_words()), Some(row));
            }
        }
        assert_eq!(MomentRow::from_words(MomentRow::default().to_words()), None);
    }
}
