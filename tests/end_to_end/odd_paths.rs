//! Paths and arguments that are no text.

use crate::support::ledger::Ledger;
use crate::support::root::install;
use crate::support::{Lab, describe, process, workloads};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

fn odd(name: &[u8]) -> OsString {
    OsString::from_vec([name, b"\xff\xe9"].concat())
}

/// Directories of runs in the folder given with `--arena-dir`.
fn left_behind(folder: &PathBuf) -> usize {
    std::fs::read_dir(folder)
        .expect("the folder can be listed")
        .count()
}

#[test]
fn a_program_an_output_and_arguments_that_are_no_text() {
    let lab = Lab::new();
    let program = lab.directory().join(odd(b"program-"));
    install(&workloads::find("marks_c"), &program, "755");
    let output = lab.directory().join(odd(b"out-")).with_extension("residue");
    let arenas = lab.folder("arenas");
    let mut residue = lab.residue();
    residue
        .arg("run")
        .arg("-o")
        .arg(&output)
        .arg("--arena-dir")
        .arg(&arenas);
    residue
        .arg("--")
        .arg(&program)
        .arg("50")
        .arg(OsStr::from_bytes(b"\xfe"));
    let recorded = process::finish(residue);
    assert!(recorded.status.success(), "{}", describe(&recorded));
    let profile = Ledger::read(&output).profile;
    assert_eq!(profile.timeline.about.events, 50);
    assert_eq!(profile.meta.command[1..], ["50", "\\xfe"]);
    assert_eq!(left_behind(&arenas), 0);
    let has_name = |name: &str| profile.functions.iter().any(|it| it == name);
    assert!(
        has_name("leak_here"),
        "functions are named: {:?}",
        profile.functions
    );
}

#[test]
fn a_folder_for_arenas_that_is_no_text() {
    let lab = Lab::new();
    let arenas = lab.directory().join(odd(b"arenas-"));
    std::fs::create_dir(&arenas).expect("a folder can be made");
    let mut residue = lab.residue();
    residue.args(["run", "--tick", "10ms", "-o", "profile.residue"]);
    residue
        .arg("--arena-dir")
        .arg(&arenas)
        .args(["--", "sleep", "0.3"]);
    let recorded = process::finish(residue);
    assert!(recorded.status.success(), "{}", describe(&recorded));
    let profile = Ledger::read(&lab.path("profile.residue")).profile;
    assert!(
        profile.timeline.about.events >= 10,
        "{:?}",
        profile.timeline.about
    );
    assert_eq!(left_behind(&arenas), 0);
}

#[test]
fn patterns_that_are_no_text_are_refused_before_the_program_starts() {
    let lab = Lab::new();
    for option in ["-t", "--event-function", "--event-line"] {
        let mut residue = lab.residue();
        residue.args(["run", option]).arg(odd(b"pattern-"));
        residue.args(["--", "touch", "it-ran"]);
        let refused = process::finish(residue);
        assert_eq!(refused.status.code(), Some(125), "{}", describe(&refused));
        assert_eq!(lab.names_in("."), [""; 0], "{option}");
    }
}
