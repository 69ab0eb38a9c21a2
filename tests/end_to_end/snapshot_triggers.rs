//! Snapshots asked for while the program runs, by a file or by a signal to `residue`.

use crate::support::ledger::Ledger;
use crate::support::process::{self, Running, wait_for};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use nix::sys::signal::Signal;
use std::fs::{self, File};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Name, event, and live bytes of a function, of each snapshot.
fn snapshots<'a>(ledger: &'a Ledger, function: &str) -> Vec<(&'a str, u32, i64)> {
    let timeline = &ledger.profile.timeline;
    let stacks: Vec<usize> = ledger
        .stacks_with(function)
        .map(|(index, _)| index)
        .collect();
    let taken = timeline.snapshots.iter().map(|snapshot| {
        let live = timeline.changes.iter().filter(|change| {
            change.moment <= snapshot.moment && stacks.contains(&(change.stack as usize))
        });
        assert!(!snapshot.maps.is_empty() && !snapshot.smaps.is_empty());
        (
            timeline.names[snapshot.name as usize].as_str(),
            timeline.moments[snapshot.moment as usize].event,
            live.map(|change| change.bytes).sum(),
        )
    });
    taken.collect()
}

/// What the first events of `stepped` leave.
fn left_by(events: i64) -> i64 {
    (1..=events).map(|event| 1000 + event % 100).sum()
}

fn run_events(run: &mut Running, more: u32, ran: u32) {
    run.say(&more.to_string());
    run.hear(&format!("ran {ran}"));
}

#[test]
fn a_file_that_appears_takes_a_snapshot_and_goes_away() {
    let lab = Lab::new();
    let file = lab.path("ask");
    fs::write(&file, "from an earlier job").expect("the lab is ours");
    let options = ["--snapshot-file", "ask"];
    let mut run = Running::start(lab.run(&options, &["stepped", "marks"]));
    run_events(&mut run, 5, 5);
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(file.exists(), "it was there before and asks for nothing");
    let gone = || wait_for("the file goes away", || (!file.exists()).then_some(()));
    let touched = File::options()
        .write(true)
        .open(&file)
        .expect("it is there");
    touched.set_modified(UNIX_EPOCH).expect("it is ours");
    gone();
    run_events(&mut run, 3, 8);
    File::create(&file).expect("the lab is ours");
    gone();
    run_events(&mut run, 2, 10);
    run.say("");
    let truths = Truths::parse(&run.hear_all());
    assert!(run.wait().success());
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&truths);
    assert_eq!(
        snapshots(&ledger, "step_leak"),
        [("outside-1", 5, left_by(5)), ("outside-2", 8, left_by(8))]
    );
    assert_eq!(ledger.sum("step_leak").live_bytes as i64, left_by(10));
}

/// Snapshots in the files beside the arenas, of a recording that runs.
fn taken_so_far(arenas: &Path) -> usize {
    let runs = fs::read_dir(arenas).into_iter().flatten().flatten();
    let files = runs.flat_map(|run| fs::read_dir(run.path()).into_iter().flatten().flatten());
    let texts = files
        .filter(|file| file.file_name().to_string_lossy().ends_with(".outside"))
        .filter_map(|file| fs::read_to_string(file.path()).ok());
    texts
        .map(|text| text.matches("\"name\":\"outside-").count())
        .sum()
}

#[test]
fn a_signal_takes_a_snapshot_of_every_process_and_is_not_passed_on() {
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let stepped = crate::support::workloads::find("stepped");
    let script = format!("{} marks; exit 3", stepped.display());
    let options = ["--snapshot-signal", "SIGUSR1", "--arena-dir", "arenas"];
    let mut run = Running::start(lab.run(&options, &["sh", "-c", &script]));
    run_events(&mut run, 4, 4);
    // The program would not survive it.
    process::send(run.pid(), Signal::SIGUSR1);
    wait_for("the shell and what it started have one", || {
        (taken_so_far(&arenas) == 2).then_some(())
    });
    run_events(&mut run, 1, 5);
    process::send(run.pid(), Signal::SIGUSR1);
    wait_for("both have another", || {
        (taken_so_far(&arenas) == 4).then_some(())
    });
    run.say("");
    let truths = Truths::parse(&run.hear_all());
    assert_eq!(run.wait().code(), Some(3));
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 2);
    for (path, ledger) in &profiles {
        let taken = snapshots(ledger, "step_leak");
        let is_shell = ledger.stacks_with("step_leak").next().is_none();
        let live = |events: i64| if is_shell { 0 } else { left_by(events) };
        let event = |event: u32| if is_shell { 0 } else { event };
        let names: Vec<(&str, i64)> = taken.iter().map(|it| (it.0, it.2)).collect();
        assert_eq!(
            names,
            [("outside-1", live(4)), ("outside-2", live(5))],
            "{}",
            path.display()
        );
        if !is_shell {
            assert_eq!((taken[0].1, taken[1].1), (event(4), event(5)));
            ledger.expect_truths(&truths);
        }
    }
}

#[test]
fn other_signals_are_still_passed_on() {
    let lab = Lab::new();
    let options = ["--snapshot-signal", "USR2"];
    let mut run = Running::start(lab.run(&options, &["signals_pass"]));
    run.hear("ready");
    process::send(run.pid(), Signal::SIGUSR1);
    run.hear("got SIGUSR1");
    assert_eq!(run.wait().code(), Some(42));
}

#[test]
fn snapshots_are_told_of_unless_it_is_to_be_quiet() {
    for (options, lines) in [(&[][..], 1), (&["-q"], 0)] {
        let lab = Lab::new();
        let script = "touch ask; while [ -e ask ]; do sleep 0.01; done; echo seen";
        let options = [options, &["--snapshot-file", "ask"]].concat();
        let recorded = lab.record(&options, &["bash", "-c", script]);
        assert_eq!(recorded.stdout(), "seen\n", "{}", recorded.describe());
        let told = recorded.stderr();
        let of_bash = told
            .lines()
            .filter(|line| line.starts_with("residue: snapshot `outside-1` of process "));
        // One of bash; a `sleep` may have one too.
        assert_eq!(of_bash.count().min(1), lines, "{told}");
    }
}

#[test]
fn what_cannot_ask_is_refused() {
    let lab = Lab::new();
    lab.folder("folder");
    for (options, reason) in [
        (
            &["--snapshot-file", "folder"][..],
            "--snapshot-file folder: is a directory",
        ),
        (
            &["--snapshot-file", "nowhere/ask"],
            "--snapshot-file nowhere/ask: no directory nowhere",
        ),
        (
            &["--snapshot-signal", "SIGTERM"],
            "use SIGUSR1, SIGUSR2 or SIGHUP",
        ),
    ] {
        let output = process::finish(lab.run(options, &["true"]));
        assert_eq!(output.status.code(), Some(125), "{}", describe(&output));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(reason), "{told}");
    }
    let mut nohup = std::process::Command::new("nohup");
    lab.prepare(&mut nohup);
    nohup.arg(env!("CARGO_BIN_EXE_residue"));
    nohup.args(["run", "--snapshot-signal", "HUP", "true"]);
    let output = process::finish(nohup);
    assert_eq!(output.status.code(), Some(125), "{}", describe(&output));
    assert!(describe(&output).contains("it is ignored here"));
}
