//! Snapshots at events that the user names, and leaks made on purpose.

use crate::dumped::Dump;
use crate::support::{Lab, describe, process};

fn names_and_events(dump: &Dump) -> Vec<(&str, u32)> {
    dump.timeline
        .snapshots
        .iter()
        .map(|snapshot| {
            let (snapshot, moment) = dump.snapshot(&snapshot.name);
            assert!(snapshot.maps_bytes > 0 && snapshot.smaps_bytes > snapshot.maps_bytes);
            (snapshot.name.as_str(), moment.event)
        })
        .collect()
}

#[test]
fn snapshots_at_named_events() {
    let lab = Lab::new();
    let recorded = lab.record(&["--snapshot-at", "1,51,101,end"], &["marks_c", "150"]);
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(
        names_and_events(&dump),
        [("1", 1), ("51", 51), ("half", 76), ("101", 101)]
    );
    // Fifty events lie between two of them, and what those left is known by stack.
    let leak = dump.stacks_with("leak_here");
    let place = |name: &str| dump.snapshot(name).0.moment;
    let between =
        |from: usize, to: usize| dump.change(&leak, |moment| from < moment && moment <= to);
    assert_eq!(between(place("1"), place("51")), (50_000, 50));
    let end = dump.timeline.moments.len() - 1;
    assert_eq!(dump.timeline.moments[end].kind, "last");
    assert_eq!(between(place("51"), end), (100_000, 100));
}

#[test]
fn snapshots_at_every_fiftieth_event() {
    let lab = Lab::new();
    let recorded = lab.record(&["--snapshot-every", "50"], &["marks_c", "150"]);
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(
        names_and_events(&dump),
        [("50", 50), ("half", 76), ("100", 100), ("150", 150)]
    );
}

#[test]
fn papers_of_a_snapshot_that_is_not_there() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "3"]);
    let mut command = lab.residue();
    command.args(["dump", "profile.residue", "--maps", "whole"]);
    let output = process::finish(command);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains("no snapshot is called `whole`; there are half"),
        "{text}"
    );
}

const INJECTED: i64 = 1_000_000;

/// Leaks a megabyte at each of `events` events; returns by how much the resident
/// memory grew from before the first leak to before the last.
fn resident_growth(leak: &str, options: &[&str], command: &[&str], events: i64) -> i64 {
    let lab = Lab::new();
    let at = format!("1,{events}");
    let all = [&["--inject-leak", leak, "--snapshot-at", &at], options].concat();
    let recorded = lab.record(&all, command);
    recorded.ledger().expect_truths(&recorded.truths());
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(dump.timeline.about.events as i64, events);
    let stacks = dump.stacks_with("residue_injected_leak");
    assert_eq!(dump.change(&stacks, |_| true), (events * INJECTED, events));
    let births = dump.births(&stacks);
    let expected = (1..=events as u32).map(|event| (event, (1, INJECTED as u64)));
    assert!(births.into_iter().eq(expected));
    let rss = |name: &str| dump.snapshot(name).1.rss_bytes.expect("a size") as i64;
    rss(&events.to_string()) - rss("1")
}

#[test]
fn an_injected_leak_is_found_to_the_byte() {
    let marks = &["marks_c", "40"];
    let function = ["--event-function", "process_event"];
    let steps = &["event_steps", "own"];
    for (options, command) in [(&[][..], &marks[..]), (&function, steps)] {
        // A block of its own and a few pages of the recorder may be more or less.
        let touched = resident_growth("1MB/event", options, command, 40);
        assert!((touched - 39 * INJECTED).abs() < 2 * INJECTED, "{touched}");
        let untouched = resident_growth("1MB/event,untouched", options, command, 40);
        assert!(untouched < 3 * INJECTED, "{untouched}");
    }
}

#[test]
fn moments_have_addresses_wherever_a_file_is_taken() {
    let lab = Lab::new();
    lab.record(&["--snapshot-at", "51"], &["marks_c", "150"]);
    let run = |arguments: &[&str]| {
        let mut command = lab.residue();
        command.args(arguments);
        process::finish(command)
    };
    let live = |address: &str| {
        let file = format!("profile.residue@{address}");
        let output = run(&["report", "--json", &file]);
        assert!(output.status.success(), "{}", describe(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let top = report["top"].as_array().expect("stacks");
        let holds = |stack: &&serde_json::Value| stack.to_string().contains("leak_here");
        let leak = top.iter().find(holds).expect("the leak");
        leak["counters"]["live_bytes"].as_u64().expect("a number")
    };
    // An event's number is the moment at which it begins.
    assert_eq!(live("51"), 50_000);
    assert_eq!(live("51..101"), 50_000);
    assert_eq!(live("101..end"), 50_000);
    assert_eq!(live("51..end"), 100_000);
    assert_eq!(live("half"), 76_000);
    for (command, address) in [
        ("stages", "51..60"),
        ("dump", "half"),
        ("leaks", "51..end"),
        ("export --format folded", "51..end"),
    ] {
        let file = format!("profile.residue@{address}");
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push(&file);
        let output = run(&arguments);
        assert!(output.status.success(), "{}", describe(&output));
    }
    let output = run(&["report", "profile.residue@never"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("there is no snapshot `never`; there are 51, half"),
        "{said}"
    );
}
