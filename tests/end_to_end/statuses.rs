//! Exit statuses, each as docs/CI.md lists it.

use std::os::unix::process::ExitStatusExt;

use crate::support::root::install;
use crate::support::{Lab, PROFILE, describe, process, workloads};

/// A recording with a leak of 1000 bytes an event.
fn leak() -> Lab {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_c", "150"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    lab
}

#[track_caller]
fn expect_status(lab: &Lab, arguments: &[&str], expected: i32) {
    let mut residue = lab.residue();
    residue.args(arguments);
    let output = process::finish(residue);
    assert_eq!(
        output.status.code(),
        Some(expected),
        "{arguments:?}: {}",
        describe(&output)
    );
}

#[test]
fn status_0_done_and_within_the_limits() {
    let lab = leak();
    expect_status(&lab, &["leaks", PROFILE], 0);
    expect_status(&lab, &["check", PROFILE, "--max-growth", "1001/event"], 0);
    expect_status(&lab, &["diff", PROFILE, PROFILE, "--fail-above", "0"], 0);
    expect_status(&lab, &["report", "--help"], 0);
}

#[test]
fn status_1_above_a_limit_or_a_failed_check() {
    let lab = leak();
    expect_status(&lab, &["check", PROFILE, "--max-growth", "999/event"], 1);
    let (before, after) = (format!("{PROFILE}@51"), format!("{PROFILE}@end"));
    expect_status(&lab, &["diff", &before, &after, "--fail-above", "1KiB"], 1);
    let spoiled = [
        "selftest", "--leak", "64KiB", "--events", "20", "--spoil", "calls",
    ];
    expect_status(&lab, &spoiled, 1);
}

#[test]
fn status_2_an_error() {
    let lab = Lab::new();
    expect_status(&lab, &["leaks", "no-such-file.residue"], 2);
    expect_status(&lab, &["report", "--no-such-option"], 2);
    expect_status(&lab, &["no-such-command"], 2);
}

#[test]
fn status_3_the_run_cannot_tell() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events"]);
    // Inside the interval.
    expect_status(&lab, &["check", PROFILE, "--max-growth", "19KiB/event"], 3);
    let lab = Lab::new();
    lab.record(&["--tick", "0"], &["hello", "0"]);
    expect_status(&lab, &["check", PROFILE, "--max-growth", "0"], 3);
}

#[test]
fn status_125_residue_cannot_start() {
    expect_status(
        &Lab::new(),
        &["run", "--event-line", "(", "--", "true"],
        125,
    );
}

#[test]
fn status_126_not_executable() {
    let lab = Lab::new();
    let file = lab.path("plain-file");
    install(&workloads::find("hello"), &file, "644");
    expect_status(&lab, &["run", "--", "./plain-file"], 126);
}

#[test]
fn status_127_not_found() {
    expect_status(
        &Lab::new(),
        &["run", "--", "residue-has-no-such-command"],
        127,
    );
}

#[test]
fn status_of_the_program_itself() {
    for status in ["0", "1", "9", "125"] {
        let recorded = Lab::new().record(&[], &["hello", status]);
        let code = recorded.output.status.code().map(|it| it.to_string());
        assert_eq!(code.as_deref(), Some(status), "{}", recorded.describe());
    }
    let recorded = Lab::new().record(&[], &["sh", "-c", "kill -TERM $$"]);
    assert_eq!(
        recorded.output.status.signal(),
        Some(15),
        "{}",
        recorded.describe()
    );
}

/// The table names what is tested here, and nothing else.
#[test]
fn the_table_lists_all_of_them() {
    let text = include_str!("../../docs/CI.md");
    let table = text.split("## Exit status\n").nth(1).expect("the table");
    let rows = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    let listed: Vec<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .map(str::trim)
        .collect();
    let tested = include_str!("statuses.rs").lines();
    let tested = tested.filter_map(|line| line.strip_prefix("fn status_"));
    let tested: Vec<&str> = tested.filter_map(|name| name.split('_').next()).collect();
    let named: Vec<&str> = listed
        .iter()
        .map(|it| if *it == "the program's own" { "of" } else { it })
        .collect();
    assert_eq!(named, tested);
}
