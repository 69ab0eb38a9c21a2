//! Events that were asked for and did not come: the end of the run, `leaks` and `check`
//! give the same reason, and it is the true one.

use crate::support::{Lab, Recorded, describe, process};
use std::process::Output;

fn residue(lab: &Lab, arguments: &[&str]) -> Output {
    let mut residue = lab.residue();
    residue.args(arguments);
    process::finish(residue)
}

/// Records, and returns what run, leaks and check say.
fn said(lab: &Lab, options: &[&str], command: &[&str]) -> [String; 3] {
    let recorded: Recorded = lab.record(options, command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let [leaks, check] = read(lab, "profile.residue");
    [recorded.stderr(), leaks, check]
}

/// What leaks and check say of a file without a verdict.
fn read(lab: &Lab, file: &str) -> [String; 2] {
    let leaks = residue(lab, &["leaks", file]);
    assert_eq!(leaks.status.code(), Some(2), "{}", describe(&leaks));
    let check = residue(lab, &["check", file]);
    assert_eq!(check.status.code(), Some(3), "{}", describe(&check));
    [leaks.stderr, check.stdout].map(|text| String::from_utf8_lossy(&text).into_owned())
}

fn expect_all(said: &[String], reason: &str, advice: &str) {
    for text in said {
        assert!(text.contains(reason), "{reason}: {text}");
        assert!(text.contains(advice), "{advice}: {text}");
    }
}

#[test]
fn a_function_that_matches_nothing() {
    let lab = Lab::new();
    let said = said(&lab, &["--event-function", "nomatch::*"], &["hello"]);
    expect_all(
        &said,
        "no verdict: --event-function 'nomatch::*' matched nothing: 0 events",
        "nm -C",
    );
}

#[test]
fn a_function_that_is_nearly_right() {
    let lab = Lab::new();
    let said = said(&lab, &["--event-function", "helo_alloc"], &["hello"]);
    expect_all(
        &said,
        "'helo_alloc' matched nothing",
        "did you mean 'hello_alloc'?",
    );
}

#[test]
fn a_function_that_is_never_called() {
    let lab = Lab::new();
    let options = ["--event-function", "process_static"];
    let said = said(&lab, &options, &["event_steps", "own"]);
    expect_all(
        &said,
        "no verdict: --event-function 'process_static' matched 1 function, never called: 0 events",
        "called for every event",
    );
}

#[test]
fn a_function_of_code_that_is_made_at_run_time() {
    let lab = Lab::new();
    let options = ["--event-function", "jit_gen_*"];
    let said = said(&lab, &options, &["jit_names", "registered", "10"]);
    expect_all(
        &said,
        "matches JIT-compiled code only (10 functions), which cannot be hooked: 0 events",
        "use --event-line, or mark events",
    );
}

#[test]
fn a_line_that_never_comes() {
    let lab = Lab::new();
    let said = said(&lab, &["--event-line", "nomatch"], &["event_lines"]);
    expect_all(
        &said,
        "no verdict: --event-line 'nomatch' matched no line of output: 0 events",
        "test the pattern on the program's output",
    );
}

#[test]
fn a_program_that_is_too_short_for_ticks() {
    let lab = Lab::new();
    let said = said(&lab, &[], &["sleep", "0.3"]);
    expect_all(
        &said,
        "no verdict: fewer than two ticks (0 of 1.00 s in ",
        "try --tick 5ms, or mark events (--event-function)",
    );
}

#[test]
fn a_program_without_ticks() {
    let lab = Lab::new();
    let said = said(&lab, &["--tick", "0"], &["hello"]);
    expect_all(
        &said,
        "ticks are switched off (--tick 0)",
        "--event-function",
    );
}

#[test]
fn a_merged_profile_is_not_told_to_mark_events() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c"]);
    let merge = [
        "merge",
        "profile.residue",
        "profile.residue",
        "-o",
        "sum.residue",
    ];
    let merged = residue(&lab, &merge);
    assert!(merged.status.success(), "{}", describe(&merged));
    let said = read(&lab, "sum.residue");
    expect_all(
        &said,
        "no verdict: a merged profile has no timeline (2 profiles were added up)",
        "run `residue leaks` on each of them",
    );
}

#[test]
fn a_truncated_profile_is_not_told_to_mark_events() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_c"]);
    let bytes = std::fs::read(&recorded.profile).expect("the profile can be read");
    let timeline = bytes.windows(4).position(|tag| tag == b"MOMT");
    let timeline = timeline.expect("there is a timeline");
    std::fs::write(lab.path("cut.residue"), &bytes[..timeline]).expect("a file can be written");
    let said = read(&lab, "cut.residue");
    expect_all(
        &said,
        "no verdict: the file is damaged and its timeline could not be read",
        "copy it again, or record again",
    );
}

#[test]
fn an_imported_profile_is_not_told_to_mark_events() {
    let lab = Lab::new();
    let folded = "heap profile: 1: 64 [1: 64] @ heapprofile\n     1: 64 [1: 64] @ 0x10 0x20\n\
                  \nMAPPED_LIBRARIES:\n";
    std::fs::write(lab.path("dump.heap"), folded).expect("a file can be written");
    let said = read(&lab, "dump.heap");
    expect_all(
        &said,
        "no verdict: the imported file (gperftools) has 0 events",
        "residue diff",
    );
}

#[test]
fn a_name_that_only_code_without_symbols_could_have() {
    let lab = Lab::new();
    let said = said(&lab, &["--event-function", "onEvent"], &["jit", "10"]);
    expect_all(
        &said,
        "no verdict: --event-function 'onEvent' matched nothing: 0 events",
        "JIT-compiled functions cannot be hooked: use --event-line, or mark events",
    );
}
