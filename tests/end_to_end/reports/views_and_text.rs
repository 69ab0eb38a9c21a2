//! Sums of profiles, advice, groups, and what the text and tables look like.

use super::*;
use crate::dumped::{Dump, total};

#[test]
fn several_profiles_are_added_up() {
    let lab = Lab::new();
    let ledger = recorded(&lab, &["map_growth"]).ledger();
    std::fs::copy(lab.path(PROFILE), lab.path("again.residue")).expect("the lab is writable");
    let both = json(&lab, &[PROFILE, "again.residue", "--top", "all"]);
    let one = json(&lab, &[PROFILE, "--top", "all"]);
    for counter in ["calls", "total", "live", "live_blocks", "frees"] {
        let of = |document: &Value| number(&document["selection"]["sums"][counter]);
        assert_eq!(of(&both), 2 * of(&one), "{counter}");
    }
    assert_eq!(both["self"]["found"], one["self"]["found"]);
    assert_eq!(
        number(&both["heap"]["total_bytes"]),
        2 * ledger.profile.heap.total_bytes
    );
}

/// Case 3: what the numbers of a growing table prove.
#[test]
fn a_container_that_grew_is_advice() {
    let lab = Lab::new();
    let (_, truths) = recorded(&lab, &["map_growth"]).expect_exact();
    let document = json(&lab, &[PROFILE]);
    let advice = rows(&document["advice"]);
    assert_eq!(advice.len(), 1, "{advice:?}");
    assert_eq!(
        number(&advice[0]["allocations"]),
        truths.get("buckets_calls")
    );
    assert_eq!(
        number(&advice[0]["bytes_allocated"]),
        truths.get("buckets_total")
    );
    assert_eq!(
        number(&advice[0]["saved_allocations"]),
        truths.get("buckets_calls") - 1
    );
    assert_eq!(number(&advice[0]["elements_low"]), 15_148);
    assert_eq!(number(&advice[0]["elements_high"]), 15_148);
    let saved = truths.get("buckets_total") - truths.get("reserved_bytes");
    assert_eq!(saved, 203_456);
    assert_eq!(number(&advice[0]["saved_bytes_low"]), saved);
    assert_eq!(number(&advice[0]["saved_bytes_high"]), saved);
    let text = report(&lab, &[PROFILE]);
    assert!(
        text.contains("\nadvice: what need not be allocated\n"),
        "{text}"
    );
    let unwrapped = text.replace("\n           ", " ");
    assert!(unwrapped.contains("  reserve  a hash table grew 11 times; reserving 15 148 elements would save 10 allocations and 199 KiB (203 456 bytes)\n"), "{text}");
}

#[test]
fn scopes_threads_and_sizes_have_views() {
    let lab = Lab::new();
    let (ledger, _) = recorded(&lab, &["crossfree", "4", "2000"]).expect_exact();
    let document = json(&lab, &[PROFILE, "--view", "thread,size"]);
    let threads = rows(&document["threads"]);
    let items = ledger.profile.by_thread.items().iter();
    let known: HashSet<u32> = items.map(|part| part.thread).collect();
    assert_eq!(threads.len(), known.len(), "{threads:?}");
    assert!(threads.len() > 1, "{threads:?}");
    let of_heap = |key: &str| sum(threads.iter().map(|row| &row[key]));
    assert_eq!(of_heap("calls"), ledger.profile.heap.calls);
    assert_eq!(of_heap("total"), ledger.profile.heap.total_bytes);
    assert_eq!(of_heap("frees"), ledger.profile.heap.frees);
    let net: i64 = threads
        .iter()
        .map(|row| row["net"].as_i64().expect("a number"))
        .sum();
    assert_eq!(net as u64, ledger.profile.heap.live_bytes);
    let sizes = rows(&document["sizes"]);
    assert_eq!(
        sum(sizes.iter().map(|row| &row["calls"])),
        ledger.profile.heap.calls
    );
    assert_eq!(
        sum(sizes.iter().map(|row| &row["live_blocks"])),
        ledger.profile.heap.live_blocks
    );

    let lab = Lab::new();
    let (_, truths) = recorded(&lab, &["scopes"]).expect_exact();
    let document = json(&lab, &[PROFILE, "--view", "scope", "--counter", "calls"]);
    let scopes = rows(&document["scopes"]);
    let names: HashSet<&str> = scopes
        .iter()
        .filter_map(|row| row["scope"].as_str())
        .collect();
    assert!(
        names.contains("outer") && names.contains("(in no scope)"),
        "{names:?}"
    );
    assert!(
        !names.contains("inner"),
        "only the outermost counts: {names:?}"
    );
    let all = recorded_sum(&Ledger::read(&lab.path(PROFILE)), Counter::Calls);
    assert_eq!(sum(scopes.iter().map(|row| &row["calls"])), all);
    let scoped = json(&lab, &[PROFILE, "--view", "summary", "--scope", "inner"]);
    assert_eq!(
        number(&scoped["selection"]["sums"]["calls"]),
        truths.get("rounds")
    );
}

