//! Which events are slow, whether they get slower, and why: beside programs that know.

use serde_json::Value;

use crate::support::{Lab, PROFILE, describe, process};

/// What `residue slow --json` says of a workload of 10 ms an event.
fn slow(lab: &Lab, options: &[&str], events: &str, way: &str) -> Value {
    lab.record(options, &["slow_events", events, "10000", way]);
    asked(lab)
}

fn asked(lab: &Lab) -> Value {
    let mut residue = lab.residue();
    residue.args(["slow", PROFILE, "--json"]);
    let output = process::finish(residue);
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn rows<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

/// Slow events by a measure.
fn by_measure<'a>(document: &'a Value, measure: &str) -> Option<&'a Value> {
    let mut slow = rows(document, "slow").iter();
    slow.find(|slow| slow["measure"] == measure)
}

fn path(row: &Value) -> String {
    let names = row["path"].as_array().expect("a path").iter();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.join(" > ")
}

fn stages(slow: &Value) -> Vec<(&str, &str)> {
    let stages = rows(slow, "stages").iter();
    let stages = stages.map(|it| (it["from"].as_str().unwrap(), it["to"].as_str().unwrap()));
    stages.collect()
}

#[test]
fn the_function_that_makes_every_20th_event_slow_is_named() {
    let lab = Lab::new();
    let document = slow(&lab, &["--cpu"], "400", "slow");
    let by_cpu = by_measure(&document, "cpu").expect("slow events");
    let events: Vec<u64> = rows(by_cpu, "events")
        .iter()
        .filter_map(|event| event["event"].as_u64())
        .collect();
    let planted = events.iter().filter(|event| *event % 20 == 0).count();
    assert_eq!(planted, 20, "{events:?}");
    assert!(events.len() <= 22, "{events:?}");
    let excess = by_cpu["excess_ns"].as_f64().unwrap();
    assert!((8e6..13e6).contains(&excess), "{excess}");
    let functions: Vec<String> = rows(by_cpu, "functions").iter().map(path).collect();
    assert_eq!(functions.len(), 1, "{functions:?}");
    assert!(functions[0].contains("digitise > rehash"), "{functions:?}");
    assert_eq!(stages(by_cpu), [("tracked", "end")]);
}

#[test]
fn nothing_is_named_where_no_event_is_slow() {
    let lab = Lab::new();
    let document = slow(&lab, &["--cpu"], "300", "steady");
    assert_ne!(document["verdict"], "slows-down", "{document:#}");
    assert_eq!(rows(&document, "growing").len(), 0, "{document:#}");
    for slow in rows(&document, "slow") {
        for cause in ["functions", "stages", "allocations"] {
            assert_eq!(rows(slow, cause).len(), 0, "{slow:#}");
        }
    }
}

#[test]
fn a_program_that_slows_down_is_told_everywhere() {
    let lab = Lab::new();
    let document = slow(&lab, &["--cpu"], "400", "slowing");
    assert_eq!(document["verdict"], "slows-down", "{document:#}");
    // Half of 10 ms over 400 events.
    let rate = document["rate_ns_per_event"].as_f64().unwrap();
    assert!((10_000.0..15_000.0).contains(&rate), "{rate}");
    let growing: Vec<String> = rows(&document, "growing").iter().map(path).collect();
    assert_eq!(growing.len(), 1, "{growing:?}");
    assert!(growing[0].contains("track > lookup"), "{growing:?}");
    let mut leaks = lab.residue();
    leaks.args(["leaks", PROFILE]);
    let told = process::finish(leaks);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("events take ever longer: +"), "{text}");
    let status = |arguments: &[&str]| {
        let mut check = lab.residue();
        check.args(["check", PROFILE]).args(arguments);
        let output = process::finish(check);
        (output.status.code(), describe(&output))
    };
    for (arguments, expected) in [
        (["--max-time-growth", "1us/event"], Some(1)),
        (["--max-time-growth", "10%"], Some(1)),
        (["--max-time-growth", "1ms/event"], Some(0)),
        (["--max-time-growth", "200%"], Some(0)),
        (["--max-cpu", "3ms/event"], Some(1)),
        (["--max-cpu", "1s/event"], Some(0)),
        (["--max-cpu", "3m/event"], Some(2)),
    ] {
        let (code, text) = status(&arguments);
        assert_eq!(code, expected, "{arguments:?}: {text}");
    }
}

#[test]
fn large_events_are_explained_by_their_hits() {
    let lab = Lab::new();
    lab.record(&[], &["slow_events", "200", "2000", "large"]);
    let document = asked(&lab);
    assert_eq!(document["counter"]["name"], "hits", "{document:#}");
    let unit = document["counter"]["ns_per_unit"].as_f64().unwrap();
    assert!((18_000.0..23_000.0).contains(&unit), "{unit}");
    let slow = rows(&document, "slow").iter();
    let events = slow.flat_map(|slow| rows(slow, "events"));
    let large = events.filter(|it| it["event"].as_u64().is_some_and(|it| it % 20 == 0));
    assert!(large.count() <= 1, "{document:#}");
}

#[test]
fn events_that_wait_are_told_with_the_stage_they_wait_in() {
    let lab = Lab::new();
    lab.record(&[], &["slow_events", "400", "2000", "waits"]);
    let document = asked(&lab);
    let planted = |slow: &Value| {
        let events = rows(slow, "events").iter();
        let is_planted = |it: &&Value| it["event"].as_u64().is_some_and(|it| it % 20 == 0);
        events.filter(is_planted).count()
    };
    // Whoever else uses the machine makes some events dearer, and not those that wait.
    assert!(by_measure(&document, "cpu").is_none_or(|it| planted(it) <= 5));
    let waited = by_measure(&document, "waited").expect("events that wait");
    assert!(planted(waited) >= 19, "{waited:#}");
    assert_eq!(stages(waited), [("parsed", "tracked")]);
}

#[test]
fn cpu_time_of_other_threads_is_told_to_be_nobodys() {
    let lab = Lab::new();
    lab.record(&[], &["slow_events", "100", "2000", "threads"]);
    let document = asked(&lab);
    let mut limits = rows(&document, "limit_codes").iter();
    let others = limits.find(|limit| limit["code"] == "other-threads");
    let share = others.expect("other threads")["share"].as_f64().unwrap();
    assert!((0.2..0.8).contains(&share), "{document:#}");
}

#[test]
fn ticks_are_no_event_times() {
    let lab = Lab::new();
    lab.record(&["--tick", "20ms"], &["cpu_split", "200"]);
    let mut residue = lab.residue();
    residue.args(["slow", PROFILE]);
    let output = process::finish(residue);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains("no event times: the recording has ticks only"),
        "{text}"
    );
}
