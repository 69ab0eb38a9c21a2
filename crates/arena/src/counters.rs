//! The ledger: one record of eight words, a cache line, per (thread, stack), written by that
//! thread alone and summed by the reader.
//!
//! ```text
//!   word 0  allocations (48 bits), largest block of the detail's bins (u16)
//!                                 4  highest (live + returned) of this record
//!        1  frees                 5  live bytes when the heap was highest
//!        2  bytes allocated       6  blocks at that moment (low), last interval (high)
//!        3  bytes freed           7  peak epoch (low); number of its detail item, or
//!                                    whether its one block was a temporary (high)
//! ```
//!
//! Many stacks are seen once. A record of one allocation says all of it: its size is that of all bytes.
//! From the second on it has a detail item:
//!
//! ```text
//!   byte 0               32          36            40       44     48
//!        +---------------+-----------+-------------+--------+------+
//!        | 15 x u16      | u32       | u32         | u32    |      |
//!        | bins          | overflow  | temporaries | logged |      |
//!        +---------------+-----------+-------------+--------+------+
//! ```
//!
//! Bin 7 counts the blocks of 64..=127 bytes. Larger blocks, and what few records need, are counted in an
//! overflow item. What is *logged* is known to the log of changes, and has an item of four words: a record
//! logs what changed in an interval when it is first touched in a later one; see [`crate::moments`].
//!
//! A thread frees blocks that others made, so word 3 may exceed word 2 and the
//! differences are signed; sums over threads are not.
//!
//! The largest block of a record is in its overflow item, if it has blocks that are counted
//! there. All others have fewer than 2^14 bytes, so that it shares the word that every
//! allocation writes anyway: 2^48 allocations of one thread at one stack would take it a year.

/// Words of one record.
pub const ALLOCATIONS_AND_LARGEST: usize = 0;
pub const FREES: usize = 1;
pub const BYTES: usize = 2;
pub const FREED_BYTES: usize = 3;
pub const HIGHEST: usize = 4;
pub const AT_PEAK_BYTES: usize = 5;
pub const AT_PEAK_BLOCKS_AND_INTERVAL: usize = 6;
pub const EPOCH_AND_DETAIL: usize = 7;
pub const RECORD_WORDS: usize = 8;
/// The number of the detail item, which counts from one; zero: none.
pub const DETAIL_SHIFT: u32 = 32;
/// In its place, where there is none.
pub const ONE_TEMPORARY: u64 = 1 << 31;
/// The largest block of the detail's bins, in bytes: the last quarter of its word, and its place
/// among 16-bit words.
pub const LARGEST_SHIFT: u32 = 48;
pub const RECORD_LARGEST: usize = 3;

pub const DETAIL_BYTES: u64 = 48;
/// Bins of the detail item, which are its first 16-bit places.
pub const DETAIL_BINS: usize = 15;
/// Its 32-bit places: the number of the overflow item, which counts from one, the temporaries, and
/// the number of the item of what the log knows, which does, too.
pub const DETAIL_OVERFLOW: usize = 8;
pub const DETAIL_TEMPORARIES: usize = 9;
pub const DETAIL_LOGGED: usize = 10;

/// Words of what the log knows.
pub const LOGGED_BYTES: usize = 0;
/// Live blocks (low) and temporaries (high), each by its last 32 bits: what an interval changes is
/// less than that.
pub const LOGGED_BLOCKS_AND_TEMPORARIES: usize = 1;
pub const LOGGED_MADE_BLOCKS: usize = 2;
pub const LOGGED_MADE_BYTES: usize = 3;
pub const LOGGED_ITEM_BYTES: u64 = 32;

/// Records per page: sixteen neighbouring stack ids.
pub const PAGE_RECORDS: usize = 16;
pub const PAGE_BYTES: u64 = (PAGE_RECORDS * RECORD_WORDS * 8) as u64;

/// The number of a record's detail item, if it has one.
#[inline(always)]
pub const fn detail_number(word: u64) -> u64 {
    match word >> DETAIL_SHIFT {
        ONE_TEMPORARY => 0,
        number => number,
    }
}

