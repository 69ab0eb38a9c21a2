//! Profiles that somebody made to do harm: some kilobytes that multiply, and names that speak
//! to terminals and spreadsheets. Every reader answers or refuses, in little memory.

use crate::support::{Lab, describe, process};
use residue_testkit::hostile;
use std::path::Path;
use std::process::Output;

/// Addresses that a reader may take in all.
const MOST_KIB: u64 = 1 << 20;

/// FILE stands for the profile, OUT for a path that is free.
const READERS: &[&str] = &[
    "report FILE",
    "report FILE --view cumulative,tree,library,thread,size",
    "report FILE --view callers",
    "report FILE --view self --csv",
    "report FILE --html OUT",
    "diff FILE FILE",
    "leaks FILE",
    "leaks FILE --json",
    "stages FILE",
    "list FILE f",
    "merge FILE FILE -o OUT",
    "processes FILE",
    "plot FILE -o OUT",
    "export FILE --format folded -o OUT",
    "export FILE --format flamegraph -o OUT",
    "export FILE --format speedscope -o OUT",
    "export FILE --format firefox -o OUT",
    "export FILE --format parquet -o OUT",
    "export FILE --format pprof -o OUT",
    "export FILE --format callgrind -o OUT",
    "export FILE --format massif -o OUT",
    "export FILE --format heaptrack-csv -o OUT",
    "export FILE --format igprof -o OUT",
    "export FILE --format mdr -o OUT",
    "export FILE --format mdr-detail -o OUT",
    "export FILE --format dot -o OUT",
    "export FILE --format csv -o OUT",
];

/// Runs a reader with little memory.
fn read(lab: &Lab, file: &Path, reader: &str) -> Output {
    let out = lab.path("out");
    let _ = std::fs::remove_dir_all(&out);
    let _ = std::fs::remove_file(&out);
    let words = reader.split(' ').map(|word| match word {
        "FILE" => file.display().to_string(),
        "OUT" => out.display().to_string(),
        word => word.to_string(),
    });
    let mut limited = std::process::Command::new("sh");
    lab.prepare(&mut limited);
    limited
        .args(["-c", &format!("ulimit -v {MOST_KIB} && exec \"$0\" \"$@\"")])
        .arg(lab.residue().get_program())
        .args(words)
        // Address space that threads reserve and never use.
        .env("MALLOC_ARENA_MAX", "2")
        .env("RAYON_NUM_THREADS", "2");
    process::finish(limited)
}

fn expect_answers(name: &str, readers: &[&str]) {
    let (_, profile) = hostile::profiles()
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("there is such a profile");
    let bytes = residue_profile::encode(&profile).unwrap();
    let lab = Lab::new();
    let file = lab.path("hostile.residue");
    std::fs::write(&file, &bytes).unwrap();
    for reader in readers {
        let output = read(&lab, &file, reader);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("{name} ({} bytes): {reader}", bytes.len());
        let end = output.status.code();
        assert!(matches!(end, Some(0 | 2)), "{what}: {}", describe(&output));
        assert!(end == Some(0) || !said.is_empty(), "{what}: no reason");
        let is_refused = said.contains("that can be written") || said.contains("to be drawn");
        if is_refused {
            assert_eq!(end, Some(2), "{what}: {said}");
        }
    }
}

#[test]
fn inline_chains_that_multiply() {
    expect_answers("inline-chains", READERS);
    expect_answers("inline-chains-of-sisters", &READERS[..8]);
}

#[test]
fn inline_chains_that_multiply_are_left_out_and_it_is_said() {
    let lab = Lab::new();
    let file = lab.path("hostile.residue");
    let bytes = residue_profile::encode(&hostile::inline_chains()).unwrap();
    assert!(bytes.len() < 4096, "{} bytes", bytes.len());
    std::fs::write(&file, bytes).unwrap();
    let output = read(&lab, &file, "report FILE --view self");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}", describe(&output));
    assert!(said.contains("inlined functions make"), "{said}");
    assert!(said.contains("they are left out"), "{said}");
}

#[test]
fn long_paths_of_many_stacks() {
    expect_answers("deep-paths", READERS);
}

#[test]
fn long_names_on_long_paths() {
    expect_answers("deep-path-of-a-long-name", READERS);
    expect_answers("long-module-name", READERS);
}

#[test]
fn long_names_everywhere() {
    expect_answers("long-name-in-many-files", READERS);
    expect_answers("long-names-everywhere", READERS);
}

