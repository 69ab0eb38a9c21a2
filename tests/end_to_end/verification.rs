//! The recorder's stacks against libgcc's, frame by frame.

use crate::support::Lab;

/// At least so many stacks were compared, and all were equal.
fn expect_equal_stacks(command: &[&str], at_least: u64) {
    let lab = Lab::new();
    let recorded = lab.record(&["--verify-stacks"], command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let ledger = recorded.ledger();
    let recorder = &ledger.profile.recorder;
    assert!(
        recorder.verified_stacks >= at_least,
        "{} stacks were compared; {:?}",
        recorder.verified_stacks,
        ledger.profile.meta.notes
    );
    assert_eq!(recorder.verify_differences, 0, "{}", recorded.describe());
}

#[test]
fn stacks_in_chaos_are_those_of_libgcc() {
    expect_equal_stacks(&["chaos", "200000"], 200_000);
}

#[test]
fn stacks_through_generated_code_are_those_of_libgcc() {
    expect_equal_stacks(&["jit"], 40);
}

#[test]
fn stacks_through_realigned_frames_are_those_of_libgcc() {
    expect_equal_stacks(&["realigned", "50000"], 50_000);
}

#[test]
fn stacks_of_python_are_those_of_libgcc() {
    let script = "import json\nfor i in range(100): json.loads(json.dumps(list(range(i))))";
    expect_equal_stacks(&["/usr/bin/python3", "-c", script], 1000);
}

#[test]
fn a_tenth_of_the_stacks_can_be_compared() {
    let lab = Lab::new();
    let recorded = lab.record(&["--verify-stacks=10"], &["coroutines", "100000"]);
    let (ledger, _) = recorded.expect_exact();
    let recorder = &ledger.profile.recorder;
    let expected = recorder.captures / 10;
    assert!(
        recorder.verified_stacks.abs_diff(expected) <= 10,
        "{} of {} were compared",
        recorder.verified_stacks,
        recorder.captures
    );
    assert_eq!(recorder.verify_differences, 0);
}
