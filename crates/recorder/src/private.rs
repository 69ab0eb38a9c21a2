//! Memory of the recorder's own: anonymous mappings, zeroed, never moved and
//! never given back, counted in the arena.

use crate::hot;
use crate::sys;
use core::sync::atomic::Ordering;
use residue_arena::header;

/// Room for `count` values of `T`, zeroed; `None` when the kernel has no more.
///
/// Untouched pages cost nothing, so tables may be generous; `touched_bytes` is
/// what the caller expects to fill at once and is added to the account.
pub fn map_array<T>(count: usize, touched_bytes: usize) -> Option<*mut T> {
    let bytes = count.checked_mul(size_of::<T>())?;
    let start = sys::map_private(bytes).ok()?;
    account(touched_bytes as i64);
    if let Some(arena) = hot::get().arena() {
        let virtual_bytes = arena.word(header::VIRTUAL_BYTES);
        virtual_bytes.fetch_add(bytes.next_multiple_of(4096) as u64, Ordering::Relaxed);
    }
    Some(start.cast())
}

/// Adds to the recorder's account of its own memory.
pub fn account(bytes: i64) {
    if let Some(arena) = hot::get().arena() {
        arena
            .word(header::PRIVATE_BYTES)
            .fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
