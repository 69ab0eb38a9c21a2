//! The live table while a picture of the process is read: a page of entries is copied before its
//! first change, so the reader finds what was live when the picture was taken.
//!
//! The path of an ordinary call asks nothing. It compares the shift of granules with that of
//! glibc; a bit that is no part of a shift sends all calls here while the table is frozen.
//!
//! ```text
//!   reader:  read page ──► is there a copy? take it instead
//!   writer:                copy, publish its key ──► change the page
//! ```
//!
//! A thread that had asked for the shift just before does not come here; its one change is then
//! part of the picture, or missing in it.

use crate::arena_map::Arena;
use crate::hot::{self, Hot};
use crate::private;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use residue_arena::header;
use residue_arena::live::{PAGE_BYTES, PAGE_ENTRIES, kept_key};
use residue_arena::region::{self, Region};

/// Set in the shift of granules while the table is frozen.
pub const IS_FROZEN: u32 = 1 << 6;

/// A byte for each page tells the picture that it was last kept for; after so many pictures they all
/// begin anew.
const PICTURES_TOLD_APART: u64 = 60;

/// The byte of a picture; zero is of none.
fn mark_of(picture: u64) -> u8 {
    (picture.wrapping_sub(1) % PICTURES_TOLD_APART) as u8 + 1
}

pub fn is_frozen() -> bool {
    hot::get().granule_shift.load(Ordering::Relaxed) & IS_FROZEN != 0
}

/// What is live now is kept until [`thaw`].
pub fn freeze(hot: &Hot, arena: Arena) {
    let number = arena.get(header::PICTURES) + 1;
    if hot.kept_pages.load(Ordering::Relaxed).is_null() {
        let capacity = arena.get(Region::LivePages.word(region::CAPACITY)) as usize;
        if let Some(kept) = private::map_array::<AtomicU8>(capacity, 4096) {
            hot.kept_pages.store(kept.cast(), Ordering::Release);
        }
    }
    let is_told_apart = mark_of(number) != 1 || forget_marks(hot, arena);
    arena.set(header::PICTURES, number);
    arena.set(header::PICTURE_KEPT, 0);
    arena.set(header::PICTURE_LOST, u64::from(!is_told_apart));
    hot.granule_shift.fetch_or(IS_FROZEN, Ordering::SeqCst);
}

/// No page was kept for any picture. False where a thread is keeping one, of a picture before: it
/// may stand, and is not waited for.
fn forget_marks(hot: &Hot, arena: Arena) -> bool {
    let kept = hot.kept_pages.load(Ordering::Acquire).cast::<AtomicU8>();
    let Some(_held) = hot.kept_lock.try_lock() else {
        return false;
    };
    if kept.is_null() {
        return true;
    }
    for number in 0..arena.get(Region::LivePages.word(region::USED)) as usize {
        // SAFETY: the table has a byte for every page there can be.
        let mark = unsafe { &*kept.add(number) };
        if mark.load(Ordering::Relaxed) != 0 {
            mark.store(0, Ordering::Relaxed);
        }
    }
    true
}

/// The picture was read, or there is none.
pub fn thaw(hot: &Hot, arena: Arena) {
    hot.granule_shift.fetch_and(!IS_FROZEN, Ordering::SeqCst);
    let _ = arena.word(header::PICTURE_STATE).compare_exchange(
        header::PICTURE_OVER,
        header::PICTURE_NONE,
        Ordering::AcqRel,
        Ordering::Relaxed,
    );
}

/// An entry of this page is about to change.
pub fn before_change(page: *const AtomicU64) {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    if arena.get(header::PICTURE_STATE) == header::PICTURE_OVER {
        // Under the lock, or a thread that comes late would thaw the next picture.
        if let Some(_held) = hot.picture_lock.try_lock()
            && arena.get(header::PICTURE_STATE) == header::PICTURE_OVER
        {
            thaw(hot, arena);
        }
        return;
    }
    let base = arena.item(Region::LivePages, 0) as usize;
    let number = ((page as usize).wrapping_sub(base)) as u64 / PAGE_BYTES;
    // Pages that are newer than the picture are not part of it.
    if number >= arena.get(header::PICTURE_PAGES) {
        return;
    }
    let kept = hot.kept_pages.load(Ordering::Acquire).cast::<AtomicU8>();
    if kept.is_null() {
        arena
            .word(header::PICTURE_LOST)
            .fetch_add(1, Ordering::Relaxed);
        return;
    }
    // SAFETY: the table has a byte for every page there can be.
    let mark = unsafe { &*kept.add(number as usize) };
    let picture = arena.get(header::PICTURES);
    if mark.load(Ordering::Acquire) != mark_of(picture) {
        keep(hot, arena, page, number, mark);
    }
}

#[cold]
fn keep(hot: &Hot, arena: Arena, page: *const AtomicU64, number: u64, mark: &AtomicU8) {
    let _held = hot.kept_lock.lock();
    // As it is now: a thread may have come here with the number of the picture before.
    let picture = arena.get(header::PICTURES);
    if mark.load(Ordering::Acquire) == mark_of(picture) {
        return;
    }
    let index = arena.get(header::PICTURE_KEPT);
    // The copies of an earlier picture make room for those of this one.
    let has_room = index < arena.get(Region::KeptPages.word(region::USED))
        || arena
            .append_keyed(Region::KeptPages, Region::KeptKeys, 0)
            .is_some();
    if has_room {
        let copy = arena.item(Region::KeptPages, index).cast::<AtomicU64>();
        for entry in 0..PAGE_ENTRIES {
            // SAFETY: both are pages of so many entries, and are never unmapped.
            unsafe {
                let value = (*page.add(entry)).load(Ordering::Relaxed);
                (*copy.add(entry)).store(value, Ordering::Relaxed);
            }
        }
        // SAFETY: the item was appended with its key.
        let key = unsafe { &*arena.item(Region::KeptKeys, index).cast::<AtomicU64>() };
        key.store(kept_key(picture, number), Ordering::Release);
        arena
            .word(header::PICTURE_KEPT)
            .store(index + 1, Ordering::Release);
    } else {
        arena
            .word(header::PICTURE_LOST)
            .fetch_add(1, Ordering::Relaxed);
    }
    mark.store(mark_of(picture), Ordering::Release);
}
