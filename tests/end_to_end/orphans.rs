//! `residue` itself killed: what was recorded is not lost, and the program goes on.

use crate::kills::Slots;
use crate::support::ledger::Ledger;
use crate::support::process::{self, Running, send, wait_for};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe, workloads};
use nix::sys::signal::Signal;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// Starts a program under a `residue run` that is then killed.
fn orphaned(lab: &Lab, command: &[&str], sign: &str) -> (Running, PathBuf) {
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let mut run = Running::start(lab.run(&["--arena-dir", &base], command));
    run.hear(sign);
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    (run, arena_directory(&arenas))
}

fn arenas_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "arena"))
        .collect()
}

#[test]
fn all_programs_that_a_process_was_are_recovered_from_the_paths_of_their_arenas() {
    let lab = Lab::new();
    let live_blocks = workloads::find("live_blocks");
    let script = format!(
        "exec sh -c 'exec sh -c \"exec {} 10 wait\"'",
        live_blocks.display()
    );
    let (mut run, directory) = orphaned(&lab, &["sh", "-c", &script], "vmrss_kib");
    run.say("go on");
    let told = run.hear_all();
    let arenas = arenas_in(&directory);
    assert_eq!(arenas.len(), 4, "{arenas:?}");
    let out = lab.folder("out");
    let mut arguments: Vec<&Path> = arenas.iter().map(PathBuf::as_path).collect();
    arguments.extend([Path::new("-o"), &out]);
    let recovered = recover(&lab, &arguments);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    let names = lab.names_in("out");
    assert_eq!(names.len(), 2, "a profile and a folder: {names:?}");
    let folder = format!("out/{}", names[0]);
    assert_eq!(lab.names_in(&folder).len(), 3, "{}", describe(&recovered));
    Ledger::read(&out.join(&names[1])).expect_truths(&Truths::parse(&told));
}

#[test]
fn a_file_that_is_there_already_is_not_replaced_by_what_is_recovered() {
    let lab = Lab::new();
    std::fs::write(lab.path(PROFILE), "of a later run").expect("the lab is writable");
    let (mut run, directory) = orphaned(&lab, &["live_blocks", "10", "wait"], "vmrss_kib");
    run.say("go on");
    let told = run.hear_all();
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    let kept = std::fs::read(lab.path(PROFILE)).expect("it is there");
    assert_eq!(kept, b"of a later run");
    Ledger::read(&lab.path("profile.2.residue")).expect_truths(&Truths::parse(&told));
}

/// Needs root, who may make namespaces.
#[test]
fn a_program_in_another_namespace_of_processes_is_left_alone_while_it_runs() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    let live_blocks = workloads::find("live_blocks").display().to_string();
    let command = ["unshare", "-pf", "--mount-proc", &live_blocks, "10", "wait"];
    let (mut run, directory) = orphaned(&lab, &command, "vmrss_kib");
    let too_early = recover(&lab, &[&directory]);
    assert_eq!(too_early.status.code(), Some(2), "{}", describe(&too_early));
    assert_eq!(arenas_in(&directory).len(), 2, "{}", describe(&too_early));
    run.say("go on");
    let told = run.hear_all();
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert!(!directory.exists(), "what is finished is removed");
    let truths = Truths::parse(&told);
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 2);
    let inside = profiles
        .iter()
        .find(|(_, ledger)| ledger.profile.meta.pid == 1);
    inside
        .expect("the first of its namespace")
        .1
        .expect_truths(&truths);
}

#[test]
fn recordings_that_were_cut_short_are_recovered_as_far_as_they_go() {
    let lab = Lab::new();
    let (mut run, directory) = orphaned(&lab, &["live_blocks", "1000", "wait"], "vmrss_kib");
    run.say("go on");
    run.hear_all();
    let whole = arenas_in(&directory).remove(0);
    let bytes = std::fs::metadata(&whole).expect("it is there").len();
    let cut_at = |length: u64| {
        let short = lab.path("short.arena");
        let mut copy = std::process::Command::new("cp");
        copy.arg("--sparse=always").args([&whole, &short]);
        assert!(process::finish(copy).status.success());
        let file = std::fs::File::options().write(true).open(&short);
        file.and_then(|file| file.set_len(length))
            .expect("it can be cut");
        let out = lab.path("short.residue");
        let _ = std::fs::remove_file(&out);
        (recover(&lab, &[&short, Path::new("-o"), &out]), out)
    };
    let (recovered, out) = cut_at(bytes);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert_eq!(Ledger::read(&out).profile.meta.notes, [""; 0]);
    let missing = |ledger: &Ledger| {
        let notes = ledger.profile.meta.notes.iter();
        notes.filter(|note| note.contains("cut short")).count()
    };
    // From the header alone to nearly all of it.
    let mut length = 4096;
    while length < bytes {
        let (recovered, out) = cut_at(length);
        assert!(
            recovered.status.success(),
            "{length}: {}",
            describe(&recovered)
        );
        let is_told = missing(&Ledger::read(&out)) == 1;
        // What lies behind the last region in use is not missed.
        assert!(is_told || length > bytes / 4, "{length} of {bytes}");
        length = length * 7 / 3 + 1;
    }
    let (refused, _) = cut_at(4095);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("shorter than its header"), "{told}");
}

