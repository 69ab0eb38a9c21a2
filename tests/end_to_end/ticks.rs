//! Spans of time as events, where the program marks none.

use crate::dumped::{Dump, Moment};
use crate::support::{Lab, PROFILE, workloads};

#[test]
fn a_program_without_events_has_ticks() {
    let lab = Lab::new();
    let recorded = lab.record(&["--tick", "50ms"], &["slow_leak"]);
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    assert_eq!(dump.timeline.about.source, "ticks");
    assert_eq!(dump.meta.birth_unit, "tick");
    // Twenty of them, fewer where the machine was busy.
    let ticks = dump.moments("tick");
    assert!((10..=25).contains(&ticks.len()), "{}", ticks.len());
    assert!(ticks.is_sorted_by_key(|tick| tick.event));
    assert_eq!(
        dump.timeline.about.events,
        u64::from(ticks.last().expect("there are ticks").event)
    );
    assert!(ticks.iter().any(|tick| tick.rss_bytes.is_some()));
    let leak = dump.stacks_with("slow_leak");
    let births = dump.births(&leak);
    let blocks: u64 = births.values().map(|(blocks, _)| blocks).sum();
    assert_eq!(blocks, truths.get("slow_leak.calls"));
    assert!((10..=26).contains(&births.len()), "{births:?}");
    // Between two ticks, as many bytes were lost as were born there.
    let changing: Vec<usize> = (0..dump.timeline.moments.len())
        .filter(|&place| dump.change(&leak, |moment| moment == place) != (0, 0))
        .collect();
    assert!((10..=26).contains(&changing.len()), "{changing:?}");
}

#[test]
fn the_first_event_ends_the_ticks() {
    let lab = Lab::new();
    let command = ["slow_leak", "400", "marks"];
    let recorded = lab.record(&["--tick", "50ms"], &command);
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let about = &dump.timeline.about;
    assert_eq!(about.source, "marks");
    assert_eq!(about.events, truths.get("events"));
    assert_eq!(dump.meta.birth_unit, "event");
    let moments = &dump.timeline.moments;
    let is_tick = |moment: &Moment| moment.kind == "tick";
    let first = moments.iter().position(|moment| moment.kind == "begin");
    let (before, after) = moments.split_at(first.expect("there are events"));
    assert!(before.iter().any(is_tick));
    // One may be under way when the first event begins; later there are none.
    assert!(after.iter().filter(|moment| is_tick(moment)).count() <= 1);
    let births = dump.births(&dump.stacks_with("slow_leak"));
    let in_events = truths.get("blocks_in_events");
    let early = births[&0].0;
    assert_eq!(early, truths.get("slow_leak.calls") - in_events);
    let later: u64 = births.range(1..).map(|(_, (blocks, _))| blocks).sum();
    assert_eq!(later, in_events);
    assert_eq!(births.len() as u64, about.events + 1);
}

/// Needs root, who may make namespaces.
#[test]
fn a_program_in_another_namespace_of_processes_has_ticks_and_events() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let slow_leak = workloads::find("slow_leak").display().to_string();
    let namespace = ["unshare", "-pf", "--mount-proc"];
    let lab = Lab::new();
    let recorded = lab.record(
        &["--tick", "50ms"],
        &[&namespace[..], &[&slow_leak]].concat(),
    );
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let profiles = lab.profiles();
    let inside = profiles
        .iter()
        .find(|(_, ledger)| ledger.profile.meta.pid == 1);
    let (_, ledger) = inside.expect("the first of its namespace is recorded");
    ledger.expect_truths(&recorded.truths());
    let ticks = ledger.profile.timeline.about.events;
    assert!(ticks >= 10, "{ticks} ticks");

    // The search for functions is answered, though the command cannot be seen from there.
    let lab = Lab::new();
    let options = ["--event-function", "slow_leak"];
    let recorded = lab.record(&options, &[&namespace[..], &[&slow_leak]].concat());
    let about = &recorded.ledger().profile.timeline.about;
    assert_eq!(about.events, recorded.truths().get("slow_leak.calls"));

    // All of `residue run` inside, where `/proc` is still that of the outside.
    let lab = Lab::new();
    let mut command = std::process::Command::new("unshare");
    lab.prepare(&mut command);
    command.args([
        "-pf",
        env!("CARGO_BIN_EXE_residue"),
        "run",
        "--tick",
        "50ms",
        "-o",
    ]);
    command.args([PROFILE, &slow_leak]);
    let recorded = lab.record_by(command);
    let (ledger, _) = recorded.expect_exact();
    let ticks = ledger.profile.timeline.about.events;
    assert!(ticks >= 10, "{ticks} ticks");
}
