//! Kernels from 3.10 on: whatever is newer is refused, and every promise holds.
//!
//! Other tests of this program are run again, in processes of their own, with `older_kernel`
//! before `residue`.

use crate::support::{Lab, OLDER_KERNEL, PROFILE, describe, workloads};
use std::process::Command;

/// Runs the tests whose names hold one of these, and expects so many to pass.
fn expect_to_pass(lacks: &str, tests: &[&str], count: usize) {
    let mut again = Command::new(std::env::current_exe().expect("this program has a path"));
    again
        .args(tests)
        .args(["--include-ignored", "--test-threads=2"])
        .env(OLDER_KERNEL, lacks);
    let output = again.output().expect("this program can be started");
    let passed = format!("test result: ok. {count} passed");
    let text = describe(&output);
    assert!(
        output.status.success() && text.contains(&passed),
        "{lacks}: {text}"
    );
}

/// Children of a bare `clone` are told from their parent by the kernel alone.
const BARE_CLONES: [&str; 2] = [
    "forks::a_child_by_the_bare_system_call",
    "forks::a_whole_family_at_once",
];

fn expect_exact_forks_and_full_disks_told(lacks: &str) {
    let tests = [
        "forks::",
        "small_disks::a_full_disk_keeps",
        "small_disks::a_full_arena_directory_drops",
    ];
    if ["all", "wipeonfork"].contains(&lacks) {
        let skipped = BARE_CLONES.iter().flat_map(|name| ["--skip", name]);
        let tests: Vec<&str> = tests.into_iter().chain(skipped).collect();
        expect_to_pass(lacks, &tests, 9);
    } else {
        expect_to_pass(lacks, &tests, 11);
    }
}

#[test]
fn forks_are_exact_and_full_disks_are_errors_without_any_newer_call() {
    expect_exact_forks_and_full_disks_told("all");
}

/// What cannot be exact there is said.
#[test]
fn where_children_of_a_bare_clone_cannot_be_told_from_their_parent_it_is_said() {
    let lab = Lab::new();
    let said = |lacks: &str| {
        let mut run = Command::new(workloads::find("older_kernel"));
        run.args([
            lacks,
            env!("CARGO_BIN_EXE_residue"),
            "run",
            "-o",
            PROFILE,
            "--",
        ])
        .args([workloads::find("fork_family"), "fork".into()]);
        lab.prepare(&mut run);
        let recorded = lab.record_by(run);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        let stderr = recorded.stderr();
        stderr.matches("this kernel is older than 4.14").count()
    };
    // Of the first process, and once of both others.
    assert_eq!(said("wipeonfork"), 2);
    assert_eq!(said("populate"), 0);
}

#[test]
fn kills_leave_whole_profiles_without_any_newer_call() {
    expect_to_pass("all", &["kills::program_residue_or_both"], 1);
}

#[test]
fn what_a_program_does_is_exact_without_any_newer_call() {
    expect_to_pass("all", &["allocation_functions::every"], 2);
}

/// The names of everything that can be refused.
fn newer_calls() -> Vec<String> {
    let output = Command::new(workloads::find("older_kernel"))
        .arg("--list")
        .output();
    let output = output.expect("older_kernel can be started");
    let list = String::from_utf8(output.stdout).expect("names are text");
    list.lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn two_hundred_kills_without_each_newer_call_in_turn() {
    let calls = newer_calls();
    assert!(calls.len() > 15, "{calls:?}");
    for lacks in calls {
        expect_exact_forks_and_full_disks_told(&lacks);
        expect_to_pass(&lacks, &["kills::two_hundred_kills"], 1);
        println!("{lacks}: forks exact, full disks told, 200 of 200 kills readable");
    }
}
