//! When a thread is looked at, and how much of its CPU time a sample stands for.

use super::periods::Periods;
use crate::arena_map::Arena;
use crate::private;
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use residue_arena::header;

/// What the recorder's timers send along.
pub const TIMER_VALUE: usize = 0x0052_4553_4944_5545;

/// What a sample may stand for beside its own period and a long call of the kernel. A thread that was
/// not looked at for longer kept the signal blocked: what it did then is not known, and it is not what
/// it does now.
const MOST_OWED_NS: u64 = 100_000_000;

/// The handler's own stack: the program's may have no room, and nor may its alternate one.
const STACK_BYTES: usize = 64 << 10;
/// Of it, what a sample touches.
const STACK_TOUCHED_BYTES: usize = 12 << 10;

/// The timer of a thread, as its state keeps it.
pub struct Timer {
    /// Numbered from one; zero: none.
    number: AtomicU32,
    periods: Periods,
    /// Of the thread's CPU time, what it had spent in the kernel at the last look.
    system_ns: AtomicU64,
    stack: AtomicPtr<u8>,
}

/// The periods of CPU time that a look finds ended.
pub struct Due {
    pub sampled: u64,
    /// Those that nothing can be said of.
    pub lost: u64,
}

impl Timer {
    /// Begins to sample this thread.
    pub fn start(&self, arena: Arena, tid: u32) {
        self.stop();
        let period_ns = arena.get(header::CPU_PERIOD_NS);
        let signal = arena.get(header::CPU_SIGNAL) as u32;
        // A child made by `vfork` has the memory of its parent, and timers of its own.
        if signal == 0 || arena.is_borrowed() {
            return;
        }
        let now_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
        let expires_ns = self.periods.begin(now_ns, || part_of(period_ns, tid));
        self.system_ns.store(0, Ordering::Relaxed);
        // Whoever started the program may have had all signals blocked.
        sys::unblock_signal(signal);
        let is_started = self.has_stack()
            && sys::create_timer(clock(arena, period_ns), [tid, signal], TIMER_VALUE)
                .and_then(|timer| {
                    self.number.store(timer + 1, Ordering::Release);
                    sys::start_timer(timer, expires_ns, period_ns)
                })
                .is_ok();
        if !is_started {
            self.stop();
            arena
                .word(header::THREADS_WITHOUT_TIMER)
                .fetch_add(1, Ordering::Relaxed);
        }
        // Another thread may have ended all sampling, and seen no timer here.
        fence(Ordering::SeqCst);
        if arena.get(header::CPU_SIGNAL) != u64::from(signal) {
            self.stop();
        }
    }

    fn has_stack(&self) -> bool {
        if self.stack.load(Ordering::Relaxed).is_null()
            && let Some(stack) = private::map_array::<u8>(STACK_BYTES, STACK_TOUCHED_BYTES)
        {
            self.stack.store(stack, Ordering::Release);
        }
        !self.stack.load(Ordering::Relaxed).is_null()
    }

    /// Where the handler's stack begins; null where there is none.
    pub fn stack_top(&self) -> *mut u8 {
        match self.stack.load(Ordering::Acquire) {
            stack if stack.is_null() => stack,
            stack => stack.wrapping_add(STACK_BYTES),
        }
    }

    pub fn stop(&self) {
        if let Some(timer) = self.number.swap(0, Ordering::AcqRel).checked_sub(1) {
            sys::delete_timer(timer);
        }
    }

    /// What a look finds when the thread has used so much; nothing where it is too early.
    pub fn due(&self, used_ns: u64, period_ns: u64) -> Due {
        let owed = self.periods.due(used_ns, period_ns);
        if let Some(more_ns) = self.periods.after_early_look(used_ns)
            && let Some(timer) = self.number.load(Ordering::Relaxed).checked_sub(1)
        {
            let _ = sys::start_timer(timer, more_ns, period_ns);
        }
        let system_ns = sys::thread_system_ns();
        let before_ns = self.system_ns.swap(system_ns, Ordering::Relaxed);
        let sampled = owed.min(most_owed(period_ns, system_ns.saturating_sub(before_ns)));
        let lost = owed - sampled;
        Due { sampled, lost }
    }

    /// The thread ends when it has used so much; returns the periods that are lost with it.
    pub fn end(&self, used_ns: u64, period_ns: u64) -> u64 {
        // Not sampled, or its clock is not to be read.
        if self.number.load(Ordering::Relaxed) == 0 || used_ns == 0 {
            self.stop();
            return 0;
        }
        self.stop();
        self.periods
            .end(used_ns, period_ns, most_owed(period_ns, 0))
    }
}

/// In periods, for a thread that has been in the kernel for so long since the last look.
fn most_owed(period_ns: u64, system_ns: u64) -> u64 {
    1 + (MOST_OWED_NS + system_ns) / period_ns.max(1)
}

/// The clock of a thread's timer: its CPU time. To compare many stacks with libgcc's in little time,
/// periods shorter than the kernel's ticks are real time; calls that wait are interrupted then.
fn clock(arena: Arena, period_ns: u64) -> usize {
    let compares = arena.get(header::VERIFY_EVERY) != 0;
    match compares && period_ns < sys::tick_ns() {
        true => sys::CLOCK_MONOTONIC,
        false => sys::CLOCK_THREAD_CPUTIME_ID,
    }
}

/// From 1 to all of the period, drawn at random.
fn part_of(period_ns: u64, tid: u32) -> u64 {
    let seed = sys::monotonic_ns() ^ u64::from(tid) << 32;
    let mixed = (seed ^ seed >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    1 + (mixed ^ mixed >> 32) % period_ns
}
