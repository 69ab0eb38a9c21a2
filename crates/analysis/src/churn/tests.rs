use super::*;
use residue_profile::{ROOT, Stack};

/// A profile of stacks given by their counters and the sizes they made and hold.
fn profile(stacks: &[(Counters, &[u64], &[u64])]) -> Profile {
    let mut profile = Profile::default();
    for (counters, total, live) in stacks {
        profile.stacks.push(Stack {
            node: ROOT,
            kind: StackKind::Heap,
            counters: *counters,
        });
        profile.sizes_total.push_row(bins(total));
        profile.sizes_live.push_row(bins(live));
    }
    profile
}

fn bins(sizes: &[u64]) -> Vec<SizeBin> {
    let mut bins: Vec<SizeBin> = Vec::new();
    for bits in 0..=64 {
        let blocks = sizes
            .iter()
            .filter(|&&bytes| super::bits(bytes) == bits)
            .count() as u64;
        if blocks > 0 {
            bins.push(SizeBin { bits, blocks });
        }
    }
    bins
}

/// Counters of a stack that made blocks of these sizes and holds some of them.
fn counters(total: &[u64], live: &[u64], peak_bytes: u64) -> Counters {
    Counters {
        calls: total.len() as u64,
        frees: (total.len() - live.len()) as u64,
        total_bytes: total.iter().sum(),
        live_bytes: live.iter().sum(),
        live_blocks: live.len() as u64,
        peak_bytes,
        ..Counters::default()
    }
}

fn only(counters: Counters, total: &[u64], live: &[u64]) -> Option<Growing> {
    let mut found = growing(&profile(&[(counters, total, live)]));
    assert!(found.len() <= 1);
    found.pop()
}

/// A container that copies itself, and is live at the end or not.
fn copied(total: &[u64], live: &[u64]) -> Option<Growing> {
    let peak = total
        .windows(2)
        .map(|pair| pair[0] + pair[1])
        .max()
        .unwrap_or(0);
    only(counters(total, live, peak), total, live)
}

/// A container that is reallocated from its second size on.
fn reallocated(total: &[u64], live: &[u64]) -> Option<Growing> {
    let mut counters = counters(total, live, *total.iter().max().unwrap());
    counters.reallocs_in_place = 1;
    counters.reallocs_moved = counters.calls - 2;
    only(counters, total, live)
}

/// Bucket arrays of a hash table of 15148 entries, by libstdc++'s primes.
fn buckets() -> Vec<u64> {
    let counts = [13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753];
    counts.iter().map(|count| count * 8).collect()
}

fn doubled(first_bytes: u64, steps: u32) -> Vec<u64> {
    (0..steps).map(|step| first_bytes << step).collect()
}

#[test]
fn a_hash_table_of_15148_entries() {
    let found = copied(&buckets(), &[166_024]).unwrap();
    assert_eq!(found.evidence, Evidence::Steps);
    assert_eq!(found.allocations, 11);
    assert_eq!(found.bytes_allocated, 324_840);
    assert_eq!(found.containers, Some(1));
    assert_eq!(found.final_bytes.exact(), Some(166_024));
    assert_eq!(found.saved_allocations, 10);
    assert_eq!(found.saved_bytes.exact(), Some(158_816));
    // With 15173 buckets for 15148 entries, which the sizes alone do not tell.
    assert_eq!(found.saved_by_reserving(121_384), 203_456);
    assert_eq!(found.saved_bytes_below, 324_840 - 82_184);
}

#[test]
fn the_hash_table_when_it_is_gone() {
    let found = copied(&buckets(), &[]).unwrap();
    assert_eq!(found.evidence, Evidence::Steps);
    // 248208 is the last and the one before, which had 17 binary digits.
    let limits = Limits {
        low: 131_072,
        high: 248_208 - 65_536,
    };
    assert_eq!(found.final_bytes, limits);
    assert!((limits.low..=limits.high).contains(&166_024));
    assert_eq!(found.saved_bytes.low, 324_840 - limits.high);
    assert_eq!(found.saved_bytes.high, 324_840 - limits.low);
    assert_eq!(found.saved_allocations, 10);
}

