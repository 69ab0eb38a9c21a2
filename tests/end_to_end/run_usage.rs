//! Wrong usage of `residue run`: refused before the program starts, with a status that
//! cannot be the program's, and with what to write instead.

use crate::support::{Lab, describe, process, workloads};
use std::process::{Command, Output};

fn run(lab: &Lab, arguments: &[&str]) -> Output {
    let mut residue = lab.residue();
    residue.arg("run").args(arguments);
    process::finish(residue)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Refused with 125, and the program did not run.
fn refusal(arguments: &[&str]) -> String {
    let lab = Lab::new();
    let command = ["sh", "-c", "touch it-ran"];
    let output = run(&lab, &[arguments, &command].concat());
    assert_eq!(output.status.code(), Some(125), "{}", describe(&output));
    assert_eq!(lab.names_in("."), [""; 0], "{}", describe(&output));
    stderr(&output)
}

#[test]
fn an_unknown_option_is_refused_with_the_nearest_name() {
    for arguments in [
        &["--event-functoin", "f", "--"][..],
        &["--event-functoin", "f"],
        &["--event-functoin=f"],
    ] {
        let text = refusal(arguments);
        assert!(text.contains("'--event-functoin' found"), "{text}");
        assert!(
            text.contains("similar argument exists: '--event-function'"),
            "{text}"
        );
    }
}

#[test]
fn the_programs_own_options_are_its_own() {
    let lab = Lab::new();
    let script = "printf '%s\\n' \"$@\"";
    for separator in [&[][..], &["--"]] {
        let command = ["sh", "-c", script, "sh", "--tick", "-q", "--", "--help"];
        let output = run(&lab, &[&["-q"], separator, &command].concat());
        assert!(output.status.success(), "{}", describe(&output));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "--tick\n-q\n--\n--help\n"
        );
    }
}

#[test]
fn every_wrong_value_is_refused_and_named() {
    for (arguments, said) in [
        (&["-t", ""][..], "the name is empty"),
        (&["-t", "bin/sh"], "a program's name has no `/`"),
        (&["--event-function", ""], "--event-function"),
        (&["--event-line", ""], "--event-line"),
        (&["--event-line", "("], "unclosed group"),
        (
            &["--min-size", "2KiB", "--max-size", "1KiB"],
            "--min-size 2048 is above --max-size 1024",
        ),
        (
            &["--min-size", "4 parsecs"],
            "`parsecs` is not a unit of size",
        ),
        (&["--snapshot-every", "0"], "--snapshot-every"),
        (&["--snapshot-at", "0"], "events are numbered from 1"),
        (&["--verify-stacks=0"], "--verify-stacks"),
        (&["--tick", "soon"], "`soon` is not a time"),
        (&["--symbols", "/no/such/folder"], "--symbols"),
        (
            &["--sysroot", "/no/such/folder"],
            "No such file or directory",
        ),
        (
            &["--event-function", "f", "--event-line", "l"],
            "cannot be used with",
        ),
    ] {
        let text = refusal(arguments);
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
    let many: Vec<String> = (1..=201).map(|event: u32| event.to_string()).collect();
    let text = refusal(&["--snapshot-at", &many.join(",")]);
    assert!(
        text.contains("--snapshot-at takes at most 200 events"),
        "{text}"
    );
    let lab = Lab::new();
    let nothing = run(&lab, &[]);
    assert_eq!(nothing.status.code(), Some(125), "{}", describe(&nothing));
    let help = run(&lab, &["--help"]);
    assert_eq!(help.status.code(), Some(0), "{}", describe(&help));
}

#[test]
fn a_program_that_cannot_be_run_is_said_in_the_words_of_a_shell() {
    let lab = Lab::new();
    let plain = lab.path("plain");
    std::fs::write(&plain, "#!/no/such/interpreter\n").expect("a file can be written");
    let path = plain.display().to_string();
    let say = |arguments: &[&str]| {
        let output = run(&lab, arguments);
        (output.status.code(), stderr(&output))
    };
    assert_eq!(
        say(&["no-such-command"]),
        (
            Some(127),
            "residue: no-such-command: command not found\n".to_string()
        )
    );
    assert_eq!(
        say(&[&path]),
        (Some(126), format!("residue: {path}: permission denied\n"))
    );
    let mut mode = Command::new("chmod");
    mode.arg("755").arg(&plain);
    assert!(process::finish(mode).status.success());
    assert_eq!(
        say(&[&path]),
        (
            Some(126),
            format!("residue: {path}: cannot execute: its interpreter was not found\n")
        )
    );
    assert_eq!(
        say(&["/usr"]),
        (Some(126), "residue: /usr: is a directory\n".to_string())
    );
}

#[test]
fn sizes_take_units() {
    let lab = Lab::new();
    let options = ["--min-size", "4KiB", "--max-size", "1M"];
    let recorded = lab.record(&options, &["hello"]);
    let options = recorded.ledger().profile.meta.options;
    assert_eq!(
        (options.min_size_bytes, options.max_size_bytes),
        (4096, 1 << 20)
    );
}

#[test]
fn an_output_that_is_a_folder_gets_the_file_inside() {
    let lab = Lab::new();
    lab.folder("there");
    let program = workloads::find("hello").display().to_string();
    for folder in ["there", "new/"] {
        let output = run(&lab, &["-o", folder, "--", &program]);
        assert!(output.status.success(), "{}", describe(&output));
        let names = lab.names_in(folder);
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(names[0].starts_with("hello."), "{names:?}");
        assert!(names[0].ends_with(".residue"), "{names:?}");
    }
    assert_eq!(lab.names_in("."), ["new", "there"]);
}
