//! Memory of the recorder's own: anonymous mappings, zeroed, never moved and
//! never given back, counted in the arena.

use crate::hot;
use crate::sys;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use residue_arena::header;

const PAGE_BYTES: usize = 4096;

/// Room for `count` values of `T`, zeroed; `None` when the kernel has no more.
///
/// Untouched pages cost nothing, so tables may be generous; `touched_bytes` is
/// what the caller expects to fill at once and is added to the account, which is
/// an estimate until [`measure`] asks the kernel.
pub fn map_array<T>(count: usize, touched_bytes: usize) -> Option<*mut T> {
    let mut block = Block::map(count.checked_mul(size_of::<T>())?)?;
    let array = block.array(count);
    block.keep(touched_bytes);
    Some(array)
}

/// One mapping for arrays that are made and needed together: a program may have room for few
/// mappings, and where only some of the arrays could be had nobody would use those.
pub struct Block {
    start: *mut u8,
    bytes: usize,
    used_bytes: usize,
}

impl Block {
    pub fn map(bytes: usize) -> Option<Block> {
        let start = sys::map_private(bytes)
            .ok()
            .or_else(|| take_reserved(bytes))?;
        Some(Block {
            start,
            bytes,
            used_bytes: 0,
        })
    }

    /// What an array takes of a block.
    pub const fn bytes_of<T>(count: usize) -> usize {
        (count * size_of::<T>()).next_multiple_of(PAGE_BYTES)
    }

    /// The next array, on pages of its own. The caller has mapped as much as all arrays take.
    pub fn array<T>(&mut self, count: usize) -> *mut T {
        let array = self.start.wrapping_add(self.used_bytes).cast();
        self.used_bytes += Self::bytes_of::<T>(count);
        debug_assert!(self.used_bytes <= self.bytes.next_multiple_of(PAGE_BYTES));
        array
    }

    /// It is used from now on, for ever.
    pub fn keep(self, touched_bytes: usize) {
        if IS_KEPT_UNLOCKED.load(Ordering::Relaxed) {
            sys::unlock(self.start as usize, self.bytes);
        }
        remember(self.start as usize, self.bytes);
        account(touched_bytes as i64);
        if let Some(arena) = hot::get().arena() {
            let virtual_bytes = self.bytes.next_multiple_of(PAGE_BYTES) as u64;
            let sum = arena.word(header::VIRTUAL_BYTES);
            sum.fetch_add(virtual_bytes, Ordering::Relaxed);
        }
    }

    /// Nobody uses it.
    pub fn give_back(self) {
        // SAFETY: the block was mapped for this, and no array of it is known to anybody.
        unsafe { sys::unmap(self.start, self.bytes) };
    }
}

/// Whether the program locks what is mapped, and may lock little: the recorder's share would
/// be taken off the program's.
static IS_KEPT_UNLOCKED: AtomicBool = AtomicBool::new(false);

pub fn keep_unlocked() {
    IS_KEPT_UNLOCKED.store(true, Ordering::Relaxed);
}

/// Address space that was mapped when it was still possible: a program that confines itself
/// may forbid it. A forked child goes on behind what its parent took.
static RESERVED_AT: AtomicUsize = AtomicUsize::new(0);
static RESERVED_END: AtomicUsize = AtomicUsize::new(0);

/// Maps a reserve, once.
pub fn reserve(bytes: usize) {
    if RESERVED_END.load(Ordering::Relaxed) == 0
        && let Ok(start) = sys::map_private(bytes)
    {
        RESERVED_AT.store(start as usize, Ordering::Relaxed);
        RESERVED_END.store(start as usize + bytes, Ordering::Release);
    }
}

fn take_reserved(bytes: usize) -> Option<*mut u8> {
    let end = RESERVED_END.load(Ordering::Acquire);
    let take = |at: usize| {
        let next = at.checked_add(bytes.next_multiple_of(PAGE_BYTES))?;
        (at != 0 && next <= end).then_some(next)
    };
    let taken = RESERVED_AT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
    taken.ok().map(|at| at as *mut u8)
}

/// A page of the list of all private mappings.
#[repr(C)]
struct Listed {
    next: *mut Listed,
    used: AtomicUsize,
    mappings: [(AtomicUsize, AtomicUsize); PAGE_MAPPINGS],
}

const PAGE_MAPPINGS: usize = 255;
const _: () = assert!(size_of::<Listed>() == PAGE_BYTES);

/// Enters a mapping into the list.
fn remember(start: usize, bytes: usize) {
    let first = &hot::get().private_mappings;
    loop {
        let page = first.load(Ordering::Acquire).cast::<Listed>();
        // SAFETY: pages of the list are never unmapped.
        if let Some(listed) = unsafe { page.as_ref() }
            && let Some((start_place, bytes_place)) = listed.mappings.get(
                listed
                    .used
                    .fetch_add(1, Ordering::Relaxed)
                    .min(PAGE_MAPPINGS),
            )
        {
            start_place.store(start, Ordering::Relaxed);
            return bytes_place.store(bytes, Ordering::Release);
        }
        let Ok(fresh) = sys::map_private(size_of::<Listed>()) else {
            return;
        };
        // SAFETY: fresh memory of this size, in which zeros are an empty page.
        unsafe { (*fresh.cast::<Listed>()).next = page };
        // Where another thread was first, its page is used, and this one is a page lost.
        let _ = first.compare_exchange(page.cast(), fresh, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// The first of the recorder's private mappings, as start and end, that lies in a range.
pub fn first_overlap(start: usize, end: usize) -> Option<(usize, usize)> {
    let first = hot::get().private_mappings.load(Ordering::Acquire);
    let mut page = first.cast::<Listed>().cast_const();
    let mut found: Option<(usize, usize)> = None;
    // SAFETY: pages of the list are never unmapped.
    while let Some(listed) = unsafe { page.as_ref() } {
        for (at, length) in &listed.mappings {
            let length = length.load(Ordering::Acquire).next_multiple_of(PAGE_BYTES);
            let at = at.load(Ordering::Relaxed);
            let is_lower = found.is_none_or(|(lowest, _)| at < lowest);
            if at < end && start < at + length && is_lower {
                found = Some((at, at + length));
            }
        }
        page = listed.next.cast_const();
    }
    found
}

/// Puts the account right: asks the kernel which pages are there.
pub fn measure() {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    let mut bytes = 0;
    let mut page = hot
        .private_mappings
        .load(Ordering::Acquire)
        .cast::<Listed>()
        .cast_const();
    // SAFETY: pages of the list are never unmapped.
    while let Some(listed) = unsafe { page.as_ref() } {
        bytes += size_of::<Listed>();
        for (start, length) in &listed.mappings {
            let length = length.load(Ordering::Acquire);
            match sys::resident_bytes(start.load(Ordering::Relaxed), length) {
                Some(resident) => bytes += resident,
                None => return,
            }
        }
        page = listed.next.cast_const();
    }
    arena.set(header::PRIVATE_BYTES, bytes as u64);
}

/// Adds to the recorder's account of its own memory.
pub fn account(bytes: i64) {
    if let Some(arena) = hot::get().arena() {
        arena
            .word(header::PRIVATE_BYTES)
            .fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
