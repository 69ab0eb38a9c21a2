//! `--print-events`: a line for every event while the program runs.

use crate::support::{Lab, Recorded, describe, process, workloads};

/// The lines of events in what was printed, without who speaks and of which process.
fn turns(printed: &str) -> Vec<String> {
    let lines = printed.lines().filter_map(|line| {
        let line = line.strip_prefix("residue: ").unwrap_or(line);
        let (_, turn) = line.strip_prefix('[')?.split_once("] ")?;
        Some(turn.to_string())
    });
    lines.collect()
}

/// First event, last event, and what the live heap grew by.
fn parsed(turn: &str) -> (u32, u32, Option<String>) {
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let label = turn.split(' ').nth(1).expect("an event");
    let label = label.trim_end_matches(':');
    let (first, last) = label.split_once("..").unwrap_or((label, label));
    let (first, last) = (number(first), number(last));
    let (_, live) = turn.split_once(", live ").expect("the live heap");
    let growth = live.find(['+', '-']).map(|at| live[at..].to_string());
    (first, last, growth)
}

fn expect_untouched(lab: &Lab, recorded: &Recorded, command: &[&str]) {
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let native = lab.native(command);
    assert_eq!(recorded.output.stdout, native.stdout);
}

/// Each of the first twenty events leaves 1000 bytes and as many as its number.
fn expect_twenty(printed: &str) {
    let growths: Vec<_> = turns(printed).iter().map(|turn| parsed(turn)).collect();
    let expected: Vec<_> = (1..=20)
        .map(|event| (event, event, Some(format!("+{} B", 1000 + event))))
        .collect();
    assert_eq!(growths, expected, "{printed}");
    let jumps = printed
        .lines()
        .find_map(|line| line.split_once("largest jumps of live: "))
        .expect("the largest jumps")
        .1;
    let jumps: Vec<&str> = jumps.split(", ").collect();
    assert_eq!(jumps.len(), 3, "{printed}");
    for (jump, event) in jumps.iter().zip([20, 19, 18]) {
        let expected = format!("+{} B in event {event} [", 1000 + event);
        assert!(jump.starts_with(&expected), "{jump}");
    }
    assert!(
        !printed.contains("without a line of their own"),
        "{printed}"
    );
}

#[test]
fn every_marked_event_has_a_line_with_what_it_left() {
    let lab = Lab::new();
    let command = ["stepped", "marks", "20"];
    let recorded = lab.record(&["--print-events"], &command);
    expect_untouched(&lab, &recorded, &command);
    let printed = recorded.stderr();
    expect_twenty(&printed);
    let lines = turns(&printed);
    assert!(lines[0].starts_with("event 1 id 1001 at "), "{printed}");
    assert!(lines[19].starts_with("event 20 id 1020 at "), "{printed}");
    // The sizes of the process are read at the first events, however short they are.
    assert!(lines[0].contains(": VM ") && lines[0].contains(", RSS "));
    assert!(!lines[0].contains("not read"), "{printed}");
    for name in ["VM", "RSS"] {
        assert!(printed.contains(&format!("largest jumps of {name}: ")));
    }
}

#[test]
fn lines_go_to_a_file_and_nothing_else_changes() {
    let lab = Lab::new();
    let command = ["stepped", "marks", "20"];
    let recorded = lab.record(&["-q", "--print-events=events.log"], &command);
    expect_untouched(&lab, &recorded, &command);
    assert_eq!(recorded.stderr(), "", "the program writes nothing there");
    let printed = std::fs::read_to_string(lab.path("events.log")).expect("a file");
    expect_twenty(&printed);
    assert!(printed.starts_with('['), "{printed}");

    let refused = process::finish(lab.run(&["--print-events=no/where"], &["true"]));
    assert_eq!(refused.status.code(), Some(125), "{}", describe(&refused));
    let told = describe(&refused);
    assert!(
        told.contains("--print-events=no/where: cannot write"),
        "{told}"
    );
}

