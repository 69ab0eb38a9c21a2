//! Profiles that are read back: damaged ones, and two of the same program.

use crate::support::{Lab, PROFILE, describe, workloads};
use std::path::Path;
use std::process::Output;

fn residue(lab: &Lab, arguments: &[&str]) -> Output {
    let mut residue = lab.residue();
    residue.args(arguments);
    residue.output().expect("residue can be started")
}

/// Writes the first part of a profile to another file.
fn cut(from: &Path, to: &Path, keep: impl Fn(usize) -> usize) {
    let bytes = std::fs::read(from).expect("the profile can be read");
    std::fs::write(to, &bytes[..keep(bytes.len())]).expect("the lab is writable");
}

#[test]
fn of_a_truncated_profile_the_lost_section_is_named_and_the_rest_is_shown() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["thresholds"]);
    let whole = residue(&lab, &["report", PROFILE]);
    assert!(whole.status.success(), "{}", describe(&whole));
    assert!(String::from_utf8_lossy(&whole.stdout).contains("alloc_second"));

    cut(&recorded.profile, &lab.path("cut.residue"), |length| {
        length - 20
    });
    let report = residue(&lab, &["report", "cut.residue"]);
    let stderr = String::from_utf8_lossy(&report.stderr).into_owned();
    assert!(stderr.contains("cut.residue"), "{stderr}");
    assert!(
        stderr.contains("section "),
        "it names what is lost: {stderr}"
    );
    assert!(report.status.success(), "{}", describe(&report));
    let stdout = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(
        stdout.contains("alloc_second"),
        "the stacks are left: {stdout}"
    );
}

#[test]
fn a_profile_with_nothing_left_in_it_is_refused() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["hello"]);
    for keep in [0, 10, 40] {
        cut(&recorded.profile, &lab.path("cut.residue"), |_| keep);
        let report = residue(&lab, &["report", "cut.residue"]);
        assert_eq!(report.status.code(), Some(2), "{}", describe(&report));
        let stderr = String::from_utf8_lossy(&report.stderr).into_owned();
        assert!(stderr.contains("cut.residue"), "{stderr}");
        assert!(report.stdout.is_empty(), "{}", describe(&report));
    }
}

/// Wherever a profile is cut, a reader says so, and never crashes.
#[test]
fn a_profile_cut_anywhere_is_read_in_part_or_refused() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["hello"]);
    let length = std::fs::metadata(&recorded.profile)
        .expect("a profile")
        .len() as usize;
    for step in 0..20 {
        cut(&recorded.profile, &lab.path("cut.residue"), |_| {
            length * step / 20
        });
        let report = residue(&lab, &["report", "cut.residue"]);
        let stderr = String::from_utf8_lossy(&report.stderr).into_owned();
        assert!(
            matches!(report.status.code(), Some(0 | 2)),
            "cut at {step}/20: {}",
            describe(&report)
        );
        assert!(stderr.contains("cut.residue"), "cut at {step}/20: {stderr}");
    }
}

/// The stacks of a fresh recording, as lines for a flame graph.
fn folded(command: &[&str], counter: &str) -> String {
    let lab = Lab::new();
    let recorded = lab.record(&[], command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let export = residue(
        &lab,
        &[
            "export",
            PROFILE,
            "--format",
            "folded",
            "--counter",
            counter,
        ],
    );
    assert!(export.status.success(), "{}", describe(&export));
    String::from_utf8_lossy(&export.stdout).into_owned()
}

#[test]
fn two_recordings_of_one_program_are_equal_stack_by_stack() {
    for command in [
        &["hello"][..],
        &["map_growth"],
        &["leaky_events"],
        &["exceptions", "2000"],
        &["plugin_host"],
        &["realigned", "5000"],
    ] {
        for counter in ["calls", "total", "live", "peak"] {
            let (first, second) = (folded(command, counter), folded(command, counter));
            assert!(!first.is_empty(), "{command:?}");
            assert_eq!(first, second, "{counter} of {command:?}");
        }
    }
}

#[test]
fn a_flame_graph_has_every_byte_of_the_truth() {
    let lab = Lab::new();
    let (_, truths) = lab.record(&[], &["leaky_events"]).expect_exact();
    let export = residue(
        &lab,
        &["export", PROFILE, "--format", "folded", "--counter", "live"],
    );
    let text = String::from_utf8_lossy(&export.stdout).into_owned();
    let sum: u64 = text
        .lines()
        .filter(|line| line.contains("SEvt::getPhotonFrame"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum();
    assert_eq!(sum, truths.get("leaked_bytes"));
}

#[test]
fn a_file_that_is_no_profile_is_refused() {
    let lab = Lab::new();
    let program = workloads::find("hello").display().to_string();
    for command in ["report", "dump"] {
        let output = residue(&lab, &[command, &program]);
        assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains(&program));
    }
}
