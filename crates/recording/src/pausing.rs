//! Recording that is paused and resumed from outside, while the program runs: as a user asks,
//! and at the events that were asked for where the command and not the recorder finds them.
//!
//! The recorder asks one word of its header at every call; its marks and this change the same
//! word, and the last of them is what holds. Beside it stands which events were recorded.

use super::sighting::Process;
use anyhow::Result;
use residue_arena::header;
use residue_arena::tables::thread as stat;
use residue_finish::ArenaFile;
use residue_window::Window;
use std::sync::atomic::Ordering;

/// The events to record, numbered from one: from the begin of one to the begin of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WantedEvents {
    /// Zero for the start of the program.
    pub from: u64,
    /// Zero for its end.
    pub to: u64,
}

/// Pauses a process or lets it go on; returns whether it was paused before.
pub fn set_paused(process: &Process, is_paused: bool) -> bool {
    let window = &process.window;
    let event = process.event();
    if is_paused {
        // The event that runs is not recorded whole.
        return pause(window, event.max(1));
    }
    // A line may stand for the end of its event; then the next runs already.
    let runs = event + u64::from(window.get(header::SOURCE) == header::SOURCE_LINES);
    match window.get(header::RECORDED_TO) {
        0 if event == 0 => resume(window, 1),
        recorded_to if recorded_to != 0 && event <= recorded_to => {
            // None was missed as a whole.
            store(window, header::RECORDED_TO, 0);
            swap(window, 0)
        }
        _ => resume(window, runs + 1),
    }
}

/// An event begins, after the one of number `before`: recording goes on or pauses, if that was
/// asked for between the two.
pub fn event_begins(window: &Window, before: u64, number: u64) {
    let is_now = |word| (before + 1..=number).contains(&window.get(word));
    if is_now(header::RECORD_FROM) {
        resume(window, number);
    }
    if is_now(header::RECORD_TO) {
        pause(window, number);
    }
}

/// Pauses, if it is not paused; `first` is the first event that is not recorded whole.
fn pause(window: &Window, first: u64) -> bool {
    if !is_paused(window.get(header::PAUSED)) {
        store(window, header::RECORDED_TO, first);
    }
    swap(window, 1)
}

/// Goes on, if it is paused; `first` is the first event that is recorded whole.
fn resume(window: &Window, first: u64) -> bool {
    if is_paused(window.get(header::PAUSED)) {
        store(window, header::RECORDED_FROM, first);
        store(window, header::RECORDED_TO, 0);
    }
    swap(window, 0)
}

fn store(window: &Window, word: header::Word, value: u64) {
    window.word(word).store(value, Ordering::Release);
}

/// Whether it was paused.
fn swap(window: &Window, now: u64) -> bool {
    is_paused(window.word(header::PAUSED).swap(now, Ordering::AcqRel))
}

fn is_paused(word: u64) -> bool {
    word & !header::ASKS_FOR_PICTURE != 0
}

/// Allocations that were not recorded so far.
pub fn paused_calls(process: &Process) -> Result<u64> {
    let threads = ArenaFile::open(&process.arena)?.thread_records()?;
    let calls = threads.iter().map(|record| record[stat::PAUSED_CALLS]);
    Ok(calls.sum())
}
