//! Recording of some events only: `--from-event` and `--events`.

use crate::dumped::Dump;
use crate::support::ledger::Ledger;
use crate::support::process::{self, Running};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, Recorded, describe};
use serde_json::Value;

/// `residue leaks --json` of the profile in the lab.
fn leaks(lab: &Lab) -> Value {
    let mut residue = lab.residue();
    residue.args(["leaks", "--json", PROFILE]);
    let output = process::finish(residue);
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout).expect("a JSON document")
}

/// Exactly what the events that count did was recorded, and the profile says which they are.
fn expect_recorded(lab: &Lab, recorded: &Recorded, range: (u64, u64)) -> Ledger {
    let (ledger, truths) = recorded.expect_exact();
    let options = &ledger.profile.meta.options;
    let said = (options.recorded_from_event, options.recorded_to_event);
    assert_eq!(said, range, "{}", recorded.describe());
    assert_eq!(
        ledger.profile.recorder.paused_calls,
        truths.get("other_calls")
    );
    let leak = truths.get("step_leak.calls") + truths.get("step_churn.calls");
    assert_eq!(ledger.profile.heap.calls, leak, "nothing else was recorded");
    let about = &ledger.profile.timeline.about;
    assert_eq!(
        about.events,
        truths.get("events"),
        "all events are numbered"
    );
    let dump = Dump::of(lab, recorded);
    let begins = dump.moments("begin").len() as u64;
    assert_eq!(begins, about.events, "and have their rows");
    let births: Vec<(u32, u64)> = dump
        .births(&dump.stacks_with("step_leak"))
        .into_iter()
        .map(|(event, (blocks, _))| (event, blocks))
        .collect();
    let to = if range.1 == 0 {
        about.events + 1
    } else {
        range.1
    };
    let expected: Vec<(u32, u64)> = (range.0.max(1)..to).map(|it| (it as u32, 1)).collect();
    assert_eq!(births, expected);
    ledger
}

#[test]
fn some_events_are_recorded_and_judged() {
    let lab = Lab::new();
    let command = ["stepped", "marks", "60", "20", "50"];
    let recorded = lab.record(&["--events", "20..50"], &command);
    let ledger = expect_recorded(&lab, &recorded, (20, 50));
    assert_eq!(ledger.sum("step_leak").calls, 30);
    let one_line = "only events 20..49 of 60 were recorded, and only they are judged";
    assert!(
        recorded.stderr().contains(one_line),
        "{}",
        recorded.describe()
    );
    let verdict = leaks(&lab);
    assert_eq!(verdict["verdict"], "leak", "{verdict}");
    assert!(
        verdict["reasons"].to_string().contains(one_line),
        "{verdict}"
    );
    // Event 20 leaves 1020 bytes, event 49 leaves 1049.
    let rate = verdict["rate_bytes_per_event"].as_f64().expect("a rate");
    assert!((1020.0..=1049.0).contains(&rate), "{verdict}");
    let first = verdict["first_event"].as_u64().expect("an event");
    let last = verdict["last_event"].as_u64().expect("an event");
    assert!(20 <= first && first < last && last <= 50, "{verdict}");
    let mut report = lab.residue();
    report.args(["report", PROFILE, "--view", "summary"]);
    let said = describe(&process::finish(report));
    let limits = "only events 20..49 of 60 were recorded: 330 allocations not recorded";
    assert!(said.contains(limits), "{said}");
    assert!(!said.contains("missing from all numbers"), "{said}");
}

#[test]
fn recording_begins_or_ends_at_an_event() {
    let lab = Lab::new();
    let command = ["stepped", "marks", "30", "25", "31"];
    expect_recorded(
        &lab,
        &lab.record(&["--from-event", "25"], &command),
        (25, 0),
    );
    let lab = Lab::new();
    let command = ["stepped", "marks", "30", "1", "6"];
    expect_recorded(&lab, &lab.record(&["--events", "..6"], &command), (0, 6));
    let lab = Lab::new();
    let command = ["stepped", "marks", "30"];
    expect_recorded(&lab, &lab.record(&["--events", "1..end"], &command), (1, 0));
    // The last event that was asked for never comes.
    let lab = Lab::new();
    let command = ["stepped", "marks", "30", "28", "99"];
    expect_recorded(
        &lab,
        &lab.record(&["--events", "28..99"], &command),
        (28, 0),
    );
}

#[test]
fn events_of_functions_are_chosen_too() {
    let lab = Lab::new();
    let command = ["stepped", "function", "30", "10", "20"];
    let options = ["--event-function", "one_step", "--events", "10..20"];
    expect_recorded(&lab, &lab.record(&options, &command), (10, 20));
}

