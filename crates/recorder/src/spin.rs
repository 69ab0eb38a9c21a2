//! A lock for the rare paths: registering a module, changing a mapping, making a
//! thread's state. Never taken by an ordinary allocation.
//!
//! Signals stay away from a thread that holds one: a handler that came back here
//! would wait for itself, one that jumped away would leave the lock held, and a
//! garbage collector that stops its threads by signal would stop one with the lock
//! and then map memory. All locks live in the page that a fork wipes, so a child
//! never inherits one that is held.

use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering};

/// The thread that holds it, and whether others may wait; zero bytes are an open lock.
pub struct Spin(AtomicU32);

/// Others may sleep until the lock is given back.
const HAS_WAITERS: u32 = 1 << 30;

/// Looks before a thread that waits goes to sleep. Not many: whoever holds the lock may be
/// one of a thousand threads, or have less priority, and not run while others look.
const MOST_LOOKS: u32 = 16;

/// Nobody sleeps for ever, should the kernel refuse to wake. Longer every time: a thousand
/// threads that look every few milliseconds would leave none for the one that holds the lock.
const FIRST_SLEEP_NS: u64 = 10_000_000;
const LONGEST_SLEEP_NS: u64 = 1_000_000_000;

/// Proof that the lock is held; gives it back when dropped.
pub struct Held<'a> {
    lock: &'a Spin,
    signal_mask: u64,
}

impl Spin {
    pub fn lock(&self) -> Held<'_> {
        let signal_mask = sys::block_signals();
        self.wait();
        Held {
            lock: self,
            signal_mask,
        }
    }

    /// `None` where this thread holds the lock already. Signals are blocked then, so a
    /// function was called that begins events, by what the recorder itself called.
    pub fn lock_unless_own(&self) -> Option<Held<'_>> {
        if self.0.load(Ordering::Relaxed) & !HAS_WAITERS == own_number() {
            return None;
        }
        Some(self.lock())
    }

    fn wait(&self) {
        for _ in 0..MOST_LOOKS {
            if self.take(own_number()) {
                return;
            }
            for _ in 0..64 {
                core::hint::spin_loop();
            }
        }
        let mut sleep_ns = FIRST_SLEEP_NS;
        // Whoever has slept takes the lock in the name of all that may still sleep.
        while !self.take(own_number() | HAS_WAITERS) {
            let mark = |held: u32| (held != 0).then_some(held | HAS_WAITERS);
            let marked = self
                .0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, mark);
            if let Ok(held) = marked {
                sys::sleep_while(&self.0, held | HAS_WAITERS, sleep_ns);
                sleep_ns = (2 * sleep_ns).min(LONGEST_SLEEP_NS);
            }
        }
    }

    pub fn try_lock(&self) -> Option<Held<'_>> {
        let signal_mask = sys::block_signals();
        if self.take(own_number()) {
            return Some(Held {
                lock: self,
                signal_mask,
            });
        }
        sys::restore_signals(signal_mask);
        None
    }

    fn take(&self, mark: u32) -> bool {
        self.0
            .compare_exchange(0, mark, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

/// A number of this thread that takes no system call: where its control block lies,
/// which is aligned to 64 bytes.
fn own_number() -> u32 {
    (sys::thread_control_block() >> 6) as u32 & !HAS_WAITERS | 1 << 31
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.lock.0.swap(0, Ordering::Release) & HAS_WAITERS != 0 {
            sys::wake_one(&self.lock.0);
        }
        sys::restore_signals(self.signal_mask);
    }
}
