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

/// The same leaves return after the same stacks, and the frames between are compared, not unwound.
#[test]
fn paths_that_come_again_are_those_of_libgcc_and_not_unwound_again() {
    const PAIRS_A_PATH: u64 = 20;
    for program in ["bench", "bench_framed"] {
        let lab = Lab::new();
        // Without ticks: blocks that are freed in a later one have their stacks captured, too.
        let options = ["--verify-stacks", "--tick", "0"];
        let recorded = lab.record(&options, &[program, "40", "20", "1", "200000"]);
        let (ledger, truths) = recorded.expect_exact();
        let recorder = &ledger.profile.recorder;
        let visits = truths.get("pairs") / PAIRS_A_PATH;
        assert!(
            recorder.verified_stacks >= truths.get("pairs"),
            "{recorder:?}"
        );
        assert_eq!(recorder.verify_differences, 0, "{program}");
        // Twice each, and a few that were pushed out by others.
        let most = 2 * truths.get("paths") + visits / 5;
        assert!(recorder.stacks_unwound < most, "{program}: {recorder:?}");
    }
}

#[test]
fn paths_that_are_new_are_those_of_libgcc() {
    let command = ["bench", "60", "20", "2", "200000", "10000"];
    expect_equal_stacks(&command, 200_000);
    let (ledger, truths) = Lab::new().record(&[], &command).expect_exact();
    let kept = ledger.stacks_with("bench_leaf").count();
    assert_eq!(kept as u64, truths.get("paths"));
}

#[test]
fn stacks_of_frames_larger_than_pages_are_those_of_libgcc() {
    expect_equal_stacks(&["large_frames", "60", "25", "50000"], 50_000);
    Lab::new()
        .record(&[], &["large_frames", "60", "25", "50000"])
        .expect_exact();
}

#[test]
fn stacks_of_a_python_that_compiles_are_those_of_libgcc() {
    let script = crate::support::workloads::find("import_storm.py");
    let script = script.to_str().expect("names of workloads are text");
    let lab = Lab::new();
    let mut command = lab.run(&["--verify-stacks=7"], &["/usr/bin/python3", script, "2"]);
    command.env("PYTHONMALLOC", "malloc");
    let recorded = lab.record_by(command);
    let ledger = recorded.ledger();
    ledger.expect_nothing_lost();
    let recorder = &ledger.profile.recorder;
    assert!(recorder.verified_stacks > 10_000, "{recorder:?}");
    assert_eq!(recorder.verify_differences, 0, "{}", recorded.describe());
    assert_eq!(recorded.truths().get("sources"), 2);
}
