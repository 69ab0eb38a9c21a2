//! The counters of a stack: one record per (thread, stack), plain additions.
//!
//! A record is one cache line; from its second block on it has a detail item beside it, by size. So
//! a stack that is seen once costs half.
//!
//! A record's peak with several threads: a thread that only frees what others
//! made would let the makers' records rise for ever. So a thread that is in the
//! red with a stack hands the bytes back through one shared word of that stack,
//! in portions, and a thread about to note a new peak first takes what was
//! handed back. The peak of a stack is then too high by at most one portion per
//! thread, and the shared word is not touched while nothing new happens.

use crate::arena_map::{self, Arena, bump};
use crate::changes;
use crate::hot;
use crate::peak;
use crate::private;
use crate::returned;
use crate::thread::{DIRECTORY_ROWS, Thread};
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use residue_arena::counters::*;
use residue_arena::header;
use residue_arena::region::Region;
use residue_arena::tables::thread as stat;

pub type Record = &'static [AtomicU64; RECORD_WORDS];
pub type Logged = &'static [AtomicU64; LOGGED_ITEM_BYTES as usize / 8];

/// Bytes a thread may be in the red before it hands them back.
const PORTION_BYTES: i64 = 4 << 10;

/// The record of a stack for this thread; `None` when there is no memory.
#[inline]
pub fn record(arena: Arena, thread: &mut Thread, stack: u32) -> Option<Record> {
    let (row, column) = directory_place(stack);
    let row = thread.counters[row];
    let page = if row.is_null() {
        core::ptr::null_mut()
    } else {
        // SAFETY: rows are never unmapped.
        unsafe { (*row)[column] }
    };
    let page = if page.is_null() {
        new_page(arena, thread, stack)?
    } else {
        page
    };
    let offset = stack as usize % PAGE_RECORDS * RECORD_WORDS * 8;
    // SAFETY: the page has room for `PAGE_RECORDS` records.
    Some(unsafe { arena_map::words(page.add(offset)) })
}

/// Row and column of a stack's page in a thread's directory.
#[inline(always)]
fn directory_place(stack: u32) -> (usize, usize) {
    let page = stack as usize / PAGE_RECORDS;
    (
        page / DIRECTORY_ROWS % DIRECTORY_ROWS,
        page % DIRECTORY_ROWS,
    )
}

#[cold]
fn new_page(arena: Arena, thread: &mut Thread, stack: u32) -> Option<*mut u8> {
    let (row, column) = directory_place(stack);
    let row = &mut thread.counters[row];
    if row.is_null() {
        *row = private::map_array(1, size_of::<[*mut u8; DIRECTORY_ROWS]>())?;
    }
    let key = page_key(thread.index, stack);
    let index = arena.append_keyed(Region::CounterPages, Region::CounterKeys, key)?;
    let page = arena.item(Region::CounterPages, index);
    // SAFETY: the row was found or made above.
    unsafe { (**row)[column] = page };
    Some(page)
}

/// Saves what the peak was made of, if this is the record's first change since.
#[inline(always)]
fn save_at_peak(arena: Arena, record: Record) {
    let Some(epoch) = peak::epoch_to_save(arena) else {
        return;
    };
    let word = record[EPOCH_AND_DETAIL].load(Ordering::Relaxed);
    if word as u32 == epoch {
        return;
    }
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let blocks = get(ALLOCATIONS_AND_LARGEST).wrapping_sub(get(FREES)) as u32;
    let bytes = get(BYTES).wrapping_sub(get(FREED_BYTES));
    let interval = get(AT_PEAK_BLOCKS_AND_INTERVAL) >> 32 << 32;
    record[AT_PEAK_BLOCKS_AND_INTERVAL].store(interval | u64::from(blocks), Ordering::Relaxed);
    record[AT_PEAK_BYTES].store(bytes, Ordering::Relaxed);
    record[EPOCH_AND_DETAIL].store(word >> 32 << 32 | u64::from(epoch), Ordering::Relaxed);
}

