//! Work that a thread of its own does again and again, until it is no longer needed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

/// Stops, and waits for what is being done, when it is dropped.
pub struct Repeated {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Repeated {
    /// `work` may ask whether to stop, and says how long to wait for the next time. Fails where
    /// no thread can be started.
    pub fn start(
        name: &str,
        mut work: impl FnMut(&dyn Fn() -> bool) -> Duration + Send + 'static,
    ) -> io::Result<Repeated> {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = Builder::new().name(name.to_string()).spawn(move || {
            let is_over = || seen.load(Ordering::Acquire);
            while !is_over() {
                park_timeout(work(&is_over));
            }
        })?;
        Ok(Repeated {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
