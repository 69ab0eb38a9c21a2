//! What was allocated, freed and spent between two moments, beside what programs say themselves.

use crate::support::truth::Truths;
use crate::support::{Lab, describe, process};
use residue_profile::timeline::{Moment, MomentKind};

const COUNTERS: [&str; 4] = ["calls", "total", "frees", "live"];

/// A counter of the stacks through a function in a part of `profile.residue`.
fn folded(lab: &Lab, part: &str, counter: &str, function: &str) -> u64 {
    let mut export = lab.residue();
    let file = format!("profile.residue@{part}");
    export.args(["export", "--format", "folded", "--counter", counter, &file]);
    let output = process::finish(export);
    assert!(output.status.success(), "{}", describe(&output));
    let text = String::from_utf8(output.stdout).expect("folded stacks are text");
    let rows = text.lines().filter(|line| line.contains(function));
    rows.map(|line| {
        let (_, value) = line.rsplit_once(' ').expect("a path and a value");
        value.parse::<u64>().expect("a number")
    })
    .sum()
}

fn expect_spans(lab: &Lab, truths: &Truths) {
    let half = truths.get("half");
    let spans = [
        ("1_half", format!("1..{half}")),
        ("half_end", format!("{half}..end")),
        ("1_end", "1..end".to_string()),
    ];
    for (name, part) in spans {
        for function in ["churn", "keep"] {
            for counter in COUNTERS {
                let truth = truths.get(&format!("{function}.{name}.{counter}"));
                let recorded = folded(lab, &part, counter, function);
                assert_eq!(recorded, truth, "{function} {counter} of @{part}");
            }
        }
    }
}

#[test]
fn what_events_allocated_and_freed_is_exact_between_any_two() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["event_work", "100"]);
    expect_spans(&lab, &recorded.truths());
    // What comes before the first event and after the last is in no event.
    assert_eq!(folded(&lab, "1..end", "calls", "outside"), 0);
    assert_eq!(folded(&lab, "..1", "calls", "outside"), 100);
    assert_eq!(folded(&lab, "end..exit", "total", "outside"), 500_000);
}

#[test]
fn eight_threads_that_allocate_in_the_same_events_are_told_apart_by_event() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["event_work", "100", "8"]);
    expect_spans(&lab, &recorded.truths());
}

/// As IgProf's users do it: snapshots at 1, 51, 101, ..., then the difference from 51 to the end.
#[test]
fn totals_are_kept_at_snapshots_that_were_asked_for() {
    let lab = Lab::new();
    lab.record(&["--snapshot-at", "1,51,101"], &["event_work", "120"]);
    let churn = |k: u64| 2 + k % 5;
    let truth: u64 = (51..=120).map(churn).sum();
    assert_eq!(folded(&lab, "51..end", "calls", "churn"), truth);
    let mut diff = lab.residue();
    diff.args(["diff", "--json", "--counter", "calls"]);
    diff.args(["profile.residue@51", "profile.residue@end"]);
    let output = process::finish(diff);
    assert!(output.status.success(), "{}", describe(&output));
}

#[test]
fn a_killed_program_has_its_totals_up_to_the_kill() {
    let lab = Lab::new();
    let mut running = process::Running::start(lab.run(&[], &["event_work", "1000000"]));
    let program = running.program();
    process::wait_for("some seconds of events", || {
        let stat = std::fs::read_to_string(format!("/proc/{program}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let ticks: u64 = rest.split_whitespace().nth(11)?.parse().ok()?;
        (ticks > 20).then_some(())
    });
    process::send(program, nix::sys::signal::Signal::SIGKILL);
    running.wait();
    let profile = residue_profile::read(&lab.path("profile.residue")).expect("a whole profile");
    let sums = profile.timeline.allocated.iter();
    let sums = sums.fold((0, 0), |sum, row| (sum.0 + row.calls, sum.1 + row.bytes));
    let stacks = profile.stacks.iter().map(|stack| &stack.counters);
    let totals = stacks.fold((0, 0), |sum, it| (sum.0 + it.calls, sum.1 + it.total_bytes));
    assert_eq!(sums, totals);
    // Each event's part of it: 1 001 or more kept events, so that thinning has begun.
    assert!(profile.timeline.about.events > 1000);
}

/// The sums of allocations at moments: every begin knows what was allocated before it.
#[test]
fn each_event_knows_how_much_it_allocated() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["event_work", "50"]);
    let ledger = recorded.ledger();
    for (begin, end) in events_of(&ledger.profile.timeline.moments) {
        let k = u64::from(begin.event);
        let made = |of: fn(&Moment) -> Option<u64>| of(end).unwrap() - of(begin).unwrap();
        assert_eq!(made(|m| m.spent.calls), 2 + k % 5 + 1, "event {k}");
        let bytes = (2 + k % 5) * (64 + k % 3) + 1000 + k;
        assert_eq!(made(|m| m.spent.total_bytes), bytes, "event {k}");
    }
    let last = ledger.profile.timeline.moments.last().unwrap();
    assert_eq!(last.spent.calls, Some(ledger.profile.heap.calls));
    assert_eq!(
        last.spent.total_bytes,
        Some(ledger.profile.heap.total_bytes)
    );
}

/// An event that sleeps for 3 ms and works for 2 ms: both are told apart.
#[test]
fn each_event_knows_its_cpu_time_and_its_wall_time() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["event_work", "30", "1", "3000", "2000"]);
    let ledger = recorded.ledger();
    let events = events_of(&ledger.profile.timeline.moments);
    assert_eq!(events.len(), 30);
    for (begin, end) in events {
        assert_eq!(begin.spent.tid, end.spent.tid);
        let cpu_ns = end.spent.thread_cpu_ns.unwrap() - begin.spent.thread_cpu_ns.unwrap();
        let wall_ns = end.time_ns - begin.time_ns;
        // The clock of CPU time is the program's own measure too, and it stops a reading later.
        assert!((2_000_000..4_000_000).contains(&cpu_ns), "{cpu_ns}");
        assert!(wall_ns >= cpu_ns + 3_000_000, "{wall_ns} {cpu_ns}");
    }
}

/// Begins with their ends, by event.
fn events_of(moments: &[Moment]) -> Vec<(&Moment, &Moment)> {
    let of = |kind| moments.iter().filter(move |moment| moment.kind == kind);
    let ends: Vec<&Moment> = of(MomentKind::End).collect();
    let end_of = |begin: &Moment| ends.iter().copied().find(|end| end.event == begin.event);
    of(MomentKind::Begin)
        .filter_map(|begin| Some((begin, end_of(begin)?)))
        .collect()
}
