//! Many threads: none may lose a count, and none may take another's.

use crate::support::Lab;
use std::time::{Duration, Instant};

#[test]
fn sixty_four_threads_free_each_others_blocks() {
    let lab = Lab::new();
    let (ledger, truths) = lab
        .record(&[], &["crossfree", "64", "2000000"])
        .expect_exact();
    assert_eq!(truths.get("threads"), 64);
    assert_eq!(ledger.sum("make_block").calls, 2_000_000);
}

#[test]
fn twenty_million_blocks_through_sixty_four_threads_are_all_counted() {
    let lab = Lab::new();
    let (ledger, _) = lab
        .record(&[], &["crossfree", "64", "20000000"])
        .expect_exact();
    assert_eq!(ledger.sum("make_block").calls, 20_000_000);
}

#[test]
fn two_thousand_threads_come_and_go_and_allocate_while_they_end() {
    let lab = Lab::new();
    let (_, truths) = lab.record(&[], &["threads_exit"]).expect_exact();
    assert_eq!(truths.get("threads"), 2000);
}

#[test]
fn a_child_of_vfork_makes_the_first_allocation_of_a_thread() {
    let lab = Lab::new();
    lab.record(&[], &["vfork_first"]).expect_exact();
}

/// Threads that wait for a lock of the recorder must leave the processor to the one that holds
/// it, however many they are.
#[test]
fn programs_of_a_thousand_threads_at_once_do_not_stand_still() {
    let record = || {
        let began = Instant::now();
        Lab::new()
            .record(&[], &["conservation", "1000", "10"])
            .expect_exact();
        began.elapsed()
    };
    let alone = record();
    let together = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|_| scope.spawn(record)).collect();
        let ended = running.into_iter().map(|it| it.join().unwrap());
        ended.max().unwrap_or(Duration::ZERO)
    });
    // Four times as long on one processor; with threads that look every few milliseconds it was
    // three hundred times.
    assert!(
        together < 25 * alone,
        "one takes {alone:?}, four at once {together:?}"
    );
}