/// Logs what the record's last interval left, if this is its first change since.
#[inline(always)]
fn log_interval(arena: Arena, record: Record, stack: u32) {
    let interval = arena.get(header::INTERVAL);
    if record[AT_PEAK_BLOCKS_AND_INTERVAL].load(Ordering::Relaxed) >> 32 != interval {
        changes::first_touch(arena, record, stack, interval, true);
    }
}

/// One block of `bytes` was made at `stack`.
#[inline(always)]
pub fn made(arena: Arena, thread: &Thread, record: Record, stack: u32, bytes: u64) {
    log_interval(arena, record, stack);
    save_at_peak(arena, record);
    count_size(arena, record, bytes);
    bump(&record[ALLOCATIONS_AND_LARGEST], 1);
    bump(&record[BYTES], bytes);
    note_own_peak(arena, record, stack);
    bump(&thread.stats[stat::MADE_BLOCKS], 1);
    bump(&thread.stats[stat::MADE_BYTES], bytes);
    peak::changed(arena, thread, bytes as i64);
}

/// One block of `bytes`, made at `stack`, was freed.
#[inline(always)]
pub fn freed(arena: Arena, thread: &Thread, record: Record, stack: u32, bytes: u64) {
    log_interval(arena, record, stack);
    peak::before_shrinking(arena);
    save_at_peak(arena, record);
    bump(&record[FREES], 1);
    bump(&record[FREED_BYTES], bytes);
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    if (get(BYTES).wrapping_sub(get(FREED_BYTES)) as i64) < 0 {
        hand_back(arena, record, stack);
    }
    peak::changed(arena, thread, (bytes as i64).wrapping_neg());
}

/// A mapping of `bytes` was made at `stack`. Mappings are not part of the heap:
/// neither its peak nor the composition of it changes.
pub fn mapped(arena: Arena, record: Record, stack: u32, bytes: u64) {
    log_interval(arena, record, stack);
    count_size(arena, record, bytes);
    bump(&record[ALLOCATIONS_AND_LARGEST], 1);
    bump(&record[BYTES], bytes);
    note_own_peak(arena, record, stack);
}

/// All or part of a mapping went away.
pub fn unmapped(arena: Arena, record: Record, stack: u32, bytes: u64, is_gone: bool) {
    log_interval(arena, record, stack);
    bump(&record[FREES], u64::from(is_gone));
    bump(&record[FREED_BYTES], bytes);
}

/// A thread used so much CPU time at `stack`: so many periods, and their nanoseconds where others
/// have bytes.
pub fn sampled(arena: Arena, record: Record, stack: u32, periods: u64, ns: u64) {
    let interval = arena.get(header::INTERVAL);
    if record[AT_PEAK_BLOCKS_AND_INTERVAL].load(Ordering::Relaxed) >> 32 != interval {
        changes::first_touch(arena, record, stack, interval, false);
    }
    bump(&record[ALLOCATIONS_AND_LARGEST], periods);
    bump(&record[BYTES], ns);
}

/// Counts a block that is just being made under its size.
#[inline(always)]
fn count_size(arena: Arena, record: Record, bytes: u64) {
    let bin = size_bin(bytes);
    if bin < DETAIL_BINS {
        note_largest(record, bytes);
        if let Some(detail) = Detail::of(arena, record) {
            return count_in_bin(arena, record, detail, bin);
        }
    }
    count_otherwise(arena, record, bin, bytes);
}

/// The same where that is not an addition to a bin.
#[inline(never)]
fn count_otherwise(arena: Arena, record: Record, bin: usize, bytes: u64) {
    let before = allocations(record[ALLOCATIONS_AND_LARGEST].load(Ordering::Relaxed));
    // The record's first block is counted when there is another.
    if before == 0 && Detail::of(arena, record).is_none() {
        return;
    }
    if is_counted(arena, record, bin, bytes) {
        return;
    }
    size_lost(arena);
    if before == 1 && Detail::of(arena, record).is_none() {
        // From now on nobody can tell the size of the first.
        size_lost(arena);
    }
}

