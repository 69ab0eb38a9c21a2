//! The same answers as binutils, for all kinds of debug information.

use std::path::{Path, PathBuf};
use std::time::Instant;

use residue_symbols::{Search, build_id};

use crate::compare::{Difference, Differences, compare};
use crate::programs::{Program, build, build_small, code_range, run};
use crate::{judges, ours};

/// Compares our answers about a program with those of binutils.
fn judge(program: &Path, addresses: &[u64]) -> Differences {
    let ours = ours::answers(program, addresses);
    let binutils = judges::addr2line(program, addresses);
    let llvm = judges::llvm(program, addresses);
    compare(addresses, &ours, &binutils, &llvm)
}

/// Fails unless a file has the same answers as the program that it was made from.
fn assert_same(program: &Program, copy: &Path, step: usize) {
    let addresses = program.addresses(step);
    let expected = ours::answers(&program.path, &addresses);
    let found = ours::answers(copy, &addresses);
    assert!(found == expected, "{}", copy.display());
}

/// Debug information that is stored in another way says the same.
fn judge_copies(program: &Program, step: usize) {
    let compressions = ["zlib", "zlib-gnu", "zstd"];
    for compression in compressions {
        let flag = format!("--compress-debug-sections={compression}");
        let copy = program.copy(compression, "objcopy", &[&flag]);
        assert_same(program, &copy, step);
    }
    let directory = program.directory.path();
    // The parts that two programs have in common, in a third file.
    std::fs::copy(&program.path, directory.join("one")).unwrap();
    std::fs::copy(&program.path, directory.join("two")).unwrap();
    run(
        "dwz",
        &["-m", "common", "-M", "common", "one", "two"],
        directory,
    );
    assert_same(program, &directory.join("one"), step);
    assert!(directory.join("common").is_file());
    // Also through its build-id alone.
    std::fs::create_dir(directory.join("elsewhere")).unwrap();
    run("mv", &["common", "elsewhere/renamed"], directory);
    let addresses = program.addresses(step);
    let id = build_id(&program.path).unwrap();
    let mut search = Search::default();
    let one = directory.join("one");
    let without = ours::resolve(&one, id.as_deref(), &addresses, &search);
    let problem = without.modules[0].problem.clone().unwrap();
    assert!(
        problem.contains("one: ") && problem.contains("common"),
        "{problem}"
    );
    search.symbol_dirs = vec![directory.join("elsewhere")];
    let with = ours::resolve(&one, id.as_deref(), &addresses, &search);
    assert_eq!(with.modules[0].problem, None);
    let expected = ours::answers(&program.path, &addresses);
    assert!(ours::seen(&with, addresses.len()) == expected);
}

/// Split debug information says the same as when it is whole.
fn judge_split(whole: &Program, split: &Program, version: &str, step: usize) {
    let dwo_files = || {
        let files = std::fs::read_dir(split.directory.path()).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|name| name == "dwo"))
    };
    assert!(dwo_files().count() > 0);
    let addresses = whole.addresses(step);
    assert_eq!(addresses, split.addresses(step), "the same code");
    let from = whole.directory.path().to_str().unwrap();
    let to = split.directory.path().to_str().unwrap();
    let mut expected = ours::answers(&whole.path, &addresses);
    for place in expected.iter_mut().flatten() {
        place.file = place.file.replace(from, to);
    }
    let found = ours::answers(&split.path, &addresses);
    assert!(found == expected, "{version}: with .dwo files");

    let directory = split.directory.path();
    // The packager that binutils has knows no other version.
    if version == "-gdwarf-4" {
        run("dwp", &["-e", "program", "-o", "program.dwp"], directory);
    }
    for file in dwo_files() {
        std::fs::remove_file(file).unwrap();
    }
    if version == "-gdwarf-4" {
        let found = ours::answers(&split.path, &addresses);
        assert!(found == expected, "{version}: with a .dwp file");
        std::fs::remove_file(directory.join("program.dwp")).unwrap();
    }

    // With neither, there are symbols and lines.
    let id = build_id(&split.path).unwrap();
    let found = ours::resolve(&split.path, id.as_deref(), &addresses, &Search::default());
    let problem = found.modules[0].problem.clone().unwrap();
    assert!(problem.contains(".dwo"), "{problem}");
    let innermost = |answers: &[Vec<judges::Seen>]| -> Vec<_> {
        let places = answers.iter().map(|places| places.first().cloned());
        let places = places.map(Option::unwrap_or_default);
        places.map(|place| (place.file, place.line)).collect()
    };
    // Of several names of one function the debug information would know the right one.
    let is_named = |answers: &[Vec<judges::Seen>]| -> Vec<bool> {
        let outermost = answers.iter().map(|places| places.last());
        outermost
            .map(|place| place.is_some_and(|place| !place.function.is_empty()))
            .collect()
    };
    let found = ours::seen(&found, addresses.len());
    assert!(innermost(&found) == innermost(&expected));
    assert!(is_named(&found) == is_named(&expected));
}

