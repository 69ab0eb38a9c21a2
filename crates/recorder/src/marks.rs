//! What programs tell the recorder: events, stamps, counts, scopes, pauses,
//! snapshots, and the blocks of their own allocators.
//!
//! Wrong use is counted and ignored. Nothing here is on the path of an
//! allocation, so a lock and a system call are allowed, within reason.

use crate::account;
use crate::arena_map::{Arena, bump};
use crate::counts;
use crate::hot::{self, Hot};
use crate::inject;
use crate::ledger;
use crate::live::{self, Block};
use crate::loss::Loss;
use crate::moments;
use crate::names;
use crate::pausing;
use crate::picture;
use crate::recorder::{self, Caller};
use crate::setup::{self, Digits};
use crate::snapshots;
use crate::streams;
use crate::sys;
use crate::thread::Thread;
use crate::trie;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering;
use residue_arena::moments::*;
use residue_arena::tables::thread as stat;
use residue_arena::{header, node};

/// Numbers of events have 32 bits, as births do.
const MOST_EVENTS: u64 = u32::MAX as u64 / 2;

fn count_misuse(arena: Arena, word: header::Word) {
    arena.word(word).fetch_add(1, Ordering::Relaxed);
}

/// The number of the event a thread works for; zero before the first.
fn event_number(arena: Arena, thread: &Thread) -> u32 {
    let birth = u64::from(live::birth_now(arena, thread));
    birth.saturating_sub(arena.get(header::EVENT_BASE)) as u32
}

/// An event begins, as told by `source`.
pub fn event_begins(id: Option<u64>, stream: Option<u32>, source: u64) {
    let mut begun = false;
    recorder::with_thread(Loss::Nothing, |hot, arena, thread| {
        begun = begin(hot, arena, thread, id, stream, source);
    });
    if begun {
        // The entry of a function ends the event before it.
        if source == header::SOURCE_FUNCTION
            && let Some(arena) = hot::get().recording_arena()
        {
            picture::event_ended(arena.get(header::EVENTS) - 1);
        }
        inject::leak_if_asked();
    }
}

fn begin(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    id: Option<u64>,
    stream: Option<u32>,
    source: u64,
) -> bool {
    let Some(_held) = hot.events_lock.lock_unless_own() else {
        count_misuse(arena, header::BEGIN_INSIDE_EVENT);
        return false;
    };
    if !claim_source(arena, source) {
        return false;
    }
    let stream = stream.unwrap_or(thread.index);
    let Some(open) = streams::slot(hot, stream) else {
        count_misuse(arena, header::NO_ROOM);
        return false;
    };
    let mut row = moments::sample_at_begin(hot, arena);
    row.tid = thread.owner().unwrap_or(0);
    if open.number != 0 {
        // The entry of a function ends the event before it; a mark should not.
        if source == header::SOURCE_MARKS {
            count_misuse(arena, header::BEGIN_INSIDE_EVENT);
        }
        end_open(arena, open, row);
    }
    let events = arena.get(header::EVENTS) + 1;
    if events >= MOST_EVENTS {
        count_misuse(arena, header::NO_ROOM);
        return false;
    }
    arena.set(header::EVENTS, events);
    let number = events as u32;
    let birth = arena.get(header::EVENT_BASE) as u32 + number;
    open.number = number;
    open.id = id.unwrap_or(u64::from(number));
    open.is_kept = moments::keep(hot, arena, number);
    open.has_totals = open.is_kept && moments::keeps_totals(arena, number);
    let open_now = streams::count_open(1);
    arena
        .word(header::STREAMS)
        .fetch_max(u64::from(open_now), Ordering::Relaxed);
    thread.work_for(birth);
    row.kind = KIND_BEGIN;
    row.event = number;
    row.id = open.id;
    row.stream = stream;
    row.has_totals = open.has_totals;
    write_boundary(arena, row, open.is_kept);
    arena.set(header::BIRTH, u64::from(birth));
    pausing::event_begins(arena, events);
    if setup::wants_snapshot(hot, number) {
        take_numbered_snapshot(hot, arena, number);
    }
    account::take_if_due(hot, arena, row.time_ns);
    true
}

