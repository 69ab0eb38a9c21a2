//! Who keeps pages of the heap resident: programs that know which pages their blocks are on.

use crate::support::{Lab, PROFILE, describe};
use serde_json::Value;

const PAGE_BYTES: u64 = 4096;
/// A block of 64 bytes with glibc's head.
const TAKEN_BYTES: u64 = 80;

fn pins(lab: &Lab) -> Value {
    let output = lab.residue().args(["pins", "--json", PROFILE]).output();
    let output = output.expect("residue starts");
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn bytes(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("{name}: {of}"))
}

/// Whether a function is on a path.
fn is_through(row: &Value, function: &str) -> bool {
    let path = row["path"].as_array().expect("a path");
    path.iter().any(|name| name == function)
}

fn sum(rows: &Value, name: &str) -> u64 {
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| bytes(row, name)).sum()
}

/// The parts of the heap are all of it, and so are stacks, sizes and ages.
fn expect_sums(document: &Value) {
    let (used, free) = (bytes(document, "used_bytes"), bytes(document, "free_bytes"));
    let whole = used + free + bytes(document, "free_page_bytes");
    assert_eq!(whole, bytes(document, "resident_bytes"));
    let of_others = |name| bytes(document, name);
    let stacks = &document["stacks"];
    assert_eq!(
        sum(stacks, "used_bytes") + of_others("other_used_bytes"),
        used
    );
    assert_eq!(
        sum(stacks, "free_bytes") + of_others("other_free_bytes"),
        free
    );
    for classes in ["sizes", "ages"] {
        assert_eq!(sum(&document[classes], "used_bytes"), used, "{classes}");
        assert_eq!(sum(&document[classes], "free_bytes"), free, "{classes}");
    }
}

/// The cells of the map are the heap, and the stacks that are named have the most pages of them.
fn expect_map(document: &Value) {
    let map = &document["map"];
    let column = |name: &str| {
        let numbers = map[name].as_array().expect("a column").iter();
        numbers.map(Value::as_u64).collect::<Vec<_>>()
    };
    let total = |name: &str| column(name).iter().flatten().sum::<u64>();
    let cells = column("start").len();
    assert!((1..=4096).contains(&cells), "{cells} cells");
    let (resident, pinned) = (total("resident_pages"), total("pinned_pages"));
    let used = total("used_bytes");
    assert_eq!(resident * PAGE_BYTES, bytes(document, "resident_bytes"));
    assert_eq!(used, bytes(document, "used_bytes"));
    assert_eq!(pinned * PAGE_BYTES - used, bytes(document, "free_bytes"));
    let free_pages = resident - pinned;
    assert_eq!(free_pages * PAGE_BYTES, bytes(document, "free_page_bytes"));
    let (start, pages) = (column("start"), column("pages"));
    let ends = start.iter().zip(&pages);
    let ends: Vec<u64> = ends
        .map(|(start, pages)| start.unwrap() + pages.unwrap() * PAGE_BYTES)
        .collect();
    for (end, next) in ends.iter().zip(&start[1..]) {
        assert!(*end <= next.unwrap(), "cells overlap");
    }
}

/// Every cell that is in RAM is drawn.
fn expect_drawn(lab: &Lab, document: &Value) {
    let plot = ["plot", PROFILE, "--what", "heap", "-o", "heap.svg"];
    let output = lab.residue().args(plot).output().expect("residue starts");
    assert!(output.status.success(), "{}", describe(&output));
    let drawing = std::fs::read_to_string(lab.path("heap.svg")).expect("a drawing");
    let runs = drawing.split(" data-cells=\"").skip(1);
    let runs = runs.filter_map(|text| text.split('"').next()?.split_once(".."));
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let drawn: u64 = runs.map(|(from, to)| number(to) - number(from) + 1).sum();
    let resident = document["map"]["resident_pages"].as_array();
    let resident = resident.expect("pages").iter().filter(|pages| **pages != 0);
    assert_eq!(drawn, resident.count() as u64);
}

/// Within one part in a hundred.
fn expect_near(found: u64, truth: u64) {
    assert!(found.abs_diff(truth) * 100 <= truth, "{found} {truth}");
}