#[test]
fn addr2line_agrees() {
    let program = build(2, &["-gdwarf-5"]);
    let addresses = program.addresses(11);
    assert!(addresses.len() > 5_000, "{}", addresses.len());
    let differences = judge(&program.path, &addresses);
    assert!(differences[&Difference::QualifiedName] > 0);
    assert!(differences[&Difference::NameOfTheCopy] > 0);
}

#[test]
fn addr2line_agrees_on_all_versions() {
    for version in ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
        let program = build_small(&[version]);
        judge(&program.path, &program.addresses(1));
        judge_copies(&program, 1);
        if version != "-gdwarf-3" {
            let split = build_small(&[version, "-gsplit-dwarf"]);
            judge_split(&program, &split, version, 1);
        }
    }
}

/// All of the above, on a larger program, and how long it takes.
#[test]
#[ignore = "takes minutes; run by `make symbols`"]
fn addr2line_agrees_on_twenty_thousand_addresses() {
    const PARTS: usize = 8;
    for version in ["-gdwarf-5", "-gdwarf-4"] {
        let program = build(PARTS, &[version]);
        let addresses = program.addresses(7);
        assert!(addresses.len() >= 20_000, "{}", addresses.len());
        let differences = judge(&program.path, &addresses);
        println!("{version}: {} addresses: {differences:#?}", addresses.len());
        judge_copies(&program, 13);
        let split = build(PARTS, &[version, "-gsplit-dwarf"]);
        judge_split(&program, &split, version, 13);
        time(&program.path, &addresses);
    }
}

/// Any program with debug information: its path is in `RESIDUE_PROGRAM`.
#[test]
#[ignore = "needs a program"]
fn addr2line_agrees_on_a_given_program() {
    let Some(path) = std::env::var_os("RESIDUE_PROGRAM").map(PathBuf::from) else {
        return println!("RESIDUE_PROGRAM is not set");
    };
    let code = code_range(&path);
    let step = (code.end - code.start) as usize / 30_000 + 1;
    let addresses: Vec<u64> = code.step_by(step).collect();
    println!("{:#?}", judge(&path, &addresses));
    time(&path, &addresses);
}

/// Both side by side, several times, nothing remembered.
fn time(program: &Path, addresses: &[u64]) {
    let id = build_id(program).unwrap();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..15 {
        let started = Instant::now();
        ours::resolve(program, id.as_deref(), addresses, &Search::default());
        times[0].push(started.elapsed().as_secs_f64());
        let started = Instant::now();
        judges::addr2line_alone(program, addresses);
        times[1].push(started.elapsed().as_secs_f64());
    }
    let [ours, theirs] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "{} addresses: {:.1} ms, addr2line {:.1} ms, {:.1} times as fast",
        addresses.len(),
        ours * 1e3,
        theirs * 1e3,
        theirs / ours
    );
}
