//! What the growth of the resident size is made of, and leaks made on purpose to prove
//! the measurement.

use super::{expect_exact_leak, judged, leaks_json, number, said, stack_through};
use crate::support::{Lab, PROFILE};
use serde_json::Value;

#[test]
fn an_injected_leak_is_recovered_beside_none_and_beside_another() {
    // The workload's own, and the interval must hold the sum to the byte.
    for (command, own) in [
        (&["doubling", "reserve", "100"][..], 0.0),
        (&["account_leak", "100", "1420000"], 1_420_000.0),
    ] {
        let (_, verdict) = judged(&["--inject-leak", "10MB/event"], command);
        expect_exact_leak(&verdict, 1e7 + own);
        let injected = stack_through(&verdict, "residue_injected_leak");
        assert_eq!(number(&injected["rate_bytes_per_event"]), 1e7);
        assert_eq!(verdict["account"]["untouched"], false);
        // The resident size grows by as much; a page or two more for each block.
        let rss = number(&verdict["account"]["bytes_per_event"]["program_rss"]);
        assert!((rss - 1e7 - own).abs() < 0.01 * (1e7 + own), "{verdict:#}");
    }
}

#[test]
fn an_injected_leak_that_is_never_written_is_live_but_not_resident() {
    for (command, own) in [
        (&["doubling", "reserve", "100"][..], 0.0),
        (&["account_leak", "100", "1420000"], 1_420_000.0),
    ] {
        let (lab, verdict) = judged(&["--inject-leak", "10MB/event,untouched"], command);
        expect_exact_leak(&verdict, 1e7 + own);
        let parts = &verdict["account"]["bytes_per_event"];
        let live = number(&parts["live_heap"]);
        assert!((live - 1e7 - own).abs() < 1e-3, "{parts:#}");
        let untouched = number(&parts["untouched"]);
        assert!((untouched - 1e7).abs() < 0.02 * 1e7, "{parts:#}");
        let rss = number(&parts["program_rss"]);
        assert!((rss - own).abs() < 0.02 * 1e7, "{parts:#}");
        assert_eq!(verdict["account"]["untouched"], true);
        let text = said(&lab, &["leaks", PROFILE]);
        // How much exactly is held above; pages come and go beside it.
        assert!(text.contains(" + never written -9."), "{text}");
    }
}

/// The account of many events: nearly all of the growth has a name, and one part
/// makes most of it. Returns the growth in bytes an event and the verdict.
fn expect_account(lab: &Lab, dominant: &str) -> (f64, Value) {
    let verdict = leaks_json(lab, PROFILE);
    let account = &verdict["account"];
    let share = number(&account["explained_share"]);
    assert!(
        share >= 0.95,
        "{share} of the growth is explained: {account:#}"
    );
    let parts = &account["bytes_per_event"];
    let (growth, part) = (number(&parts["program_rss"]), number(&parts[dominant]));
    assert!(
        part > 0.9 * growth && part < 1.1 * growth,
        "{dominant}: {account:#}"
    );
    (number(&parts["rss"]), verdict)
}

/// A program that knows what it leaves, and reads its own resident size.
fn expect_account_of(command: &[&str], dominant: &str, kind: &str) {
    let lab = Lab::new();
    let recorded = lab.record(&[], command);
    let truths = recorded.truths();
    let (growth, verdict) = expect_account(&lab, dominant);
    let told = truths.get(&format!("{kind}_bytes_per_event")) as f64;
    let part = number(&verdict["account"]["bytes_per_event"][dominant]);
    assert!(
        (part / told - 1.0).abs() < 0.05,
        "{dominant}: {told} are told, {part} found"
    );
    let stdout = recorded.stdout();
    let own = stdout
        .lines()
        .find_map(|line| line.strip_prefix("rss_growth_bytes "))
        .expect("the program reads its size");
    let turns = truths.get("events") as f64 - 1.0;
    let own = own.parse::<f64>().expect("a number") / turns;
    assert!(
        (growth / own - 1.0).abs() < 0.05,
        "the program grew by {own} an event, the account says {growth}"
    );
}

#[test]
fn growth_by_heap_blocks_is_accounted_for() {
    expect_account_of(&["account_leak", "2000"], "live_heap", "heap");
}

#[test]
fn growth_by_fragmentation_is_accounted_for() {
    let lab = Lab::new();
    lab.record(&[], &["shapes", "fragmentation", "4000", "1"]);
    let (_, verdict) = expect_account(&lab, "allocator_slack");
    assert_eq!(verdict["verdict"], "fragmentation", "{verdict:#}");
    assert_eq!(verdict["account"]["fragmentation"], true);
    let text = said(&lab, &["leaks", PROFILE]);
    assert!(text.starts_with("FRAGMENTATION  RSS "), "{text}");
}

#[test]
fn growth_by_mappings_is_accounted_for() {
    expect_account_of(&["account_mmap", "2000"], "mapped", "mapped");
}

#[test]
fn growth_by_stacks_of_threads_is_accounted_for() {
    expect_account_of(&["account_threads", "200"], "thread_stacks", "stack");
}

#[test]
fn growth_by_pages_of_files_is_accounted_for() {
    expect_account_of(&["account_files", "600"], "files", "file");
}