#[test]
fn an_array_of_3500_items_of_96_bytes() {
    let sizes = doubled(96, 13);
    for live in [&[][..], &[393_216]] {
        let found = copied(&sizes, live).unwrap();
        assert_eq!(found.evidence, Evidence::Doubling);
        assert_eq!(found.allocations, 13);
        assert_eq!(found.bytes_allocated, 786_336);
        assert_eq!(found.containers, Some(1));
        assert_eq!(found.final_bytes.exact(), Some(393_216));
        assert_eq!(found.saved_allocations, 12);
        assert_eq!(found.saved_bytes.exact(), Some(393_120));
        assert_eq!(found.saved_bytes_below, 786_336 - 196_608);
        // One reservation of 4000 items.
        assert_eq!(found.saved_by_reserving(384_000), 402_336);
    }
}

#[test]
fn the_same_array_in_each_of_ten_events() {
    let sizes = doubled(96, 13).repeat(10);
    let mut counters = counters(&sizes, &[], 589_824);
    // The last capacity is freed, and the next event begins.
    counters.temporaries = 10;
    let found = only(counters, &sizes, &[]).unwrap();
    assert_eq!(found.containers, Some(10));
    assert_eq!(found.allocations, 130);
    assert_eq!(found.saved_allocations, 120);
    assert_eq!(found.final_bytes.exact(), Some(3_932_160));
    assert_eq!(found.saved_bytes.exact(), Some(3_931_200));
}

#[test]
fn arrays_that_end_at_different_sizes() {
    let mut sizes = doubled(24, 7);
    sizes.extend(doubled(24, 5));
    sizes.extend(doubled(24, 1));
    let found = only(counters(&sizes, &[], 24 * 96), &sizes, &[]).unwrap();
    assert_eq!(found.evidence, Evidence::Doubling);
    assert_eq!(found.containers, Some(3));
    assert_eq!(found.final_bytes.exact(), Some(24 * (64 + 16 + 1)));
    assert_eq!(found.saved_allocations, 10);
    assert_eq!(found.saved_bytes.exact(), Some(24 * (63 + 15)));
    assert_eq!(found.saved_bytes_below, 24 * (127 + 31 + 1) - 24 * (32 + 8));
}

#[test]
fn many_arrays_that_live_together() {
    let sizes = doubled(40, 6).repeat(100);
    let live = [1280; 100];
    let found = only(counters(&sizes, &live, 100 * 1280 + 640), &sizes, &live).unwrap();
    assert_eq!(found.containers, Some(100));
    assert_eq!(found.final_bytes.exact(), Some(128_000));
    assert_eq!(found.saved_bytes.exact(), Some(100 * 40 * 31));
}

#[test]
fn an_array_that_is_reallocated() {
    let found = reallocated(&doubled(96, 13), &[393_216]).unwrap();
    assert_eq!(found.evidence, Evidence::Doubling);
    assert_eq!(found.containers, Some(1));
    assert_eq!(found.saved_allocations, 12);
    assert_eq!(found.saved_bytes.exact(), Some(393_120));
}

#[test]
fn a_reallocated_array_that_began_on_another_stack() {
    let sizes = doubled(192, 12);
    let mut counters = counters(&sizes, &[], 393_216);
    counters.reallocs_moved = 12;
    let found = only(counters, &sizes, &[]).unwrap();
    assert_eq!(found.containers, Some(1));
    assert_eq!(found.saved_allocations, 12);
    assert_eq!(found.final_bytes.exact(), Some(393_216));
    assert_eq!(found.saved_bytes.exact(), Some(393_024));
}

#[test]
fn a_reallocated_hash_table_that_is_gone_had_its_peak_as_capacity() {
    let found = reallocated(&buckets(), &[]).unwrap();
    assert_eq!(found.evidence, Evidence::Steps);
    assert_eq!(found.final_bytes.exact(), Some(166_024));
}

#[test]
fn a_list_that_grows_by_an_eighth() {
    let mut sizes = vec![64];
    while sizes.len() < 30 {
        let last = sizes[sizes.len() - 1];
        sizes.push(last + last / 8);
    }
    let last = sizes[29];
    let total: u64 = sizes.iter().sum();
    let found = reallocated(&sizes, &[last]).unwrap();
    assert_eq!(found.evidence, Evidence::Reallocation);
    assert_eq!(found.containers, Some(1));
    assert_eq!(found.saved_allocations, 29);
    assert_eq!(found.saved_bytes.exact(), Some(total - last));
    let gone = reallocated(&sizes, &[]).unwrap();
    assert_eq!(gone.final_bytes.high, last);
    assert_eq!(gone.saved_bytes.low, total - last);
    // Begun on another stack, nobody knows how many they are.
    let mut counters = counters(&sizes, &[last], last);
    counters.reallocs_moved = 30;
    let found = only(counters, &sizes, &[last]).unwrap();
    assert_eq!(found.evidence, Evidence::Reallocation);
    assert_eq!(found.containers, None);
    assert_eq!(
        found.saved_bytes,
        Limits {
            low: 0,
            high: total - last
        }
    );
}

