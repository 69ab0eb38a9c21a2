//! Recordings that other profilers make of the same programs, against what the
//! programs know, what those profilers' own readers say, and what `residue run` sees.
//!
//! Each needs its profiler: heaptrack, valgrind, libgoogle-perftools4, which `make test`
//! installs.

use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use crate::support::{Lab, describe, process, workloads};
use crate::verdicts::said;
use residue_profile::Profile;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const TCMALLOC: &str = "/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4";

/// Two programs that do the same in every run, and know what they did.
const PROGRAMS: [&[&str]; 2] = [&["leaky_events", "20"], &["new_delete", "30"]];

/// A profiler's command, with a workload behind it.
fn profiled(lab: &Lab, profiler: &[&str], workload: &[&str]) -> Truths {
    let mut command = Command::new(profiler[0]);
    command.args(&profiler[1..]);
    command
        .arg(workloads::find(workload[0]))
        .args(&workload[1..]);
    finished(lab, command)
}

fn finished(lab: &Lab, mut command: Command) -> Truths {
    lab.prepare(&mut command);
    let output = process::finish(command);
    assert!(output.status.success(), "{}", describe(&output));
    Truths::parse(&String::from_utf8_lossy(&output.stdout))
}

fn imported(lab: &Lab, file: &str) -> Ledger {
    said(lab, &["import", file, "-o", "imported.residue"]);
    Ledger::read(&lab.path("imported.residue"))
}

/// Imported addresses, named by `residue symbolize`.
fn imported_and_named(lab: &Lab, file: &str) -> Ledger {
    said(lab, &["import", file, "-o", "imported.residue"]);
    said(lab, &["symbolize", "imported.residue"]);
    Ledger::read(&lab.path("imported.residue"))
}

/// `KEY: 105.42K (...)` of a summary, with half of its last digit.
fn figure(summary: &str, key: &str) -> (f64, f64) {
    let line = summary.lines().find_map(|line| line.strip_prefix(key));
    let line = line.unwrap_or_else(|| panic!("no {key} in {summary}"));
    let word = line.split_whitespace().next().expect("a figure");
    let digits = word.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match &word[digits.len()..] {
        "" | "B" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        other => panic!("the unit {other}"),
    };
    let fraction = digits
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    let number: f64 = digits.parse().expect("a number");
    (number * unit, 0.5001 * unit / 10_f64.powi(fraction as i32))
}

fn expect_figure(summary: &str, key: &str, value: u64) {
    let (figure, doubt) = figure(summary, key);
    let difference = (figure - value as f64).abs();
    assert!(difference <= doubt, "{key} {figure}, imported {value}");
}

#[test]
fn heaptrack_says_the_same_through_its_own_reader() {
    for workload in PROGRAMS {
        let lab = Lab::new();
        profiled(&lab, &["heaptrack", "-o", "job"], workload);
        let mut print = Command::new("heaptrack_print");
        print.args(["--disable-builtin-suppressions", "job.zst"]);
        lab.prepare(&mut print);
        let printed = process::finish(print);
        let summary = String::from_utf8_lossy(&printed.stdout).into_owned();
        let ledger = imported(&lab, "job.zst");
        let heap = &ledger.profile.heap;
        expect_figure(&summary, "calls to allocation functions:", heap.calls);
        expect_figure(&summary, "peak heap memory consumption:", heap.peak_bytes);
        expect_figure(&summary, "total memory leaked:", heap.live_bytes);
        let max_rss = ledger.profile.meta.max_rss_bytes.expect("a resident size");
        expect_figure(
            &summary,
            "peak RSS (including heaptrack overhead):",
            max_rss,
        );
        // heaptrack takes the free of its very first allocation for one of a temporary,
        // whatever was made since.
        let (temporary, _) = figure(&summary, "temporary memory allocations:");
        assert!((0.0..=1.0).contains(&(temporary - heap.temporaries as f64)));
        let at_peak: u64 = stacks(&ledger.profile, |counters| counters.at_peak_bytes);
        assert_eq!(at_peak, heap.peak_bytes);
        assert!(!ledger.profile.places.items().is_empty(), "there are lines");
        said(&lab, &["report", "imported.residue"]);
    }
}

