//! Threads to spread work over, where there can be any: the user may have as many processes as
//! allowed, or the address space may be small.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;

/// Does work that others may take parts of.
pub fn spread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        Err(_) => {
            work_alone();
            work()
        }
    }
}

/// From now on this thread does all of its work itself.
pub fn work_alone() {
    thread_local! {
        static ALONE: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
    }
    ALONE.with(|alone| {
        alone.get_or_init(|| {
            let pool = ThreadPoolBuilder::new().num_threads(1);
            pool.use_current_thread().build().ok()
        });
    });
}
