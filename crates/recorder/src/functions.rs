//! Events by the entries of a function: the modules are named to the command, which
//! searches their symbols, and every function that it finds gets a detour.
//!
//! The dynamic linker calls the empty function `_dl_debug_state` when modules have been
//! mapped, before any of their code runs; debuggers stop there. A detour of it tells when
//! there is something new to search.

use crate::arena_map::{self, Arena};
use crate::detour::{self, Function, Refusal};
use crate::hot;
use crate::marks;
use crate::picture;
use crate::setup;
use crate::sys;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use residue_arena::header;
use residue_arena::moments::{MOST_TARGETS, target};
use residue_arena::region::{Region, USED};

/// Tags of detours.
const LOADER: usize = 0;
const EVENT: usize = 1;
const EXIT: usize = 2;

/// How long the command may take to search the modules, in steps of a wait.
const WAIT_STEP_NS: u64 = 500_000;
const MOST_WAITS: u32 = 60_000;
const WAITS_PER_LOOK: u32 = 100;

/// The dynamic linker's `r_debug`.
#[repr(C)]
struct LinkerState {
    version: c_int,
    first: *const Link,
    notify: usize,
    state: c_int,
}

/// One loaded module, as far as debuggers are told.
#[repr(C)]
struct Link {
    bias: usize,
    name: *const c_char,
    dynamic: usize,
    next: *const Link,
}

const CONSISTENT: c_int = 0;

static LINKER: AtomicUsize = AtomicUsize::new(0);
/// Nobody answers: the command is gone. The program must not wait again.
static IS_ALONE: AtomicU32 = AtomicU32::new(0);

/// Begins to watch. `linker` is the address of the dynamic linker's `_r_debug`.
pub fn start(arena: Arena, linker: usize) {
    if linker == 0 {
        return arena.note(header::NOTE_LATER_MODULES_UNSEEN);
    }
    LINKER.store(linker, Ordering::Relaxed);
    detour::set_hook(entered);
    // SAFETY: the dynamic linker keeps `_r_debug` for ever.
    let notify = unsafe { (*(linker as *const LinkerState)).notify };
    if detour::install(notify, None, LOADER).is_err() {
        arena.note(header::NOTE_LATER_MODULES_UNSEEN);
    }
    search(arena);
}

/// Has a picture taken where the process begins to end: `main` that returns calls libc's `exit`
/// from within libc, and no hook sees it.
pub fn watch_exit(exit: usize) {
    detour::set_hook(entered);
    // Where it cannot be watched, pictures are those of events, and of calls that are seen.
    let _ = detour::install(exit, None, EXIT);
}

extern "C" fn entered(tag: usize, return_slot: *const usize, _bp: usize) {
    picture::note_vectors(|| detour::vectors_of(return_slot));
    entered_noted(tag);
    picture::note_vectors(|| 0..0);
}

fn entered_noted(tag: usize) {
    match tag {
        EXIT => picture::at_exit(),
        EVENT => marks::event_begins(None, None, header::SOURCE_FUNCTION),
        _ => {
            let linker = LINKER.load(Ordering::Relaxed) as *const LinkerState;
            // SAFETY: set at the start, and kept for ever by the dynamic linker.
            let is_consistent = unsafe { (*linker).state } == CONSISTENT;
            if let Some(arena) = hot::get().recording_arena().filter(|_| is_consistent) {
                search(arena);
            }
        }
    }
}

/// Has the modules searched that were not there the last time, and watches the
/// functions found. The dynamic linker lets one thread come here at a time.
fn search(arena: Arena) {
    if IS_ALONE.load(Ordering::Relaxed) != 0 {
        return;
    }
    // A forked child has the detours of its parent, but an arena of its own.
    let is_ready = &hot::get().targets_are_ready;
    if is_ready.swap(1, Ordering::Relaxed) == 0
        && arena.append_run(Region::Targets, MOST_TARGETS).is_none()
    {
        IS_ALONE.store(1, Ordering::Relaxed);
        return;
    }
    let asked = name_modules(arena);
    if asked == arena.get(header::MODULES_ASKED) {
        return;
    }
    arena
        .word(header::MODULES_ASKED)
        .store(asked, Ordering::Release);
    let answered = arena.word(header::MODULES_ANSWERED);
    for wait in 0..MOST_WAITS {
        if answered.load(Ordering::Acquire) >= asked {
            return watch_found(arena);
        }
        if wait % WAITS_PER_LOOK == 0 && !setup::command_runs() {
            break;
        }
        sys::sleep_ns(WAIT_STEP_NS);
    }
    IS_ALONE.store(1, Ordering::Relaxed);
    arena.note(header::NOTE_LATER_MODULES_UNSEEN);
}

/// Writes down the modules that are new, in place of those of the last question, which
/// is answered. Returns how many were ever asked for. A module that went and came back
/// at the same place is new: its code is another copy, and the number of modules fell in
/// between.
fn name_modules(arena: Arena) -> u64 {
    static KNOWN_LINKS: AtomicUsize = AtomicUsize::new(0);
    let linker = LINKER.load(Ordering::Relaxed) as *const LinkerState;
    // SAFETY: set before the first call; the list is not changed while the dynamic
    // linker is in this state.
    let first = unsafe { (*linker).first };
    let count = links(first).count();
    let known = KNOWN_LINKS.swap(count, Ordering::Relaxed);
    let mut named = 0;
    // New modules stand at the end of the list.
    for link in links(first).skip(known.min(count)) {
        // SAFETY: as above.
        let (bias, dynamic) = unsafe { ((*link).bias, (*link).dynamic) };
        let has_room = named < arena.get(Region::Loads.word(USED));
        if !has_room && arena.append(Region::Loads).is_none() {
            let unread = arena.word(header::MODULES_UNREAD);
            unread.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        // SAFETY: the item was appended, now or for an earlier question.
        let words = unsafe { arena_map::words::<2>(arena.item(Region::Loads, named)) };
        words[0].store(dynamic as u64, Ordering::Relaxed);
        words[1].store(bias as u64, Ordering::Relaxed);
        named += 1;
    }
    arena.get(header::MODULES_ASKED) + named
}

fn links(first: *const Link) -> impl Iterator<Item = *const Link> {
    let mut at = first;
    core::iter::from_fn(move || {
        let here = at;
        if here.is_null() {
            return None;
        }
        // SAFETY: links are followed while the list is not changed.
        at = unsafe { (*here).next };
        Some(here)
    })
}

/// Makes detours for the functions in the answer; those that have one keep it.
fn watch_found(arena: Arena) {
    let found = arena.get(header::FUNCTIONS_FOUND).min(MOST_TARGETS);
    for index in 0..found {
        // SAFETY: the run of targets was made present at the start.
        let words = unsafe { arena_map::words::<2>(arena.item(Region::Targets, index)) };
        let address = words[0].load(Ordering::Acquire) as usize;
        let (size, next_symbol) = target::unpack(words[1].load(Ordering::Relaxed));
        let function = Function {
            address,
            size: Some(size as usize),
            next_symbol: next_symbol.map(|bytes| bytes as usize),
        };
        let word = match detour::install_in(&function, EVENT) {
            Ok(()) => header::FUNCTIONS_WATCHED,
            Err(Refusal::NoRoomNearby | Refusal::OutOfReach) => header::FUNCTIONS_WITHOUT_ROOM,
            Err(Refusal::NotAllowed) => header::FUNCTIONS_FORBIDDEN,
            Err(_) => header::FUNCTIONS_REFUSED,
        };
        arena.word(word).fetch_add(1, Ordering::Relaxed);
    }
}
