//! Recording that pauses and goes on, for all threads: by marks, and at the events that were
//! asked for. Every call asks one word, and all of these change it; the command does too.
//!
//! ```text
//!   --events 10..20    PAUSED 1        │ 0                  │ 1
//!                      ────────────────B────────────────────B──────
//!                      RECORDED_FROM   10      RECORDED_TO  20
//! ```
//!
//! What is known of events outside is not what they did, so the header says which ones were
//! recorded. The lock for events is held where one begins.

use crate::arena_map::Arena;
use crate::picture;
use residue_arena::header;

/// What the word of a call says that has more to do than usual: whether it is paused.
#[cold]
#[inline(never)]
pub fn is_meant(arena: Arena, word: u64) -> bool {
    if word & header::ASKS_FOR_PICTURE != 0 {
        picture::note_request(arena);
    }
    word & !header::ASKS_FOR_PICTURE != 0
}

fn is_paused(arena: Arena) -> bool {
    arena.get(header::PAUSED) & !header::ASKS_FOR_PICTURE != 0
}

/// An event begins.
pub fn event_begins(arena: Arena, number: u64) {
    if number == arena.get(header::RECORD_FROM) {
        if is_paused(arena) {
            arena.set(header::RECORDED_FROM, number);
            arena.set(header::RECORDED_TO, 0);
        }
        arena.set(header::PAUSED, 0);
    }
    if number == arena.get(header::RECORD_TO) {
        if !is_paused(arena) {
            arena.set(header::RECORDED_TO, number);
        }
        arena.set(header::PAUSED, 1);
    }
}

/// The first event ends the ticks, whose numbers are others: what was asked for is of events.
pub fn ticks_end(arena: Arena) {
    if arena.get(header::RECORD_FROM) | arena.get(header::RECORD_TO) != 0 {
        arena.set(header::RECORDED_FROM, 0);
        arena.set(header::RECORDED_TO, 0);
        arena.set(header::PAUSED, arena.get(header::START_PAUSED));
    }
}

/// A mark pauses, around a part of the work as a rule: the events count as recorded.
pub fn pause(arena: Arena) {
    arena.set(header::PAUSED, 1);
}

/// A mark lets recording go on. Of the events before the first time nothing is known.
pub fn resume(arena: Arena) {
    let events = arena.get(header::EVENTS);
    let is_first = arena.get(header::START_PAUSED) != 0
        && is_paused(arena)
        && arena.get(header::RECORDED_FROM) == 0;
    if is_first {
        // In the first event none was missed as a whole.
        let first = if events < 2 { 1 } else { events + 1 };
        arena.set(header::RECORDED_FROM, first);
    }
    arena.set(header::RECORDED_TO, 0);
    arena.set(header::PAUSED, 0);
}