fn stacks(profile: &Profile, value: fn(&residue_profile::Counters) -> u64) -> u64 {
    profile
        .stacks
        .iter()
        .map(|stack| value(&stack.counters))
        .sum()
}

/// Calls and bytes of each path below `main`, by names.
fn paths(ledger: &Ledger) -> BTreeMap<String, (u64, u64)> {
    let mut paths: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (_, stack) in ledger.stacks_with("main") {
        let names = ledger.names_leaf_first(stack);
        // Marks that look for a recorder and find none leave the linker's error behind.
        if names.contains(&"residue_ask_") {
            continue;
        }
        let main = names.iter().position(|name| *name == "main");
        let path = names[..main.unwrap_or(names.len())].join(" < ");
        let sum = paths.entry(path).or_default();
        sum.0 += stack.counters.calls;
        sum.1 += stack.counters.total_bytes;
    }
    paths
}

#[test]
fn raw_heaptrack_is_what_the_program_knows_and_residue_records() {
    for workload in PROGRAMS {
        let lab = Lab::new();
        let truths = profiled(&lab, &["heaptrack", "--raw", "-o", "job"], workload);
        let theirs = imported_and_named(&lab, "job.raw.zst");
        theirs.expect_truths(&truths);
        let (ours, _) = lab.record(&[], workload).expect_exact();
        let (theirs, ours) = (paths(&theirs), paths(&ours));
        assert!(theirs.len() > 3, "{theirs:?}");
        assert_eq!(theirs, ours);
    }
}

#[test]
fn the_last_snapshot_of_massif_is_what_the_program_left() {
    let lab = Lab::new();
    let massif = [
        "valgrind",
        "--tool=massif",
        "--massif-out-file=massif.out",
        "--detailed-freq=1",
        "--threshold=0",
    ];
    let truths = profiled(&lab, &massif, PROGRAMS[0]);
    let ledger = imported(&lab, "massif.out");
    let text = std::fs::read_to_string(lab.path("massif.out")).expect("a text");
    let sizes: Vec<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("mem_heap_B=")?.parse().ok())
        .collect();
    let heap = &ledger.profile.heap;
    assert_eq!(
        heap.peak_bytes,
        sizes.iter().copied().max().expect("snapshots")
    );
    assert_eq!(heap.live_bytes, *sizes.last().expect("snapshots"));
    let at_moments = ledger.profile.timeline.moments.iter();
    let at_moments: Vec<u64> = at_moments.filter_map(|moment| moment.live_bytes).collect();
    assert_eq!(at_moments[..sizes.len()], sizes);
    let leaked: u64 = ledger
        .profile
        .stacks
        .iter()
        .filter(|stack| {
            let names = ledger.names_leaf_first(stack);
            names
                .iter()
                .any(|name| name.starts_with("SEvt::getPhotonFrame("))
        })
        .map(|stack| stack.counters.live_bytes)
        .sum();
    assert_eq!(leaked, truths.get("leaked_bytes"));
}

#[test]
fn heap_profiles_of_gperftools_are_what_the_program_knows() {
    assert!(Path::new(TCMALLOC).exists(), "{TCMALLOC} is not installed");
    let lab = Lab::new();
    let mut command = Command::new(workloads::find(PROGRAMS[0][0]));
    command
        .args(&PROGRAMS[0][1..])
        .env("LD_PRELOAD", TCMALLOC)
        .env("HEAPPROFILE", lab.path("job"));
    let truths = finished(&lab, command);
    imported_and_named(&lab, "job.0001.heap").expect_truths(&truths);
}
