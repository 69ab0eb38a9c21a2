//! Debug information that is not what it should be: no panic, no hang, and nothing that
//! is not damaged is lost with it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use residue_symbols::{ModuleRequest, NONE, Resolution, Search, resolve_all};
use residue_testkit::random::Random;

use crate::programs::{Program, build, build_small};

/// Far beyond what any of them takes.
const LONG: Duration = Duration::from_secs(20);

/// The ranges of a file that hold debug information.
fn debug_ranges(file: &Path) -> Vec<std::ops::Range<usize>> {
    let output = std::process::Command::new("readelf")
        .args(["-SW"])
        .arg(file)
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let ranges = text.lines().filter_map(|line| {
        let mut words = line
            .split_whitespace()
            .skip_while(|word| !word.starts_with(".debug_"));
        words.next()?;
        let words: Vec<&str> = words.collect();
        let number = |at: usize| usize::from_str_radix(words[at], 16).unwrap();
        let (offset, size) = (number(2), number(3));
        Some(offset..offset + size)
    });
    ranges.collect()
}

/// Damages a file in many ways, and asks about all of them.
fn survive(file: &Path, addresses: &[u64], rounds: usize, random: &mut Random) {
    let whole = fs::read(file).unwrap();
    let ranges = debug_ranges(file);
    assert!(ranges.len() >= 5);
    let damaged_file = file.with_extension("damaged");
    let headers = whole.len() - whole.len().min(64 * 45)..whole.len();
    for round in 0..rounds {
        let mut damaged = whole.clone();
        let range = match round % 8 {
            7 => headers.clone(),
            _ => ranges[random.index(ranges.len())].clone(),
        };
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
        let found = resolve(&damaged_file, addresses);
        for address in 0..addresses.len() {
            for place in found.places(0, address) {
                let name = found.names().get(place.function as usize);
                assert!(name.is_some() || place.function == NONE);
            }
        }
    }
}

/// Damages everything that may hold debug information.
fn survive_all_kinds(build: impl Fn(&[&str]) -> Program, step: usize, rounds: usize) {
    let mut random = Random::new(1);
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let program = build(&[version]);
        let addresses = program.addresses(step);
        survive(&program.path, &addresses, rounds, &mut random);
        for compression in ["zlib", "zstd"] {
            let flag = format!("--compress-debug-sections={compression}");
            let copy = program.copy(compression, "objcopy", &[&flag]);
            survive(&copy, &addresses, rounds / 4, &mut random);
        }
        // The part that is not in the program.
        let split = build(&[version, "-gsplit-dwarf"]);
        survive_split(&split, step, rounds / 2, &mut random);
    }
}

fn survive_split(split: &Program, step: usize, rounds: usize, random: &mut Random) {
    let dwo_file = split.directory.path().join("1.dwo");
    let whole = fs::read(&dwo_file).unwrap();
    let addresses = split.addresses(step);
    for round in 0..rounds {
        let mut damaged = whole.clone();
        for _ in 0..1 + round % 20 {
            let at = random.index(whole.len());
            damaged[at] = random.index(256) as u8;
        }
        fs::write(&dwo_file, damaged).unwrap();
        let found = resolve(&split.path, &addresses);
        let function = |index| found.function(0, index).is_some();
        assert!((0..addresses.len()).any(function), "by their symbols");
    }
}

fn resolve(path: &Path, addresses: &[u64]) -> Resolution {
    let request = ModuleRequest {
        path: path.to_owned(),
        build_id: None,
        addresses: addresses.to_vec(),
    };
    let started = Instant::now();
    let found = resolve_all(&[request], &Search::default(), &|_, _| {});
    assert!(started.elapsed() < LONG);
    found
}

#[test]
fn damaged_debug_information_does_no_harm() {
    survive_all_kinds(build_small, 1, 100);
}

#[test]
#[ignore = "takes minutes; run by `make symbols`"]
fn thousands_of_damages_do_no_harm() {
    survive_all_kinds(build_small, 1, 5000);
    survive_all_kinds(|flags| build(1, flags), 53, 200);
}
