//! A deliberate leak, to check the measurement: so many bytes at every event, made
//! through the hooks like the program's own blocks, and never freed.

use crate::hot;
use core::sync::atomic::Ordering;
use residue_arena::header;

/// Leaks what is due since the last time: once for every event.
#[cold]
#[inline(never)]
pub fn leak_if_asked() {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    let bytes = arena.get(header::INJECTED_BYTES);
    if bytes == 0 {
        return;
    }
    let birth = arena.get(header::BIRTH);
    if birth == hot.injected_birth.load(Ordering::Relaxed) {
        return;
    }
    let before = hot.injected_birth.fetch_max(birth, Ordering::Relaxed);
    let is_untouched = arena.get(header::INJECTED_UNTOUCHED) != 0;
    // The first event comes after ticks that were none.
    let base = arena.get(header::EVENT_BASE);
    let events = birth.saturating_sub(before.max(base));
    for _ in 0..events.min(1 << 16) {
        residue_injected_leak(bytes as usize, is_untouched);
    }
}

/// Its name is how the leak shows in reports.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn residue_injected_leak(bytes: usize, is_untouched: bool) {
    #[cfg(feature = "interpose")]
    {
        // SAFETY: the exported function takes a size and returns a block or null.
        let block = unsafe {
            let malloc = crate::interpose::list::malloc as *const ();
            core::mem::transmute::<*const (), unsafe extern "C" fn(usize) -> *mut u8>(malloc)(bytes)
        };
        if !block.is_null() && !is_untouched {
            // SAFETY: the block was just made and is this long.
            unsafe { core::ptr::write_bytes(core::hint::black_box(block), 0xA5, bytes) };
        }
    }
    #[cfg(not(feature = "interpose"))]
    let _ = (bytes, is_untouched);
}
