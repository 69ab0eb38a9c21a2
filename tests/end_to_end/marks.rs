//! Events that the program marks, in every language, and marks used wrongly.

use crate::dumped::{Dump, Misuse};
use crate::support::process::{Running, send};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, Recorded, describe, workloads};
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;

const EVENTS: u32 = 60;

/// Records one of the loops of `marks_c` and checks all but its stacks.
fn record_loop(lab: &Lab, command: &[&str]) -> (Dump, Recorded) {
    let events = EVENTS.to_string();
    let command: Vec<&str> = command.iter().copied().chain([events.as_str()]).collect();
    let recorded = lab.record(&[], &command);
    let dump = Dump::of(lab, &recorded);
    expect_events(&dump, &recorded.truths());
    expect_counts(&dump, &recorded.truths());
    expect_snapshot(lab, &dump);
    (dump, recorded)
}

fn expect_events(dump: &Dump, truths: &Truths) {
    let about = &dump.timeline.about;
    assert_eq!(truths.get("events"), u64::from(EVENTS));
    assert_eq!(
        (about.source.as_str(), about.events),
        ("marks", EVENTS.into())
    );
    assert_eq!((about.streams, about.stride), (1, 1));
    assert_eq!(about.misuse, Misuse::default());
    assert_eq!(dump.meta.birth_unit, "event");
    let expected: Vec<(u32, u64)> = (1..=EVENTS).map(|n| (n, u64::from(n - 1))).collect();
    assert_eq!(dump.events("begin"), expected);
    assert_eq!(dump.events("end"), expected);
    let stamps: Vec<(u32, &str)> = dump
        .timeline
        .stamps
        .iter()
        .map(|stamp| (stamp.event, stamp.name.as_str()))
        .collect();
    let expected: Vec<(u32, &str)> = (1..=EVENTS)
        .flat_map(|event| ["begin", "middle", "end"].map(|name| (event, name)))
        .collect();
    assert_eq!(stamps, expected);
    let accounts = &dump.timeline.accounts;
    assert!(!accounts.is_empty(), "the first event has one");
    for account in accounts {
        let live = dump.timeline.moments[account.moment].live_bytes;
        assert_eq!(Some(account.live_bytes), live);
    }
}

fn expect_counts(dump: &Dump, truths: &Truths) {
    let timeline = &dump.timeline;
    let hits = |event: u32| f64::from((event - 1) % 7);
    let counted: Vec<(u32, f64)> = timeline
        .counts
        .iter()
        .inspect(|count| assert_eq!(count.name, "hits"))
        .map(|count| (count.event, count.value))
        .collect();
    let expected: Vec<(u32, f64)> = (1..=EVENTS).map(|event| (event, hits(event))).collect();
    assert_eq!(counted, expected);
    for total in &timeline.totals {
        assert_eq!(total.name, "hits");
        let moment = &timeline.moments[total.moment];
        let counted = if moment.kind == "begin" { 1 } else { 0 };
        let expected: f64 = (1..=moment.event - counted).map(hits).sum();
        assert_eq!(total.total, expected, "at moment {}", total.moment);
    }
    let last = timeline.totals.last().expect("there are totals");
    assert_eq!(last.total, truths.get("hits") as f64);
}

/// The snapshot "half", with papers that are the kernel's own.
fn expect_snapshot(lab: &Lab, dump: &Dump) {
    assert_eq!(dump.timeline.snapshots.len(), 1);
    let (snapshot, moment) = dump.snapshot("half");
    assert_eq!(moment.event, EVENTS / 2 + 1);
    assert!(moment.rss_bytes.is_some());
    let mut command = lab.residue();
    command.args(["dump", PROFILE, "--maps", "half"]);
    let output = crate::support::process::finish(command);
    let papers = String::from_utf8(output.stdout).expect("the papers are text");
    let (maps, rest) = papers.split_once("[smaps]").expect("smaps follow maps");
    let (smaps, _) = rest.split_once("[numa_maps]").expect("numa_maps follow");
    assert!(
        maps.starts_with("[maps]") && maps.contains("[stack]\n"),
        "{maps}"
    );
    assert!(
        smaps.contains("\nRss:") && smaps.contains("[stack]\n"),
        "{smaps}"
    );
    let length = |text: &str| text.len() as u64 - text.find('\n').unwrap_or(0) as u64 - 1;
    assert_eq!(length(maps), snapshot.maps_bytes);
    assert_eq!(length(smaps), snapshot.smaps_bytes);
}

