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

/// The thread that holds it; zero bytes are an open lock.
pub struct Spin(AtomicU32);

/// Yields before a thread that waits begins to sleep: whoever holds the lock may have
/// less priority, and never run while others yield.
const MOST_YIELDS: u32 = 16;
const SLEEP_NS: u64 = 50_000;

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
        if self.0.load(Ordering::Relaxed) == own_number() {
            return None;
        }
        Some(self.lock())
    }

    fn wait(&self) {
        let mut yields = 0;
        while !self.take() {
            for _ in 0..64 {
                core::hint::spin_loop();
            }
            match yields < MOST_YIELDS {
                true => sys::yield_now(),
                false => sys::sleep_ns(SLEEP_NS),
            }
            yields += 1;
        }
    }

    pub fn try_lock(&self) -> Option<Held<'_>> {
        let signal_mask = sys::block_signals();
        if self.take() {
            return Some(Held {
                lock: self,
                signal_mask,
            });
        }
        sys::restore_signals(signal_mask);
        None
    }

    fn take(&self) -> bool {
        self.0
            .compare_exchange(0, own_number(), Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

/// A number of this thread that takes no system call: where its control block lies,
/// which is aligned to 64 bytes.
fn own_number() -> u32 {
    (sys::thread_control_block() >> 6) as u32 | 1 << 31
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.lock.0.store(0, Ordering::Release);
        sys::restore_signals(self.signal_mask);
    }
}