/// A page's key: thread in the high half, (stack id / 16) + 1 in the low half;
/// zero while the page is not in use.
pub const fn page_key(thread: u32, first_stack: u32) -> u64 {
    (thread as u64) << 32 | (first_stack as u64 / PAGE_RECORDS as u64 + 1)
}

/// The thread and the first stack id of a page, `None` where it is not in use or no stack
/// has such an id.
pub const fn page_of_key(key: u64) -> Option<(u32, u32)> {
    let page = key as u32;
    if page == 0 {
        return None;
    }
    match (page - 1).checked_mul(PAGE_RECORDS as u32) {
        Some(first_stack) => Some(((key >> 32) as u32, first_stack)),
        None => None,
    }
}

/// The allocations in the word that they share with the largest block.
pub const fn allocations(word: u64) -> u64 {
    word & ((1 << LARGEST_SHIFT) - 1)
}

/// The largest block in that word, in bytes.
pub const fn largest_bytes(word: u64) -> u64 {
    word >> LARGEST_SHIFT
}

/// Size bins in all: those of the detail item, then those of the overflow item.
pub const BINS: usize = 32;

/// An overflow item: what few records need.
///
/// ```text
///   byte 0         136        200                256
///        +----------+----------+------------------+
///        | 17 x u64 | 16 x u32 | 7 x u64          |
///        | bins     | carries  | see below        |
///        +----------+----------+------------------+
/// ```
///
/// The bins are those from [`DETAIL_BINS`] on. A bin of the detail item that overflows
/// counts that in its carry; the last carry is that of the temporaries.
pub const OVERFLOW_BYTES: u64 = 256;
/// Places of 64-bit words.
pub const OVERFLOW_BIN: usize = 0;
pub const OVERFLOW_IN_PLACE: usize = 25;
pub const OVERFLOW_MOVED: usize = 26;
/// Bytes other threads freed, already taken off what word 4 says.
pub const OVERFLOW_RETURNED: usize = 27;
/// Frees in a later event than the block's birth; the events between, summed.
pub const OVERFLOW_DEFERRED_FREES: usize = 28;
pub const OVERFLOW_DEFERRED_EVENTS: usize = 29;
/// The trie node of one such free (low), the most events between (high).
pub const OVERFLOW_FREED_AT_AND_LONGEST: usize = 30;
/// The largest block that is counted in the overflow item, in bytes; zero without one.
pub const OVERFLOW_LARGEST: usize = 31;
/// Places of 32-bit words.
pub const OVERFLOW_CARRY: usize = 34;
pub const OVERFLOW_TEMPORARIES_CARRY: usize = 49;

/// The size bin of a block: the number of binary digits of its size. The last bin
/// holds everything from 1 GiB on.
pub const fn size_bin(bytes: u64) -> usize {
    let bits = (64 - bytes.leading_zeros()) as usize;
    if bits < BINS { bits } else { BINS - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_of_the_details_bins_fits_beside_the_allocations() {
        assert_eq!(size_bin(16_383), DETAIL_BINS - 1);
        assert_eq!(size_bin(16_384), DETAIL_BINS);
        assert!(16_383 <= u64::from(u16::MAX));
        let word = 1_000_007 | 16_383 << LARGEST_SHIFT;
        assert_eq!(
            (allocations(word), largest_bytes(word)),
            (1_000_007, 16_383)
        );
        let next = word + 1;
        assert_eq!(
            (allocations(next), largest_bytes(next)),
            (1_000_008, 16_383)
        );
    }

    #[test]
    fn the_largest_block_is_the_last_quarter_of_its_word() {
        let quarters = (7_u64 << LARGEST_SHIFT).to_le_bytes();
        let at = RECORD_LARGEST * 2 - ALLOCATIONS_AND_LARGEST * 8;
        assert_eq!(quarters[at..at + 2], [7, 0]);
    }
}
