//! Counters: numbers the program attaches to events, and their running totals.

use crate::arena_map::Arena;
use crate::hot;
use crate::moments;
use crate::private;
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::moments::{KIND_TOTAL, MOST_NAMES, MomentRow};

/// The bits of two `f64` per name: the total, and what was last written of it.
#[repr(C)]
struct Total {
    now: AtomicU64,
    written: AtomicU64,
    is_used: AtomicU64,
}

fn totals() -> Option<&'static [Total]> {
    let place = &hot::get().totals;
    let mut table = place.load(Ordering::Acquire);
    if table.is_null() {
        let made = private::map_array::<Total>(MOST_NAMES as usize, 4096)?.cast();
        let installed = place.compare_exchange(
            core::ptr::null_mut(),
            made,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        table = match installed {
            Ok(_) => made,
            Err(theirs) => theirs,
        };
    }
    // SAFETY: the table has this length and is never unmapped.
    Some(unsafe { core::slice::from_raw_parts(table.cast(), MOST_NAMES as usize) })
}

/// Adds to a counter's total, and gives the bits of what that is now; zero where there is no
/// room for totals.
pub fn add(name: u32, value: f64) -> u64 {
    let Some(total) = totals().and_then(|totals| totals.get(name as usize)) else {
        return 0;
    };
    total.is_used.store(1, Ordering::Relaxed);
    let mut before = total.now.load(Ordering::Relaxed);
    loop {
        let after = (f64::from_bits(before) + value).to_bits();
        match total
            .now
            .compare_exchange_weak(before, after, Ordering::Relaxed, Ordering::Relaxed)
        {
            Ok(_) => return after,
            Err(now) => before = now,
        }
    }
}

/// Writes the totals that changed, behind a kept moment.
pub fn write_totals(arena: Arena, moment: &MomentRow) {
    if hot::get().totals.load(Ordering::Relaxed).is_null() {
        return;
    }
    let names = moments::names_used(arena);
    for (name, total) in totals().unwrap_or(&[]).iter().enumerate().take(names) {
        let now = total.now.load(Ordering::Relaxed);
        let is_used = total.is_used.load(Ordering::Relaxed) != 0;
        if is_used && total.written.swap(now, Ordering::Relaxed) != now {
            let row = MomentRow {
                kind: KIND_TOTAL,
                name: u32::try_from(name).ok(),
                id: now,
                ..*moment
            };
            moments::write(arena, &row, true);
        }
    }
}
