//! The open events: one per stream. Only used with the lock for events held.

use crate::hot::{self, Hot};
use crate::private;
use core::sync::atomic::Ordering;

const SLOTS: usize = 4096;

/// An open event of a stream; free while `number` is zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Open {
    pub id: u64,
    pub stream: u32,
    /// Number of the event.
    pub number: u32,
    pub is_kept: bool,
    pub has_totals: bool,
    /// The slot belongs to its stream as long as others are free, so that searches go
    /// on behind it.
    is_taken: bool,
}

/// The slot of a stream; `None` when there are too many streams.
pub fn slot(hot: &Hot, stream: u32) -> Option<&'static mut Open> {
    let mut table = hot.streams.load(Ordering::Relaxed).cast::<Open>();
    if table.is_null() {
        table = private::map_array::<Open>(SLOTS, 4096)?;
        hot.streams.store(table.cast(), Ordering::Relaxed);
    }
    let mut over: Option<usize> = None;
    for step in 0..SLOTS {
        let index = (stream as usize).wrapping_add(step) % SLOTS;
        // SAFETY: the index is below the table's length; the lock is held.
        let slot = unsafe { &mut *table.add(index) };
        if !slot.is_taken {
            slot.is_taken = true;
            slot.stream = stream;
        }
        if slot.stream == stream {
            return Some(slot);
        }
        if slot.number == 0 {
            over = over.or(Some(index));
        }
    }
    // A stream without an open event gives its slot up.
    // SAFETY: as above.
    let slot = unsafe { &mut *table.add(over?) };
    slot.stream = stream;
    Some(slot)
}

/// Notes that one more event is open, or one less; returns how many are.
pub fn count_open(by: i32) -> u32 {
    let open = &hot::get().open_events;
    let now = open.load(Ordering::Relaxed).saturating_add_signed(by);
    open.store(now, Ordering::Relaxed);
    now
}
