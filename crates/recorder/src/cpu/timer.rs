//! When a thread is sampled, and how much of its CPU time a sample stands for.
//!
//! ```text
//!   CPU time   ├───────┼───────┼───────┼───────┼───────┼──►  periods, by the thread's clock
//!   ticks            ▲               ▲               ▲       the timer: every 4 ms, say
//!   events         ▲       ▲       ▲    ─kernel─   ▲         perf: every period outside of the kernel
//! ```
//!
//! A sample stands for the periods that have ended by the thread's clock since the last one. The
//! kernel looks at timers a few hundred times a second only, and a thread may end before that: what
//! it owes then, the next thread with this state pays, at the first look, and it goes on in the
//! period where the other stopped. A thread that has just begun does the same when its first period
//! ends: it is sampled one look later. So each moment is as likely to be seen as any other, also in
//! threads that live for a millisecond; right after the end of a period, which comes later in short
//! lives than looks do, the ends of threads would be seen too often.
//!
//! Where periods are shorter than ticks, an event of perf looks at each, if the kernel permits it. It
//! is made not to strike inside the kernel: the signal would end a call that begins to wait. So an
//! event stands for one period, and those that ended inside a call are owed to the next tick that
//! comes with the end of a call. One is always left for the next event, whose period may have ended
//! just before such a tick. Page faults look like the program's own code; they are owed for some
//! ticks, then paid by any.

use crate::arena_map::{Arena, bump};
use crate::sys;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use residue_arena::header;

/// What the recorder's timers send along.
pub const TIMER_VALUE: usize = 0x0052_4553_4944_5545;

/// Lets a timer run out at the kernel's next look.
const AT_ONCE_NS: u64 = 1;

/// Beside events: ticks for which time in the kernel may be owed.
const OVERDUE_TICKS: u64 = 4;

/// What looks at the thread's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Tick,
    Event,
}

/// The timer of a thread, as its state keeps it.
pub struct Timer {
    /// Numbered from one; zero: none.
    number: AtomicU32,
    /// Not zero once a look means a sample.
    is_ready: AtomicU32,
    /// The page that keeps the event of perf; zero: none.
    event: AtomicUsize,
    /// The thread's CPU time at the end of the period that runs.
    next_ns: AtomicU64,
    /// Left of the period when the last thread ended; zero where there was none.
    left_ns: AtomicU64,
    owed_periods: AtomicU64,
}

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
        match started {
            Ok(_) => self.start_event(arena, first_ns),
            Err(_) => {
                self.stop();
                arena
                    .word(header::THREADS_WITHOUT_TIMER)
                    .fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Has an event come after `period_ns` and then as often, where events are wanted.
    fn start_event(&self, arena: Arena, period_ns: u64) {
        let is_wanted = || arena.get(header::CPU_EVENT_TICK_NS) != 0;
        if !is_wanted() {
            return;
        }
        let signal = arena.get(header::CPU_SIGNAL) as u32;
        match sys::start_event(sys::tid(), signal, period_ns) {
            Ok(page) => self.event.store(page, Ordering::Release),
            Err(_) => arena.note(header::NOTE_CPU_TICKS_ONLY),
        }
        // Ended in between by another thread, which may have seen no event here.
        if !is_wanted() {
            self.stop_event();
        }
    }

    pub fn stop(&self) {
        if let Some(timer) = self.number.swap(0, Ordering::AcqRel).checked_sub(1) {
            sys::delete_timer(timer);
        }
        self.stop_event();
    }

    pub fn stop_event(&self) {
        match self.event.swap(0, Ordering::AcqRel) {
            0 => {}
            page => sys::stop_event(page),
        }
    }

    /// The periods that a sample stands for that is taken now; none where it is too early.
    pub fn due_periods(&self, arena: Arena, look: Look, used_ns: u64, is_after_call: bool) -> u64 {
        let period_ns = arena.get(header::CPU_PERIOD_NS).max(1);
        if self.event.load(Ordering::Relaxed) == 0 {
            return match look {
                Look::Tick => self.due_at_tick(used_ns, period_ns),
                Look::Event => 0,
            };
        }
        self.end_periods(used_ns, period_ns);
        let owed = self.owed_periods.load(Ordering::Relaxed);
        let paid = match look {
            Look::Event => {
                if self.is_ready.swap(1, Ordering::Relaxed) == 0 {
                    self.stop_event();
                    self.start_event(arena, period_ns);
                }
                owed.min(1)
            }
            Look::Tick => {
                let overdue_ns = OVERDUE_TICKS * arena.get(header::CPU_EVENT_TICK_NS);
                let is_overdue = owed.saturating_mul(period_ns) > overdue_ns;
                if is_after_call || is_overdue {
                    owed.saturating_sub(1)
                } else {
                    0
                }
            }
        };
        self.owed_periods.store(owed - paid, Ordering::Relaxed);
        paid
    }

    /// Where ticks alone bring samples.
    fn due_at_tick(&self, used_ns: u64, period_ns: u64) -> u64 {
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
    pub fn end(&self, used_ns: u64, period_ns: u64) {
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
