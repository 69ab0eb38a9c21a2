//! Every function that gives memory.

use crate::support::Lab;
use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use residue_profile::{End, StackKind};

#[test]
fn three_blocks_and_one_free() {
    let (ledger, _) = Lab::new().record(&[], &["hello"]).expect_exact();
    let sum = ledger.sum("hello_alloc");
    assert_eq!([sum.calls, sum.total_bytes, sum.frees], [3, 600, 1]);
    assert_eq!([sum.live_bytes, sum.live_blocks], [300, 2]);
    let meta = &ledger.profile.meta;
    assert_eq!(meta.program, "hello");
    assert_eq!(meta.end, End::Exited { code: 0 });
    assert_eq!(meta.command.len(), 1);
}

#[test]
fn the_allocator_is_named_by_its_file() {
    let (ledger, _) = Lab::new().record(&[], &["hello"]).expect_exact();
    assert_eq!(ledger.profile.meta.allocator, "libc.so.6");
}

#[test]
fn every_c_function_is_counted_and_behaves_as_without_recorder() {
    let (ledger, truths) = Lab::new().record(&[], &["c_alloc"]).expect_exact();
    for key in ["errno_ok", "failures_ok", "contents_ok"] {
        assert_eq!(truths.get(key), 1, "{key}");
    }
    expect_reallocs(&ledger, &truths);
}

/// Reallocations in place and moved, of `c_alloc`.
pub fn expect_reallocs(ledger: &Ledger, truths: &Truths) {
    let sums = ["c_realloc", "c_reallocarray"].map(|function| ledger.sum(function));
    let in_place: u64 = sums.iter().map(|sum| sum.reallocs_in_place).sum();
    let moved: u64 = sums.iter().map(|sum| sum.reallocs_moved).sum();
    assert_eq!(in_place, truths.get("realloc_in_place"), "in place");
    assert_eq!(moved, truths.get("realloc_moved"), "moved");
}

#[test]
fn every_operator_new_and_delete_is_counted() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["new_delete"]).expect_exact();
    let sum = ledger.sum("news");
    assert_eq!(sum.calls, truths.get("new_calls"));
    assert_eq!(sum.total_bytes, truths.get("new_bytes"));
    assert_eq!(sum.frees, truths.get("deletes"));
    let native = lab.native(&["new_delete"]);
    assert_eq!(
        lab.record(&[], &["new_delete"]).output.stdout,
        native.stdout,
        "handlers, refusals and alignments are as without recorder"
    );
}

#[test]
fn memory_from_the_kernel_by_other_calls_than_mmap_is_exact() {
    Lab::new().record(&[], &["kernel_maps"]).expect_exact();
}

#[test]
fn mappings_are_exact_piece_by_piece_and_apart_from_the_heap() {
    let (ledger, truths) = Lab::new().record(&[], &["mappings"]).expect_exact();
    let mapped = ["map_here", "map64_here", "over_here", "remap_here"]
        .map(|function| ledger.sum_of(StackKind::Mapping, function).live_bytes);
    assert_eq!(mapped.iter().sum::<u64>(), truths.get("maps_live"));
}

#[test]
fn sbrk_maps_upwards_and_unmaps_downwards() {
    let (ledger, truths) = Lab::new().record(&[], &["mappings"]).expect_exact();
    let sum = ledger.sum_of(StackKind::Mapping, "brk_here");
    let (up, down) = (
        truths.get("brk_here.brk_up"),
        truths.get("brk_here.brk_down"),
    );
    assert_eq!(sum.total_bytes, up);
    assert_eq!(sum.live_bytes, up - down);
    assert_eq!(sum.calls, 1, "the step downwards maps nothing");
}

#[test]
fn the_peak_of_the_whole_program_is_the_sum_of_its_stacks_at_that_moment() {
    let (ledger, _) = Lab::new()
        .record(&[], &["leaky_events", "50"])
        .expect_exact();
    let at_peak = ledger.total_of(StackKind::Heap).at_peak_bytes;
    assert_eq!(at_peak, ledger.profile.heap.peak_bytes);
    assert!(ledger.profile.heap.peak_bytes >= ledger.profile.heap.live_bytes);
}

#[test]
fn each_of_sixty_thousand_mappings_is_known() {
    Lab::new()
        .record(&[], &["many_mappings", "60000", "5000"])
        .expect_exact();
}
