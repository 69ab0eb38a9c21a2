//! Memory the program maps itself, kept apart from the heap.
//!
//! A sorted private index of ranges, each with its record in the arena. Mapping
//! is a system call already, so a lock is cheap beside it.

use crate::arena_map::{self, Arena, bump};
use crate::hot::{self, Hot};
use crate::ledger;
use crate::live;
use crate::loss::Loss;
use crate::ranges::{Range, Ranges};
use crate::recorder::{self, Caller};
use crate::thread::Thread;
use crate::trie::Purpose;
use core::sync::atomic::Ordering;
use residue_arena::region::Region;
use residue_arena::{header, tables, tables::thread as stat};

/// Writes a range to the arena; a zero length frees the record.
fn write_record(arena: Arena, record: u64, range: &Range, bytes: usize) {
    // SAFETY: record numbers come from `new_record`.
    let words = unsafe { arena_map::words::<4>(arena.item(Region::Mappings, record)) };
    words[tables::MAPPING_START].store(range.start as u64, Ordering::Relaxed);
    words[tables::MAPPING_STACK].store(u64::from(range.stack), Ordering::Relaxed);
    words[tables::MAPPING_BIRTH].store(u64::from(range.birth), Ordering::Relaxed);
    words[tables::MAPPING_LENGTH].store(bytes as u64, Ordering::Release);
}

/// A free record: one that was given up, or a new one.
fn new_record(arena: Arena, hot: &Hot) -> Option<u64> {
    let free = hot.free_mapping.load(Ordering::Relaxed);
    if free == 0 {
        return arena.append(Region::Mappings);
    }
    // SAFETY: the list holds record numbers, plus one, linked through the start.
    let words = unsafe { arena_map::words::<4>(arena.item(Region::Mappings, free - 1)) };
    let next = words[tables::MAPPING_START].load(Ordering::Relaxed);
    hot.free_mapping.store(next, Ordering::Relaxed);
    Some(free - 1)
}

fn free_record(arena: Arena, hot: &Hot, record: u64) {
    // SAFETY: record numbers come from `new_record`.
    let words = unsafe { arena_map::words::<4>(arena.item(Region::Mappings, record)) };
    words[tables::MAPPING_LENGTH].store(0, Ordering::Release);
    let next = hot.free_mapping.swap(record + 1, Ordering::Relaxed);
    words[tables::MAPPING_START].store(next, Ordering::Relaxed);
}

/// The program mapped `bytes` at `start`, over whatever was there.
///
/// # Safety
/// `caller` must describe the call in progress.
pub unsafe fn mapped(start: usize, bytes: usize, caller: Caller) {
    recorder::with_thread(Loss::Block(bytes), |hot, arena, thread| {
        // SAFETY: handed on to the caller.
        let stack = unsafe { stack_unless_paused(hot, arena, thread, caller) };
        let is_done = change(hot, |index| {
            remove(hot, arena, thread, index, start, start + bytes);
            if let Some(stack) = stack {
                add(hot, arena, thread, index, start, bytes, stack);
            }
        });
        if !is_done && stack.is_some() {
            live::dropped(thread, bytes as u64);
        }
    });
}

/// # Safety
/// `caller` must describe the call in progress.
unsafe fn stack_unless_paused(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    caller: Caller,
) -> Option<u32> {
    if thread.is_paused(arena) {
        bump(&thread.stats[stat::PAUSED_CALLS], 1);
        return None;
    }
    // SAFETY: handed on to the caller.
    Some(unsafe { recorder::captured_stack(hot, arena, thread, caller, Purpose::Mapping) })
}

/// Changes the index, with the lock held; false when there is no memory for one.
fn change(hot: &Hot, work: impl FnOnce(&mut Ranges)) -> bool {
    let _held = hot.mappings_lock.lock();
    let mut table = hot.mapping_index.load(Ordering::Relaxed).cast::<Ranges>();
    if table.is_null() {
        let Some(made) = Ranges::make() else {
            return false;
        };
        table = made;
        hot.mapping_index.store(table.cast(), Ordering::Relaxed);
    }
    // SAFETY: it is never unmapped, and the lock is held.
    let index = unsafe { &mut *table };
    work(index);
    let count = index.count() as u32;
    hot.mapping_count.store(count, Ordering::Relaxed);
    true
}

/// A range is unmapped by `call`, which says whether it was, with all or part of what was
/// there. The lock is held meanwhile, as in [`remapped`].
pub fn unmapped(start: usize, bytes: usize, call: impl FnOnce() -> bool) {
    let mut call = Some(call);
    recorder::with_thread(Loss::Nothing, |hot, arena, thread| {
        change(hot, |index| {
            if call.take().is_some_and(|call| call()) {
                let end = start.saturating_add(bytes);
                remove(hot, arena, thread, index, start, end);
            }
        });
    });
    if let Some(call) = call {
        call();
    }
}

