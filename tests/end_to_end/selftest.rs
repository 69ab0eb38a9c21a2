//! What a user can ask a machine and a running program: `residue selftest`, also of a
//! program that does something else than it tells, and `residue snapshot`.

use crate::schemas::Documents;
use crate::support::ledger::Ledger;
use crate::support::process::Running;
use crate::support::{Lab, PROFILE, describe, process};
use nix::sys::signal::Signal;
use residue_profile::StackKind;
use residue_profile::timeline::{Moment, MomentId, MomentKind, Snapshot};
use serde_json::Value;
use std::process::Output;

/// A short self-test with these further options.
fn selftest(options: &[&str]) -> Output {
    let mut command = Lab::new().residue();
    command.args(["selftest", "--events", "20"]).args(options);
    // The lab's directory is gone by now, and nothing is written there.
    command.current_dir("/");
    process::finish(command)
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", describe(output)))
}

/// Names of the checks that failed.
fn failed(document: &Value) -> Vec<&str> {
    let checks = document["checks"].as_array().expect("a list of checks");
    checks
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| check["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn recording_works_here() {
    let output = selftest(&["--leak", "1MB"]);
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "ok      hooks: 38 functions, 566 calls, 733 696 bytes, all exact",
        "ok      stacks: ",
        "ok      leak, touched: 1 000 000 B/event = 1.000 MB (10^6) = 0.954 MiB (2^20) over 20 \
         events, found 1 000 000 B/event (95 %: 1 000 000 .. 1 000 000); RSS ",
        "ok      leak, untouched: 1 000 000 B/event = ",
        "ok      no leak: no growth over 20 events (detection limit ",
        "ok      event function: 20 entries of residue_selftest_event, 20 events",
        "cost    event begin and end ",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, beginning) in lines.iter().zip(expected) {
        assert!(line.starts_with(beginning), "{line}");
    }
}