/// Text is made for where it is read.
#[test]
fn text_fits_the_page_and_colour_is_asked_for() {
    let lab = Lab::new();
    recorded(&lab, &["leaky_events", "20"]);
    let text_of = |columns: &str, more: &[&str]| {
        let mut residue = lab.residue();
        residue.args([
            "report",
            PROFILE,
            "--counter",
            "total",
            "--view",
            "summary,self,cumulative,callers,tree,stacks,library,size,churn,advice",
        ]);
        residue
            .args(more)
            .env("COLUMNS", columns)
            .env_remove("NO_COLOR");
        let output = residue.output().expect("residue can be started");
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    for columns in [80, 120] {
        let text = text_of(&columns.to_string(), &[]);
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        assert!(!text.contains('\u{1b}'), "no colour without a terminal");
    }
    assert!(text_of("80", &["--color", "always"]).contains("\u{1b}[1m"));
    let full = report(
        &lab,
        &[
            PROFILE,
            "--view=self,tree",
            "--counter=total",
            "--full-names",
            "--no-rules",
        ],
    );
    assert!(
        full.lines().any(|line| line.chars().count() > 200),
        "{full}"
    );
    assert!(!full.contains('…'), "{full}");
}

#[test]
fn tables_have_a_head_and_exact_numbers() {
    let lab = Lab::new();
    let ledger = recorded(&lab, &["hello"]).ledger();
    let text = report(
        &lab,
        &[PROFILE, "--csv", "--top", "all", "--counter", "total"],
    );
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("function,library,self_total,cumulative_total,self_calls")
    );
    let total: u64 = lines
        .map(|line| {
            let fields: Vec<&str> = line.rsplitn(4, ',').collect();
            fields[2].parse::<u64>().expect("a number")
        })
        .sum();
    assert_eq!(total, recorded_sum(&ledger, Counter::Total));
}

#[test]
fn what_cannot_be_reported_is_an_error() {
    let lab = Lab::new();
    recorded(&lab, &["hello"]);
    for (arguments, reason) in [
        (&[PROFILE, "--focus", "("][..], "--focus"),
        (
            &[PROFILE, "--thread", "nobody"],
            "no thread is called `nobody`",
        ),
        (&[PROFILE, "--rules", "nowhere.rules"], "nowhere.rules"),
        (&[PROFILE, "--view", "everything"], "everything"),
        (&["nowhere.residue"], "nowhere.residue"),
    ] {
        let mut residue = lab.residue();
        let output = residue
            .arg("report")
            .args(arguments)
            .output()
            .expect("residue can be started");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            describe(&output)
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(reason), "{arguments:?}: {stderr}");
    }
}

/// Blocks that a pool of the program's own reports.
#[test]
fn blocks_of_a_pool_are_exact_and_apart_from_the_heap() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["pool"]);
    // The slabs are the heap's, exact to the byte, with pool blocks at their addresses.
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let reported = || dump.stacks.iter().filter(|stack| stack.kind == "reported");
    let keys = ["calls", "total", "frees", "live", "live_blocks"];
    let expected = keys.map(|key| truths.get(&format!("reported_{key}")));
    assert_eq!(total(reported()), expected);
    for stack in dump.stacks_with("pool_take") {
        assert_eq!(dump.stacks[stack].kind, "reported");
        assert_eq!(dump.names(stack)[0], "pool_take");
    }
    let heap = total(dump.stacks.iter().filter(|stack| stack.kind == "heap"));
    assert_eq!([heap[0], heap[2]], [dump.heap.calls, dump.heap.frees]);
    assert_eq!(
        [heap[3], heap[4]],
        [dump.heap.live_bytes, dump.heap.live_blocks]
    );
    assert_eq!(dump.heap.calls, truths.get("slab_make.calls"));
    let last = dump.timeline.moments.last().expect("the last moment");
    assert_eq!(last.live_bytes, Some(dump.heap.live_bytes));
}
