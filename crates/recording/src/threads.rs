//! Threads to spread work over, where there can be any: the user may have as many processes as
//! allowed, or the address space may be small.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;

/// Does work that others may take parts of. They have the rights to files that this thread has
/// now.
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

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::{Uid, geteuid, setfsuid};
    use rayon::prelude::*;

    /// The user as whom this thread opens files.
    fn file_user() -> String {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let users = status.lines().find_map(|line| line.strip_prefix("Uid:"));
        let last = users.and_then(|users| users.split_whitespace().last());
        last.unwrap().to_string()
    }

    /// Root alone can be another user; others are themselves in all threads.
    #[test]
    fn work_is_spread_over_threads_of_the_same_rights() {
        let users = || (0..64).into_par_iter().map(|_| file_user()).collect();
        let before: Vec<String> = users();
        setfsuid(Uid::from_raw(65534));
        let (here, spread): (String, Vec<String>) = (file_user(), spread(users));
        setfsuid(geteuid());
        assert_eq!(before, vec![file_user(); 64]);
        assert_eq!(spread, vec![here; 64]);
    }
}