/// With their parameters, as they are in full, names are longest.
#[test]
fn long_names_in_full() {
    const IN_FULL: &[&str] = &[
        "report FILE --full-names",
        "report FILE --full-names --view stacks --json",
        "diff FILE FILE --full-names",
        "export FILE --full-names --format folded -o OUT",
        "export FILE --full-names --format parquet -o OUT",
        "export FILE --full-names --format pprof -o OUT",
    ];
    for name in ["names-that-unfold", "names-of-megabytes"] {
        expect_answers(name, IN_FULL);
    }
}

#[test]
fn many_counters_stamps_snapshots_and_threads() {
    for name in [
        "many-counters",
        "many-stamps",
        "many-snapshots",
        "many-threads",
    ] {
        expect_answers(name, READERS);
    }
}

/// What is in none of the texts that a terminal or a reader would obey.
fn expect_harmless(what: &str, text: &str) {
    let is_harmful = |char: &char| {
        (char.is_control() && !matches!(char, '\n' | '\t'))
            || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}"
                .contains(*char)
    };
    let found = text.chars().find(is_harmful);
    assert_eq!(found, None, "{what}: {text}");
}

#[test]
fn names_do_not_speak_to_the_terminal() {
    let lab = Lab::new();
    let file = lab.path("named.residue");
    let name = "a\u{1b}]0;owned\u{7}\u{9b}2J\r\u{202e}b\u{2066}\u{200f}";
    std::fs::write(
        &file,
        residue_profile::encode(&hostile::named(name)).unwrap(),
    )
    .unwrap();
    for reader in [
        "report FILE",
        "report FILE --view cumulative,callers,igprof,tree,stacks,library,scope,thread,size,churn,advice",
        "report FILE --json",
        "report FILE --view stacks --csv",
        "report FILE --view thread --csv",
        "diff FILE FILE",
        "diff FILE@1..20 FILE@20..40",
        "leaks FILE",
        "leaks FILE --json",
        "check FILE",
        "stages FILE",
        "stages FILE --json",
        "list FILE *",
        "dump FILE",
        "dump FILE --json",
        "processes FILE",
        "report FILE@nothing",
        "report FILE --thread nothing",
        "report FILE --module nothing",
        "report FILE --scope nothing",
        "export FILE --format folded",
        "export FILE --format csv",
        "export FILE --format heaptrack-csv",
        "export FILE --format mdr-detail",
        "export FILE --format stamps",
        "export FILE --format dot",
        "export FILE --format callgrind",
    ] {
        let output = read(&lab, &file, reader);
        assert!(
            output.status.code().is_some_and(|code| code <= 3),
            "{reader}: {}",
            describe(&output)
        );
        expect_harmless(reader, &String::from_utf8_lossy(&output.stdout));
        expect_harmless(reader, &String::from_utf8_lossy(&output.stderr));
    }
    let shown = read(&lab, &file, "report FILE --view stacks --csv");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains(r"a\u{1b}]0;owned\u{7}\u{9b}2J\r\u{202e}b\u{2066}\u{200f}"),
        "{shown}"
    );
}

#[test]
fn names_of_files_do_not_speak_to_the_terminal() {
    let lab = Lab::new();
    let file = lab.path("x\u{1b}[2J\u{202e}.residue");
    std::fs::write(&file, "no profile").unwrap();
    for reader in ["report FILE", "leaks FILE", "dump FILE"] {
        let output = read(&lab, &file, reader);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{reader}: {}",
            describe(&output)
        );
        expect_harmless(reader, &String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn cells_are_no_formulas() {
    let lab = Lab::new();
    let file = lab.path("named.residue");
    for name in ["=HYPERLINK(1)", "+1+1", "-1+1", "@SUM(A1)"] {
        std::fs::write(
            &file,
            residue_profile::encode(&hostile::named(name)).unwrap(),
        )
        .unwrap();
        for reader in [
            "report FILE --view self --csv",
            "report FILE --view stacks --csv",
            "report FILE --view library --csv",
            "report FILE --view thread --csv",
            "report FILE --view tree --csv",
            "report FILE --view callers --csv",
            "export FILE --format csv",
            "export FILE --format heaptrack-csv",
        ] {
            let output = read(&lab, &file, reader);
            assert!(output.status.success(), "{reader}: {}", describe(&output));
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains(&format!("'{name}")), "{reader}: {text}");
            let cells = text.split([',', '\n']).map(|cell| cell.trim_matches('"'));
            for cell in cells.filter(|cell| cell.starts_with(['=', '+', '-', '@'])) {
                assert!(cell.parse::<f64>().is_ok(), "{reader}: {cell}");
            }
        }
    }
}
