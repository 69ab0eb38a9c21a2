//! A frozen picture of the process: a child that shares all memory until one of the two writes,
//! and does nothing. The command reads it while the program goes on.
//!
//! ```text
//!            `holders --pid` ──► ASKED ── next allocation, event's end, exit
//!                                   ▼
//!   NONE ──── event wanted, exit ───┬─► WAITS ──► STANDS ──► READY ──► TAKEN ──► OVER ──► NONE
//!                                   │    command stops others  ▲  child   command has read it
//!                                   └── one thread ────────────┘
//! ```
//!
//! Nothing of the program's is stopped from here. Where it has other threads the command stops
//! them, by ptrace, while the page tables are copied; one thread alone waits for nobody.
//!
//! The live table lies in shared memory, which no child has for itself: what was live then is kept
//! by copying a page of the table before its first change (`live/frozen.rs`).
//!
//! The child has no signals, which its maker had blocked, no descriptors, and no death that a parent
//! is told of. It goes when the picture was read, or when the command is gone.

mod room;

use crate::arena_map::Arena;
use crate::hot::{self, Hot};
use crate::live::frozen;
use crate::setup;
use crate::sys;
use core::arch::naked_asm;
use core::ops::Range;
use core::sync::atomic::Ordering;
use residue_arena::header;
use residue_arena::region::{self, Region};

/// How long a thread waits for the others to be stopped, and for the child; and how often it looks.
const LONGEST_WAIT_NS: u64 = 500_000_000;
const WAIT_STEP_NS: u64 = 50_000;
/// The child looks so often whether it is still wanted, and at the command once in so many looks.
const LOOK_NS: u64 = 5_000_000;
const LOOKS_PER_COMMAND: u32 = 100;
/// Nobody reads for so long: ten minutes.
const MOST_LOOKS: u32 = 120_000;
/// How long the program waits for an earlier picture to be read before it ends.
const LONGEST_WAIT_AT_EXIT_NS: u64 = 10_000_000_000;

/// A picture is taken at the end of an event when so many more events have ended since the last
/// one, by half of their number; so a killed program has one that is not old.
const FIRST_EVENT: u64 = 8;
/// And when the program has run for so many times as long as the last one held it up.
const REST: u64 = 200;

/// Where pictures are wanted at all.
pub fn set_up(hot: &Hot) {
    let config = setup::config();
    let at_exit = config.number("holders").unwrap_or(0) != 0;
    hot.takes_pictures
        .store(u32::from(at_exit), Ordering::Relaxed);
}

/// What makes a picture due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    EventEnded,
    Exit,
    Asked,
}

/// An event has ended, and no lock is held.
pub fn event_ended(event: u64) {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    if hot.picture_child.load(Ordering::Relaxed) != 0 {
        tidy(hot, arena);
    }
    let takes_some = hot.takes_pictures.load(Ordering::Relaxed) != 0;
    if (takes_some && is_wanted_at(hot, arena, event)) || is_asked(arena) {
        take(hot, arena, Due::EventEnded);
    }
}

fn is_asked(arena: Arena) -> bool {
    arena.get(header::PICTURE_STATE) == header::PICTURE_ASKED
}

fn is_wanted_at(hot: &Hot, arena: Arena, event: u64) -> bool {
    if setup::is_listed("holders_at", event) {
        return true;
    }
    let last = hot.picture_event.load(Ordering::Relaxed);
    if setup::has_list("holders_at") || event < FIRST_EVENT.max(last + last / 2) {
        return false;
    }
    let rest_ns = arena.get(header::PICTURE_TOOK_NS).saturating_mul(REST);
    let last_ns = hot.picture_ns.load(Ordering::Relaxed);
    if sys::monotonic_ns().saturating_sub(last_ns) < rest_ns {
        return false;
    }
    hot.picture_event.store(event, Ordering::Relaxed);
    true
}