fn add(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    index: &mut Ranges,
    start: usize,
    bytes: usize,
    stack: u32,
) {
    let counters = ledger::record(arena, thread, stack);
    let record = new_record(arena, hot);
    let (Some(counters), Some(record), Some(origin)) = (counters, record, index.new_origin())
    else {
        if let Some(record) = record {
            free_record(arena, hot, record);
        }
        live::dropped(thread, bytes as u64);
        return;
    };
    let range = Range {
        start,
        end: start + bytes,
        record,
        stack,
        birth: live::birth_now(arena, thread),
        origin,
    };
    if !index.insert(range) {
        index.is_over(origin);
        free_record(arena, hot, record);
        live::dropped(thread, bytes as u64);
        return;
    }
    write_record(arena, record, &range, bytes);
    ledger::mapped(arena, counters, stack, bytes as u64);
    change_total(arena, bytes as i64);
}

/// Takes `start..end` out of every range it touches.
fn remove(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    index: &mut Ranges,
    start: usize,
    end: usize,
) {
    let mut at = index.first_after(start);
    while let Some(range) = index.get(at).filter(|range| range.start < end) {
        let (from, to) = (range.start.max(start), range.end.min(end));
        let bytes = (to - from) as u64;
        let before = Range { end: from, ..range };
        let after = Range { start: to, ..range };
        let (has_before, has_after) = (before.start < before.end, after.start < after.end);
        match (has_before, has_after) {
            (false, false) => {
                at = index.remove(at);
                free_record(arena, hot, range.record);
            }
            (true, false) | (false, true) => {
                let rest = if has_before { before } else { after };
                index.set(at, rest);
                write_record(arena, rest.record, &rest, rest.end - rest.start);
                at = index.next(at);
            }
            (true, true) => {
                index.set(at, before);
                write_record(arena, before.record, &before, before.end - before.start);
                if let Some(record) = new_record(arena, hot) {
                    let after = Range { record, ..after };
                    write_record(arena, record, &after, after.end - after.start);
                    if !index.insert(after) {
                        free_record(arena, hot, record);
                        live::dropped(thread, (after.end - after.start) as u64);
                    }
                }
                // Nothing else is between.
                at = index.first_after(end.max(range.end));
            }
        }
        let is_last_piece = !has_before && !has_after && index.is_over(range.origin);
        if let Some(counters) = ledger::record(arena, thread, range.stack) {
            ledger::unmapped(arena, counters, range.stack, bytes, is_last_piece);
        }
        change_total(arena, -(bytes as i64));
    }
}

/// A mapping is moved or resized by `call`, which returns where it is then, or
/// `None`: the old one goes (unless it is to stay), the new one comes with the
/// stack of whoever asked for it.
///
/// The lock is held meanwhile: once the kernel has moved the mapping, another
/// thread may be given its old place, and must not be heard of before.
///
/// # Safety
/// `caller` must describe the call in progress.
pub unsafe fn remapped(
    old: core::ops::Range<usize>,
    keeps_old: bool,
    bytes: usize,
    caller: Caller,
    call: impl FnOnce() -> Option<usize>,
) {
    let mut call = Some(call);
    recorder::with_thread(Loss::Nothing, |hot, arena, thread| {
        // SAFETY: handed on to the caller.
        let stack = unsafe { stack_unless_paused(hot, arena, thread, caller) };
        change(hot, |index| {
            let Some(new) = call.take().and_then(|call| call()) else {
                return;
            };
            if !keeps_old {
                remove(hot, arena, thread, index, old.start, old.end);
            }
            remove(hot, arena, thread, index, new, new + bytes);
            if let Some(stack) = stack {
                add(hot, arena, thread, index, new, bytes, stack);
            }
        });
    });
    if let Some(call) = call {
        call();
    }
}

fn change_total(arena: Arena, bytes: i64) {
    let now = arena
        .word(header::MAPPED_BYTES)
        .fetch_add(bytes as u64, Ordering::Relaxed)
        .wrapping_add(bytes as u64);
    if bytes > 0 {
        arena
            .word(header::MAPPED_PEAK_BYTES)
            .fetch_max(now, Ordering::Relaxed);
    }
}

/// How many bytes of `start..end` are mapped by the program itself.
pub fn overlap(hot: &Hot, start: usize, end: usize) -> usize {
    let mut bytes = 0;
    change(hot, |index| {
        let ranges = index.from(index.first_after(start));
        let inside = ranges.take_while(|range| range.start < end);
        bytes = inside
            .map(|range| range.end.min(end) - range.start.max(start))
            .sum();
    });
    bytes
}

/// Bytes of the mapping that begins at this address; zero where none does.
pub fn length_at(start: usize) -> usize {
    if !any() {
        return 0;
    }
    let mut bytes = 0;
    change(hot::get(), |index| {
        let found = index.get(index.first_after(start));
        let range = found.filter(|range| range.start == start);
        bytes = range.map_or(0, |range| range.end - range.start);
    });
    bytes
}

/// Whether there is anything to unmap: spares programs that never map the lock.
pub fn any() -> bool {
    hot::get().mapping_count.load(Ordering::Relaxed) != 0
}