fn size_lost(arena: Arena) {
    arena
        .word(header::SIZES_LOST)
        .fetch_add(1, Ordering::Relaxed);
}

/// Counts a block, in a detail item that is made if there is none; false where there is no room.
fn is_counted(arena: Arena, record: Record, bin: usize, bytes: u64) -> bool {
    let Some(detail) = detail_of(arena, record, true) else {
        return false;
    };
    if bin < DETAIL_BINS {
        count_in_bin(arena, record, detail, bin);
        return true;
    }
    let overflow = overflow_of(arena, record);
    if let Some(overflow) = overflow {
        overflow.count(bin, bytes);
    }
    overflow.is_some()
}

#[inline(always)]
fn count_in_bin(arena: Arena, record: Record, detail: Detail, bin: usize) {
    let place = detail.bin(bin);
    match place.load(Ordering::Relaxed).checked_add(1) {
        Some(sum) => place.store(sum, Ordering::Relaxed),
        None if is_carried(arena, record, OVERFLOW_CARRY + bin) => {
            place.store(0, Ordering::Relaxed);
        }
        None => size_lost(arena),
    }
}

/// Notes a block of the detail's bins if it is the largest so far: mostly one compare with the
/// word that is about to be written.
#[inline(always)]
fn note_largest(record: Record, bytes: u64) {
    // SAFETY: the place is inside the record.
    let largest: &AtomicU16 = unsafe { place_in(record.as_ptr().cast(), RECORD_LARGEST) };
    if bytes > u64::from(largest.load(Ordering::Relaxed)) {
        largest.store(bytes as u16, Ordering::Relaxed);
    }
}

/// Counts that a place, which is full, begins anew at zero; false where there is no room for that.
#[cold]
fn is_carried(arena: Arena, record: Record, carry: usize) -> bool {
    let Some(overflow) = overflow_of(arena, record) else {
        return false;
    };
    let carry = overflow.half(carry);
    carry.store(carry.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    true
}

/// One of the places of a record or of an item, counted in its own size.
///
/// # Safety
/// It must be in the arena, and such an atomic at that place.
#[inline(always)]
unsafe fn place_in<Atomic>(item: *const u8, place: usize) -> &'static Atomic {
    // SAFETY: the caller vouches for the place.
    unsafe { &*item.cast::<Atomic>().add(place) }
}

/// A record's detail item, in the arena.
#[derive(Clone, Copy)]
pub struct Detail(*mut u8);

impl Detail {
    #[inline(always)]
    pub fn of(arena: Arena, record: Record) -> Option<Detail> {
        let word = record[EPOCH_AND_DETAIL].load(Ordering::Relaxed);
        let number = detail_number(word);
        (number != 0).then(|| Detail(arena.item(Region::RecordDetails, number - 1)))
    }

    #[inline(always)]
    fn bin(self, bin: usize) -> &'static AtomicU16 {
        // SAFETY: it is an item of the arena, and bins are below its length.
        unsafe { place_in(self.0, bin) }
    }

    #[inline(always)]
    fn half(self, place: usize) -> &'static AtomicU32 {
        // SAFETY: as for `bin`.
        unsafe { place_in(self.0, place) }
    }

    /// An item that belongs to it, made when first needed, by the number in one of its places.
    fn item(self, arena: Arena, region: Region, place: usize) -> Option<*mut u8> {
        let place = self.half(place);
        let mut number = u64::from(place.load(Ordering::Relaxed));
        if number == 0 {
            number = arena.append(region)? + 1;
            place.store(number as u32, Ordering::Release);
        }
        Some(arena.item(region, number - 1))
    }

    fn overflow(self, arena: Arena) -> Option<RecordOverflow> {
        let item = self.item(arena, Region::RecordOverflow, DETAIL_OVERFLOW);
        item.map(RecordOverflow)
    }

    /// What the log knows of the record.
    pub fn logged(self, arena: Arena) -> Option<Logged> {
        let item = self.item(arena, Region::RecordsLogged, DETAIL_LOGGED)?;
        // SAFETY: it is an item of the arena, of so many words.
        Some(unsafe { arena_map::words(item) })
    }

    pub fn temporaries(self) -> u32 {
        self.half(DETAIL_TEMPORARIES).load(Ordering::Relaxed)
    }
}

