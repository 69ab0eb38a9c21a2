//! Entries of a function as events, in programs that mark none.

use crate::dumped::Dump;
use crate::support::{Lab, Recorded, root, workloads};
use std::process::Command;

fn step_bytes(turn: u32) -> u64 {
    u64::from(100 + 16 * (turn % 5))
}

fn record(lab: &Lab, function: &str, place: &str) -> (Dump, Recorded) {
    let command = ["event_steps", place];
    let recorded = lab.record(&["--event-function", function], &command);
    recorded.expect_exact();
    let dump = Dump::of(lab, &recorded);
    (dump, recorded)
}

/// Forty turns of the loop, of which the last `events` are events.
fn expect_steps(dump: &Dump, events: u32) {
    let about = &dump.timeline.about;
    assert_eq!(
        (about.source.as_str(), about.events),
        ("function", events.into())
    );
    let expected: Vec<(u32, u64)> = (1..=events).map(|event| (event, event.into())).collect();
    assert_eq!(dump.events("begin"), expected);
    // Nothing tells that the last has ended.
    assert_eq!(dump.events("end"), expected[..expected.len() - 1]);
    let before = 40 - events;
    let births = dump.births(&dump.stacks_with("step_leak"));
    for event in 1..=events {
        let left = (1, step_bytes(before + event - 1));
        assert_eq!(births[&event], left, "event {event}");
    }
    let early: u64 = (0..before).map(step_bytes).sum();
    let of_none = births.get(&0).copied().unwrap_or_default();
    assert_eq!(of_none, (before.into(), early));
}

fn expect_events(function: &str, place: &str) {
    let lab = Lab::new();
    let (dump, recorded) = record(&lab, function, place);
    let entries = recorded.truths().get("entries");
    expect_steps(&dump, entries as u32);
    assert_eq!(dump.meta.notes, [""; 0]);
    if entries == 40 {
        let leak = dump.stacks_with("step_leak");
        let changes = dump.changes_in_events(&leak);
        for event in 1..=40 {
            let left = step_bytes(event - 1) as i64;
            assert_eq!(changes[&event], (left, 1), "event {event}");
        }
    }
}

#[test]
fn a_function_of_the_executable() {
    expect_events("process_event", "own");
}

#[test]
fn a_static_function() {
    expect_events("process_static", "static");
}

#[test]
fn a_method_by_its_readable_names_and_a_pattern() {
    let signature = "steps::Handler::process(unsigned long long, char const*)";
    for name in ["steps::Handler::process", signature, "steps::*::proc*"] {
        expect_events(name, "method");
    }
}

#[test]
fn a_function_of_a_library() {
    expect_events("process_in_library", "library");
}

#[test]
fn a_function_of_a_plugin_that_is_loaded_later() {
    expect_events("process_in_plugin", "plugin");
}