#[test]
fn the_next_command_tells_once_what_a_killed_run_left() {
    let lab = Lab::new();
    let (mut run, directory) = orphaned(&lab, &["live_blocks", "10", "wait"], "vmrss_kib");
    run.say("go on");
    run.hear_all();
    let next = || {
        let mut report = lab.residue();
        report
            .args(["report", "nothing.residue"])
            .env("TMPDIR", lab.path("arenas"));
        let output = process::finish(report);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = next();
    assert!(told.contains("`residue recover` writes it"), "{told}");
    assert!(directory.join("told").exists());
    let again = next();
    assert!(!again.contains("residue recover"), "{again}");
    assert!(recover(&lab, &[&directory]).status.success());
    assert!(!directory.exists());
}

#[test]
fn a_directory_without_recordings_is_removed() {
    let lab = Lab::new();
    let (mut run, directory) = orphaned(&lab, &["live_blocks", "10", "wait"], "vmrss_kib");
    run.say("go on");
    run.hear_all();
    for arena in arenas_in(&directory) {
        std::fs::remove_file(arena).expect("it is ours");
    }
    let recovered = recover(&lab, &[&directory]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    let told = String::from_utf8_lossy(&recovered.stdout).into_owned();
    assert!(told.contains("nothing to recover"), "{told}");
    assert!(!directory.exists());
}

#[test]
fn a_directory_that_is_still_recorded_or_somebodys_own_is_not_deleted() {
    let lab = Lab::new();
    let arenas = lab.folder("arenas");
    let base = arenas.display().to_string();
    let mut run = Running::start(lab.run(&["--arena-dir", &base], &["live_blocks", "10", "wait"]));
    run.hear("vmrss_kib");
    let directory = arena_directory(&arenas);
    let refused = recover(&lab, &[&directory]);
    assert_eq!(refused.status.code(), Some(2), "{}", describe(&refused));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("still being recorded by process"), "{told}");
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    run.say("go on");
    let told = run.hear_all();
    // Copied by somebody to look at it later.
    let own = lab.folder("own");
    std::fs::write(own.join("thoughts"), "mine").expect("the lab is writable");
    let arena = arenas_in(&directory).remove(0);
    let mut copy = std::process::Command::new("cp");
    copy.arg("--sparse=always").args([&arena, &own]);
    assert!(process::finish(copy).status.success());
    let recovered = recover(&lab, &[&own]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert_eq!(lab.names_in("own"), ["thoughts"]);
    assert_eq!(lab.profiles().len(), 1);
    lab.profiles()[0].1.expect_truths(&Truths::parse(&told));
}

/// From whichever time on reading fails: there is a profile, or the recording is kept and told.
#[test]
fn a_recording_that_cannot_be_read_is_kept_and_told() {
    for turn in 1..=12 {
        let lab = Lab::new();
        let arenas = lab.folder("arenas");
        let fault = format!("inject=pread64:error=ENOMEM:when={turn}+");
        let mut command = Command::new("strace");
        command.args(["-f", "--detach-on=execve", "-o", "/dev/null", "-e", &fault]);
        command.arg(lab.residue().get_program());
        command.args(["run", "-q", "-o", PROFILE, "--arena-dir"]);
        command.arg(&arenas).arg("--").arg(workloads::find("hello"));
        lab.prepare(&mut command);
        let output = process::finish(command);
        // The first readings are the dynamic linker's, which starts nothing then.
        let is_linkers = output.status.code() == Some(127);
        if is_linkers || lab.path(PROFILE).exists() {
            continue;
        }
        let told = describe(&output);
        assert!(told.contains("residue: "), "{turn}: {told}");
        let wanted = lab.path(PROFILE);
        let left = arena_directory(&arenas);
        let recovered = recover(&lab, &[&left, Path::new("-o"), &wanted]);
        assert!(
            lab.path(PROFILE).exists(),
            "{turn}: {}",
            describe(&recovered)
        );
    }
}
