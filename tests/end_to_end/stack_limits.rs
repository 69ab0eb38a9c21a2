//! Stacks at their limits: overflows that the program handles, ends of mappings, code without
//! unwind tables, depths beyond all bounds.

use crate::support::Lab;
use residue_profile::StackKind;

/// Everything that returned is recorded, and what the program jumped out of is dropped.
fn expect_all_accounted_for(arguments: &[&str]) {
    let recorded = Lab::new().record(&[], arguments);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    assert_eq!(
        ledger.profile.recorder.dropped,
        truths.get("abandoned"),
        "{}",
        recorded.describe()
    );
    let on_the_way = ledger.sum("overflow_down");
    assert_eq!(on_the_way.calls, truths.get("returned"));
    assert_eq!(on_the_way.live_blocks, 0);
}

#[test]
fn an_overflow_that_the_program_handles_is_survived_and_recording_goes_on() {
    expect_all_accounted_for(&["overflows", "50"]);
}

#[test]
fn an_overflow_of_a_small_stack_of_a_thread_is_survived_and_recording_goes_on() {
    expect_all_accounted_for(&["overflows", "50", "thread"]);
}

#[test]
fn nothing_is_read_above_a_stack_that_ends_with_its_mapping() {
    let recorded = Lab::new().record(&[], &["stack_ends"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let (ledger, truths) = recorded.expect_exact();
    assert_eq!(
        ledger.total_of(StackKind::Heap).calls,
        truths.get("stack_end_leaf.calls")
    );
}
