//! Lines of output as events.

use crate::dumped::Dump;
use crate::support::Lab;
use crate::support::truth::Truths;

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
    // A line's id and counters are those of the event that it ends; nothing ended the last.
    let mut expected: Vec<(u32, u64)> = (1..300).map(|n| (n, 100 + u64::from(n))).collect();
    expected.push((300, 300));
    assert_eq!(dump.events("begin"), expected);
    let hits = |line: u64| (1700 + line * line) as f64;
    let counts: Vec<(u32, f64)> = dump
        .timeline
        .counts
        .iter()
        .inspect(|count| assert_eq!(count.name, "hits"))
        .map(|count| (count.event, count.value))
        .collect();
    let expected: Vec<(u32, f64)> = (0..300).map(|line| (line, hits(line.into()))).collect();
    assert_eq!(counts, expected);
    let last = dump.timeline.totals.last().expect("there are totals");
    assert_eq!(last.total, (0..300).map(hits).sum::<f64>());
    // When a line arrives the program is further on already, so which event a block
    // was born in is not exact; that each has its birth is.
    let births = dump.births(&dump.stacks_with("line_leak"));
    assert_eq!(births.values().map(|(blocks, _)| blocks).sum::<u64>(), 300);
}

#[test]
fn a_pattern_that_is_none_stops_the_run_before_it_begins() {
    let lab = Lab::new();
    let recorded = lab.record(&["--event-line", "eventID (?<id>"], &["event_lines"]);
    assert_eq!(recorded.output.status.code(), Some(125));
    assert!(recorded.stderr().contains("unclosed group"));
    assert!(recorded.stdout().is_empty());
}
