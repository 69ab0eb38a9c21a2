//! Size thresholds and histograms of sizes.

use crate::support::Lab;
use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use residue_profile::{Counters, Ragged, SizeBin, StackKind};

const FUNCTIONS: [&str; 2] = ["alloc_first", "alloc_second"];

/// What thresholds must not change.
fn amounts(counters: &Counters) -> [u64; 5] {
    [
        counters.calls,
        counters.total_bytes,
        counters.frees,
        counters.live_bytes,
        counters.live_blocks,
    ]
}

fn told(truths: &Truths, function: &str) -> [u64; 5] {
    ["calls", "total", "frees", "live", "live_blocks"]
        .map(|key| truths.get(&format!("{function}.{key}")))
}

/// Calls, bytes, frees, live bytes and blocks of the whole program.
fn whole(ledger: &Ledger) -> [u64; 5] {
    let heap = &ledger.profile.heap;
    let whole = [
        heap.calls,
        heap.total_bytes,
        heap.frees,
        heap.live_bytes,
        heap.live_blocks,
    ];
    let heap = amounts(&ledger.total_of(StackKind::Heap));
    let pooled = amounts(&ledger.total_of(StackKind::Pooled));
    let added: Vec<u64> = heap.iter().zip(pooled).map(|(a, b)| a + b).collect();
    assert_eq!(whole[..], added[..], "the totals are the sums over stacks");
    whole
}

/// With these options the sizes of `kept` have stacks and all others are pooled.
fn expect_kept(option: [&str; 2], kept: &str, is_kept: impl Fn(u64) -> bool) {
    let everything = Lab::new();
    let (everything, _) = everything.record(&[], &["thresholds"]).expect_exact();
    let lab = Lab::new();
    let recorded = lab.record(&option, &["thresholds"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());

    for function in FUNCTIONS {
        assert_eq!(
            amounts(&ledger.sum(function)),
            told(&truths, &format!("{function}.{kept}")),
            "{function} with {option:?}"
        );
    }
    for (index, stack) in ledger.profile.stacks.iter().enumerate() {
        if stack.kind == StackKind::Heap {
            for bin in ledger.profile.sizes_total.row(index) {
                let (least, most) = (1 << (bin.bits - 1), (1 << bin.bits) - 1);
                assert!(is_kept(least) && is_kept(most), "{bin:?} with {option:?}");
            }
        }
    }
    let pooled: Vec<_> = ledger
        .profile
        .stacks
        .iter()
        .filter(|stack| stack.kind == StackKind::Pooled)
        .collect();
    assert_eq!(pooled.len(), 1, "one stack for all that is outside");
    assert_eq!(whole(&ledger), whole(&everything), "with {option:?}");
}

#[test]
fn blocks_under_the_least_size_are_pooled_and_none_is_lost() {
    expect_kept(["--min-size", "128"], "from128", |size| size >= 128);
}

#[test]
fn blocks_over_the_largest_size_are_pooled_and_none_is_lost() {
    expect_kept(["--max-size", "127"], "below128", |size| size < 128);
}

/// Blocks of one bit length over all stacks of a function.
fn in_bin(ledger: &Ledger, sizes: &Ragged<SizeBin>, function: &str, bits: u8) -> u64 {
    ledger
        .stacks_with(function)
        .flat_map(|(index, _)| sizes.row(index))
        .filter(|bin| bin.bits == bits)
        .map(|bin| bin.blocks)
        .sum()
}

#[test]
fn histograms_of_all_and_of_live_blocks_are_exact_for_every_bit_length() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["thresholds"]).expect_exact();
    let profile = &ledger.profile;
    for function in FUNCTIONS {
        for bits in 1..=10 {
            let [calls, _, _, _, live] = told(&truths, &format!("{function}.hist.{bits}"));
            assert_eq!(
                in_bin(&ledger, &profile.sizes_total, function, bits),
                calls,
                "all blocks of {function} with {bits} bits"
            );
            assert_eq!(
                in_bin(&ledger, &profile.sizes_live, function, bits),
                live,
                "live blocks of {function} with {bits} bits"
            );
        }
    }
}

#[test]
fn births_account_for_every_live_block() {
    let lab = Lab::new();
    let (ledger, _) = lab.record(&[], &["thresholds"]).expect_exact();
    for (index, stack) in ledger.profile.stacks.iter().enumerate() {
        let births = ledger.profile.births.row(index);
        let blocks: u64 = births.iter().map(|bin| bin.blocks).sum();
        let bytes: u64 = births.iter().map(|bin| bin.bytes).sum();
        if stack.kind == StackKind::Heap {
            assert_eq!(blocks, stack.counters.live_blocks, "stack {index}");
            assert_eq!(bytes, stack.counters.live_bytes, "stack {index}");
        }
    }
}

/// A bin of a record has 16 bits, and says how often they did not suffice.
#[test]
fn a_stack_with_many_blocks_of_one_size_has_all_of_them_in_its_bin() {
    let (ledger, _) = Lab::new()
        .record(&[], &["live_blocks", "1000000"])
        .expect_exact();
    let bins: Vec<SizeBin> = (0..ledger.profile.stacks.len())
        .flat_map(|stack| ledger.profile.sizes_total.row(stack).to_vec())
        .filter(|bin| bin.blocks > 1)
        .collect();
    let expected = SizeBin {
        bits: 7,
        blocks: 200_000,
    };
    assert_eq!(bins, [expected; 5]);
}
