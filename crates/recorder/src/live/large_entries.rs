//! Large entries: size and birth of blocks that do not fit their entries.
//!
//! A thread uses the records that it freed. Those that free need not be those that
//! make, so a thread that has many hands them over:
//!
//! ```text
//!   thread  first ──► free ──► free ──► free            linked through their births
//!   shared  ──► list of 64 ──► list of 64 ──► ...       linked through the first's size
//! ```

use super::frozen;
use crate::arena_map::Arena;
use crate::hot;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use residue_arena::region::Region;

/// Records in a list that is handed over.
const LIST_RECORDS: u32 = 64;

/// The free records of a thread; all zero when there are none.
#[derive(Default)]
pub struct FreeLargeEntries {
    /// The number of the first, plus one.
    first: u32,
    count: u32,
}

/// The record `number`: size, birth.
fn large_entry(arena: Arena, number: u32) -> (&'static AtomicU64, &'static AtomicU32) {
    let item = arena.item(Region::LargeEntries, u64::from(number));
    // SAFETY: numbers come from `make`, and a large entry is two words.
    unsafe { (&*item.cast(), &*item.add(8).cast()) }
}

/// A record for a block; `None` when there is no memory for it.
pub fn make(arena: Arena, free: &mut FreeLargeEntries, bytes: u64, birth: u32) -> Option<u32> {
    if free.first == 0 {
        take_shared(arena, free);
    }
    let number = match free.first {
        0 => u32::try_from(arena.append(Region::LargeEntries)?).ok()?,
        first => {
            free.first = large_entry(arena, first - 1).1.load(Ordering::Relaxed);
            free.count -= 1;
            first - 1
        }
    };
    let (bytes_place, birth_place) = large_entry(arena, number);
    bytes_place.store(bytes, Ordering::Relaxed);
    birth_place.store(birth, Ordering::Relaxed);
    Some(number)
}

/// Size and birth in a record, which is free from now on.
pub fn open(arena: Arena, free: &mut FreeLargeEntries, number: u32) -> (u64, u32) {
    let (bytes_place, birth_place) = large_entry(arena, number);
    let opened = (
        bytes_place.load(Ordering::Relaxed),
        birth_place.load(Ordering::Relaxed),
    );
    if frozen::is_frozen() {
        // Whoever reads the picture finds it as it was. It is not used again.
        return opened;
    }
    if free.count == LIST_RECORDS {
        share(arena, free);
    }
    birth_place.store(free.first, Ordering::Relaxed);
    free.first = number + 1;
    free.count += 1;
    opened
}

/// The word that leads to the shared lists: the first record of the first, plus one, and
/// above it how often the word was changed. A thread that was interrupted in the middle
/// would otherwise take a list that came back for one that never went.
fn changed(word: u64, first: u32) -> u64 {
    const CHANGE: u64 = 1 << 32;
    (word & !(CHANGE - 1)).wrapping_add(CHANGE) | u64::from(first)
}

fn share(arena: Arena, free: &mut FreeLargeEntries) {
    let (next_list, _) = large_entry(arena, free.first - 1);
    let change = |word| {
        next_list.store(u64::from(word as u32), Ordering::Relaxed);
        Some(changed(word, free.first))
    };
    let shared = &hot::get().shared_large_entries;
    let _ = shared.fetch_update(Ordering::AcqRel, Ordering::Acquire, change);
    *free = FreeLargeEntries::default();
}

fn take_shared(arena: Arena, free: &mut FreeLargeEntries) {
    let change = |word| {
        let first = word as u32;
        let next_list = || large_entry(arena, first - 1).0.load(Ordering::Relaxed);
        (first != 0).then(|| changed(word, next_list() as u32))
    };
    let shared = &hot::get().shared_large_entries;
    if let Ok(word) = shared.fetch_update(Ordering::AcqRel, Ordering::Acquire, change) {
        free.first = word as u32;
        free.count = LIST_RECORDS;
    }
}

#[cfg(test)]
#[path = "large_entries_tests.rs"]
mod tests;
