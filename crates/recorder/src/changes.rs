//! The log of changes: what each interval left at each stack, and what was allocated
//! there between moments with totals.
//!
//! A record that is touched for the first time in a new interval still holds what
//! the interval of its last touch left. If that differs from what the log knows,
//! the difference is appended. The reader adds up the log, and takes what is still
//! missing from the records.

use crate::arena_map::{self, Arena};
use crate::ledger::{self, Detail, Logged, Record};
use core::sync::atomic::{Ordering, fence};
use residue_arena::counters::*;
use residue_arena::header;
use residue_arena::moments::*;
use residue_arena::region::Region;

/// The record changes for the first time in `interval`. Those of samples only ever rise: what they
/// have is their total.
#[inline(never)]
pub fn first_touch(arena: Arena, record: Record, stack: u32, interval: u64, has_totals: bool) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let word = get(AT_PEAK_BLOCKS_AND_INTERVAL);
    let last = word >> 32;
    log(arena, record, stack, last, has_totals);
    let at_peak_blocks = word & u64::from(u32::MAX);
    record[AT_PEAK_BLOCKS_AND_INTERVAL].store(interval << 32 | at_peak_blocks, Ordering::Relaxed);
}

/// Logs what the record's last interval left, if it was touched before.
#[inline(always)]
fn log(arena: Arena, record: Record, stack: u32, last: u64, has_totals: bool) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    if get(ALLOCATIONS_AND_LARGEST) | get(FREES) | get(FREED_BYTES) == 0 {
        return;
    }
    // Where the log's knowledge cannot be noted, what is logged would be logged again.
    let detail = ledger::detail_of(arena, record, has_totals);
    let items = detail.and_then(|detail| Some((detail, detail.logged(arena)?)));
    let Some((detail, logged)) = items else {
        let is_live = get(BYTES) != get(FREED_BYTES)
            || allocations(get(ALLOCATIONS_AND_LARGEST)) != get(FREES);
        if is_live || (has_totals && last < arena.get(header::TOTALS)) {
            is_lost(arena);
        }
        return;
    };
    log_live(arena, record, logged, stack, last);
    // Whoever ends an interval says first whether it keeps totals.
    fence(Ordering::Acquire);
    if has_totals && last < arena.get(header::TOTALS) {
        log_totals(arena, record, detail, logged, stack, last);
    }
}

fn is_lost(arena: Arena) {
    arena
        .word(header::CHANGES_LOST)
        .fetch_add(1, Ordering::Relaxed);
}

/// Logs what is live and was not when the log last heard of it.
#[inline(always)]
fn log_live(arena: Arena, record: Record, logged: Logged, stack: u32, last: u64) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let live_bytes = get(BYTES).wrapping_sub(get(FREED_BYTES));
    let live_blocks = get(ALLOCATIONS_AND_LARGEST).wrapping_sub(get(FREES)) as u32;
    let [known_bytes, known_blocks] = [
        &logged[LOGGED_BYTES],
        &logged[LOGGED_BLOCKS_AND_TEMPORARIES],
    ];
    let packed = known_blocks.load(Ordering::Relaxed);
    let bytes = live_bytes.wrapping_sub(known_bytes.load(Ordering::Relaxed)) as i64;
    let blocks = i64::from(live_blocks.wrapping_sub(packed as u32) as i32);
    let is_known = bytes == 0 && blocks == 0;
    // What finds no room stays unlogged and is part of a later change.
    if !is_known && append(arena, ChangeOf::Live, stack, last, bytes, blocks) {
        known_bytes.store(live_bytes, Ordering::Relaxed);
        let packed = packed >> 32 << 32 | u64::from(live_blocks);
        known_blocks.store(packed, Ordering::Relaxed);
    }
}

/// Logs what was allocated since the log last heard of it: a moment with totals has passed.
fn log_totals(arena: Arena, record: Record, detail: Detail, logged: Logged, stack: u32, last: u64) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let known = |place: usize| logged[place].load(Ordering::Relaxed);
    let made_blocks = allocations(get(ALLOCATIONS_AND_LARGEST));
    let made_bytes = get(BYTES);
    let blocks = made_blocks.wrapping_sub(known(LOGGED_MADE_BLOCKS));
    let bytes = made_bytes.wrapping_sub(known(LOGGED_MADE_BYTES));
    let is_known = blocks == 0 && bytes == 0;
    let (blocks, bytes) = (blocks as i64, bytes as i64);
    if !is_known && append(arena, ChangeOf::Made, stack, last, bytes, blocks) {
        logged[LOGGED_MADE_BLOCKS].store(made_blocks, Ordering::Relaxed);
        logged[LOGGED_MADE_BYTES].store(made_bytes, Ordering::Relaxed);
    }
    let temporaries = detail.temporaries();
    let packed = known(LOGGED_BLOCKS_AND_TEMPORARIES);
    let more = temporaries.wrapping_sub((packed >> 32) as u32);
    if more != 0 && append(arena, ChangeOf::Temporaries, stack, last, 0, more.into()) {
        let packed = u64::from(temporaries) << 32 | packed & u64::from(u32::MAX);
        logged[LOGGED_BLOCKS_AND_TEMPORARIES].store(packed, Ordering::Relaxed);
    }
}

fn append(
    arena: Arena,
    of: ChangeOf,
    stack: u32,
    interval: u64,
    mut bytes: i64,
    mut blocks: i64,
) -> bool {
    while bytes != 0 || blocks != 0 {
        let Some(index) = arena.append(Region::Changes) else {
            is_lost(arena);
            return false;
        };
        let (packed, more_bytes, more_blocks) = pack_change(bytes, blocks);
        // SAFETY: the item was just appended.
        let change =
            unsafe { arena_map::words::<CHANGE_WORDS>(arena.item(Region::Changes, index)) };
        change[CHANGE_AMOUNTS].store(packed, Ordering::Relaxed);
        let head = pack_head(of, interval, stack);
        change[CHANGE_HEAD].store(head, Ordering::Release);
        if of != ChangeOf::Live {
            arena
                .word(header::TOTALS_LOGGED)
                .fetch_add(1, Ordering::Relaxed);
        }
        (bytes, blocks) = (more_bytes, more_blocks);
    }
    true
}
