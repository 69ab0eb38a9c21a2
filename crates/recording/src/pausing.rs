//! Recording that is paused and resumed from outside, while the program runs.
//!
//! The recorder asks one word of its header at every call; marks, the range of events that
//! was asked for and this change the same word, and the last of them is what holds.

use super::sighting::Process;
use anyhow::Result;
use residue_arena::header;
use residue_arena::tables::thread as stat;
use residue_finish::ArenaFile;
use std::sync::atomic::Ordering;

/// Pauses a process or lets it go on; returns whether it was paused before.
pub fn set_paused(process: &Process, is_paused: bool) -> bool {
    let paused = process.window.word(header::PAUSED);
    paused.swap(u64::from(is_paused), Ordering::AcqRel) != 0
}

/// Allocations that were not recorded so far.
pub fn paused_calls(process: &Process) -> Result<u64> {
    let threads = ArenaFile::open(&process.arena)?.thread_records()?;
    let calls = threads.iter().map(|record| record[stat::PAUSED_CALLS]);
    Ok(calls.sum())
}
