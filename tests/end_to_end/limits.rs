//! Limits under which `residue run` itself can hardly live: the program must, and its status is
//! kept.

use crate::support::process;
use crate::support::root::{SmallDisk, do_as_root, install};
use crate::support::{Lab, PROFILE, describe, workloads};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs a shell script in which $RESIDUE is the command.
fn shell(lab: &Lab, script: &str) -> Output {
    let mut shell = Command::new("sh");
    lab.prepare(&mut shell);
    shell
        .args(["-c", script])
        .env("RESIDUE", env!("CARGO_BIN_EXE_residue"));
    process::finish(shell)
}

#[test]
fn where_no_file_can_be_written_the_program_runs_and_it_is_said() {
    let lab = Lab::new();
    let run = |program: &str| {
        shell(
            &lab,
            &format!("ulimit -f 0; exec $RESIDUE run -- {program}"),
        )
    };
    let output = run("sh -c 'echo unharmed; exit 7'");
    assert_eq!(output.status.code(), Some(7), "{}", describe(&output));
    assert_eq!(output.stdout, b"unharmed\n");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("cannot record"), "{told}");
    // The program has the signal that it would have had.
    let output = run("sh -c 'kill -XFSZ $$'");
    let expected = Some(nix::sys::signal::Signal::SIGXFSZ as i32);
    assert_eq!(output.status.signal(), expected, "{}", describe(&output));
}

#[test]
fn signals_that_are_ignored_are_ignored_in_the_program() {
    let lab = Lab::new();
    let ask = "sed -n s/SigIgn:.//p /proc/self/status";
    let ignored = |command: &str| {
        let output = shell(&lab, &format!("trap '' HUP INT XFSZ; exec {command}"));
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        let all = u64::from_str_radix(&text, 16);
        // The C library's own two, which `posix_spawn` leaves ignored, are nobody's business.
        all.expect("a number") & !(3 << 31)
    };
    let native = ignored(ask);
    assert_eq!(native & 3, 3);
    assert_eq!(
        ignored(&format!("$RESIDUE run -q -o {PROFILE} -- {ask}")),
        native
    );
}

/// A user with no other processes, and a lab that he may write to.
const SOMEBODY: &str = "54321";

fn lab_for_somebody() -> (Lab, PathBuf) {
    let lab = Lab::new();
    let everybody = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(lab.directory(), everybody).expect("the lab is ours");
    let residue = lab.path("residue");
    install(env!("CARGO_BIN_EXE_residue").as_ref(), &residue, "755");
    install(&workloads::find("hello"), &lab.path("hello"), "755");
    (lab, residue)
}

fn as_somebody(lab: &Lab, wrapped: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    lab.prepare(&mut command);
    command.args(["--reuid", SOMEBODY, "--regid", SOMEBODY, "--clear-groups"]);
    command.args(wrapped);
    command
}

/// Needs root, who may become somebody.
#[test]
fn where_no_thread_can_be_started_the_program_is_recorded_and_its_status_kept() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    for option in ["--tick=1s", "--event-line=hello"] {
        let (lab, residue) = lab_for_somebody();
        // The command and the program, and nothing else.
        let mut command = as_somebody(&lab, &["prlimit", "--nproc=2"]);
        command
            .arg(&residue)
            .args(["run", option, "-o", PROFILE, "./hello", "6"]);
        let recorded = lab.record_by(command);
        let status = recorded.output.status;
        assert_eq!(status.code(), Some(6), "{}", recorded.describe());
        assert!(
            recorded.stdout().starts_with("hello\n"),
            "{}",
            recorded.describe()
        );
        let told = recorded.stderr();
        assert!(told.contains("cannot start a thread"), "{told}");
        assert!(!told.contains("panicked"), "{told}");
        recorded.ledger().expect_truths(&recorded.truths());
    }
}

/// Needs root, who may become somebody.
#[test]
fn a_cache_from_which_nothing_can_be_loaded_is_passed_over() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let (lab, residue) = lab_for_somebody();
    let disk = SmallDisk::mount(lab.folder("cache"), 16 << 10);
    let options = ["mount", "-o", "remount,noexec"].map(AsRef::as_ref);
    do_as_root(&[&options[..], &[disk.path.as_os_str()]].concat());
    let mut command = as_somebody(&lab, &[]);
    command
        .arg(&residue)
        .args(["run", "-o", PROFILE, "./hello"]);
    command.env("XDG_CACHE_HOME", &disk.path);
    let recorded = lab.record_by(command);
    recorded.expect_exact();
    assert!(
        !recorded.stderr().contains("ld.so"),
        "{}",
        recorded.describe()
    );
}

/// Needs root, who may make devices.
#[test]
fn strange_files_beside_the_arenas_do_no_harm() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    let arenas = lab.folder("arenas").display().to_string();
    let script = format!(
        "cd {arenas}/residue-*; own=$(echo *.arena); mkfifo 1.1.arena owner.arena; \
         ln -s /dev/zero 2.2.arena; mknod 3.3.arena c 1 5; mkfifo $own.outside; \
         head -c 100 $own >4.4.arena; : >5.5.arena; mkdir 6.6.arena; sleep 0.5; exit 4"
    );
    let recorded = lab.record(
        &["--arena-dir", &arenas, "--tick", "20ms"],
        &["sh", "-c", &script],
    );
    assert_eq!(
        recorded.output.status.code(),
        Some(4),
        "{}",
        recorded.describe()
    );
    let ledger = recorded.ledger();
    assert_eq!(
        ledger.profile.meta.command[0],
        "sh",
        "{}",
        recorded.describe()
    );
}
