//! `residue` itself killed: what was recorded is not lost, and the program goes on.

use crate::kills::Slots;
use crate::support::ledger::Ledger;
use crate::support::process::{Running, send, wait_for};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use nix::sys::signal::Signal;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The one directory of a run in the directory given with `--arena-dir`.
fn arena_directory(base: &Path) -> PathBuf {
    let directories: Vec<PathBuf> = std::fs::read_dir(base)
        .expect("the directory of arenas can be listed")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    assert_eq!(directories.len(), 1, "{directories:?}");
    directories[0].clone()
}

fn recover(lab: &Lab, arguments: &[&Path]) -> Output {
    let mut residue = lab.residue();
    residue.arg("recover").args(arguments);
    residue.output().expect("residue can be started")
}

#[test]
fn residue_and_the_program_killed_together_are_recovered_to_where_the_profile_was_to_go() {
    const THREADS: usize = 2;
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let log = lab.path("log");
    let command = ["kill_me", &log.display().to_string(), &THREADS.to_string()];
    let mut run = Running::start(lab.run(&["--arena-dir", &base], &command));
    let program = run.program();
    wait_for("kill_me allocates", || {
        Slots::read(&log, THREADS).filter(|slots| slots.calls[0] > 10_000)
    });
    send(run.pid(), Signal::SIGKILL);
    send(program, Signal::SIGKILL);
    run.wait();
    run.hear_all();
    assert!(!lab.path(PROFILE).exists(), "residue had no time to finish");

    let directory = arena_directory(&arenas);
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    let slots = Slots::read(&log, THREADS).expect("the log was complete before");
    slots.expect_within(&Ledger::read(&lab.path(PROFILE)));
    assert!(!directory.exists(), "what is finished is removed");
}

#[test]
fn a_program_whose_residue_was_killed_goes_on_unharmed_and_is_recovered_after_its_end() {
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let mut run =
        Running::start(lab.run(&["--arena-dir", &base], &["live_blocks", "100000", "wait"]));
    run.hear("vmrss_kib");
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    let directory = arena_directory(&arenas);

    let too_early = recover(&lab, &[&directory]);
    assert_eq!(too_early.status.code(), Some(2), "{}", describe(&too_early));
    assert!(
        String::from_utf8_lossy(&too_early.stderr).contains("still runs"),
        "{}",
        describe(&too_early)
    );
    assert!(directory.exists(), "a recording in use is left alone");

    run.say("go on");
    let told = run.hear_all();
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&Truths::parse(&told));
    ledger.expect_nothing_lost();
    assert!(!directory.exists(), "what is finished is removed");
}

#[test]
fn what_was_left_behind_is_listed_and_recovered_to_the_file_asked_for() {
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let mut run =
        Running::start(lab.run(&["--arena-dir", &base], &["live_blocks", "1000", "wait"]));
    run.hear("vmrss_kib");
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    run.say("go on");
    let told = run.hear_all();
    let directory = arena_directory(&arenas);

    let mut list = lab.residue();
    // What is found without being named lies in a temporary directory.
    list.args(["recover", "--list"]).env("TMPDIR", &arenas);
    let list = list.output().expect("residue can be started");
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    let line = text
        .lines()
        .find(|line| line.starts_with(&directory.display().to_string()))
        .unwrap_or_else(|| panic!("not listed: {}", describe(&list)));
    assert!(
        line.contains("live_blocks") && line.contains("ended"),
        "{line}"
    );

    let arena = line.split("  ").next().expect("a path");
    let wanted = lab.path("elsewhere.residue");
    let recovered = recover(&lab, &[Path::new(arena), Path::new("-o"), &wanted]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    Ledger::read(&wanted).expect_truths(&Truths::parse(&told));
}

#[test]
fn a_tree_of_processes_is_recovered_to_the_files_that_the_run_would_have_written() {
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let live_blocks = crate::support::workloads::find("live_blocks");
    let script = format!("{} 1000 wait; true", live_blocks.display());
    let mut run = Running::start(lab.run(&["--arena-dir", &base], &["sh", "-c", &script]));
    run.hear("vmrss_kib");
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    run.say("go on");
    let told = run.hear_all();
    let directory = arena_directory(&arenas);
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    Ledger::read(&lab.path(PROFILE)).expect_truths(&Truths::parse(&told));
    let others = lab.names_in("profile.processes");
    assert_eq!(others.len(), 1, "{others:?}");
    assert!(!directory.exists(), "what is finished is removed");
}
