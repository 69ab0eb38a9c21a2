//! Made-up profiles keep every promise that recorded ones keep.

use std::collections::HashSet;

use residue_profile::timeline::MomentKind;
use residue_profile::{Counter, MemoryKind, Profile, decode, encode};
use residue_testkit::synthetic::{Spec, profile, truth};

fn small() -> Spec {
    Spec {
        stacks: 5000,
        events: 120,
        modules: 20,
        functions: 900,
        depth: 40,
        threads: 4,
        seed: 7,
        long_names: true,
    }
}

fn value(profile: &Profile, key: &str) -> u64 {
    let truth = truth(profile);
    let found = truth.iter().find(|(name, _)| name == key);
    found.unwrap_or_else(|| panic!("no {key}")).1
}

#[test]
fn the_same_spec_gives_the_same_profile_and_another_seed_another() {
    assert!(profile(&small()) == profile(&small()));
    let other = Spec { seed: 8, ..small() };
    assert!(profile(&small()) != profile(&other));
}

#[test]
fn nothing_has_to_be_repaired_and_a_file_holds_all_of_it() {
    let made = profile(&small());
    assert_eq!(made.clone().repair(), []);
    assert!(decode(&encode(&made).unwrap()).unwrap() == made);
}

#[test]
fn the_tree_is_as_deep_and_as_shared_as_asked_for() {
    let made = profile(&small());
    assert_eq!(made.stacks.len(), 5000);
    let nodes_per_stack = made.nodes.len() as f64 / 5000.0;
    assert!((2.0..4.0).contains(&nodes_per_stack), "{nodes_per_stack}");
    let depths = made
        .stacks
        .iter()
        .map(|stack| made.frames_leaf_first(stack.node).count());
    let mean = depths.sum::<usize>() as f64 / 5000.0;
    assert!((32.0..48.0).contains(&mean), "{mean}");
    let children: HashSet<(u32, u32)> = made.nodes.iter().map(|n| (n.parent, n.frame)).collect();
    assert_eq!(children.len(), made.nodes.len(), "a node was made twice");
    let places = made.places.items().len() as f64 / made.frames.len() as f64;
    assert!((1.2..3.0).contains(&places), "{places}");
}

#[test]
fn counters_sizes_births_and_threads_agree_for_every_stack() {
    let made = profile(&small());
    for (index, stack) in made.stacks.iter().enumerate() {
        let c = &stack.counters;
        assert!(c.calls > 0, "{index}");
        assert_eq!(c.calls - c.frees, c.live_blocks);
        assert!(c.live_bytes <= c.peak_bytes && c.at_peak_bytes <= c.peak_bytes);
        assert!(c.peak_bytes <= c.total_bytes);
        let blocks = |bins: &[residue_profile::SizeBin]| bins.iter().map(|b| b.blocks).sum::<u64>();
        assert_eq!(blocks(made.sizes_total.row(index)), c.calls);
        assert_eq!(blocks(made.sizes_live.row(index)), c.live_blocks);
        let births = made.births.row(index);
        assert_eq!(births.iter().map(|b| b.blocks).sum::<u64>(), c.live_blocks);
        assert_eq!(births.iter().map(|b| b.bytes).sum::<u64>(), c.live_bytes);
        let threads = made.by_thread.row(index);
        assert_eq!(threads.iter().map(|t| t.calls).sum::<u64>(), c.calls);
        assert_eq!(threads.iter().map(|t| t.frees).sum::<u64>(), c.frees);
        let total: u64 = threads.iter().map(|t| t.total_bytes).sum();
        assert_eq!(total, c.total_bytes);
        let net: i64 = threads.iter().map(|t| t.net_bytes).sum();
        assert_eq!(net as u64, c.live_bytes);
    }
}

#[test]
fn totals_are_the_sums_over_the_stacks() {
    let made = profile(&small());
    for (totals, kind) in [(made.heap, "heap"), (made.mappings, "mapping")] {
        assert_eq!(totals.calls, value(&made, &format!("{kind}.calls")));
        assert_eq!(totals.frees, value(&made, &format!("{kind}.frees")));
        assert_eq!(totals.total_bytes, value(&made, &format!("{kind}.total")));
        assert_eq!(totals.live_bytes, value(&made, &format!("{kind}.live")));
        assert!(totals.live_bytes > 0 && totals.peak_bytes >= totals.live_bytes);
    }
    assert_eq!(made.heap.peak_bytes, value(&made, "heap.at-peak"));
    let whole = Counter::Calls.whole(&made, MemoryKind::All);
    let parts = ["heap", "mapping", "reported"].map(|kind| value(&made, &format!("{kind}.calls")));
    assert_eq!(whole, parts.iter().sum::<u64>());
    assert!(parts.iter().all(|&calls| calls > 0));
}

#[test]
fn changes_add_up_to_what_is_live_at_every_moment() {
    let made = profile(&small());
    let timeline = &made.timeline;
    let mut live = vec![(0i64, 0i64); made.stacks.len()];
    let mut changes = timeline.changes.iter().peekable();
    let mut heap_peak = 0;
    for (index, moment) in timeline.moments.iter().enumerate() {
        while let Some(change) = changes.next_if(|change| change.moment as usize == index) {
            let (bytes, blocks) = &mut live[change.stack as usize];
            *bytes += change.bytes;
            *blocks += change.blocks;
            assert!(*bytes >= 0 && *blocks >= 0);
            assert!(change.bytes != 0 || change.blocks != 0);
        }
        let of_heap = live
            .iter()
            .zip(&made.stacks)
            .filter(|(_, stack)| stack.kind.is_heap());
        let sum: i64 = of_heap.map(|((bytes, _), _)| bytes).sum();
        assert_eq!(moment.live_bytes, Some(sum as u64), "moment {index}");
        heap_peak = heap_peak.max(sum);
    }
    assert_eq!(changes.next(), None);
    assert_eq!(heap_peak as u64, made.heap.peak_bytes);
    for (stack, (bytes, blocks)) in made.stacks.iter().zip(live) {
        assert_eq!(stack.counters.live_bytes, bytes as u64);
        assert_eq!(stack.counters.live_blocks, blocks as u64);
    }
}

#[test]
fn events_begin_and_end_and_every_fiftieth_has_a_snapshot() {
    let made = profile(&small());
    let timeline = &made.timeline;
    let of_kind = |kind| timeline.moments.iter().filter(move |m| m.kind == kind);
    assert_eq!(of_kind(MomentKind::Begin).count(), 120);
    assert_eq!(of_kind(MomentKind::End).count(), 120);
    assert_eq!(of_kind(MomentKind::Last).count(), 1);
    let snapshots: Vec<u32> = of_kind(MomentKind::Snapshot).map(|m| m.event).collect();
    assert_eq!(snapshots, [1, 51, 101]);
    assert_eq!(timeline.snapshots.len(), 3);
    let per_event = timeline.changes.len() / 120;
    assert!((1000..2500).contains(&per_event), "{per_event}");
}

#[test]
fn without_events_there_is_no_timeline() {
    let made = profile(&Spec {
        events: 0,
        ..small()
    });
    assert_eq!(made.timeline, residue_profile::Timeline::default());
    assert!(made.stacks.iter().all(|stack| stack.counters.calls > 0));
    assert_eq!(made.heap.peak_bytes, made.heap.live_bytes);
    assert_eq!(made.heap.peak_bytes, value(&made, "heap.at-peak"));
}
