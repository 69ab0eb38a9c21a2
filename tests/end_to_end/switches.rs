//! Recording that the program switches on, off, and to some sizes.

use crate::dumped::{Dump, total};
use crate::support::Lab;

/// What was to be heard is exact, and nothing else was recorded.
fn expect_switches(options: &[&str], mode: &str) -> Dump {
    let lab = Lab::new();
    let recorded = lab.record(options, &["switches", mode]);
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(dump.recorder.paused_calls, truths.get("paused_calls"));
    assert!((0..dump.stacks.len()).all(|stack| !dump.names(stack).contains(&"quiet_here")));
    let pooled = total(dump.stacks.iter().filter(|stack| stack.kind == "pooled"));
    assert_eq!(pooled[0], truths.get("pooled_calls"));
    assert_eq!(pooled[1], truths.get("pooled_bytes"));
    assert_eq!(pooled[3], truths.get("pooled_live"));
    dump
}

#[test]
fn started_off_and_switched_on_around_one_function() {
    let dump = expect_switches(&["--start", "paused"], "around");
    assert_eq!(dump.stacks.len(), 1, "nothing but heard_here");
    assert_eq!(dump.recorder.paused_calls, 100);
    // Made while it was heard, freed while it was not.
    assert_eq!((dump.heap.calls, dump.heap.frees), (50, 1));
}

#[test]
fn one_thread_is_paused_and_the_other_is_not() {
    let dump = expect_switches(&[], "thread");
    assert_eq!(dump.recorder.paused_calls, 50);
}

#[test]
fn all_threads_are_paused_by_one() {
    let dump = expect_switches(&[], "all");
    assert_eq!(dump.recorder.paused_calls, 100);
}

#[test]
fn sizes_that_the_program_excludes_are_pooled() {
    let dump = expect_switches(&[], "thresholds");
    let pooled = total(dump.stacks.iter().filter(|stack| stack.kind == "pooled"));
    assert_eq!(pooled[..3], [50, 25 * 99 + 25 * 1001, 26]);
}
