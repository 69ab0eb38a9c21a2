//! The periods of CPU time that threads with one state use up, one after the other.
//!
//! ```text
//!   CPU time   ├───────┼───────┼───────┼───────┼───────┼──►  periods, by the threads' clocks
//!   looks            ▲   ▲   ▲   ▲   ▲   ▲   ▲   ▲   ▲       the kernel's ticks: every 4 ms, say
//!   samples          ▲       ▲       ▲       ▲       ▲       the first look after the end of a period
//! ```
//!
//! A sample stands for the periods that have ended since the last one. The kernel looks at timers a few
//! hundred times a second only, and a thread may end before that: what it owes then, the next thread
//! pays, at its first look, and it goes on in the period where the other stopped. So it makes no
//! difference where one thread ends and the next begins: ends of periods fall anywhere, the first
//! look after one falls anywhere, and each moment is as likely to be seen as any other.

use crate::arena_map::bump;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub struct Periods {
    /// The thread's CPU time at the end of the period that runs.
    next_ns: AtomicU64,
    /// Left of the period when the last thread ended; zero where there was none.
    left_ns: AtomicU64,
    /// Ended, and not sampled yet.
    owed: AtomicU64,
    /// Not zero where the next look was asked for before the end of a period, because some are owed.
    is_early: AtomicU32,
}

impl Periods {
    /// A thread begins that has used `now_ns` already. Returns when it is to be looked at: after so much more.
    pub fn begin(&self, now_ns: u64, first_period_ns: impl FnOnce() -> u64) -> u64 {
        /// At the kernel's next look.
        const AT_ONCE_NS: u64 = 1;
        let left_ns = match self.left_ns.swap(0, Ordering::Relaxed) {
            0 => first_period_ns(),
            left_ns => left_ns,
        };
        self.next_ns.store(now_ns + left_ns, Ordering::Relaxed);
        let owes = self.owed.load(Ordering::Relaxed) != 0;
        self.is_early.store(u32::from(owes), Ordering::Relaxed);
        if owes { AT_ONCE_NS } else { left_ns }
    }

    /// After how much more the timer is to run out, where it would do so a period after an early look.
    pub fn after_early_look(&self, used_ns: u64) -> Option<u64> {
        let is_early = self.is_early.swap(0, Ordering::Relaxed) != 0;
        is_early.then(|| self.next_ns.load(Ordering::Relaxed).saturating_sub(used_ns))
    }

    /// How many periods have ended, and were not sampled, when the thread has used so much.
    pub fn due(&self, used_ns: u64, period_ns: u64) -> u64 {
        self.count_ended(used_ns, period_ns);
        self.owed.swap(0, Ordering::Relaxed)
    }

    /// The thread ends when it has used so much, and leaves `most` periods at most to the next one;
    /// returns those that are lost.
    pub fn end(&self, used_ns: u64, period_ns: u64, most: u64) -> u64 {
        self.count_ended(used_ns, period_ns);
        let next_ns = self.next_ns.load(Ordering::Relaxed);
        self.left_ns.store(next_ns - used_ns, Ordering::Relaxed);
        let owed = self.owed.load(Ordering::Relaxed);
        self.owed.store(owed.min(most), Ordering::Relaxed);
        owed - owed.min(most)
    }

    fn count_ended(&self, used_ns: u64, period_ns: u64) {
        let next_ns = self.next_ns.load(Ordering::Relaxed);
        if let Some(beyond_ns) = used_ns.checked_sub(next_ns) {
            let ended = 1 + beyond_ns / period_ns.max(1);
            bump(&self.owed, ended);
            self.next_ns
                .store(next_ns + ended * period_ns, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
#[path = "periods_tests.rs"]
mod tests;