/// The thread is inside a detour, which keeps the vectors there.
pub fn note_vectors(place: impl FnOnce() -> Range<usize>) {
    let hot = hot::get();
    let takes_some = hot.takes_pictures.load(Ordering::Relaxed) != 0;
    // Where somebody asked for one picture it is to be forgotten again.
    let is_noted = hot.vectors_end.load(Ordering::Relaxed) != 0;
    if !takes_some && !is_noted && !hot.recording_arena().is_some_and(is_asked) {
        return;
    }
    let place = place();
    hot.vectors_start.store(place.start, Ordering::Relaxed);
    hot.vectors_end.store(place.end, Ordering::Relaxed);
}

/// The program is about to end; `exit`, its detour and `_exit` all say so.
pub fn at_exit() {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    let is_due = hot.takes_pictures.load(Ordering::Relaxed) != 0 || is_asked(arena);
    if is_due && !arena.is_borrowed() && hot.is_pictured_at_exit.swap(1, Ordering::Relaxed) == 0 {
        take(hot, arena, Due::Exit);
    }
}

/// A call has seen that the command asks: the end of this call, or of another thread's, takes the
/// picture. Until then calls look at one word less.
pub fn note_request(arena: Arena) {
    let word = arena.word(header::PAUSED);
    word.fetch_and(!header::ASKS_FOR_PICTURE, Ordering::Relaxed);
    let flags = &hot::get().slow_path_flags;
    flags.fetch_or(hot::ASKS_FOR_PICTURE, Ordering::Relaxed);
}

/// At the end of an allocation that has more to do than usual.
#[cold]
pub fn take_if_asked(hot: &Hot, arena: Arena) {
    let flags = &hot.slow_path_flags;
    if flags.load(Ordering::Relaxed) & hot::ASKS_FOR_PICTURE == 0 || arena.is_borrowed() {
        return;
    }
    flags.fetch_and(!hot::ASKS_FOR_PICTURE, Ordering::Relaxed);
    if is_asked(arena) {
        take(hot, arena, Due::Asked);
    }
}

fn take(hot: &Hot, arena: Arena, due: Due) {
    if arena.is_borrowed() {
        return;
    }
    // Signals are blocked as long as it is held, and so they are in the child.
    let Some(_held) = hot.picture_lock.try_lock() else {
        return;
    };
    let state = arena.word(header::PICTURE_STATE);
    if state.load(Ordering::Acquire) == header::PICTURE_OVER {
        frozen::thaw(hot, arena);
    }
    if due == Due::Exit {
        wait_for_reader(hot, arena);
    }
    reap(hot, arena);
    let is_free = matches!(
        state.load(Ordering::Acquire),
        header::PICTURE_NONE | header::PICTURE_ASKED
    );
    if !is_free || hot.picture_child.load(Ordering::Relaxed) != 0 {
        return;
    }
    if !setup::command_runs() {
        hot.takes_pictures.store(0, Ordering::Relaxed);
        return;
    }
    let at = match due {
        Due::EventEnded => header::AT_EVENT_END,
        Due::Exit => header::AT_EXIT,
        Due::Asked => header::AT_REQUEST,
    };
    arena.set(header::PICTURE_AT, at);
    if !room::is_enough(hot, arena) {
        return fail(hot, arena, header::NO_ROOM_FOR_PICTURE);
    }
    let started_ns = sys::monotonic_ns();
    arena.set(header::PICTURE_TID, u64::from(sys::tid()));
    // Where it cannot be known there may be others.
    let threads = sys::status(b"/proc/self/task\0").map_or(0, |it| it.links.saturating_sub(2));
    arena.set(header::PICTURE_THREADS, threads);
    let is_stopped = threads == 1 || (sys::may_be_stopped() && others_are_stopped(arena));
    arena.set(header::PICTURE_UNSTOPPED, u64::from(!is_stopped));
    // What the child finds until its maker goes on.
    state.store(header::PICTURE_READY, Ordering::Release);
    // SAFETY: the call keeps all registers that a function has to keep.
    let made = unsafe { frozen_child() };
    let done = made.and_then(|child| {
        hot.picture_child.store(child as u32, Ordering::Relaxed);
        child_is_ready(arena)
    });
    let now_ns = sys::monotonic_ns();
    arena.set(header::PICTURE_TOOK_NS, now_ns.saturating_sub(started_ns));
    hot.picture_ns.store(now_ns, Ordering::Relaxed);
    if let Err(error) = done {
        fail(hot, arena, error.0.unsigned_abs() as u64);
    }
}

