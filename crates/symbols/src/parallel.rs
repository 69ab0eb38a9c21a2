//! Independent pieces of work, by all threads or by this one.

use rayon::prelude::*;

/// Who does the work on a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workers {
    All,
    /// One of several threads that work on a module each. A thread that waited for
    /// others to do a part of it would take up a further module meanwhile, and so on:
    /// all modules might be open at once.
    ThisThread,
}

/// What `work` makes of every number below `count`, in the order of the numbers.
pub(crate) fn map<T: Send>(
    count: usize,
    workers: Workers,
    work: impl Fn(usize) -> T + Send + Sync,
) -> Vec<T> {
    match workers {
        Workers::All => (0..count).into_par_iter().map(work).collect(),
        Workers::ThisThread => (0..count).map(work).collect(),
    }
}
