//! Where CPU time goes: samples of the stacks of threads that run.
//!
//! ```text
//!   thread's CPU clock ──► timer ──► signal ──► handler: interrupted registers
//!                                                  └──► unwind ──► trie ──► ledger
//! ```
//!
//! Each thread has a timer on its own CPU clock ([`timer`]). A thread that waits uses no CPU time and
//! gets no signal; one that runs gets one for every period. The first period of the process begins at
//! a moment drawn at random, so that its moments are all as likely to be seen.
//!
//! The handler does what a hook does for an allocation in a signal handler, which may come at any
//! instruction: no lock, no allocation, a state of its own where it interrupted the recorder. It is
//! the one signal that the recorder takes, and only where it was asked to.

mod timer;

pub use timer::Timer;

use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::ledger;
use crate::recorder;
use crate::sys::{self, SignalAction, TimerSignal};
use crate::thread::{self, Thread};
use crate::unwind::rule::Cursor;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::tables::thread as stat;
use residue_arena::{header, node};
use timer::{Look, TIMER_VALUE};

/// Signals that may bring samples, tried in turn: high real-time ones, which no system library
/// uses, and not the highest, which other tools take.
const SIGNALS: [u32; 6] = [61, 60, 59, 58, 57, 56];

/// What the kernel sends instead when there is no room for one more signal of an event: the end of a
/// program that does not expect it.
const INSTEAD: u32 = 29;

/// Takes a signal, if samples were asked for. Where none is free there will be no samples.
pub fn set_up(arena: Arena) {
    let period_ns = arena.get(header::CPU_PERIOD_NS);
    if period_ns == 0 {
        return;
    }
    match SIGNALS.into_iter().find(|&signal| take(signal)) {
        Some(signal) => arena.set(header::CPU_SIGNAL, u64::from(signal)),
        None => return arena.note(header::NOTE_CPU_ENDED),
    }
    let tick_ns = sys::tick_ns();
    if period_ns < tick_ns {
        match take(INSTEAD) {
            true => arena.set(header::CPU_EVENT_TICK_NS, tick_ns),
            false => arena.note(header::NOTE_CPU_TICKS_ONLY),
        }
    }
}

/// Handles a signal that is nobody's, or that was the recorder's before a fork.
fn take(signal: u32) -> bool {
    let is_free = sys::signal_action(signal)
        .is_ok_and(|now| now.handler == 0 || now.handler == sampled as *const () as usize);
    is_free && sys::handle_signal(signal, sampled).is_ok()
}

/// Whether this is a signal that the recorder takes.
pub fn is_taken(signal: c_int) -> bool {
    let brings_samples = signal > 0 && taken_as_bit() == 1 << (signal as u32 - 1).min(63);
    brings_samples || signal == INSTEAD as c_int && has_events()
}

/// Whether threads are sampled by events of perf, finer than the kernel's ticks.
fn has_events() -> bool {
    let arena = hot::get().recording_arena();
    arena.is_some_and(|arena| arena.get(header::CPU_EVENT_TICK_NS) != 0)
}

/// The signal that brings samples, in a set; zero where none is taken.
pub fn taken_as_bit() -> u64 {
    let arena = hot::get().recording_arena();
    let signal = arena.map_or(0, |arena| arena.get(header::CPU_SIGNAL));
    match signal {
        0 => 0,
        signal => 1 << ((signal - 1) & 63),
    }
}

/// The program wants a signal for itself.
#[cold]
pub fn give_back(signal: c_int) {
    match signal as u32 {
        INSTEAD => end_events(),
        _ => end(),
    }
    let _ = sys::set_signal_action(signal as u32, &SignalAction::default());
}

/// From now on the kernel's ticks alone bring samples.
fn end_events() {
    if let Some(arena) = hot::get().arena() {
        arena.set(header::CPU_EVENT_TICK_NS, 0);
        arena.note(header::NOTE_CPU_TICKS_ONLY);
        thread::each(|thread| thread.timer.stop_event());
    }
}

/// Ends sampling in all threads: handlers would not be allowed to return, say.
pub fn end() {
    let Some(arena) = hot::get().arena() else {
        return;
    };
    if arena.word(header::CPU_SIGNAL).swap(0, Ordering::AcqRel) != 0 {
        arena.note(header::NOTE_CPU_ENDED);
        thread::each(|thread| thread.timer.stop());
    }
}