#[test]
fn small_blocks_that_stay_between_large_ones_keep_their_pages() {
    let lab = Lab::new();
    let native = lab.native(&["pinned_pages"]);
    // One picture before the last, which waits until that one was read.
    let recorded = lab.record(&["--holders-at", "50"], &["pinned_pages"]);
    assert_eq!(recorded.output.status, native.status);
    let truths = recorded.truths();
    let document = pins(&lab);
    expect_sums(&document);
    expect_map(&document);
    expect_drawn(&lab, &document);
    expect_near(bytes(&document, "resident_bytes"), truths.get("resident"));
    // Of all cells with live blocks nearly all are kept by it alone.
    let map = &document["map"];
    let named = &map["stacks"][0];
    assert!(is_through(named, "remember"), "{named}");
    let of_cells = map["stack"].as_array().expect("stacks").iter();
    let its_cells = of_cells.zip(map["pinned_pages"].as_array().expect("pages"));
    let its_cells = its_cells.filter(|(stack, _)| **stack == named["stack"]);
    let its_pages: u64 = its_cells.filter_map(|(_, pages)| pages.as_u64()).sum();
    assert!(
        its_pages >= truths.get("remember.pages"),
        "{its_pages} {}",
        truths.get("remember.pages")
    );
    // Whoever keeps most comes first, to the page.
    let first = &document["stacks"][0];
    assert!(is_through(first, "remember"), "{first}");
    let (blocks, pages) = (truths.get("remember.blocks"), truths.get("remember.pages"));
    assert_eq!(bytes(first, "blocks"), blocks);
    assert_eq!(bytes(first, "pages"), pages);
    assert_eq!(bytes(first, "alone_pages"), pages);
    assert_eq!(bytes(first, "used_bytes"), blocks * TAKEN_BYTES);
    let free = pages * PAGE_BYTES - blocks * TAKEN_BYTES;
    assert_eq!(bytes(first, "free_bytes"), free);
    assert_eq!(bytes(first, "alone_free_bytes"), free);
    assert_eq!(
        (bytes(first, "smallest"), bytes(first, "largest")),
        (64, 64)
    );
    assert_eq!(
        (bytes(first, "first_birth"), bytes(first, "last_birth")),
        (1, 100)
    );
    // Each event keeps twenty blocks more, on a page each or two.
    assert_eq!(first["growth"]["since_event"], 50);
    let rate = first["growth"]["bytes_per_event"].as_f64().expect("a rate");
    let truth = free as f64 / 100.0;
    assert!((0.97..1.03).contains(&(rate / truth)), "{rate} {truth}");
    let freed = &document["freed"][0];
    assert!(is_through(freed, "burst"), "{freed}");
    let pool = &document["advice"][0];
    assert_eq!(pool["action"], "pool");
    let packed = (blocks * TAKEN_BYTES).div_ceil(PAGE_BYTES);
    assert_eq!(bytes(pool, "saved_bytes"), (pages - packed) * PAGE_BYTES);
}

/// Of other allocators only what is resident is known to the program.
#[test]
fn stacks_and_free_pages_are_the_whole_heap_of_other_allocators() {
    for name in ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"] {
        let lab = Lab::new();
        let mut command = lab.run(&["--holders"], &["pinned_pages"]);
        command.env("LD_PRELOAD", name);
        let recorded = lab.record_by(command);
        let document = pins(&lab);
        expect_sums(&document);
        expect_map(&document);
        expect_near(
            bytes(&document, "resident_bytes"),
            recorded.truths().get("resident"),
        );
        let blocks = document["stacks"].as_array().expect("stacks").iter();
        let blocks = blocks.filter(|row| is_through(row, "remember"));
        let blocks: u64 = blocks.map(|row| bytes(row, "blocks")).sum();
        assert_eq!(blocks, recorded.truths().get("remember.blocks"), "{name}");
    }
}

#[test]
fn a_verdict_of_fragmentation_names_who_keeps_the_pages() {
    let lab = Lab::new();
    lab.record(&["--holders"], &["shapes", "fragmentation", "300"]);
    let output = lab
        .residue()
        .args(["leaks", "--json", PROFILE])
        .output()
        .expect("residue starts");
    let verdict: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(verdict["verdict"], "fragmentation");
    let pinned = verdict["pinned"].as_array().expect("sentences");
    let said: Vec<&str> = pinned.iter().filter_map(Value::as_str).collect();
    assert!(
        said[0].starts_with("of ") && said[0].contains(" of resident heap "),
        "{said:?}"
    );
    assert!(said[1].contains(" > lay_fence "), "{said:?}");
    assert!(said[2].contains(" > site_fragmentation "), "{said:?}");
    let text = lab
        .residue()
        .args(["leaks", PROFILE])
        .output()
        .expect("residue starts");
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for line in said {
        assert!(text.lines().any(|it| it == format!("  {line}")), "{text}");
    }
}

#[test]
fn what_has_no_picture_says_so() {
    let lab = Lab::new();
    lab.record(&[], &["pinned_pages", "5"]);
    let output = lab
        .residue()
        .args(["pins", PROFILE])
        .output()
        .expect("residue starts");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "no picture of its memory was taken; record with `residue run --holders`";
    assert_eq!(error.trim_end(), format!("residue: {PROFILE}: {why}"));
}