/// The event of a stream ends at `row`'s moment.
fn end_open(arena: Arena, open: &mut streams::Open, row: MomentRow) {
    let row = MomentRow {
        kind: KIND_END,
        event: open.number,
        id: open.id,
        stream: open.stream,
        has_totals: open.has_totals,
        ..row
    };
    write_boundary(arena, row, open.is_kept);
    open.number = 0;
    streams::count_open(-1);
}

/// Writes a begin or an end. Those of events that are kept are moments.
fn write_boundary(arena: Arena, mut row: MomentRow, is_kept: bool) {
    if is_kept {
        moments::end_interval(arena, &mut row);
    }
    moments::write(arena, &row, is_kept);
    if is_kept {
        counts::write_totals(arena, &row);
    }
}

/// True when events are told by `source`: the first to tell any is heard, and takes
/// over from the clock. The lock for events is held.
fn claim_source(arena: Arena, source: u64) -> bool {
    match arena.get(header::SOURCE) {
        known if known == source => true,
        header::SOURCE_NONE | header::SOURCE_TICKS => {
            arena.set(header::SOURCE, source);
            // A tick that comes at this very moment finds another birth than it
            // expects, and gives up.
            let ticks = arena.word(header::BIRTH).fetch_add(1, Ordering::AcqRel);
            arena.set(header::EVENT_BASE, ticks + 1);
            pausing::ticks_end(arena);
            true
        }
        _ => false,
    }
}

fn take_numbered_snapshot(hot: &Hot, arena: Arena, number: u32) {
    let mut digits = Digits::default();
    match names::number(arena, digits.of(number.into())) {
        Some(name) => snapshots::take(hot, arena, name, number),
        None => count_misuse(arena, header::NO_ROOM),
    }
}

pub extern "C" fn event_begin(id: u64, stream: u32) {
    event_begins(Some(id), Some(stream), header::SOURCE_MARKS);
}

pub extern "C" fn event_end(id: u64, stream: u32) {
    let mut ended = None;
    recorder::with_thread(Loss::Nothing, |hot, arena, thread| {
        if arena.get(header::SOURCE) > header::SOURCE_MARKS {
            return;
        }
        let Some(_held) = hot.events_lock.lock_unless_own() else {
            return;
        };
        let Some(open) = streams::slot(hot, stream) else {
            return count_misuse(arena, header::NO_ROOM);
        };
        if open.number == 0 {
            count_misuse(arena, header::END_WITHOUT_BEGIN);
        } else if open.id != id {
            count_misuse(arena, header::END_OF_ANOTHER);
        } else {
            let mut row = moments::sample_at_end(hot, arena);
            row.tid = thread.owner().unwrap_or(0);
            ended = Some(open.number);
            end_open(arena, open, row);
        }
    });
    if let Some(event) = ended {
        picture::event_ended(u64::from(event));
    }
}

pub extern "C" fn event_current() -> u32 {
    let mut token = 0;
    recorder::with_thread(Loss::Nothing, |_, _, thread| token = thread.event);
    token
}

pub extern "C" fn event_enter(token: u32) -> u32 {
    let mut before = 0;
    recorder::with_thread(Loss::Nothing, |_, _, thread| {
        before = thread.event;
        thread.work_for(token);
    });
    before
}

/// Does something with a name that a program passed.
///
/// # Safety
/// `name` must be null or the start of a text that ends in a zero byte.
unsafe fn with_name(name: *const c_char, work: impl FnOnce(&Hot, Arena, &mut Thread, u32)) {
    recorder::with_thread(Loss::Nothing, |hot, arena, thread| {
        // SAFETY: handed on to the caller.
        match names::number(arena, unsafe { names::bytes_of(name) }) {
            Some(number) => work(hot, arena, thread, number),
            None => count_misuse(arena, header::NO_ROOM),
        }
    });
}

pub unsafe extern "C" fn stamp(name: *const c_char) {
    // SAFETY: the program's own argument.
    unsafe {
        with_name(name, |hot, arena, thread, name| {
            let event = event_number(arena, thread);
            let row = MomentRow {
                kind: KIND_STAMP,
                name: Some(name),
                event,
                tid: thread.owner().unwrap_or(0),
                ..moments::whole_sample(hot, arena)
            };
            moments::write(arena, &row, moments::is_kept(hot, arena, event));
        });
    }
}

