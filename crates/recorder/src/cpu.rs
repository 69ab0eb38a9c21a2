//! Where CPU time goes: samples of the stacks of threads that run.
//!
//! ```text
//!   thread's CPU clock ──► timer ──► signal ──► handler: interrupted registers
//!                                                  └──► unwind ──► trie ──► ledger
//! ```
//!
//! Each thread has a timer on its own CPU clock. A thread that waits uses no CPU time and gets no
//! signal; one that runs gets one for every period. The first period of the process begins at a
//! moment drawn at random, so that its moments are all as likely to be seen.
//!
//! The handler does what a hook does for an allocation in a signal handler, which may come at any
//! instruction: no lock, no allocation, a state of its own where it interrupted the recorder. It is
//! the one signal that the recorder takes, and only where it was asked to.

use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::ledger;
use crate::recorder;
use crate::sys::{self, FROM_TIMER, SignalAction, TimerSignal};
use crate::thread::{self, Thread};
use crate::unwind::rule::Cursor;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use residue_arena::tables::thread as stat;
use residue_arena::{header, node};

/// What the recorder's timers send along.
const TIMER_VALUE: usize = 0x0052_4553_4944_5545;

/// Signals that may bring samples, tried in turn: high real-time ones, which no system library
/// uses, and not the highest, which other tools take.
const SIGNALS: [u32; 6] = [61, 60, 59, 58, 57, 56];

/// Takes a signal, if samples were asked for. Where none is free there will be no samples.
pub fn set_up(arena: Arena) {
    if arena.get(header::CPU_PERIOD_NS) == 0 {
        return;
    }
    match SIGNALS.into_iter().find(|&signal| take(signal)) {
        Some(signal) => arena.set(header::CPU_SIGNAL, u64::from(signal)),
        None => arena.note(header::NOTE_CPU_ENDED),
    }
}

/// Handles a signal that is nobody's, or that was the recorder's before a fork.
fn take(signal: u32) -> bool {
    let is_free = sys::signal_action(signal)
        .is_ok_and(|now| now.handler == 0 || now.handler == sampled as *const () as usize);
    is_free && sys::handle_signal(signal, sampled).is_ok()
}

/// Whether this is the signal that brings samples.
pub fn is_taken(signal: c_int) -> bool {
    signal > 0 && taken_as_bit() == 1 << (signal as u32 - 1).min(63)
}

/// That signal in a set; zero where none is taken.
pub fn taken_as_bit() -> u64 {
    let arena = hot::get().recording_arena();
    let signal = arena.map_or(0, |arena| arena.get(header::CPU_SIGNAL));
    match signal {
        0 => 0,
        signal => 1 << ((signal - 1) & 63),
    }
}

