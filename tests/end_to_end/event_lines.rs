//! Lines of output as events.

use crate::dumped::Dump;
use crate::support::ledger::Ledger;
use crate::support::process::Running;
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE};
use residue_analysis::history::EventRange;
use residue_analysis::verdict::verdict;

const PATTERN: &str = r"eventID (?<id>\d+) .*hitCollection (?<hits>\d+)";

#[test]
fn every_line_that_matches_is_an_event_and_the_output_is_unchanged() {
    let lab = Lab::new();
    let native = lab.native(&["event_lines", "300"]);
    let recorded = lab.record(&["--event-line", PATTERN, "-q"], &["event_lines", "300"]);
    assert_eq!(recorded.output.stdout, native.stdout);
    assert_eq!(recorded.output.stderr, native.stderr);
    let truths = Truths::parse(&recorded.stderr());
    recorded.ledger().expect_truths(&truths);

    let dump = Dump::of(&lab, &recorded);
    let about = &dump.timeline.about;
    assert_eq!((about.source.as_str(), about.events), ("lines", 300));
    // Line N is event N: its id, and what it counts. The last line ends the last event.
    let expected: Vec<(u32, u64)> = (1..=300).map(|n| (n, 99 + u64::from(n))).collect();
    assert_eq!(dump.events("begin"), expected);
    assert_eq!(dump.events("end"), [(300, 399)]);
    let hits = |line: u64| (1700 + line * line) as f64;
    let counts: Vec<(u32, f64)> = dump
        .timeline
        .counts
        .iter()
        .inspect(|count| assert_eq!(count.name, "hits"))
        .map(|count| (count.event, count.value))
        .collect();
    let expected: Vec<(u32, f64)> = (1..=300).map(|n| (n, hits(u64::from(n) - 1))).collect();
    assert_eq!(counts, expected);
    let last = dump.timeline.totals.last().expect("there are totals");
    assert_eq!(last.total, (0..300).map(hits).sum::<f64>());
    // When a line arrives the program is further on already, so which event a block
    // was born in is not exact; that each has its birth is.
    let births = dump.births(&dump.stacks_with("line_leak"));
    assert_eq!(births.values().map(|(blocks, _)| blocks).sum::<u64>(), 300);
}

#[test]
fn a_line_with_an_id_alone_begins_its_event() {
    let lab = Lab::new();
    let options = ["--event-line", r"eventID (?<id>\d+)", "-q"];
    let recorded = lab.record(&options, &["event_lines", "30"]);
    let dump = Dump::of(&lab, &recorded);
    let expected: Vec<(u32, u64)> = (1..=30).map(|n| (n, 99 + u64::from(n))).collect();
    assert_eq!(dump.events("begin"), expected);
    assert_eq!(dump.events("end"), []);
}

/// Prints `event ID: HITS hits` and waits, so that every line is read before the next
/// event begins: what each leaves is then exact.
const SLOW_LINES: &str = "
import ctypes, sys
libc = ctypes.CDLL(None)
for event in range(20):
    hits = 3 + event * event % 7
    for hit in range(hits):
        libc.malloc(4000)
    print(f'event {500 + event}: {hits} hits', flush=True)
    sys.stdin.readline()
";

#[test]
fn what_an_event_leaves_follows_the_counter_of_its_own_line() {
    let lab = Lab::new();
    let pattern = r"event (?<id>\d+): (?<hits>\d+) hits";
    let options = ["--event-line", pattern];
    let mut run = Running::start(lab.run(&options, &["/usr/bin/python3", "-c", SLOW_LINES]));
    for event in 0..20 {
        run.hear(&format!("event {}: ", 500 + event));
        run.say("");
    }
    assert!(run.wait().success());
    let profile = Ledger::read(&lab.path(PROFILE)).profile;
    let verdict = verdict(&profile, EventRange::ALL).expect("there are events");
    let leaking = verdict.stacks.first().expect("a stack leaks");
    let follow = &leaking
        .counter
        .as_ref()
        .expect("it follows the hits")
        .follow;
    assert!((follow.bytes_per_unit - 4000.0).abs() < 1.0, "{follow:?}");
}

#[test]
fn a_pattern_that_is_none_stops_the_run_before_it_begins() {
    let lab = Lab::new();
    let recorded = lab.record(&["--event-line", "eventID (?<id>"], &["event_lines"]);
    assert_eq!(recorded.output.status.code(), Some(125));
    assert!(recorded.stderr().contains("unclosed group"));
    assert!(recorded.stdout().is_empty());
}

#[test]
fn every_line_that_came_with_the_next_is_counted_as_late() {
    const LINES: u64 = 20_000;
    let lab = Lab::new();
    // In one write, of less than a pipe holds: all have come when the first is read.
    let script = format!("import os; os.write(1, b'e\\n' * {LINES})");
    let recorded = lab.record(
        &["--event-line", "^e", "-q"],
        &["/usr/bin/python3", "-c", &script],
    );
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let about = recorded.ledger().profile.timeline.about;
    assert_eq!((about.events, about.late_lines), (LINES, LINES - 1));
}
