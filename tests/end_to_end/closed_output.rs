//! Output that nobody takes: no command aborts, and a recording is never lost to it.

use crate::support::{Lab, PROFILE, workloads};
use std::process::{Command, Stdio};

/// Runs `residue ARGUMENTS REDIRECTION` in a shell; the exit status, 128 and more for
/// signals.
fn status(lab: &Lab, arguments: &str, redirection: &str) -> i32 {
    let residue = env!("CARGO_BIN_EXE_residue");
    let mut shell = Command::new("bash");
    lab.prepare(&mut shell);
    shell
        .args(["-c", &format!("{residue} {arguments} {redirection}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = shell.status().expect("a shell can be started");
    status.code().unwrap_or(-1)
}

/// Ways in which output is not taken: closed, full, and a pipe whose reader is gone.
const UNHEARD: [&str; 6] = [
    ">&-",
    "2>&-",
    ">&- 2>&-",
    ">/dev/full",
    "2>/dev/full",
    "> >(true) 2> >(true)",
];

#[test]
fn a_recording_survives_an_output_that_is_closed() {
    let lab = Lab::new();
    // No output of its own, so that its status does not depend on where that goes.
    let program = workloads::find("bench").display().to_string();
    for redirection in UNHEARD {
        let arguments = format!("run -o {PROFILE} -- sh -c 'exit 7'");
        assert_eq!(status(&lab, &arguments, redirection), 7, "{redirection}");
        assert!(lab.path(PROFILE).is_file(), "{redirection}");
        std::fs::remove_file(lab.path(PROFILE)).expect("the profile can be removed");
        let wrong = format!("run --no-such-option -- {program}");
        assert_eq!(status(&lab, &wrong, redirection), 125, "{redirection}");
        assert_eq!(
            status(&lab, "run -- no-such-command", redirection),
            127,
            "{redirection}"
        );
    }
}

#[test]
fn no_command_aborts_where_its_output_is_not_taken() {
    let lab = Lab::new();
    lab.record(&["--event-function", "leak_here"], &["marks_c"]);
    for arguments in [
        "report profile.residue",
        "leaks profile.residue",
        "check profile.residue",
        "dump profile.residue",
        "list profile.residue leak_here",
        "diff profile.residue profile.residue",
        "stages profile.residue",
        "export profile.residue --format folded",
        "merge profile.residue profile.residue -o sum.residue",
        "symbolize profile.residue",
        "recover --list",
        "snapshot 1",
        "report no-such-file",
        "--help",
        "--no-such-option",
    ] {
        for redirection in UNHEARD {
            let status = status(&lab, arguments, redirection);
            assert!(
                (0..=3).contains(&status),
                "{arguments} {redirection}: {status}"
            );
        }
    }
}
