//! Damaged files: no panic, no hang.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use residue_symbols::{DataAddress, Search};
use residue_testkit::random::Random;

use crate::programs::{addresses, ask, build, build_cpp, symbol, symbols, try_ask};

/// Far beyond what any of them takes.
const LONG: Duration = Duration::from_secs(20);

/// The ranges of a file that hold debug information or symbols.
fn ranges(file: &Path) -> Vec<Range<usize>> {
    let output = std::process::Command::new("readelf")
        .args(["-SW"])
        .arg(file)
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let is_read = |word: &&str| {
        let tables = [".symtab", ".strtab", ".dynsym", ".dynstr"];
        word.starts_with(".debug_") || tables.contains(word)
    };
    let ranges = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| !is_read(word));
        words.next()?;
        let words: Vec<&str> = words.collect();
        let number = |at: usize| usize::from_str_radix(words[at], 16).unwrap();
        let (offset, size) = (number(2), number(3));
        Some(offset..offset + size)
    });
    ranges.filter(|range| !range.is_empty()).collect()
}

fn survive(file: &Path, asked: &[DataAddress], rounds: usize, random: &mut Random) {
    let whole = fs::read(file).unwrap();
    let mut ranges = ranges(file);
    assert!(ranges.len() >= 8);
    // The headers of sections.
    ranges.push(whole.len() - whole.len().min(64 * 45)..whole.len());
    let damaged_file = file.with_extension("damaged");
    for round in 0..rounds {
        let mut damaged = whole.clone();
        let range = ranges[random.index(ranges.len())].clone();
        match round % 5 {
            0 => damaged.truncate(range.start + random.index(range.len())),
            1 => {
                // A piece of something else.
                let length = random.index(range.len().min(4096));
                let to = range.start + random.index(range.len() - length);
                let from = random.index(whole.len() - length);
                damaged.copy_within(from..from + length, to);
            }
            kind => {
                for _ in 0..[1, 20, 500][kind - 2] {
                    let at = range.start + random.index(range.len());
                    damaged[at] = [0, 0xff, random.index(256) as u8][random.index(3)];
                }
            }
        }
        fs::write(&damaged_file, &damaged).unwrap();
        let started = Instant::now();
        let found = try_ask(&damaged_file, None, asked, &Search::default());
        assert!(started.elapsed() < LONG);
        for variable in found.into_iter().flatten().flatten() {
            assert!(variable.offset < variable.size, "{variable:?}");
            assert!(!variable.name.is_empty());
        }
    }
}

fn survive_all_kinds(rounds: usize) {
    let mut random = Random::new(1);
    let programs = [
        build_cpp(&["-g", "-gdwarf-4", "-fdebug-types-section"]),
        build_cpp(&["-g", "-gdwarf-5", "-O2"]),
        build(
            "rustc",
            "variables.rs",
            &["-g", "-Cdwarf-version=5", "--edition=2021"],
        ),
    ];
    for program in programs {
        let mut asked = addresses(&symbols(&program.path), 8);
        asked.truncate(2000);
        survive(&program.path, &asked, rounds, &mut random);
        // Where no symbol tells, more is taken from debug information.
        let flags = ["--strip-symbol=*", "-w"];
        let bare = program.copy("bare", "objcopy", &flags);
        survive(&bare, &asked, rounds, &mut random);
    }
}

#[test]
fn types_that_are_made_of_themselves_have_an_end() {
    let program = build("gcc", "circles.s", &["-no-pie"]);
    for name in ["united", "named", "listed"] {
        let there = symbol(&program.path, name);
        let started = Instant::now();
        let found = ask(&program.path, &addresses(&[there], 1));
        assert!(started.elapsed() < LONG);
        assert_eq!(found.len(), 64);
        for variable in found {
            let variable = variable.unwrap();
            assert_eq!(variable.name, name);
            assert!(variable.member.len() <= 32, "{:?}", variable.member);
        }
    }
}

#[test]
fn damaged_files_do_no_harm() {
    survive_all_kinds(60);
}

#[test]
#[ignore = "takes minutes; run by `make symbols`"]
fn thousands_of_damages_do_no_harm() {
    survive_all_kinds(3000);
}
