//! What is lost where a call cannot be recorded at all: the process is just being set up,
//! or its thread gets no state. Counted for the whole process, as there is no thread to
//! count for; what a thread with a state loses it counts itself.

use crate::arena_map::Arena;
use crate::hot::{self, Hot, SETTING_UP};
use crate::live;
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::header;

/// What the program did in a call that may not be recorded.
#[derive(Clone, Copy)]
pub enum Loss {
    /// Nothing that is counted.
    Nothing,
    /// It made a block, or a mapping, of so many bytes.
    Block(usize),
    /// It frees the block at this address.
    Free(usize),
}

/// Losses before there is an arena to count them in.
#[repr(C)]
pub struct EarlyLosses {
    blocks: AtomicU64,
    bytes: AtomicU64,
    frees: AtomicU64,
}

impl Loss {
    /// Counts it in a process that records, or is about to.
    #[cold]
    pub fn count(self) {
        let hot = hot::get();
        match (hot.recording_arena(), self) {
            (_, Loss::Nothing) => {}
            (Some(arena), Loss::Block(bytes)) => {
                add(arena, header::DROPPED, 1);
                add(arena, header::DROPPED_BYTES, bytes as u64);
            }
            (Some(arena), Loss::Free(address)) => count_free(arena, address),
            (None, _) if hot.mode.load(Ordering::Relaxed) == SETTING_UP => self.count_early(hot),
            (None, _) => {}
        }
    }

    fn count_early(self, hot: &Hot) {
        let early = &hot.early_losses;
        match self {
            Loss::Nothing => {}
            Loss::Block(bytes) => {
                early.blocks.fetch_add(1, Ordering::SeqCst);
                early.bytes.fetch_add(bytes as u64, Ordering::SeqCst);
            }
            Loss::Free(_) => {
                early.frees.fetch_add(1, Ordering::SeqCst);
            }
        }
        // The thread that sets up may have looked just before.
        hand_over_early(hot);
    }
}

/// Runs what allocates for the recorder while the process is set up: that is no loss of the
/// program's.
pub fn not_counted<T>(call: impl FnOnce() -> T) -> T {
    let early = &hot::get().early_losses;
    let counters = [&early.blocks, &early.bytes, &early.frees];
    let before = counters.map(|counter| counter.load(Ordering::SeqCst));
    let result = call();
    for (counter, before) in counters.into_iter().zip(before) {
        counter.store(before, Ordering::SeqCst);
    }
    result
}

fn add(arena: Arena, word: header::Word, more: u64) {
    arena.word(word).fetch_add(more, Ordering::Relaxed);
}

/// A block that is known stays in the table, as it does in the counters; the next block at
/// its address puts both right.
fn count_free(arena: Arena, address: usize) {
    match live::is_known(address) {
        true => add(arena, header::DROPPED_FREES, 1),
        false => add(arena, header::UNKNOWN_FREES, 1),
    }
}

/// Moves what was lost before there was an arena into it.
pub fn hand_over_early(hot: &Hot) {
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    let early = &hot.early_losses;
    for (lost, word) in [
        (&early.blocks, header::DROPPED),
        (&early.bytes, header::DROPPED_BYTES),
        (&early.frees, header::UNKNOWN_FREES),
    ] {
        add(arena, word, lost.swap(0, Ordering::SeqCst));
    }
}
