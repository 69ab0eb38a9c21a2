//! What a container does behind its interface, and what an event loop leaves behind.

use crate::churn::churn_and_advice;
use crate::support::ledger::{Ledger, total};
use crate::support::{Lab, PROFILE};
use residue_profile::{Counters, Stack};

/// Bytes of a node of the workload's hash map.
const NODE_BYTES: u64 = 48;

/// The stacks under `fill_map`: those that make nodes, and those that make buckets.
fn nodes_and_buckets(ledger: &Ledger) -> (Vec<&Stack>, Vec<&Stack>) {
    ledger
        .stacks_with("fill_map")
        .map(|(_, stack)| stack)
        .partition(|stack| stack.counters.total_bytes == NODE_BYTES * stack.counters.calls)
}

fn only<'a>(stacks: &[&'a Stack], what: &str) -> &'a Counters {
    assert_eq!(stacks.len(), 1, "the {what} come from one stack");
    &stacks[0].counters
}

#[test]
fn a_growing_hash_map_shows_eleven_bucket_arrays_and_its_nodes_apart() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["map_growth"]).expect_exact();
    let (nodes, buckets) = nodes_and_buckets(&ledger);
    let (nodes, buckets) = (only(&nodes, "nodes"), only(&buckets, "buckets"));

    let recorded = [
        buckets.calls,
        buckets.total_bytes,
        buckets.live_bytes,
        buckets.peak_bytes,
    ];
    assert_eq!(recorded, [11, 324_840, 166_024, 248_208]);
    assert_eq!([nodes.calls, nodes.total_bytes], [15_148, 727_104]);
    let keys = ["calls", "total", "live", "peak"];
    let told = keys.map(|key| truths.get(&format!("buckets_{key}")));
    assert_eq!(recorded, told);
}

#[test]
fn a_reserved_hash_map_makes_its_buckets_once() {
    let lab = Lab::new();
    let (ledger, _) = lab.record(&[], &["map_growth", "reserve"]).expect_exact();
    let (nodes, buckets) = nodes_and_buckets(&ledger);
    let (nodes, buckets) = (only(&nodes, "nodes"), only(&buckets, "buckets"));
    assert_eq!([buckets.calls, buckets.total_bytes], [1, 121_384]);
    assert_eq!([buckets.live_bytes, buckets.peak_bytes], [121_384, 121_384]);
    assert_eq!([nodes.calls, nodes.total_bytes], [15_148, 727_104]);
}

/// Asks the library what it reserves, at and around its numbers of buckets.
#[test]
fn what_reserving_the_elements_of_a_hash_map_saves_is_exact() {
    for entries in [12_011, 12_012, 15_148, 20_753, 20_754, 70_000] {
        let lab = Lab::new();
        let program = ["map_growth", "grow", &entries.to_string()];
        let (_, truths) = lab.record(&[], &program).expect_exact();
        let document = churn_and_advice(&lab, PROFILE);
        let [ref buckets] = document["advice"].as_array().expect("advice")[..] else {
            panic!("{entries}: {document:#}");
        };
        assert_eq!(buckets["evidence"], "hash-table", "{entries}");
        assert_eq!(buckets["elements_low"], entries);
        assert_eq!(buckets["elements_high"], entries);
        let saved = truths.get("buckets_total") - truths.get("reserved_bytes");
        assert_eq!(buckets["saved_bytes_low"], saved, "{entries}");
        assert_eq!(buckets["saved_bytes_high"], saved, "{entries}");
        let calls = truths.get("buckets_calls");
        assert_eq!(buckets["saved_allocations"], calls - 1, "{entries}");
    }
}

#[test]
fn an_event_loop_leaves_behind_one_frame_a_hit_on_one_path() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["leaky_events"]).expect_exact();
    let leaking: Vec<&Stack> = ledger
        .stacks_with("DetSim::run")
        .map(|(_, stack)| stack)
        .filter(|stack| stack.counters.live_bytes > 0)
        .collect();
    let live = total(leaking.iter().copied());
    assert_eq!(live.live_blocks, truths.get("leaked_blocks"));
    assert_eq!(live.live_bytes, truths.get("leaked_bytes"));
    for stack in leaking {
        let names = ledger.names_leaf_first(stack);
        let from = names
            .iter()
            .position(|&name| name == "SEvt::getPhotonFrame")
            .unwrap_or_else(|| panic!("a leak elsewhere: {names:?}"));
        let path = [
            "SEvt::getPhotonFrame",
            "SEvt::getLocalHit",
            "QSim::simulate",
            "DetSim::run",
            "main",
        ];
        assert_eq!(names[from..from + path.len()], path);
    }
}