/// Every event left one block of 1000 bytes at these stacks, and nothing else.
fn expect_leak(dump: &Dump, stacks: &[usize]) {
    let births = dump.births(stacks);
    let changes = dump.changes_in_events(stacks);
    for event in 1..=EVENTS {
        assert_eq!(
            births.get(&event),
            Some(&(1, 1000)),
            "births in event {event}"
        );
        assert_eq!(changes[&event], (1000, 1), "change in event {event}");
    }
    assert_eq!(births.len(), EVENTS as usize);
    for &stack in stacks {
        assert_eq!(dump.names(stack).last(), Some(&"[leaky]"));
    }
}

fn expect_loop(program: &str) {
    let lab = Lab::new();
    let (dump, recorded) = record_loop(&lab, &[program]);
    recorded.expect_exact();
    expect_leak(&dump, &dump.stacks_with("leak_here"));
    let churn = dump.stacks_with("churn_here");
    let churns = dump.timeline.changes.iter();
    assert_eq!(churns.filter(|it| churn.contains(&it.stack)).count(), 0);
    for stack in churn {
        assert_ne!(dump.names(stack).last(), Some(&"[leaky]"));
    }
}

#[test]
fn events_marked_in_c_are_exact() {
    expect_loop("marks_c");
}

#[test]
fn events_marked_in_cpp_are_exact() {
    expect_loop("marks_cpp");
}

#[test]
fn events_marked_in_fortran_are_exact() {
    expect_loop("marks_f");
}

#[test]
fn events_marked_in_python_are_exact() {
    let lab = Lab::new();
    let script = workloads::find("marks_py.py").display().to_string();
    let (dump, recorded) = record_loop(&lab, &["/usr/bin/python3", &script]);
    assert_eq!(recorded.truths().get("leaked_blocks"), u64::from(EVENTS));
    // The interpreter has blocks of its own in the scope, but leaves none there.
    let leaks: Vec<usize> = dump
        .stacks_with("[leaky]")
        .into_iter()
        .filter(|&stack| dump.stacks[stack].counters.live_bytes > 0)
        .collect();
    let live: u64 = leaks
        .iter()
        .map(|&stack| dump.stacks[stack].counters.live_bytes)
        .sum();
    assert_eq!(live, recorded.truths().get("leaked_bytes"));
    let births = dump.births(&leaks);
    let expected = (1..=EVENTS).map(|event| (event, (1, 1000)));
    assert!(births.into_iter().eq(expected));
}

#[test]
fn the_same_program_without_recorder_says_the_same() {
    let lab = Lab::new();
    for program in ["marks_c", "marks_cpp", "marks_f"] {
        let native = lab.native(&[program]);
        let recorded = lab.record(&[], &[program]);
        assert_eq!(native.stdout, recorded.output.stdout, "{program}");
    }
}

#[test]
fn all_events_that_ended_before_a_kill_are_there() {
    let lab = Lab::new();
    for kill_at in [1_u64, 300, 2000] {
        let mut run = Running::start(lab.run(&[], &["marks_endless"]));
        let program = run.program();
        run.hear(&format!("ended {kill_at}"));
        send(program, Signal::SIGKILL);
        let heard = run.hear_all();
        assert_eq!(run.wait().signal(), Some(Signal::SIGKILL as i32));
        let whole = heard.rsplit_once('\n').expect("lines").0;
        let last = whole
            .lines()
            .last()
            .and_then(|line| line.strip_prefix("ended "));
        let ended: u64 = last.and_then(|id| id.parse().ok()).expect("an event ended");
        assert!(ended >= kill_at);

        let dump = Dump::read(&lab, &lab.path(PROFILE));
        dump.expect_changes_give_live();
        let about = &dump.timeline.about;
        // It may have been killed in the event after, or before that was told of.
        assert!((ended + 1..=ended + 2).contains(&about.events));
        if ended < 4096 {
            let ends = dump.events("end");
            let expected = (0..=ended).map(|id| (id as u32 + 1, id));
            assert!(expected.eq(ends.iter().copied().take(ended as usize + 1)));
            let leak = dump.stacks_with("leak_here");
            let changes = dump.changes_in_events(&leak);
            for event in 1..=ended as u32 + 1 {
                assert_eq!(changes[&event], (1000, 1), "event {event}");
            }
        }
    }
}