/// The record's detail item, made when first needed: what the record said in its place goes there,
/// but for the size of its block where it is none of a block (`has_size`). `None` where there is no
/// room: then the record says what it said.
#[inline(never)]
pub fn detail_of(arena: Arena, record: Record, has_size: bool) -> Option<Detail> {
    if let Some(detail) = Detail::of(arena, record) {
        return Some(detail);
    }
    let number = arena.append(Region::RecordDetails)? + 1;
    let detail = Detail(arena.item(Region::RecordDetails, number - 1));
    let word = record[EPOCH_AND_DETAIL].load(Ordering::Relaxed);
    let temporaries = u32::from(word >> DETAIL_SHIFT == ONE_TEMPORARY);
    detail
        .half(DETAIL_TEMPORARIES)
        .store(temporaries, Ordering::Relaxed);
    let has_one = allocations(record[ALLOCATIONS_AND_LARGEST].load(Ordering::Relaxed)) == 1;
    if has_one && has_size {
        let bytes = record[BYTES].load(Ordering::Relaxed);
        match size_bin(bytes) {
            bin if bin < DETAIL_BINS => detail.bin(bin).store(1, Ordering::Relaxed),
            bin => detail.overflow(arena)?.count(bin, bytes),
        }
    }
    let epoch = u64::from(word as u32);
    record[EPOCH_AND_DETAIL].store(epoch | number << DETAIL_SHIFT, Ordering::Release);
    Some(detail)
}

/// A record's overflow item, in the arena.
#[derive(Clone, Copy)]
struct RecordOverflow(*mut u8);

impl RecordOverflow {
    /// Counts a block that is too large for the bins of a detail item.
    fn count(self, bin: usize, bytes: u64) {
        let largest = self.word(OVERFLOW_LARGEST);
        if bytes > largest.load(Ordering::Relaxed) {
            largest.store(bytes, Ordering::Relaxed);
        }
        bump(self.word(OVERFLOW_BIN + bin - DETAIL_BINS), 1);
    }

    #[inline(always)]
    fn word(self, place: usize) -> &'static AtomicU64 {
        // SAFETY: it is an item of the arena, and places are below its length.
        unsafe { place_in(self.0, place) }
    }

    #[inline(always)]
    fn half(self, place: usize) -> &'static AtomicU32 {
        // SAFETY: as for `word`.
        unsafe { place_in(self.0, place) }
    }
}

/// The record's overflow item, made when first needed.
fn overflow_of(arena: Arena, record: Record) -> Option<RecordOverflow> {
    detail_of(arena, record, true)?.overflow(arena)
}

/// Notes the record's highest live bytes. Word `HIGHEST` includes what other
/// threads handed back, so that the usual case is one compare.
#[inline(always)]
fn note_own_peak(arena: Arena, record: Record, stack: u32) {
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let raw = get(BYTES).wrapping_sub(get(FREED_BYTES)) as i64;
    if raw > get(HIGHEST) as i64 {
        if hot::get().many_threads.load(Ordering::Relaxed) == 0 {
            record[HIGHEST].store(raw as u64, Ordering::Relaxed);
        } else {
            take_back(arena, record, stack, raw);
        }
    }
}

/// A new peak, unless other threads freed some of it.
fn take_back(arena: Arena, record: Record, stack: u32, raw: i64) {
    let taken = match returned::of(stack) {
        Some(word) if word.load(Ordering::Relaxed) != 0 => word.swap(0, Ordering::Relaxed) as i64,
        _ => 0,
    };
    let highest = record[HIGHEST].load(Ordering::Relaxed) as i64;
    if taken == 0 {
        record[HIGHEST].store(raw as u64, Ordering::Relaxed);
        return;
    }
    if let Some(overflow) = overflow_of(arena, record) {
        bump(overflow.word(OVERFLOW_RETURNED), taken as u64);
        record[HIGHEST].store(raw.max(highest + taken) as u64, Ordering::Relaxed);
    }
}