/// There is no picture, and why: one of `PICTURE_ERROR`.
fn fail(hot: &Hot, arena: Arena, error: u64) {
    frozen::thaw(hot, arena);
    arena.set(header::PICTURE_BIRTH, arena.get(header::BIRTH));
    arena.set(header::PICTURE_ERROR, error);
    let state = arena.word(header::PICTURE_STATE);
    state.store(header::PICTURE_FAILED, Ordering::Release);
}

/// Waits until the command has stopped the other threads; false where it does not, or cannot.
fn others_are_stopped(arena: Arena) -> bool {
    let state = arena.word(header::PICTURE_STATE);
    state.store(header::PICTURE_WAITS, Ordering::Release);
    let deadline_ns = sys::monotonic_ns() + LONGEST_WAIT_NS;
    let mut waits = 0;
    while sys::monotonic_ns() < deadline_ns {
        match state.load(Ordering::Acquire) {
            header::PICTURE_STANDS => return true,
            header::PICTURE_RUN_ON => return false,
            _ => {}
        }
        if waits % LOOKS_PER_COMMAND == 0 && !setup::command_runs() {
            break;
        }
        waits += 1;
        sys::sleep_ns(WAIT_STEP_NS);
    }
    false
}

/// Waits until the child has none of the program's descriptors any more, and says so itself: whose
/// number it has, and that it can be read.
fn child_is_ready(arena: Arena) -> Result<(), sys::Errno> {
    let state = arena.word(header::PICTURE_STATE);
    let deadline_ns = sys::monotonic_ns() + LONGEST_WAIT_NS;
    while sys::monotonic_ns() < deadline_ns {
        if state.load(Ordering::Acquire) != header::PICTURE_READY {
            return Ok(());
        }
        sys::sleep_ns(WAIT_STEP_NS);
    }
    let to_failed = state.compare_exchange(
        header::PICTURE_READY,
        header::PICTURE_FAILED,
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    to_failed.map_or(Ok(()), |_| Err(sys::ETIMEDOUT))
}

/// The picture at the end is the one that counts: one that is still read is waited for, unless
/// somebody wants the program to end now.
fn wait_for_reader(hot: &Hot, arena: Arena) {
    let deadline_ns = sys::monotonic_ns() + LONGEST_WAIT_AT_EXIT_NS;
    let mut waits = 0;
    while sys::monotonic_ns() < deadline_ns && !sys::is_asked_to_end() {
        match arena.get(header::PICTURE_STATE) {
            header::PICTURE_TAKEN => reap(hot, arena),
            header::PICTURE_OVER => {
                frozen::thaw(hot, arena);
                reap(hot, arena);
            }
            _ if hot.picture_child.load(Ordering::Relaxed) != 0 => reap(hot, arena),
            _ => return,
        }
        if waits % LOOKS_PER_COMMAND == 0 && !setup::command_runs() {
            return;
        }
        waits += 1;
        sys::sleep_ns(WAIT_STEP_NS);
    }
}

/// Makes the child. Registers that a function has to keep are put on the stack first, where
/// they can be read: one of them may have the only pointer to a block.
#[unsafe(naked)]
unsafe extern "C" fn spilled(result: *mut Result<usize, sys::Errno>) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        "push r12",
        ".cfi_adjust_cfa_offset 8",
        "push r13",
        ".cfi_adjust_cfa_offset 8",
        "push r14",
        ".cfi_adjust_cfa_offset 8",
        "push r15",
        ".cfi_adjust_cfa_offset 8",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov rsi, rsp",
        "call {child}",
        "add rsp, 56",
        ".cfi_adjust_cfa_offset -56",
        "ret",
        ".cfi_endproc",
        child = sym make_child,
    )
}