/// Reads how much CPU time the threads that live have used.
pub fn note_times() {
    thread::each(|thread| {
        if let Some(tid) = thread.owner()
            && thread.is_first()
        {
            let now_ns = sys::clock_ns(sys::thread_cpu_clock(tid));
            // A thread that is just ending has no clock any more.
            if now_ns != 0 {
                thread.stats[stat::CPU_NS].store(now_ns, Ordering::Relaxed);
            }
        }
    });
}

/// A thread begins that has this state: what it used before is not counted.
pub fn thread_begins(stats: &[AtomicU64; stat::WORDS]) {
    let used_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    // Of one that ended without saying so.
    let left_ns = stats[stat::CPU_NS].swap(used_ns, Ordering::Relaxed);
    bump(&stats[stat::EARLIER_CPU_NS], left_ns.wrapping_sub(used_ns));
}

/// The thread that has this state ends.
pub fn thread_ends(arena: Arena, thread: &mut Thread) {
    let used_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    thread.timer.end(used_ns, arena.get(header::CPU_PERIOD_NS));
    bump(&thread.stats[stat::EARLIER_CPU_NS], used_ns);
    thread.stats[stat::CPU_NS].store(0, Ordering::Relaxed);
}

#[cold]
fn count_lost(arena: Arena, ns: u64) {
    arena
        .word(header::CPU_LOST_NS)
        .fetch_add(ns, Ordering::Relaxed);
}

/// Somebody else sent the signal, which ends a program that does not expect it.
#[cold]
fn end_by(signal: c_int) {
    let _ = sys::set_signal_action(signal as u32, &SignalAction::default());
    sys::send_to_own_thread(signal);
}

/// Offsets of registers in what the kernel hands to a handler.
const CONTEXT_BP: usize = 120;
const CONTEXT_CX: usize = 152;
const CONTEXT_SP: usize = 160;
const CONTEXT_IP: usize = 168;

/// A period of this thread's CPU time has passed.
unsafe extern "C" fn sampled(signal: c_int, about: *const TimerSignal, context: *mut c_void) {
    // SAFETY: the kernel hands over what it knows of the signal.
    let about = unsafe { &*about };
    let look = match about.code {
        sys::FROM_TIMER if about.value == TIMER_VALUE => Look::Tick,
        sys::FROM_EVENT if signal as u32 != INSTEAD => Look::Event,
        // What the event stands for is owed, and the next look pays it.
        sys::FROM_KERNEL if signal as u32 == INSTEAD => return,
        _ => return end_by(signal),
    };
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    let Some(timer) = thread::own_timer() else {
        // The thread has just ended, and its state owes this period.
        return;
    };
    let used_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    thread::note_cpu_time(used_ns);
    let period_ns = arena.get(header::CPU_PERIOD_NS);
    // SAFETY: the registers stand where the kernel puts them.
    let register = |offset: usize| unsafe { context.byte_add(offset).cast::<usize>().read() };
    let leaf = Cursor {
        sp: register(CONTEXT_SP),
        ip: register(CONTEXT_IP),
        bp: register(CONTEXT_BP),
        exact: true,
    };
    // A system call leaves there where it returns to; one that is made again is two bytes long.
    let is_after_call = matches!(register(CONTEXT_CX).wrapping_sub(leaf.ip), 0 | 2);
    let periods = timer.due_periods(arena, look, used_ns, is_after_call);
    if periods == 0 {
        return;
    }
    let ns = period_ns.wrapping_mul(periods);
    let Some(mut guard) = thread::enter_for_sample() else {
        return count_lost(arena, ns);
    };
    let thread = guard.thread();
    if thread.is_paused(arena) {
        return;
    }
    // SAFETY: the thread stands where the signal interrupted it.
    let stack = unsafe { recorder::sampled_stack(hot::get(), arena, thread, leaf) };
    let record = match stack {
        node::OVERFLOW_STACK => None,
        stack => ledger::record(arena, thread, stack),
    };
    match record {
        Some(record) => ledger::sampled(arena, record, stack, periods, ns),
        None => count_lost(arena, ns),
    }
}