/// This thread freed more of the stack's bytes than it made: others made them.
#[cold]
fn hand_back(arena: Arena, record: Record, stack: u32) {
    let Some(overflow) = overflow_of(arena, record) else {
        return;
    };
    let get = |index: usize| record[index].load(Ordering::Relaxed);
    let raw = get(BYTES).wrapping_sub(get(FREED_BYTES)) as i64;
    let in_the_red =
        (overflow.word(OVERFLOW_RETURNED).load(Ordering::Relaxed) as i64).wrapping_sub(raw);
    if in_the_red < PORTION_BYTES {
        return;
    }
    if let Some(word) = returned::made(stack) {
        bump(
            overflow.word(OVERFLOW_RETURNED),
            (in_the_red as u64).wrapping_neg(),
        );
        bump(&record[HIGHEST], (in_the_red as u64).wrapping_neg());
        word.fetch_add(in_the_red as u64, Ordering::Relaxed);
    }
}

/// A reallocation at this record's stack.
pub fn reallocated(arena: Arena, record: Record, moved: bool) {
    if let Some(overflow) = overflow_of(arena, record) {
        let word = if moved {
            OVERFLOW_MOVED
        } else {
            OVERFLOW_IN_PLACE
        };
        bump(overflow.word(word), 1);
    }
}

/// A block freed by the thread that made it before it made another.
#[inline(always)]
pub fn temporary(arena: Arena, record: Record) {
    let Some(detail) = Detail::of(arena, record) else {
        return first_temporary(record);
    };
    let place = detail.half(DETAIL_TEMPORARIES);
    match place.load(Ordering::Relaxed).checked_add(1) {
        Some(sum) => place.store(sum, Ordering::Relaxed),
        None if is_carried(arena, record, OVERFLOW_TEMPORARIES_CARRY) => {
            place.store(0, Ordering::Relaxed);
        }
        None => size_lost(arena),
    }
}

/// Where the record has more than one block, their sizes found no room, and are counted as lost.
#[inline(never)]
fn first_temporary(record: Record) {
    if allocations(record[ALLOCATIONS_AND_LARGEST].load(Ordering::Relaxed)) == 1 {
        let epoch = record[EPOCH_AND_DETAIL].load(Ordering::Relaxed) as u32;
        let word = u64::from(epoch) | ONE_TEMPORARY << DETAIL_SHIFT;
        record[EPOCH_AND_DETAIL].store(word, Ordering::Relaxed);
    }
}

/// A block was freed in a later event than it was born in. True now and then, ever
/// more rarely: then [`freed_at`] wants to know where.
pub fn deferred(arena: Arena, record: Record, events: u32) -> bool {
    let Some(overflow) = overflow_of(arena, record) else {
        return false;
    };
    let frees = overflow.word(OVERFLOW_DEFERRED_FREES);
    bump(frees, 1);
    bump(overflow.word(OVERFLOW_DEFERRED_EVENTS), u64::from(events));
    let word = overflow.word(OVERFLOW_FREED_AT_AND_LONGEST);
    let before = word.load(Ordering::Relaxed);
    let longest = (before >> 32).max(u64::from(events));
    word.store(
        longest << 32 | before & u64::from(u32::MAX),
        Ordering::Relaxed,
    );
    frees.load(Ordering::Relaxed).is_power_of_two()
}

/// Where such a block was freed: the node of the path.
pub fn freed_at(arena: Arena, record: Record, node: u32) {
    if let Some(overflow) = overflow_of(arena, record) {
        let word = overflow.word(OVERFLOW_FREED_AT_AND_LONGEST);
        let longest = word.load(Ordering::Relaxed) >> 32 << 32;
        word.store(longest | u64::from(node), Ordering::Relaxed);
    }
}
