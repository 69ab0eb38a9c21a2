//! Which processes are recorded, and when.

use crate::support::{Lab, workloads};
use residue_profile::StackKind;

/// A shell that runs two workloads as its children.
fn two_programs() -> String {
    format!(
        "{}; {} 10 5; true",
        workloads::find("hello").display(),
        workloads::find("deep").display()
    )
}

fn programs(lab: &Lab) -> Vec<String> {
    let mut programs: Vec<String> = lab
        .profiles()
        .into_iter()
        .map(|(_, ledger)| ledger.profile.meta.program)
        .collect();
    programs.sort();
    programs
}

#[test]
fn only_programs_of_the_name_asked_for_are_recorded() {
    for pattern in ["deep", "d?ep", "dee*"] {
        let lab = Lab::new();
        let recorded = lab.record(&["-t", pattern], &["sh", "-c", &two_programs()]);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        assert_eq!(programs(&lab), ["deep"], "-t {pattern}");
        let (_, ledger) = &lab.profiles()[0];
        assert_eq!(ledger.sum("deep_leaf").calls, 5);
    }
}

#[test]
fn children_are_recorded_unless_asked_otherwise() {
    let script = two_programs();
    let lab = Lab::new();
    lab.record(&[], &["sh", "-c", &script]);
    assert_eq!(programs(&lab).len(), 3, "{:?}", programs(&lab));

    let lab = Lab::new();
    let recorded = lab.record(&["--no-children"], &["sh", "-c", &script]);
    assert_eq!(programs(&lab).len(), 1, "{:?}", programs(&lab));
    assert_eq!(recorded.ledger().sum("hello_alloc").calls, 0);
}

#[test]
fn forked_children_are_not_recorded_when_asked_not_to() {
    let lab = Lab::new();
    let recorded = lab.record(
        &["--no-children"],
        &["fork_family", "fork", "clone", "spawn"],
    );
    assert_eq!(lab.profiles().len(), 1);
    let pid = recorded.ledger().profile.meta.pid;
    let truths = crate::support::truth::Truths::parse_by_process(&recorded.stdout());
    recorded.ledger().expect_truths(&truths[&pid]);
}

#[test]
fn a_recording_that_starts_paused_counts_calls_and_records_none() {
    let lab = Lab::new();
    let recorded = lab.record(&["--start", "paused"], &["hello"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let ledger = recorded.ledger();
    assert_eq!(ledger.profile.heap.calls, 0);
    assert_eq!(ledger.total_of(StackKind::Heap).calls, 0);
    assert!(ledger.profile.recorder.paused_calls >= 3);
    assert!(ledger.profile.meta.options.start_paused);
}

#[test]
fn the_options_in_force_are_in_the_profile() {
    let options = [
        "--min-size",
        "10",
        "--max-size",
        "5000",
        "--max-depth",
        "77",
    ];
    let lab = Lab::new();
    let recorded = lab.record(&options, &["hello"]);
    let options = &recorded.ledger().profile.meta.options;
    assert_eq!(options.min_size_bytes, 10);
    assert_eq!(options.max_size_bytes, 5000);
    assert_eq!(options.max_depth, 77);
    assert!(!options.start_paused);
}