pub unsafe extern "C" fn count(name: *const c_char, value: f64) {
    if !value.is_finite() {
        return;
    }
    // SAFETY: the program's own argument.
    unsafe {
        with_name(name, |hot, arena, thread, name| {
            let total = counts::add(name, value);
            let event = event_number(arena, thread);
            let now_ns = sys::monotonic_ns();
            let row = MomentRow {
                kind: KIND_COUNT,
                name: Some(name),
                event,
                id: value.to_bits(),
                // No total is lost with the events that are not kept, nor by a kill.
                vm_bytes: total,
                time_ns: now_ns.saturating_sub(arena.get(header::STARTED_MONOTONIC_NS)),
                ..MomentRow::default()
            };
            moments::write(arena, &row, moments::is_kept(hot, arena, event));
        });
    }
}

pub unsafe extern "C" fn scope_begin(name: *const c_char) {
    // SAFETY: the program's own argument.
    unsafe {
        with_name(name, |_, arena, thread, name| {
            let key = node::FIRST_SCOPE_KEY + u64::from(name);
            let parent = thread.scope();
            let scope = trie::child(arena, &thread.recent_children, parent, key);
            thread.begin_scope(scope.unwrap_or(parent));
        });
    }
}

pub extern "C" fn scope_end() {
    recorder::with_thread(Loss::Nothing, |_, arena, thread| {
        if !thread.end_scope() {
            count_misuse(arena, header::SCOPE_END_WITHOUT_BEGIN);
        }
    });
}

pub extern "C" fn pause(all_threads: c_int) {
    recorder::with_thread(Loss::Nothing, |_, arena, thread| match all_threads {
        0 => thread.pause(1),
        _ => pausing::pause(arena),
    });
}

pub extern "C" fn resume(all_threads: c_int) {
    recorder::with_thread(Loss::Nothing, |_, arena, thread| match all_threads {
        0 => thread.pause(-1),
        _ => pausing::resume(arena),
    });
}

pub extern "C" fn thresholds(min_bytes: u64, max_bytes: u64) {
    let hot = hot::get();
    if let Some(arena) = hot.recording_arena() {
        arena.set(header::MIN_SIZE, min_bytes);
        arena.set(header::MAX_SIZE, max_bytes);
        setup::apply_limits(hot, arena);
    }
}

pub unsafe extern "C" fn snapshot(name: *const c_char) {
    // SAFETY: the program's own argument.
    unsafe {
        with_name(name, |hot, arena, thread, name| {
            let event = event_number(arena, thread);
            if let Some(_held) = hot.events_lock.lock_unless_own() {
                snapshots::take(hot, arena, name, event);
            }
        });
    }
}

/// A block of a program's own allocator. It lies inside memory that is counted
/// already, so it has a ledger of its own.
pub unsafe extern "C" fn allocated(
    block: *const c_void,
    bytes: usize,
    return_slot: *const usize,
    bp: usize,
) {
    recorder::with_thread(Loss::Block(bytes), |hot, arena, thread| {
        if block.is_null() || thread.is_paused(arena) {
            return;
        }
        let caller = Caller { return_slot, bp };
        // SAFETY: the stub describes the call in progress.
        let stack = unsafe { recorder::reported_stack(hot, arena, thread, caller) };
        let Some(record) = ledger::record(arena, thread, stack) else {
            return live::dropped(thread, bytes as u64);
        };
        let made = Block {
            stack,
            bytes: bytes as u64,
            birth: live::birth_now(arena, thread),
        };
        match live::insert_reported(arena, thread, block as usize, made) {
            Ok(stale) => {
                if let Some(stale) = stale {
                    release(arena, thread, stale);
                }
                ledger::mapped(arena, record, stack, bytes as u64);
            }
            Err(()) => live::dropped(thread, bytes as u64),
        }
    });
}

pub unsafe extern "C" fn freed(block: *const c_void) {
    recorder::with_thread(Loss::Nothing, |_, arena, thread| match live::take_reported(
        arena,
        thread,
        block as usize,
    ) {
        Some(found) => release(arena, thread, found),
        None => bump(&thread.stats[stat::UNKNOWN_FREES], 1),
    });
}

fn release(arena: Arena, thread: &mut Thread, block: Block) {
    if let Some(record) = ledger::record(arena, thread, block.stack) {
        ledger::unmapped(arena, record, block.stack, block.bytes, true);
    }
}
