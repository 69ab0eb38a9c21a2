//! The whole heap and its highest moment.
//!
//! The composition of the peak needs no trace. While the heap rises to ever new
//! peaks, what is live now *is* the composition. When it stops rising, a new
//! epoch begins; from then on every record saves its live bytes before its first
//! change in the epoch. A record untouched since then has the same bytes still.
//!
//! With one thread every change is seen as it happens. With several, a thread
//! holds back its changes until they exceed [`QUANTUM_BYTES`], so the peak is
//! known to within that much per thread.

use crate::arena_map::{self, Arena, bump};
use crate::hot;
use crate::thread::Thread;
use core::sync::atomic::Ordering;
use residue_arena::header;
use residue_arena::region::Region;
use residue_arena::tables::thread as stat;

/// What a thread may hold back once there are several.
pub const QUANTUM_BYTES: i64 = 16 << 10;

/// The epoch in which a record must save before it changes; `None` while rising.
#[inline(always)]
pub fn epoch_to_save(arena: Arena) -> Option<u32> {
    (arena.get(header::RISING) == 0).then(|| arena.get(header::PEAK_EPOCH) as u32)
}

/// The heap is about to shrink: if it was rising, this is the peak.
#[inline(always)]
pub fn before_shrinking(arena: Arena) {
    if arena.get(header::RISING) != 0 && hot::get().many_threads.load(Ordering::Relaxed) == 0 {
        stop_rising(arena);
    }
}

fn stop_rising(arena: Arena) {
    arena
        .word(header::PEAK_EPOCH)
        .fetch_add(1, Ordering::Relaxed);
    arena.set(header::RISING, 0);
}

/// The heap changed by `bytes`.
#[inline(always)]
pub fn changed(arena: Arena, thread: &Thread, bytes: i64) {
    let pending = &thread.stats[stat::PENDING_BYTES];
    if hot::get().many_threads.load(Ordering::Relaxed) == 0 {
        bump(pending, bytes as u64);
        let live = arena
            .get(header::LIVE_BYTES)
            .wrapping_add(pending.load(Ordering::Relaxed));
        if live > arena.get(header::PEAK_BYTES) && (live as i64) > 0 {
            arena.set(header::PEAK_BYTES, live);
            arena.set(header::RISING, 1);
        }
        return;
    }
    let held = (pending.load(Ordering::Relaxed) as i64).wrapping_add(bytes);
    if (-QUANTUM_BYTES..=QUANTUM_BYTES).contains(&held) {
        pending.store(held as u64, Ordering::Relaxed);
    } else {
        pending.store(0, Ordering::Relaxed);
        publish(arena, held);
    }
}

fn first_pending(arena: Arena) -> u64 {
    // SAFETY: there is a first thread, since one calls; its item stays.
    let first = unsafe { arena_map::words::<{ stat::WORDS }>(arena.item(Region::Threads, 0)) };
    first[stat::PENDING_BYTES].load(Ordering::Relaxed)
}

#[cold]
fn publish(arena: Arena, held: i64) {
    let before = arena
        .word(header::LIVE_BYTES)
        .fetch_add(held as u64, Ordering::Relaxed);
    // What the first thread made while it was alone is still pending with it, all
    // of it, until its next call; the others never hold back more than a quantum.
    let first_threads = first_pending(arena);
    let live = before.wrapping_add(held as u64).wrapping_add(first_threads) as i64;
    if live > arena.get(header::PEAK_BYTES) as i64 {
        arena
            .word(header::PEAK_BYTES)
            .fetch_max(live as u64, Ordering::Relaxed);
        arena.set(header::RISING, 1);
    } else if arena.get(header::RISING) != 0 {
        stop_rising(arena);
    }
}
