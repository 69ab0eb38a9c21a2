//! Memory of the recorder's own: anonymous mappings, zeroed, never moved and
//! never given back, counted in the arena.

use crate::hot;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};
use residue_arena::header;

/// Room for `count` values of `T`, zeroed; `None` when the kernel has no more.
///
/// Untouched pages cost nothing, so tables may be generous; `touched_bytes` is
/// what the caller expects to fill at once and is added to the account.
pub fn map_array<T>(count: usize, touched_bytes: usize) -> Option<*mut T> {
    let bytes = count.checked_mul(size_of::<T>())?;
    let start = sys::map_private(bytes)
        .ok()
        .or_else(|| take_reserved(bytes))?;
    account(touched_bytes as i64);
    if let Some(arena) = hot::get().arena() {
        let virtual_bytes = arena.word(header::VIRTUAL_BYTES);
        virtual_bytes.fetch_add(bytes.next_multiple_of(4096) as u64, Ordering::Relaxed);
    }
    Some(start.cast())
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
        let next = at.checked_add(bytes.next_multiple_of(4096))?;
        (at != 0 && next <= end).then_some(next)
    };
    let taken = RESERVED_AT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
    taken.ok().map(|at| at as *mut u8)
}

/// Adds to the recorder's account of its own memory.
pub fn account(bytes: i64) {
    if let Some(arena) = hot::get().arena() {
        arena
            .word(header::PRIVATE_BYTES)
            .fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