#[test]
fn functions_lines_and_ticks_are_events_too() {
    let lab = Lab::new();
    let options = ["--print-events", "--event-function", "one_step"];
    expect_twenty(
        &lab.record(&options, &["stepped", "function", "20"])
            .stderr(),
    );

    let lab = Lab::new();
    let pattern = r"event (?<id>\d+) leaked (?<leaked>\d+)";
    let options = ["--print-events", "--event-line", pattern];
    let recorded = lab.record(&options, &["stepped", "ends", "8"]);
    let printed = turns(&recorded.stderr());
    assert_eq!(printed.len(), 8, "{}", recorded.describe());
    for (turn, event) in printed.iter().zip(1..) {
        let label = format!("event {event} id {} at ", 1000 + event);
        assert!(turn.starts_with(&label), "{turn}");
    }

    let lab = Lab::new();
    let options = ["--print-events", "--event-line", r"event (?<id>\d+)"];
    let recorded = lab.record(&options, &["stepped", "lines", "8"]);
    let printed = turns(&recorded.stderr());
    assert_eq!(printed.len(), 8, "{}", recorded.describe());
    assert!(printed[7].starts_with("event 8 id 1008:"), "{}", printed[7]);

    let lab = Lab::new();
    let recorded = lab.record(&["--print-events", "--tick", "50ms"], &["slow_leak"]);
    let printed = turns(&recorded.stderr());
    assert!(printed.len() >= 10, "{}", recorded.describe());
    // On a busy machine a tick may be missed, the first too: numbers follow the clock, and a line
    // may tell of several.
    let is_of_ticks = |turn: &String| turn.starts_with("tick ") || turn.starts_with("ticks ");
    assert!(printed.iter().all(is_of_ticks), "{}", recorded.describe());
    let ticks: Vec<_> = printed.iter().map(|turn| parsed(turn)).collect();
    assert!(ticks.windows(2).all(|two| two[0].1 < two[1].0), "{ticks:?}");
}

/// A busy machine does the same: the program has ended when its lines are read.
#[test]
fn lines_that_come_after_the_end_of_the_program_are_printed() {
    let lab = Lab::new();
    let options = [
        "--print-events",
        "-t",
        "stepped",
        "--event-line",
        r"event (?<id>\d+)",
    ];
    let later = "$0 lines 8 | (sleep 1; exec cat)";
    let stepped = workloads::find("stepped");
    let recorded = lab.record(&options, &["sh", "-c", later, stepped.to_str().unwrap()]);
    let printed = turns(&recorded.stderr());
    assert_eq!(printed.len(), 8, "{}", recorded.describe());
    for (turn, event) in printed.iter().zip(1..) {
        let label = format!("event {event} id {}", 1000 + event);
        assert!(turn.starts_with(&label), "{turn}");
    }
}

/// Events that nobody could read apart are in one line together: none is told twice or left out.
#[test]
fn of_events_that_come_too_fast_none_is_lost_and_none_told_twice() {
    const EVENTS: u32 = 200_000;
    let lab = Lab::new();
    let command = ["stepped", "marks", &EVENTS.to_string()];
    let recorded = lab.record(&["--print-events=events.log"], &command);
    expect_untouched(&lab, &recorded, &command);
    let printed = std::fs::read_to_string(lab.path("events.log")).expect("a file");
    let turns: Vec<_> = turns(&printed).iter().map(|turn| parsed(turn)).collect();
    assert_eq!(turns[0].0, 1);
    assert_eq!(turns.last().map(|turn| turn.1), Some(EVENTS));
    assert!(turns.windows(2).all(|two| two[0].1 + 1 == two[1].0));
    assert!(turns.iter().all(|turn| turn.0 <= turn.1));
    let said = printed
        .lines()
        .find_map(|line| line.split_once(" of 200 000 events without a line of their own"));
    let said: u32 = said
        .map_or("0", |(count, _)| count)
        .replace(' ', "")
        .parse()
        .expect("a number");
    assert_eq!(turns.len() as u32 + said, EVENTS);
}

#[test]
fn a_program_without_events_says_so() {
    let lab = Lab::new();
    let recorded = lab.record(&["--print-events", "--tick", "0"], &["hello", "3"]);
    assert!(
        recorded.stderr().contains("no events to print"),
        "{}",
        recorded.describe()
    );
}
