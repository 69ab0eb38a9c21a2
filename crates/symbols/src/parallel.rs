//! Independent pieces of work, spread over threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` with every number below `count`, on up to `threads` threads, of which
/// the caller's is one, and returns the results in the order of the numbers.
pub(crate) fn map<T: Send + Sync>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let results: Vec<_> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(index) else {
                return;
            };
            // Each number is given out once, so the place is free.
            let _ = result.set(work(index));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(run);
        }
        run();
    });
    let results = results.into_iter();
    results.filter_map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_once_in_order_whatever_the_threads() {
        for threads in [0, 1, 2, 7, 100] {
            for count in [0, 1, 5, 1000] {
                let squares = map(count, threads, |number| number * number);
                let expected: Vec<_> = (0..count).map(|number| number * number).collect();
                assert_eq!(squares, expected, "{threads} threads");
            }
        }
    }
}