/// The program wants the signal for itself.
#[cold]
pub fn give_signal_back() {
    let taken = hot::get().recording_arena();
    let signal = taken.map_or(0, |arena| arena.get(header::CPU_SIGNAL)) as u32;
    end();
    let _ = sys::set_signal_action(signal, &SignalAction::default());
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

/// The timer of a thread, as its state keeps it.
///
/// A sample stands for the periods that have ended by the thread's clock since the last one. The
/// kernel looks at timers a few hundred times a second only, and a thread may end before that: what
/// it owes then, the next thread with this state pays, at the first look, and it goes on in the
/// period where the other stopped. A thread that has just begun does the same when its first period
/// ends: it is sampled one look later. So each moment is as likely to be seen as any other, also in
/// threads that live for a millisecond; right after the end of a period, which comes later in short
/// lives than looks do, the ends of threads would be seen too often.
pub struct Timer {
    /// Numbered from one; zero: none.
    number: AtomicU32,
    /// Not zero once a look means a sample.
    is_ready: AtomicU32,
    /// The thread's CPU time at the end of the period that runs.
    next_ns: AtomicU64,
    /// Left of the period when the last thread ended; zero where there was none.
    left_ns: AtomicU64,
    owed_periods: AtomicU64,
}

/// Lets a timer run out at the kernel's next look.
const AT_ONCE_NS: u64 = 1;

impl Timer {
    /// Begins to sample this thread.
    pub fn start(&self, arena: Arena, tid: u32) {
        self.stop();
        let period_ns = arena.get(header::CPU_PERIOD_NS);
        // A child made by `vfork` has the memory of its parent, and timers of its own.
        let is_borrowed = || u64::from(sys::pid()) != arena.get(header::PID);
        let signal = arena.get(header::CPU_SIGNAL) as u32;
        if signal == 0 || is_borrowed() {
            return;
        }
        let first_ns = match self.left_ns.swap(0, Ordering::Relaxed) {
            0 => part_of(period_ns, tid),
            left_ns => left_ns,
        };
        let now_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
        self.next_ns.store(now_ns + first_ns, Ordering::Relaxed);
        let owes = self.owed_periods.load(Ordering::Relaxed) != 0;
        self.is_ready.store(u32::from(owes), Ordering::Relaxed);
        let expires_ns = if owes { AT_ONCE_NS } else { first_ns };
        // Whoever started the program may have had all signals blocked.
        sys::unblock_signal(signal);
        let started = sys::create_timer(tid, signal, TIMER_VALUE).and_then(|timer| {
            self.number.store(timer + 1, Ordering::Release);
            sys::start_timer(timer, expires_ns, period_ns)
        });
        if started.is_err() {
            self.stop();
            arena
                .word(header::THREADS_WITHOUT_TIMER)
                .fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn stop(&self) {
        if let Some(timer) = self.number.swap(0, Ordering::AcqRel).checked_sub(1) {
            sys::delete_timer(timer);
        }
    }

    /// The periods that a sample stands for that is taken now; none where it is too early.
    fn due_periods(&self, used_ns: u64, period_ns: u64) -> u64 {
        let timer = self.number.load(Ordering::Relaxed);
        if self.is_ready.swap(1, Ordering::Relaxed) == 0
            && let Some(timer) = timer.checked_sub(1)
            && sys::start_timer(timer, AT_ONCE_NS, period_ns).is_ok()
        {
            return 0;
        }
        self.end_periods(used_ns, period_ns);
        self.owed_periods.swap(0, Ordering::Relaxed)
    }

    /// Owes the periods that have ended.
    fn end_periods(&self, used_ns: u64, period_ns: u64) {
        let next_ns = self.next_ns.load(Ordering::Relaxed);
        if let Some(beyond_ns) = used_ns.checked_sub(next_ns) {
            let ended = 1 + beyond_ns / period_ns.max(1);
            bump(&self.owed_periods, ended);
            self.next_ns
                .store(next_ns + ended * period_ns, Ordering::Relaxed);
        }
    }

    /// The thread ends when it has used so much.
    fn end(&self, used_ns: u64, period_ns: u64) {
        if self.number.load(Ordering::Relaxed) != 0 {
            self.stop();
            self.end_periods(used_ns, period_ns);
            let next_ns = self.next_ns.load(Ordering::Relaxed);
            self.left_ns.store(next_ns - used_ns, Ordering::Relaxed);
        }
    }
}

/// From 1 to all of the period, drawn at random.
fn part_of(period_ns: u64, tid: u32) -> u64 {
    let seed = sys::monotonic_ns() ^ u64::from(tid) << 32;
    let mixed = (seed ^ seed >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    1 + (mixed ^ mixed >> 32) % period_ns
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
const CONTEXT_SP: usize = 160;
const CONTEXT_IP: usize = 168;

/// A period of this thread's CPU time has passed.
unsafe extern "C" fn sampled(signal: c_int, about: *const TimerSignal, context: *mut c_void) {
    // SAFETY: the kernel hands over what it knows of the signal.
    let about = unsafe { &*about };
    if about.code != FROM_TIMER || about.value != TIMER_VALUE {
        return end_by(signal);
    }
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
    let periods = timer.due_periods(used_ns, period_ns);
    if periods == 0 {
        return;
    }
    let ns = period_ns.wrapping_mul(periods);
    // SAFETY: the registers stand where the kernel puts them.
    let leaf = unsafe {
        let register = |offset: usize| context.byte_add(offset).cast::<usize>().read();
        Cursor {
            sp: register(CONTEXT_SP),
            ip: register(CONTEXT_IP),
            bp: register(CONTEXT_BP),
            exact: true,
        }
    };
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