/// The program is not stopped at its lines, so what is certain is which events blocks are of.
#[test]
fn events_of_lines_are_chosen_too() {
    for (mode, pattern) in [
        ("lines", r"^event (?<id>\d+)"),
        ("ends", r"^event (?<id>\d+) leaked (?<leaked>\d+)"),
    ] {
        let lab = Lab::new();
        let options = ["--event-line", pattern, "--events", "4..8"];
        let recorded = lab.record(&options, &["stepped", mode, "12"]);
        let ledger = recorded.ledger();
        let profile = &ledger.profile;
        let options = &profile.meta.options;
        let said = (options.recorded_from_event, options.recorded_to_event);
        assert_eq!(said, (4, 8), "{}", recorded.describe());
        assert_eq!(profile.timeline.about.events, 12);
        assert_eq!(profile.heap.calls + profile.recorder.paused_calls, 12 * 11);
        let dump = Dump::of(&lab, &recorded);
        let births = dump.births(&dump.stacks_with("step_leak"));
        assert!(
            !births.is_empty() && births.keys().all(|event| (4..8).contains(event)),
            "{births:?}"
        );
    }
    // With lines that end events, the first begins with the program.
    let lab = Lab::new();
    let pattern = r"^event (?<id>\d+) leaked (?<leaked>\d+)";
    let options = ["--event-line", pattern, "--events", "1..end"];
    let ledger = lab.record(&options, &["stepped", "ends", "5"]).ledger();
    assert_eq!(
        (
            ledger.profile.heap.calls,
            ledger.profile.recorder.paused_calls
        ),
        (55, 0)
    );
}

#[test]
fn ticks_are_chosen_where_their_length_is_given() {
    let lab = Lab::new();
    let options = ["--tick", "50ms", "--events", "5..10"];
    let recorded = lab.record(&options, &["slow_leak"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    let profile = &ledger.profile;
    let calls = profile.heap.calls + profile.recorder.paused_calls;
    assert_eq!(ledger.sum("slow_leak").calls, profile.heap.calls);
    assert!(profile.heap.calls > 0 && calls >= truths.get("slow_leak.calls"));
    let options = &profile.meta.options;
    let (from, to) = (options.recorded_from_event, options.recorded_to_event);
    // A tick may come late, and then is another.
    assert!(5 <= from && from < to && 10 <= to, "{from}..{to}");
    let dump = Dump::of(&lab, &recorded);
    let births = dump.births(&dump.stacks_with("slow_leak"));
    let range = from as u32..to as u32;
    assert!(births.keys().all(|tick| range.contains(tick)), "{births:?}");

    let lab = Lab::new();
    let recorded = lab.record(&["--events", "1..10"], &["slow_leak", "100"]);
    assert_eq!(recorded.ledger().profile.heap.calls, 0);
    let told = recorded.stderr();
    assert!(told.contains("only with --tick TIME"), "{told}");
}

#[test]
fn an_event_that_never_comes_is_told() {
    let lab = Lab::new();
    let recorded = lab.record(
        &["--from-event", "100"],
        &["stepped", "marks", "10", "0", "0"],
    );
    let (ledger, _) = recorded.expect_exact();
    assert_eq!(ledger.profile.heap.calls, 0);
    let told = recorded.stderr();
    let reason = "recording was to start at event 100, and the run had 10 events";
    assert!(told.contains(reason), "{told}");
    let lab = Lab::new();
    let recorded = lab.record(&["--events", "4..5"], &["stepped", "marks", "10", "4", "5"]);
    recorded.expect_exact();
    let told = recorded.stderr();
    assert!(
        told.contains("fewer than two events were recorded: 4..4 of 10 events"),
        "{told}"
    );
}

/// The latest stretch in which every event was recorded is what is judged.
#[test]
fn events_that_were_missed_from_outside_are_not_judged() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["stepped", "marks"]));
    let mut step = |lines: &[&str], ran: &str, command: Option<&str>| {
        lines.iter().for_each(|line| run.say(line));
        run.hear(&format!("ran {ran}"));
        if let Some(command) = command {
            let mut residue = lab.residue();
            residue.args([command, &run.program().to_string()]);
            assert!(process::finish(residue).status.success());
        }
    };
    step(&["6"], "6", Some("pause"));
    step(&["skip", "20"], "26", Some("resume"));
    step(&["count", "30"], "56", Some("pause"));
    step(&["skip", "4"], "60", None);
    run.say("");
    let truths = Truths::parse(&run.hear_all());
    assert!(run.wait().success());
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&truths);
    let options = &ledger.profile.meta.options;
    let said = (options.recorded_from_event, options.recorded_to_event);
    assert_eq!(said, (27, 56));
    let verdict = leaks(&lab);
    assert_eq!(verdict["verdict"], "leak", "{verdict}");
    assert!(
        verdict["reasons"]
            .to_string()
            .contains("only events 27..55 of 60"),
        "{verdict}"
    );
}

#[test]
fn what_is_no_range_of_events_is_refused() {
    let lab = Lab::new();
    for (options, reason) in [
        (
            &["--events", "7..3"][..],
            "no event begins at 7 or later and before 3",
        ),
        (&["--events", "5"], "5..6 for this event alone"),
        (
            &["--events", "id:5..id:9"],
            "events are chosen by number here",
        ),
        (&["--from-event", "0"], "events are numbered from 1"),
        (
            &["--from-event", "3", "--events", "3..5"],
            "cannot be used with",
        ),
        (
            &["--start", "paused", "--events", "3..5"],
            "cannot be used with",
        ),
    ] {
        let output = process::finish(lab.run(options, &["true"]));
        assert_eq!(output.status.code(), Some(125), "{}", describe(&output));
        let told = describe(&output);
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn a_program_that_is_never_resumed_has_no_verdict() {
    let lab = Lab::new();
    let recorded = lab.record(
        &["--start", "paused"],
        &["stepped", "marks", "10", "0", "0"],
    );
    recorded.expect_exact();
    let told = recorded.stderr();
    assert!(
        told.contains("recording started paused and was not resumed"),
        "{told}"
    );
}
