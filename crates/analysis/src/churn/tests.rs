use super::growing::bits;
use super::*;
use residue_profile::timeline::{Allocated, Deferral, Moment, MomentKind};
use residue_profile::{BirthBin, ROOT, Stack};
use residue_testkit::builder::Builder;

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
    for digits in 0..=64 {
        let blocks = sizes.iter().filter(|&&bytes| bits(bytes) == digits).count() as u64;
        if blocks > 0 {
            bins.push(SizeBin {
                bits: digits,
                blocks,
            });
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

fn only(counters: Counters, total: &[u64], live: &[u64]) -> Option<Saving> {
    let mut found = savings(&profile(&[(counters, total, live)]));
    assert!(found.len() <= 1);
    found.pop()
}

/// The containers of a saving by reservation.
fn growing(saving: &Saving) -> &Growing {
    match &saving.action {
        Action::Reserve(growing) => growing,
        Action::Reuse { .. } => panic!("{saving:?}"),
    }
}

/// A container that copies itself, and is live at the end or not.
fn copied(total: &[u64], live: &[u64]) -> Option<Saving> {
    let peak = total
        .windows(2)
        .map(|pair| pair[0] + pair[1])
        .max()
        .unwrap_or(0);
    only(counters(total, live, peak), total, live)
}

/// A container that is reallocated from its second size on.
fn reallocated(total: &[u64], live: &[u64]) -> Option<Saving> {
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
    for live in [&[][..], &[166_024]] {
        let found = copied(&buckets(), live).unwrap();
        assert_eq!(growing(&found).evidence, Evidence::HashTable);
        assert_eq!(found.allocations, 11);
        assert_eq!(found.bytes_allocated, 324_840);
        assert_eq!(growing(&found).containers, Some(1));
        assert_eq!(growing(&found).final_bytes.exact(), Some(166_024));
        assert_eq!(found.saved_allocations, 10);
        // The buckets alone tell that there were more than 10273 elements, for which 11113
        // would have been reserved.
        let elements = Limits {
            low: 10_274,
            high: 20_753,
        };
        assert_eq!(growing(&found).elements, Some(elements));
        let saved = Limits {
            low: 324_840 - 166_024,
            high: 324_840 - 11_113 * 8,
        };
        assert_eq!(found.saved_bytes, saved);
    }
}

/// Blocks of one size, so many in all and at once.
fn of_one_size(bytes: u64, calls: u64, most: u64) -> Counters {
    Counters {
        calls,
        frees: calls - most,
        total_bytes: bytes * calls,
        live_bytes: bytes * most,
        live_blocks: most,
        peak_bytes: bytes * most,
        ..Counters::default()
    }
}

/// The saving of some hash tables of the same size, beside stacks of one size each.
fn beside(tables: usize, nodes: &[(&str, Counters)]) -> Saving {
    let mut builder = Builder::new();
    let arrays = buckets().repeat(tables);
    let of_arrays = counters(&arrays, &[], 248_208);
    builder.stack("main;fill:1;insert:2;rehash:3;new", of_arrays);
    for (path, counters) in nodes {
        builder.stack(path, *counters);
    }
    let mut profile = builder.profile;
    profile.sizes_total.push_row(bins(&arrays));
    profile.sizes_live.push_row(Vec::new());
    for (_, counters) in nodes {
        profile.sizes_total.push_row([SizeBin {
            bits: bits(counters.total_bytes / counters.calls),
            blocks: counters.calls,
        }]);
        profile.sizes_live.push_row(Vec::new());
    }
    let mut found = savings(&profile);
    found.retain(|saving| saving.stack == 0);
    found.pop().unwrap()
}

#[test]
fn nodes_count_the_elements_of_a_hash_table() {
    let nodes = of_one_size(48, 15_148, 15_148);
    let found = beside(1, &[("main;fill:1;insert:4;new", nodes)]);
    assert_eq!(
        growing(&found).elements.and_then(Limits::exact),
        Some(15_148)
    );
    assert_eq!(growing(&found).reserved_bytes.exact(), Some(15_173 * 8));
    assert_eq!(found.saved_allocations, 10);
    assert_eq!(found.saved_bytes.exact(), Some(203_456));

    // Ten tables, one after the other.
    let nodes = of_one_size(48, 151_480, 15_148);
    let found = beside(10, &[("main;fill:1;insert:4;new", nodes)]);
    assert_eq!(
        growing(&found).elements.and_then(Limits::exact),
        Some(151_480)
    );
    assert_eq!(found.saved_allocations, 100);
    assert_eq!(found.saved_bytes.exact(), Some(2_034_560));
}

#[test]
fn elements_are_counted_only_by_what_can_be_the_nodes() {
    let unknown = |found: &Saving| growing(found).elements.unwrap().exact().is_none();
    let near = "main;fill:1;insert:4;new";
    for (bytes, calls, most) in [
        // Fewer and more than the buckets allow, too small, and of no size that a node has.
        (48, 10_273, 10_273),
        (48, 20_754, 20_754),
        (8, 15_148, 15_148),
        (50, 15_148, 15_148),
    ] {
        assert!(unknown(&beside(
            1,
            &[(near, of_one_size(bytes, calls, most))]
        )));
    }
    // Ten tables that held different numbers of elements.
    let nodes = of_one_size(48, 150_000, 15_148);
    assert!(unknown(&beside(10, &[(near, nodes)])));
    // Two that are equally near and say different numbers; the nearer of two; far away.
    let (these, others) = (
        of_one_size(48, 15_148, 15_148),
        of_one_size(32, 12_000, 12_000),
    );
    let beside_it = "main;fill:1;insert:5;new";
    assert!(unknown(&beside(1, &[(near, these), (beside_it, others)])));
    let found = beside(1, &[("main;fill:7;new", others), (near, these)]);
    assert_eq!(
        growing(&found).elements.and_then(Limits::exact),
        Some(15_148)
    );
    assert!(unknown(&beside(1, &[("start;new", these)])));
}

#[test]
fn an_array_of_3500_items_of_96_bytes() {
    let sizes = doubled(96, 13);
    for live in [&[][..], &[393_216]] {
        let found = copied(&sizes, live).unwrap();
        assert_eq!(growing(&found).evidence, Evidence::Doubling);
        assert_eq!(found.allocations, 13);
        assert_eq!(found.bytes_allocated, 786_336);
        assert_eq!(growing(&found).containers, Some(1));
        assert_eq!(growing(&found).final_bytes.exact(), Some(393_216));
        assert_eq!(found.saved_allocations, 12);
        // More than 2048 items, and at most 4096.
        let saved = Limits {
            low: 393_120,
            high: 786_336 - 196_609,
        };
        assert_eq!(found.saved_bytes, saved);
        // One reservation of 3500 or 4000 items.
        for reserved in [336_000, 384_000] {
            assert!((saved.low..=saved.high).contains(&(786_336 - reserved)));
        }
    }
}

#[test]
fn the_same_array_in_each_of_ten_events() {
    let sizes = doubled(96, 13).repeat(10);
    let mut counters = counters(&sizes, &[], 589_824);
    // The last capacity is freed, and the next event begins.
    counters.temporaries = 10;
    let found = only(counters, &sizes, &[]).unwrap();
    assert_eq!(growing(&found).containers, Some(10));
    assert_eq!(found.allocations, 130);
    assert_eq!(found.saved_allocations, 120);
    assert_eq!(growing(&found).final_bytes.exact(), Some(3_932_160));
    assert_eq!(found.saved_bytes.low, 3_931_200);
    assert_eq!(found.saved_bytes.high, 7_863_360 - 1_966_090);
}

#[test]
fn arrays_that_end_at_different_sizes() {
    let mut sizes = doubled(24, 7);
    sizes.extend(doubled(24, 5));
    sizes.extend(doubled(24, 1));
    let found = only(counters(&sizes, &[], 24 * 96), &sizes, &[]).unwrap();
    assert_eq!(growing(&found).evidence, Evidence::Doubling);
    assert_eq!(growing(&found).containers, Some(3));
    assert_eq!(
        growing(&found).final_bytes.exact(),
        Some(24 * (64 + 16 + 1))
    );
    assert_eq!(found.saved_allocations, 10);
    assert_eq!(found.saved_bytes.low, 24 * (63 + 15));
    let needed = 24 * (32 + 8) + 3;
    assert_eq!(found.saved_bytes.high, 24 * (127 + 31 + 1) - needed);
}

#[test]
fn many_arrays_that_live_together() {
    let sizes = doubled(40, 6).repeat(100);
    let live = [1280; 100];
    let found = only(counters(&sizes, &live, 100 * 1280 + 640), &sizes, &live).unwrap();
    assert_eq!(growing(&found).containers, Some(100));
    assert_eq!(growing(&found).final_bytes.exact(), Some(128_000));
    assert_eq!(found.saved_bytes.low, 100 * 40 * 31);
}

#[test]
fn an_array_that_is_reallocated() {
    let found = reallocated(&doubled(96, 13), &[393_216]).unwrap();
    assert_eq!(growing(&found).evidence, Evidence::Doubling);
    assert_eq!(growing(&found).containers, Some(1));
    assert_eq!(found.saved_allocations, 12);
    assert_eq!(found.saved_bytes.low, 393_120);
}

#[test]
fn a_reallocated_array_that_began_on_another_stack() {
    let sizes = doubled(192, 12);
    let mut counters = counters(&sizes, &[], 393_216);
    counters.reallocs_moved = 12;
    let found = only(counters, &sizes, &[]).unwrap();
    assert_eq!(growing(&found).containers, Some(1));
    assert_eq!(found.saved_allocations, 12);
    assert_eq!(growing(&found).final_bytes.exact(), Some(393_216));
    assert_eq!(found.saved_bytes.low, 393_024);
}

#[test]
fn a_reallocated_hash_table_that_is_gone_had_its_peak_as_capacity() {
    let found = reallocated(&buckets(), &[]).unwrap();
    assert_eq!(growing(&found).evidence, Evidence::Steps);
    assert_eq!(growing(&found).final_bytes.exact(), Some(166_024));
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
    assert_eq!(growing(&found).evidence, Evidence::Reallocation);
    assert_eq!(growing(&found).containers, Some(1));
    assert_eq!(found.saved_allocations, 29);
    assert_eq!(found.saved_bytes.low, total - last);
    let gone = reallocated(&sizes, &[]).unwrap();
    assert_eq!(growing(&gone).final_bytes.high, last);
    assert_eq!(gone.saved_bytes.low, total - last);
    // Begun on another stack, nobody knows how many they are.
    let mut counters = counters(&sizes, &[last], last);
    counters.reallocs_moved = 30;
    let found = only(counters, &sizes, &[last]).unwrap();
    assert_eq!(growing(&found).evidence, Evidence::Reallocation);
    assert_eq!(growing(&found).containers, None);
    assert_eq!(
        found.saved_bytes,
        Limits {
            low: 0,
            high: total
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
    let stacks: Vec<StackId> = savings(&profile).iter().map(|found| found.stack).collect();
    assert_eq!(stacks, [1, 0]);
}

#[test]
fn a_block_that_is_made_again_and_again_is_reused() {
    let mut counters = of_one_size(4096, 1000, 0);
    counters.peak_bytes = 4096;
    let found = only(counters, &[4096; 1000], &[]).unwrap();
    assert_eq!(found.action, Action::Reuse { block_bytes: 4096 });
    assert_eq!((found.allocations, found.saved_allocations), (1000, 999));
    assert_eq!(found.saved_bytes.exact(), Some(999 * 4096));
    assert_eq!(found.allocations_per_event, None);

    let none = |change: fn(&mut Counters), sizes: &[u64]| {
        let mut changed = counters;
        change(&mut changed);
        assert_eq!(only(changed, sizes, &[]), None, "{changed:?}");
    };
    // Two at a time; sizes of which 4096 is the mean, when the highest was larger; a block that
    // is reallocated; one alone.
    none(|it| it.peak_bytes = 8192, &[4096; 1000]);
    none(|it| it.peak_bytes = 4100, &[4096; 1000]);
    none(|it| it.reallocs_in_place = 1, &[4096; 1000]);
    none(|it| it.peak_bytes = 6000, &[[2192, 6000]; 500].concat());
    none(|it| (it.calls, it.total_bytes) = (1, 4096), &[4096]);
}

fn moment(kind: MomentKind, event: u32, has_totals: bool) -> Moment {
    Moment {
        has_totals,
        ..Moment::unread(kind, event, 0)
    }
}

/// Two stacks in four events: the first makes 12 blocks before them and 40 in them, the second 8
/// in the last two.
fn profile_of_events() -> Profile {
    let made = |moment, stack, calls, temporaries| Allocated {
        moment,
        stack,
        calls,
        bytes: 10 * calls,
        temporaries,
    };
    let mut first = of_one_size(10, 52, 0);
    (first.live_blocks, first.live_bytes) = (5, 50);
    let mut profile = profile(&[
        (first, &[10; 52], &[]),
        (of_one_size(10, 8, 0), &[10; 8], &[]),
    ]);
    let birth = |birth, blocks| BirthBin {
        birth,
        blocks,
        bytes: 10 * blocks,
    };
    profile.births.push_row([birth(0, 2), birth(4, 3)]);
    profile.births.push_row([]);
    profile.meta.birth_unit = "event".to_string();
    let timeline = &mut profile.timeline;
    timeline.about.events = 4;
    timeline.moments = vec![
        moment(MomentKind::Begin, 1, true),
        moment(MomentKind::End, 1, false),
        moment(MomentKind::Begin, 3, true),
    ];
    timeline.allocated = vec![
        made(0, 0, 12, 1),
        made(2, 0, 20, 4),
        made(3, 0, 20, 6),
        made(3, 1, 8, 8),
    ];
    timeline.deferrals = vec![Deferral {
        stack: 0,
        frees: 7,
        events: 7,
        longest_events: 1,
        freed_at: None,
    }];
    profile
}

#[test]
fn rates_are_of_events_alone() {
    let mut profile = profile_of_events();
    let found = rates(&profile, Span::WHOLE).unwrap();
    let first = StackRate {
        stack: 0,
        calls: 40,
        bytes: 400,
        temporaries: 10,
        // Three live, seven freed in a later event.
        freed_in_event: Some(30),
    };
    let second = StackRate {
        stack: 1,
        calls: 8,
        bytes: 80,
        temporaries: 8,
        freed_in_event: Some(8),
    };
    assert_eq!(found.events, 4);
    assert_eq!(found.stacks, [first, second]);
    assert_eq!(found.calls_per_event(0), 10.0);
    assert_eq!(found.calls_per_event(7), 0.0);

    // From event 3 on; it is not known when the blocks of these events were freed.
    let part = Span {
        from: Some(2),
        to: None,
    };
    let found = rates(&profile, part).unwrap();
    assert_eq!(found.events, 2);
    let calls: Vec<_> = found
        .stacks
        .iter()
        .map(|rate| (rate.stack, rate.calls, rate.freed_in_event))
        .collect();
    assert_eq!(calls, [(0, 20, None), (1, 8, None)]);
    // No totals at the end of event 1; only events 2 and 3 recorded; births not read; no events.
    let up_to_its_end = Span {
        from: None,
        to: Some(1),
    };
    assert_eq!(rates(&profile, up_to_its_end), None);
    profile.meta.options.recorded_from_event = 2;
    profile.meta.options.recorded_to_event = 4;
    assert_eq!(rates(&profile, Span::WHOLE).unwrap().events, 2);
    profile.births = Default::default();
    let found = rates(&profile, Span::WHOLE).unwrap();
    assert_eq!(found.stacks[0].freed_in_event, None);
    profile.timeline.moments.clear();
    assert_eq!(rates(&profile, Span::WHOLE), None);
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
                for found in savings(&profile) {
                    assert!(found.saved_bytes.low <= found.saved_bytes.high);
                    assert!(found.saved_bytes.high <= total_bytes);
                }
            }
        }
    }
}
