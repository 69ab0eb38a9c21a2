//! Every transcript in the documents is what its commands print.
//!
//! The commands of a document run one after the other in a directory of their own, in which
//! the workloads lie, with their sources in `workloads`. `make transcripts` (RESIDUE_WRITE=1) runs each document twice and writes
//! what was printed, with what differs left out.

mod transcript;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Lab, process, workloads};
use transcript::{Step, matches, renewed, steps};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md, and all that lies in docs.
fn documents() -> BTreeSet<String> {
    let files = std::fs::read_dir(root().join("docs")).expect("docs can be listed");
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let names = names.filter(|name| name.ends_with(".md"));
    names
        .map(|name| format!("docs/{name}"))
        .chain(["README.md".to_string()])
        .collect()
}

/// A directory as the documents expect it.
fn prepared() -> Lab {
    let lab = Lab::new();
    for file in std::fs::read_dir(workloads::folder()).unwrap() {
        let file = file.unwrap();
        let link = lab.path(&file.file_name().to_string_lossy());
        std::os::unix::fs::symlink(file.path(), link).expect("a link can be made");
    }
    for folder in ["workloads", "include"] {
        std::os::unix::fs::symlink(root().join(folder), lab.path(folder))
            .expect("a link can be made");
    }
    lab
}

/// What a command prints, on both outputs.
fn printed(lab: &Lab, step: &Step) -> Vec<String> {
    let residue = PathBuf::from(env!("CARGO_BIN_EXE_residue"));
    let path = std::env::var("PATH").expect("there is a PATH");
    let mut shell = Command::new("bash");
    lab.prepare(&mut shell);
    shell
        .args(["--norc", "-c", &format!("{{ {}\n}} 2>&1", step.command)])
        .env(
            "PATH",
            format!("{}:{path}", residue.parent().unwrap().display()),
        )
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("RESIDUE_WRITE");
    let output = process::finish(shell);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        // Of other runs on this machine, which may come at any time.
        .filter(|line| !line.contains("killed before the profile was written"))
        .map(|line| line.trim_end().to_string())
        .collect()
}

/// Runs all of a document's commands.
fn run(steps: &[Step]) -> Vec<Vec<String>> {
    let lab = prepared();
    steps.iter().map(|step| printed(&lab, step)).collect()
}

fn check(name: &str) {
    let file = root().join(name);
    let document = std::fs::read_to_string(&file).unwrap();
    let steps = steps(&document);
    assert!(!steps.is_empty(), "{name} has no transcript");
    let first = run(&steps);
    if std::env::var_os("RESIDUE_WRITE").is_some() {
        let second = run(&steps);
        let mut lines: Vec<&str> = document.lines().collect();
        let new: Vec<Vec<String>> = (steps.iter().zip(&first).zip(&second))
            .map(|((step, one), other)| renewed(&step.printed, one, other))
            .collect();
        for (step, new) in steps.iter().zip(&new).rev() {
            lines.splice(step.place.clone(), new.iter().map(String::as_str));
        }
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        return;
    }
    for (step, printed) in steps.iter().zip(&first) {
        assert!(
            matches(&step.printed, printed),
            "{name}: `{}`; `make transcripts` renews it\n--- said ---\n{}\n--- printed ---\n{}",
            step.command,
            step.printed.join("\n"),
            printed.join("\n"),
        );
    }
}

macro_rules! transcripts {
    ($($test:ident: $name:literal,)*) => {
        $(#[test] fn $test() { check($name); })*

        const CHECKED: &[&str] = &[$($name),*];
    };
}

transcripts! {
    readme: "README.md",
    ci: "docs/CI.md",
    comparing: "docs/COMPARING.md",
    events: "docs/EVENTS.md",
    exporting: "docs/EXPORTING.md",
    hunts: "docs/HUNTS.md",
    pins: "docs/PINS.md",
    processes: "docs/PROCESSES.md",
    recording: "docs/RECORDING.md",
    reports: "docs/REPORTS.md",
    verdict: "docs/VERDICT.md",
}

#[test]
fn no_document_with_transcripts_is_left_out() {
    let has_transcript = |name: &String| {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        !steps(&text).is_empty()
    };
    let found: BTreeSet<String> = documents().into_iter().filter(has_transcript).collect();
    let checked: BTreeSet<String> = CHECKED.iter().map(|it| it.to_string()).collect();
    assert_eq!(found, checked);
}

/// Links between documents lead somewhere.
#[test]
fn links_lead_to_files() {
    let link = regex::Regex::new(r"\]\(([^)#\s]+)(#[^)\s]*)?\)").unwrap();
    for name in documents() {
        let file = root().join(&name);
        let text = std::fs::read_to_string(&file).unwrap();
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if !target.contains("://") {
                let path = file.parent().unwrap().join(target);
                assert!(path.exists(), "{name}: {target}");
            }
        }
    }
}