#[test]
fn a_document_for_programs() {
    let output = selftest(&["--leak", "100KiB", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    let document = document(&output);
    assert_eq!(document["format"], "residue-selftest");
    assert_eq!(document["ok"], true);
    assert_eq!(document["leak_bytes_per_event"], 102_400);
    assert_eq!(document["checks"].as_array().map(Vec::len), Some(6));
    for cost in ["event_ns", "stamp_ns", "count_ns", "allocation_ns"] {
        for state in ["recorded", "not_recorded"] {
            let ns = document["costs"][state][cost].as_f64();
            assert!(ns.is_some_and(|ns| ns > 0.0), "{state} {cost}: {document}");
        }
    }
}

/// What is spoilt is found out, and nothing else is blamed.
#[track_caller]
fn expect_found_out(spoil: &str, blamed: &[&str], wrong: &str) {
    let output = selftest(&["--spoil", spoil, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    let document = document(&output);
    assert_eq!(document["ok"], false);
    assert_eq!(failed(&document), blamed, "{document}");
    assert!(document.to_string().contains(wrong), "{document}");
}

#[test]
fn one_call_too_many_is_found_out() {
    expect_found_out("calls", &["hooks"], "malloc: calls: expected 8, seen 9");
}

#[test]
fn stacks_that_were_not_compared_are_found_out() {
    expect_found_out(
        "stacks",
        &["stacks"],
        "compared: expected at least 1 012 880",
    );
}

#[test]
fn another_leak_than_told_is_found_out() {
    let all = ["leak, touched", "leak, untouched", "no leak"];
    expect_found_out("leak", &all, "expected 1 000 000 B/event, seen 1 100 001");
}

#[test]
fn touching_the_wrong_memory_is_found_out() {
    let both = ["leak, touched", "leak, untouched"];
    expect_found_out("touch", &both, "RSS: expected 0 B/event");
}

#[test]
fn one_event_too_many_is_found_out() {
    expect_found_out("events", &["event function"], "expected 20, seen 21");
}

#[test]
fn a_leak_that_does_not_fit_is_refused() {
    let output = selftest(&["--leak", "1000GB"]);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("the leak would take 18.2 TiB"), "{text}");
}

fn snapshot(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = lab.residue();
    command.arg("snapshot").args(arguments);
    process::finish(command)
}

fn taken(lab: &Lab, arguments: &[&str]) -> Value {
    let output = snapshot(lab, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    let mut documents = Documents::default();
    documents.add(lab, "snapshot", "snapshot", &output.stdout);
    documents.expect_valid();
    serde_json::from_slice(&output.stdout).expect("a JSON document")
}

#[track_caller]
fn expect_refused(lab: &Lab, arguments: &[&str], reason: &str) {
    let output = snapshot(lab, arguments);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(reason), "{text}");
}

/// A snapshot of a profile by its name, and its moment.
fn find<'a>(ledger: &'a Ledger, name: &str) -> (&'a Snapshot, &'a Moment) {
    let timeline = &ledger.profile.timeline;
    let snapshot = timeline
        .snapshots
        .iter()
        .find(|snapshot| timeline.names[snapshot.name as usize] == name)
        .unwrap_or_else(|| panic!("no snapshot {name}: {:?}", timeline.names));
    (snapshot, &timeline.moments[snapshot.moment as usize])
}

/// Live bytes of a function's stacks at a moment.
fn live_at(ledger: &Ledger, function: &str, moment: MomentId) -> i64 {
    let stacks: Vec<usize> = ledger
        .stacks_with(function)
        .filter(|(_, stack)| stack.kind == StackKind::Heap)
        .map(|(index, _)| index)
        .collect();
    let changes = ledger.profile.timeline.changes.iter();
    changes
        .filter(|change| change.moment <= moment && stacks.contains(&(change.stack as usize)))
        .map(|change| change.bytes)
        .sum()
}

#[test]
fn a_running_program_from_outside() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["live_blocks", "1000", "wait"]));
    run.hear("vmrss_kib ");
    let pid = run.program().to_string();
    let first = taken(&lab, &[&pid]);
    let second = taken(&lab, &[&pid]);
    let named = taken(&lab, &[&pid, "all made"]);
    assert_eq!(first["name"], "outside-1");
    assert_eq!(second["name"], "outside-2");
    let output = snapshot(&lab, &[&pid]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(": `outside-3`, live heap "), "{text}");
    expect_refused(&lab, &[&pid, "51"], "not a number");
    let command = run.pid().to_string();
    expect_refused(&lab, &[&command], &format!("`residue snapshot {pid}`"));
    run.say("");
    assert!(run.wait().success());

    let ledger = Ledger::read(&lab.path(PROFILE));
    for (document, name) in [(&first, "outside-1"), (&named, "all made")] {
        let (snapshot, moment) = find(&ledger, name);
        assert_eq!(moment.kind, MomentKind::Snapshot);
        assert_eq!(document["live_bytes"].as_u64(), moment.live_bytes);
        assert_eq!(document["rss_bytes"].as_u64(), moment.rss_bytes);
        assert_eq!(moment.live_bytes, Some(64_000));
        assert_eq!(live_at(&ledger, "hold_block", snapshot.moment), 64_000);
        let maps = String::from_utf8_lossy(&snapshot.maps);
        assert!(
            maps.contains("/live_blocks") && maps.contains("[heap]"),
            "{maps}"
        );
        let smaps = String::from_utf8_lossy(&snapshot.smaps);
        assert!(
            smaps.contains("Rss:") && smaps.len() > maps.len(),
            "{smaps}"
        );
    }
    let order = ["outside-1", "outside-2", "all made", "outside-3"];
    let moments = order.map(|name| find(&ledger, name).0.moment);
    assert!(moments.is_sorted(), "{moments:?}");
    let mut dump = lab.residue();
    dump.args(["dump", PROFILE, "--maps", "all made"]);
    let papers = process::finish(dump).stdout;
    assert!(String::from_utf8_lossy(&papers).contains("[heap]"));
}

#[test]
fn a_snapshot_belongs_to_the_event_that_runs() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["marks_endless"]));
    run.hear("ended 5");
    let pid = run.program();
    let document = taken(&lab, &[&pid.to_string(), "busy"]);
    process::send(pid, Signal::SIGKILL);
    run.hear_all();
    run.wait();
    let event = document["event"].as_u64().expect("the number of an event");
    // Numbers begin at one, the program's own at zero.
    assert!(event >= 6, "{document}");
    let ledger = Ledger::read(&lab.path(PROFILE));
    let (snapshot, moment) = find(&ledger, "busy");
    assert_eq!(u64::from(moment.event), event);
    let live = live_at(&ledger, "leak_here", snapshot.moment);
    assert!(live >= 6000 && live % 1000 == 0, "{live}");
    assert!(!snapshot.smaps.is_empty());
}

#[test]
fn processes_that_are_not_recorded() {
    let lab = Lab::new();
    expect_refused(&lab, &["999999999"], "no process 999999999");
    let own = std::process::id();
    let reason = format!("process {own} is not being recorded by residue");
    expect_refused(&lab, &[&own.to_string()], &reason);
}