unsafe fn frozen_child() -> Result<usize, sys::Errno> {
    let mut result = Err(sys::ENOSYS);
    // SAFETY: the result outlives the call.
    unsafe { spilled(&raw mut result) };
    result
}

/// # Safety
/// `result` must be valid for a write.
unsafe extern "C" fn make_child(result: *mut Result<usize, sys::Errno>, stack: usize) {
    let hot = hot::get();
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    arena.set(header::PICTURE_STACK, stack as u64);
    for (word, place) in [
        (header::PICTURE_VECTORS, &hot.vectors_start),
        (header::PICTURE_VECTORS_END, &hot.vectors_end),
    ] {
        arena.set(word, place.load(Ordering::Relaxed) as u64);
    }
    let thread_pointer = sys::thread_control_block() as u64;
    arena.set(header::PICTURE_THREAD_POINTER, thread_pointer);
    arena.set(header::PICTURE_BIRTH, arena.get(header::BIRTH));
    let list = hot.private_mappings.load(Ordering::Acquire) as u64;
    arena.set(header::PRIVATE_LIST, list);
    let pages = arena.get(Region::LivePages.word(region::USED));
    arena.set(header::PICTURE_PAGES, pages);
    frozen::freeze(hot, arena);
    // SAFETY: the child does what `wait_to_be_read` does, and nothing else.
    let made = unsafe { sys::clone_silently() };
    if made == Ok(0) {
        wait_to_be_read(arena);
    }
    // SAFETY: as promised by the caller.
    unsafe { result.write(made) };
}

/// The life of the child. The page of global state is wiped here.
fn wait_to_be_read(arena: Arena) -> ! {
    sys::die_first();
    sys::never_dump_core();
    sys::let_anybody_read();
    // A pipe whose end was open here would never end.
    sys::close_all();
    let number = arena.get(header::PICTURES);
    arena.set(header::PICTURE_PID, u64::from(sys::pid()));
    let state = arena.word(header::PICTURE_STATE);
    let is_told = state.compare_exchange(
        header::PICTURE_READY,
        header::PICTURE_TAKEN,
        Ordering::AcqRel,
        Ordering::Relaxed,
    );
    for look in 1..MOST_LOOKS {
        if is_told.is_err() || arena.get(header::PICTURES) != number {
            break;
        }
        sys::sleep_ns(LOOK_NS);
        let is_wanted = state.load(Ordering::Acquire) == header::PICTURE_TAKEN;
        if !is_wanted || (look % LOOKS_PER_COMMAND == 0 && !setup::command_runs()) {
            break;
        }
    }
    sys::exit(0)
}

/// An earlier picture that was read leaves nothing behind, in a program that allocates nothing, too.
fn tidy(hot: &Hot, arena: Arena) {
    let Some(_held) = hot.picture_lock.try_lock() else {
        return;
    };
    reap(hot, arena);
    if arena.get(header::PICTURE_STATE) == header::PICTURE_OVER {
        frozen::thaw(hot, arena);
    }
}

/// Takes the dead child away, if it is dead: nobody else is told of it.
fn reap(hot: &Hot, arena: Arena) {
    let child = hot.picture_child.load(Ordering::Relaxed);
    if child != 0 && !arena.is_borrowed() && sys::is_reaped(child) {
        hot.picture_child.store(0, Ordering::Relaxed);
        // Also where it was killed before it was read.
        let _ = arena.word(header::PICTURE_STATE).compare_exchange(
            header::PICTURE_TAKEN,
            header::PICTURE_OVER,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }
}
