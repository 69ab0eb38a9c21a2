//! Whether there is memory for a copy of the process.
//!
//! A copy takes nothing but page tables at first. While it is read it takes a page for each that the
//! program writes to, and the reader takes up to half of what small blocks do. So much must be left
//! as half of what the process has of its own, or the machine would look for somebody to kill.
//! What is left the command knows: it looks at the machine, and at the limits of control groups.

use crate::arena_map::Arena;
use crate::hot::Hot;
use crate::moments;
use residue_arena::header;

/// What tables of small programs take.
const LEAST_BYTES: u64 = 32 << 20;

pub fn is_enough(hot: &Hot, arena: Arena) -> bool {
    let room_bytes = arena.get(header::PICTURE_ROOM_BYTES);
    if room_bytes == 0 {
        return true;
    }
    let now = moments::whole_sample(hot, arena);
    let own_bytes = now.rss_bytes.saturating_sub(now.shared_bytes);
    arena.set(header::PICTURE_OWN_BYTES, own_bytes);
    own_bytes / 2 + LEAST_BYTES <= room_bytes
}