/// A plugin in whose file nobody can look up names afterwards: the events, and what is
/// noted about functions.
fn record_nameless(place: &str) -> (u64, Vec<String>) {
    let lab = Lab::new();
    let options = ["--event-function", "process_in_plugin"];
    let recorded = lab.record(&options, &["event_steps", place]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(recorded.truths().get("entries"), 20);
    let dump = Dump::of(&lab, &recorded);
    let events = dump.timeline.about.events;
    assert_eq!(dump.events("begin").len() as u64, events);
    let mut notes = dump.meta.notes;
    notes.retain(|note| note.contains("function"));
    (events, notes)
}

#[test]
fn a_plugin_whose_name_means_nothing_from_outside() {
    assert_eq!(record_nameless("relative"), (20, vec![]));
}

/// Whether the files of a process can be reached through its mappings, which takes
/// privileges.
fn sees_mapped_files() -> bool {
    let links = std::fs::read_dir("/proc/self/map_files").expect("mappings have links");
    let mut paths = links.flatten().map(|link| link.path());
    paths.any(|path| std::fs::metadata(path).is_ok())
}

#[test]
fn a_plugin_without_a_name_is_searched_or_said_to_be_missing() {
    let unread = "--event-function: 1 module not searched: cannot read the mapped files";
    let expected = match sees_mapped_files() {
        true => (20, vec![]),
        false => (0, vec![unread.to_string()]),
    };
    assert_eq!(record_nameless("memory"), expected);
}

#[test]
fn a_plugin_that_is_loaded_again_and_again() {
    let lab = Lab::new();
    let options = ["--event-function", "process_in_plugin"];
    let recorded = lab.record(&options, &["event_steps", "reloaded", "5000"]);
    recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(dump.timeline.about.events, 5000);
    assert_eq!(dump.meta.notes, [""; 0]);
    let births = dump.births(&dump.stacks_with("step_leak"));
    for event in 1..=5000 {
        assert_eq!(births[&event], (1, step_bytes(event - 1)), "event {event}");
    }
}

#[test]
fn a_pattern_for_several_functions_in_several_modules() {
    let lab = Lab::new();
    let (dump, _) = record(&lab, "process_*", "plugin");
    expect_steps(&dump, 40);
}

#[test]
fn stripped_files_show_what_they_export() {
    let lab = Lab::new();
    for file in [
        "event_steps",
        "event_steps_library.so",
        "event_steps_plugin.so",
    ] {
        let copy = lab.path(file);
        root::install(&workloads::find(file), &copy, "755");
        let stripped = Command::new("strip").arg(&copy).status();
        assert!(stripped.expect("strip can be started").success());
    }
    let program = lab.path("event_steps").display().to_string();
    let record = |function: &str, place: &str| {
        let recorded = lab.record(&["--event-function", function], &[&program, place]);
        Dump::of(&lab, &recorded)
    };
    let events = |dump: Dump| dump.timeline.about.events;
    assert_eq!(events(record("process_in_library", "library")), 40);
    assert_eq!(events(record("process_in_plugin", "plugin")), 20);
    let static_one = record("process_static", "static");
    let matched = static_one.timeline.about.search.functions_matched;
    assert_eq!(matched, Some(0), "it has no name any more");
    assert_eq!(events(static_one), 0);
}

#[test]
fn a_name_that_does_not_exist_is_said_and_the_program_runs() {
    let lab = Lab::new();
    let (dump, _) = record(&lab, "no_such_function", "own");
    assert_eq!(dump.timeline.about.events, 0);
    let search = &dump.timeline.about.search;
    assert_eq!(search.functions, ["no_such_function"]);
    assert_eq!(
        (search.functions_matched, search.functions_hooked),
        (Some(0), 0)
    );
    assert_eq!(dump.meta.notes, [""; 0]);
}

/// Debian's sqlite3, with so many statements to prepare.
fn prepared(lab: &Lab, statements: usize) -> u64 {
    let script = format!(
        "create table t(a); {}",
        "insert into t values(1);".repeat(statements)
    );
    let options = ["--event-function", "sqlite3_prepare_v2"];
    let recorded = lab.record(&options, &["/usr/bin/sqlite3", ":memory:", &script]);
    let dump = Dump::of(lab, &recorded);
    assert_eq!(dump.timeline.about.source, "function");
    assert_eq!(
        dump.events("begin").len() as u64,
        dump.timeline.about.events
    );
    dump.timeline.about.events
}

#[test]
fn a_library_of_the_system_without_debug_information() {
    let lab = Lab::new();
    let few = prepared(&lab, 10);
    // sqlite3 prepares some of its own, always the same.
    assert!((11..30).contains(&few), "{few}");
    assert_eq!(prepared(&lab, 510) - few, 500);
}

#[test]
fn thousands_of_entries_stay_in_order() {
    let lab = Lab::new();
    let options = ["--event-function", "process_event"];
    let recorded = lab.record(&options, &["event_steps", "own", "12000"]);
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(dump.timeline.about.events, 12_000);
    // An event ends where the next begins, whether it is kept or not.
    let mut expected = 1;
    let moments = dump.timeline.moments.iter();
    for pair in moments.as_slice().chunks(2) {
        assert_eq!((pair[0].kind.as_str(), pair[0].event), ("begin", expected));
        let end = if expected == 12_000 { "last" } else { "end" };
        assert_eq!((pair[1].kind.as_str(), pair[1].event), (end, expected));
        expected += 1;
    }
    assert_eq!(expected, 12_001);
}

/// A jump over the first five bytes would be entered in its midst.
#[test]
fn a_function_with_a_second_symbol_near_its_entry_is_left_alone() {
    let lab = Lab::new();
    let options = ["--event-function", "entered_first"];
    let recorded = lab.record(&options, &["second_entry"]);
    recorded.expect_exact();
    let said = recorded.stderr();
    assert!(
        said.contains("1 of 1 matching function not hooked"),
        "{said}"
    );
}

/// A debugger puts back what was under its breakpoint, over whatever is there then.
#[test]
fn a_breakpoint_at_the_entry_is_left_alone() {
    let lab = Lab::new();
    let program = workloads::find("event_steps");
    let command = [
        "gdb",
        "-q",
        "-batch",
        "-nx",
        "-ex",
        "break *process_event",
        "-ex",
        "run",
        "-ex",
        "continue",
        "-ex",
        "delete",
        "-ex",
        "continue",
        "--args",
        program.to_str().expect("a path in UTF-8"),
        "own",
    ];
    let options = ["--event-function", "process_event", "-t", "event_steps"];
    let recorded = lab.record(&options, &command);
    let said = recorded.describe();
    assert!(said.contains("exited normally"), "{said}");
    assert_eq!(
        said.matches("Breakpoint 1, process_event").count(),
        2,
        "{said}"
    );
    assert!(said.contains("not hooked"), "{said}");
}
