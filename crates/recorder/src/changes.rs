//! The log of changes: what each interval left at each stack.
//!
//! A record that is touched for the first time in a new interval still holds what
//! the interval of its last touch left. If that differs from what the log knows,
//! the difference is appended. The reader adds up the log, and takes what is still
//! missing from the records.

use crate::arena_map::{self, Arena};
use crate::ledger::Record;
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::counters::*;
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_arena::{header, node};

/// The record changes for the first time in `interval`.
#[inline(never)]
pub fn first_touch(arena: Arena, record: Record, stack: u32, interval: u64) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let word = get(AT_PEAK_BLOCKS_AND_INTERVAL);
    let last = word >> 32;
    let live_bytes = get(BYTES).wrapping_sub(get(FREED_BYTES));
    let live_blocks = get(ALLOCATIONS).wrapping_sub(get(FREES));
    let [logged_bytes, logged_blocks] = logged(record, stack);
    let bytes = live_bytes.wrapping_sub(logged_bytes.load(Ordering::Relaxed));
    let blocks = live_blocks.wrapping_sub(logged_blocks.load(Ordering::Relaxed));
    let is_known = bytes == 0 && blocks == 0;
    // What finds no room stays unlogged and is part of a later change.
    if is_known || append(arena, stack, last, bytes, blocks) {
        logged_bytes.store(live_bytes, Ordering::Relaxed);
        logged_blocks.store(live_blocks, Ordering::Relaxed);
    }
    let at_peak_blocks = word & u64::from(u32::MAX);
    record[AT_PEAK_BLOCKS_AND_INTERVAL].store(interval << 32 | at_peak_blocks, Ordering::Relaxed);
}

/// What the log knows of a record: bytes and blocks.
fn logged(record: Record, stack: u32) -> &'static [AtomicU64; LOGGED_WORDS] {
    let slot = stack as usize % PAGE_RECORDS;
    let page = record.as_ptr().wrapping_sub(slot * RECORD_WORDS);
    let place = page.wrapping_add(PAGE_RECORD_WORDS + slot * LOGGED_WORDS);
    // SAFETY: a record is the `slot`-th of its page, and behind the records of a
    // page stand these words for each.
    unsafe { &*place.cast() }
}

fn append(arena: Arena, stack: u32, interval: u64, bytes: u64, blocks: u64) -> bool {
    let (mut bytes, mut blocks) = (bytes as i64, blocks as i64);
    while bytes != 0 || blocks != 0 {
        let Some(index) = arena.append(Region::Changes) else {
            arena
                .word(header::CHANGES_LOST)
                .fetch_add(1, Ordering::Relaxed);
            return false;
        };
        let (packed, more_bytes, more_blocks) = pack_change(bytes, blocks);
        // SAFETY: the item was just appended.
        let change =
            unsafe { arena_map::words::<CHANGE_WORDS>(arena.item(Region::Changes, index)) };
        change[CHANGE_AMOUNTS].store(packed, Ordering::Relaxed);
        let head = interval << node::STACK_BITS | u64::from(stack);
        change[CHANGE_STACK_AND_INTERVAL].store(head, Ordering::Release);
        (bytes, blocks) = (more_bytes, more_blocks);
    }
    true
}
