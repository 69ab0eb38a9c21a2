//! A lock for the rare paths: registering a module, changing a mapping, making a
//! thread's state. Never taken by an ordinary allocation.
//!
//! All locks live in the page that a fork wipes, so a child never inherits one
//! that is held.

use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering};

/// Zero bytes are an open lock.
pub struct Spin(AtomicU32);

/// Proof that the lock is held; gives it back when dropped.
pub struct Held<'a>(&'a Spin);

impl Spin {
    #[cfg(test)]
    pub const fn new() -> Spin {
        Spin(AtomicU32::new(0))
    }

    pub fn lock(&self) -> Held<'_> {
        loop {
            if let Some(held) = self.try_lock() {
                return held;
            }
            for _ in 0..64 {
                core::hint::spin_loop();
            }
            sys::yield_now();
        }
    }

    pub fn try_lock(&self) -> Option<Held<'_>> {
        self.0
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .map(|_| Held(self))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}