#[test]
fn what_does_not_grow() {
    // Nodes of one size, too few sizes, and sizes without an order.
    assert_eq!(copied(&[48; 1000], &[48; 1000]), None);
    assert_eq!(copied(&doubled(96, 3), &[]), None);
    assert_eq!(copied(&[100, 3000, 90_000, 2_000_000], &[]), None);
    let uneven = [100, 100, 200, 400, 400, 400, 800];
    assert_eq!(copied(&uneven, &[]), None);
    // Each block adjusted once.
    let sizes = [100, 80, 200, 150, 500, 400];
    let mut adjusted = counters(&sizes, &[], 1000);
    adjusted.reallocs_in_place = 3;
    assert_eq!(only(adjusted, &sizes, &[]), None);
}

#[test]
fn chunks_that_double_and_are_all_kept_do_not_grow() {
    let sizes = doubled(4096, 8);
    let sum: u64 = sizes.iter().sum();
    assert_eq!(only(counters(&sizes, &sizes, sum), &sizes, &sizes), None);
    assert_eq!(only(counters(&sizes, &[], sum), &sizes, &[]), None);
    let thrice = sizes.repeat(3);
    assert_eq!(only(counters(&thrice, &[], sum), &thrice, &[]), None);
    assert_eq!(only(counters(&thrice, &[], 2 * sum), &thrice, &[]), None);
}

#[test]
fn buffers_of_round_sizes_that_come_and_go_do_not_grow() {
    let sizes = doubled(1024, 6);
    let mut counters = counters(&sizes, &[], 32_768);
    counters.temporaries = 6;
    assert_eq!(only(counters, &sizes, &[]), None);
}

#[test]
fn only_heap_stacks_count_and_the_largest_saving_comes_first() {
    let (small, large) = (doubled(16, 6), doubled(96, 13));
    let of = |sizes: &[u64]| counters(sizes, &[], sizes.iter().sum::<u64>() * 3 / 4);
    let mut profile = profile(&[
        (of(&small), &small, &[]),
        (of(&large), &large, &[]),
        (of(&large), &large, &[]),
    ]);
    profile.stacks[2].kind = StackKind::Pooled;
    let stacks: Vec<StackId> = growing(&profile).iter().map(|found| found.stack).collect();
    assert_eq!(stacks, [1, 0]);
}

#[test]
fn temporaries_by_stack() {
    let with = |calls, temporaries| Counters {
        calls,
        temporaries,
        ..Counters::default()
    };
    let found = temporaries(&profile(&[
        (with(10, 0), &[], &[]),
        (with(400, 100), &[], &[]),
        (with(120, 120), &[], &[]),
    ]));
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].stack, found[0].temporaries), (2, 120));
    assert_eq!((found[1].stack, found[1].allocations), (1, 400));
    assert_eq!((found[0].share, found[1].share), (1.0, 0.25));
}

#[test]
fn damaged_numbers_do_no_harm() {
    let bin = |bits, blocks| SizeBin { bits, blocks };
    let rows = [
        vec![bin(0, 1), bin(1, 1), bin(2, 1), bin(3, 1)],
        vec![bin(252, 9), bin(253, 9), bin(254, 9), bin(255, 9)],
        vec![bin(61, u64::MAX), bin(62, 5), bin(63, 5), bin(64, 5)],
        vec![bin(5, 0), bin(6, 0), bin(7, 0), bin(8, 0)],
        vec![bin(9, 1), bin(8, 1), bin(7, 1), bin(6, 1)],
    ];
    for row in rows {
        for total_bytes in [0, 1, 4095, u64::MAX] {
            for peak_bytes in [0, 1, u64::MAX] {
                let counters = Counters {
                    calls: 4,
                    total_bytes,
                    peak_bytes,
                    reallocs_moved: total_bytes,
                    reallocs_in_place: peak_bytes,
                    ..Counters::default()
                };
                let mut profile = profile(&[(counters, &[], &[])]);
                profile.sizes_total = Default::default();
                profile.sizes_total.push_row(row.clone());
                for found in growing(&profile) {
                    assert!(found.saved_bytes.low <= found.saved_bytes.high);
                    assert!(found.saved_bytes.high <= total_bytes);
                }
            }
        }
    }
}
