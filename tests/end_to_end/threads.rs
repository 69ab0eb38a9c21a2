//! Many threads: none may lose a count, and none may take another's.

use crate::support::Lab;

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
