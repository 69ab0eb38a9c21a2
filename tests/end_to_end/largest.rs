//! The largest single block of a stack: a maximum over blocks, threads, stacks and processes.

use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use residue_profile::{End, StackKind};
use serde_json::Value;

const HEAP: [&str; 4] = [
    "small_blocks",
    "large_blocks",
    "grown_block",
    "empty_blocks",
];
const MAPPING: &str = "mapped_pages";

/// The largest of a function, in all and of each of so many threads.
fn expect_largest(ledger: &Ledger, truths: &Truths, threads: usize) {
    assert!(ledger.profile.has_largest);
    let of_kind = HEAP.map(|function| (function, StackKind::Heap));
    for (function, kind) in of_kind.into_iter().chain([(MAPPING, StackKind::Mapping)]) {
        let truth = truths.get(&format!("{function}.largest"));
        assert_eq!(
            ledger.sum_of(kind, function).largest_bytes,
            truth,
            "{function}"
        );
        for number in 0..threads {
            let name = format!("thread-{number}");
            let truth = truths.get(&format!("{function}.{name}.largest"));
            assert_eq!(
                of_thread(ledger, function, &name),
                truth,
                "{function} {name}"
            );
        }
    }
    if let Some(huge) = truths.find("huge_block.largest") {
        assert_eq!(ledger.sum("huge_block").largest_bytes, huge);
    }
}

fn of_thread(ledger: &Ledger, function: &str, name: &str) -> u64 {
    let profile = &ledger.profile;
    let parts = ledger
        .stacks_with(function)
        .flat_map(|(stack, _)| profile.by_thread.row(stack));
    let parts = parts.filter(|part| profile.threads[part.thread as usize].name == name);
    let largest = parts.map(|part| part.largest_bytes).max();
    largest.unwrap_or_else(|| panic!("{name} has no part in {function}: {:?}", profile.threads))
}

#[test]
fn the_largest_block_is_that_of_the_only_thread() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["largest"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_largest(&ledger, &truths, 1);
    let largest = |function: &str| ledger.sum(function).largest_bytes;
    assert_eq!(HEAP.map(largest), [16_000, 3 << 20, 70_000, 0]);
}

#[test]
fn the_largest_block_of_eight_threads_is_that_of_one() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["largest", "8"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_largest(&ledger, &truths, 8);
    let largest = |function: &str| ledger.sum(function).largest_bytes;
    assert_eq!(HEAP.map(largest), [16_007, (3 << 20) + 7, 70_007, 0]);
    assert_eq!(ledger.sum("small_blocks").calls, 24);
}

#[test]
fn a_killed_program_has_its_largest_blocks() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["largest", "8", "killed"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    assert_eq!(ledger.profile.meta.end, End::Killed { signal: 9 });
    expect_largest(&ledger, &truths, 8);
}

fn printed(lab: &Lab, arguments: &[&str]) -> String {
    let output = lab.residue().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(lab: &Lab, arguments: &[&str]) -> String {
    let output = lab.residue().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn every_command_that_takes_a_counter_takes_largest() {
    let lab = Lab::new();
    lab.record(&[], &["largest", "8"]);
    let by_largest = |view: &str| {
        let arguments = [
            "report",
            PROFILE,
            "--counter",
            "largest",
            "--focus",
            "small_blocks",
        ];
        printed(&lab, &[&arguments[..], &["--view", view]].concat())
    };
    let own = by_largest("self");
    assert!(
        own.contains("the largest of all is 15.6 KiB (16 007 bytes)"),
        "{own}"
    );
    let table = own.split("self: ").nth(1).unwrap();
    assert!(!table.contains('%'), "{own}");
    let stacks = by_largest("stacks");
    assert!(
        stacks.contains("  1.  15.6 KiB (16 007 bytes) largest\n"),
        "{stacks}"
    );
    let callers = by_largest("callers");
    assert!(
        callers.contains("% of the largest, 15.6 KiB (16 007 bytes)"),
        "{callers}"
    );

    let json = [
        "report",
        PROFILE,
        "--counter",
        "largest",
        "--json",
        "--view",
        "stacks,thread",
    ];
    let json: Value = serde_json::from_str(&printed(&lab, &json)).unwrap();
    let highest = &json["top"][0];
    assert_eq!(highest["value"], highest["counters"]["largest_bytes"]);
    assert_eq!(highest["share"], Value::Null);
    assert_eq!(
        json["selection"]["whole"],
        json["selection"]["sums"]["largest"]
    );
    let thread = |number: usize| {
        let name = format!("thread-{number}");
        let mut rows = json["threads"].as_array().unwrap().iter();
        rows.find(|row| row["name"] == name.as_str()).unwrap()["largest"].clone()
    };
    assert_eq!(thread(0), 3 << 20);
    assert_eq!(thread(7), (3 << 20) + 7);

    let of_one = [
        "report",
        PROFILE,
        "--counter",
        "largest",
        "--thread",
        "thread-3",
    ];
    let of_one = printed(&lab, &[&of_one[..], &["--view", "stacks"]].concat());
    assert!(
        of_one.contains("3.00 MiB (3 145 731 bytes) largest"),
        "{of_one}"
    );
    let dump = printed(&lab, &["dump", PROFILE]);
    assert!(
        dump.contains("  largest block 15.6 KiB (16 007 bytes)\n"),
        "{dump}"
    );

    let folded = [
        "export",
        PROFILE,
        "--format",
        "folded",
        "--counter",
        "largest",
    ];
    let folded = printed(&lab, &folded);
    let line = |wanted: &str| folded.lines().find(|line| line.contains(wanted));
    let line = line("small_blocks").unwrap();
    assert!(line.ends_with(" 16007"), "{line}");
    let igprof = printed(&lab, &["export", PROFILE, "--format", "igprof"]);
    assert!(igprof.contains("(MEM_MAX):("), "{igprof}");
}

#[test]
fn what_adds_up_or_subtracts_refuses_it() {
    let lab = Lab::new();
    lab.record(&[], &["largest"]);
    let flame = [
        "export",
        PROFILE,
        "--format",
        "flamegraph",
        "--counter",
        "largest",
    ];
    let flame = refusal(&lab, &flame);
    assert!(
        flame.contains("`largest` is a maximum, and flamegraph adds up"),
        "{flame}"
    );
    let diff = refusal(&lab, &["diff", PROFILE, PROFILE, "--counter", "largest"]);
    assert!(
        diff.contains("`largest` is a maximum and has no difference"),
        "{diff}"
    );
}