#[test]
fn wrong_use_is_counted_and_harms_nothing() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_misuse"]);
    assert_eq!(recorded.output.status.code(), Some(3));
    let truths = recorded.truths();
    let dump = Dump::read(&lab, &recorded.profile);
    dump.expect_changes_give_live();
    let about = &dump.timeline.about;
    assert_eq!(
        about.misuse,
        Misuse {
            end_without_begin: truths.get("end_without_begin"),
            begin_inside_event: truths.get("begin_inside_event"),
            end_of_another: truths.get("end_of_another"),
            scope_end_without_begin: truths.get("scope_end_without_begin"),
            no_room: 0,
        }
    );
    assert!(about.misuse.end_without_begin > 0 && about.misuse.end_of_another > 0);
    let calls = match about.misuse.end_of_another {
        1 => "1 event_end call with a mismatched id".to_string(),
        many => format!("{many} event_end calls with a mismatched id"),
    };
    let warning = format!("  warning: ignored {calls}\n");
    assert!(
        recorded.stderr().contains(&warning),
        "{}",
        recorded.describe()
    );
    assert_eq!(about.events, truths.get("events"));
    // Every event that began was ended, and left one block.
    let events = about.events as u32;
    assert_eq!(dump.events("begin"), dump.events("end"));
    let right = dump.stacks_with("right_here");
    let changes = dump.changes_in_events(&right);
    assert!((1..=events).all(|event| changes[&event] == (300, 1)));
    assert!(
        dump.timeline.counts.is_empty(),
        "what is no number is not counted"
    );
    recorded.ledger().expect_truths(&truths);

    assert_eq!(truths.get("active"), 1);
    let native = lab.native(&["marks_misuse"]);
    assert_eq!(native.status.code(), Some(3));
    let stdout = String::from_utf8_lossy(&native.stdout).into_owned();
    assert_eq!(Truths::parse(&stdout).get("active"), 0);
    let same = |text: &str| text.replace("active 1", "active 0");
    assert_eq!(same(&recorded.stdout()), stdout);
}

#[test]
fn a_child_of_a_marked_program_has_its_own_timeline() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_fork"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let truths = Truths::parse_by_process(&recorded.stdout());
    let profiles = lab.profiles();
    assert_eq!((truths.len(), profiles.len()), (2, 2));
    for (path, ledger) in profiles {
        let truth = &truths[&ledger.profile.meta.pid];
        ledger.expect_truths(truth);
        let dump = Dump::read(&lab, &path);
        dump.expect_changes_give_live();
        let is_child = path != recorded.profile;
        let (function, bytes, first_id) = match is_child {
            true => ("child_leak", 700, 100),
            false => ("parent_leak", 500, 0),
        };
        let events = truth.get("events");
        assert_eq!(dump.timeline.about.events, events);
        let expected: Vec<(u32, u64)> = (1..=events as u32)
            .map(|event| (event, first_id + u64::from(event) - 1))
            .collect();
        assert_eq!(dump.events("begin"), expected, "{function}");
        assert_eq!(dump.events("end"), expected, "{function}");
        assert_eq!(dump.timeline.about.misuse, Misuse::default());
        let changes = dump.changes_in_events(&dump.stacks_with(function));
        assert!((1..=events as u32).all(|event| changes[&event] == (bytes, 1)));
        assert_eq!(dump.timeline.counts.is_empty(), !is_child);
    }
}

/// Before glibc 2.34 `dlsym` is in a library that no linker takes for a weak reference: the
/// recorder is found among the modules then.
#[test]
fn marks_of_a_program_without_dlsym_are_seen() {
    for kind in ["-pie", "-no-pie"] {
        let lab = Lab::new();
        let object = lab.path("marks_c.o");
        let compiled = if kind == "-pie" { "-fPIE" } else { "-fno-pie" };
        workloads::compile("marks_c.c", &object, &["-c", compiled]);
        let link = format!(
            "objcopy --redefine-sym dlsym=residue_no_such_function {0} && gcc {kind} -pthread {0} -o marks_c \
             && ! nm -D marks_c | grep -w dlsym",
            object.display()
        );
        let linked = lab.native(&["sh", "-ec", &link]);
        assert!(linked.status.success(), "{}", describe(&linked));
        let program = lab.path("marks_c").display().to_string();
        record_loop(&lab, &[&program]);
    }
}
