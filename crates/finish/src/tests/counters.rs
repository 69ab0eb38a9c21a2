//! What is counted of a stack: in all, by thread, by birth.

use super::*;
use residue_arena::region;
use residue_arena::tables::thread as stat;

#[test]
fn counters_of_all_threads_are_added_up() {
    let mut arena = ArenaBytes::new();
    let (one, other) = (arena.state(7, "main"), arena.state(8, "worker"));
    let stack = arena.path(0x1001);
    for bytes in [100, 20, 3] {
        arena.made(one, stack, bytes);
    }
    // The second thread frees what the first made, and makes one of its own.
    arena.freed(other, stack, 100);
    arena.made(other, stack, 7);
    arena.set_overflow(one, stack, &[(OVERFLOW_IN_PLACE, 4), (OVERFLOW_MOVED, 5)]);
    let profile = profile(arena);
    let expected = Counters {
        calls: 4,
        frees: 1,
        total_bytes: 130,
        live_bytes: 30,
        live_blocks: 3,
        peak_bytes: 123,
        at_peak_bytes: 123,
        at_peak_blocks: 3,
        reallocs_in_place: 4,
        reallocs_moved: 5,
        temporaries: 0,
        cpu_ns: 0,
        largest_bytes: 100,
    };
    assert!(profile.has_largest);
    assert_eq!(profile.stacks[0].counters, expected);
    assert_eq!(profile.heap.peak_bytes, 123);
    let sizes: Vec<(u8, u64)> = profile
        .sizes_total
        .row(0)
        .iter()
        .map(|bin| (bin.bits, bin.blocks))
        .collect();
    assert_eq!(sizes, [(2, 1), (3, 1), (5, 1), (7, 1)]);
    let names: Vec<&str> = profile
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    assert_eq!(names, ["main", "worker"]);
    let of_thread = |thread, calls, total_bytes, frees, net_bytes, largest_bytes| ThreadCounters {
        thread,
        calls,
        total_bytes,
        frees,
        net_bytes,
        cpu_ns: 0,
        largest_bytes,
    };
    let expected = [
        of_thread(0, 3, 123, 0, 123, 100),
        of_thread(1, 1, 7, 1, -93, 7),
    ];
    assert_eq!(profile.by_thread.row(0), expected);
}

/// Blocks of 16 KiB and more are in the overflow item, whose largest has 64 bits.
#[test]
fn the_largest_block_is_that_of_the_record_or_of_its_overflow_item() {
    let mut arena = ArenaBytes::new();
    let (one, other) = (arena.state(7, "main"), arena.state(8, "worker"));
    let (small, large) = (arena.path(0x1001), arena.path(0x1002));
    for bytes in [16_383, 5] {
        arena.made(one, small, bytes);
    }
    arena.made(other, small, 16_382);
    arena.made(other, large, 100);
    arena.made(one, large, 7);
    arena.add_bytes(one, large, 5 << 32);
    arena.set_overflow(one, large, &[(OVERFLOW_LARGEST, 5 << 32)]);
    let profile = profile(arena);
    let largest = |stack: &Stack| stack.counters.largest_bytes;
    let largest: Vec<u64> = profile.stacks.iter().map(largest).collect();
    assert_eq!(largest, [16_383, 5 << 32]);
    let by_thread = |row: usize| -> Vec<u64> {
        let row = profile.by_thread.row(row).iter();
        row.map(|part| part.largest_bytes).collect()
    };
    assert_eq!(by_thread(0), [16_383, 16_382]);
    assert_eq!(by_thread(1), [5 << 32, 100]);
    let calls: Vec<u64> = profile.stacks.iter().map(|it| it.counters.calls).collect();
    assert_eq!(calls, [3, 2]);
}

/// It has no detail item before its second block, and says all the same of what size its first was.
#[test]
fn a_record_of_one_block_says_its_size_by_its_bytes() {
    let mut arena = ArenaBytes::new();
    let (one, other) = (arena.state(7, "main"), arena.state(8, "worker"));
    let (large, small) = (arena.path(0x1001), arena.path(0x1002));
    arena.made(one, large, 5 << 20);
    arena.temporary(one, large);
    arena.made(one, small, 100);
    arena.temporary(one, small);
    arena.made(one, small, 1000);
    arena.made(other, small, 101);
    // The other thread frees what the first made, which tells no size.
    arena.freed(other, large, 5 << 20);
    assert_eq!(arena.get(Region::RecordDetails.word(region::USED)), 1);
    let profile = profile(arena);
    let sizes = |row: usize| -> Vec<(u8, u64)> {
        let bins = profile.sizes_total.row(row).iter();
        bins.map(|bin| (bin.bits, bin.blocks)).collect()
    };
    assert_eq!(sizes(0), [(23, 1)]);
    assert_eq!(sizes(1), [(7, 2), (10, 1)]);
    let counters = |row: usize| profile.stacks[row].counters;
    assert_eq!(counters(0).largest_bytes, 5 << 20);
    assert_eq!(counters(1).largest_bytes, 1000);
    assert_eq!([counters(0).temporaries, counters(1).temporaries], [1, 1]);
}

/// A bin has 16 bits; what it carried over is in the overflow item, perhaps a moment early.
#[test]
fn bins_go_on_in_their_carries() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stacks = [arena.path(0x1001), arena.path(0x1002)];
    for (stack, in_bin) in stacks.into_iter().zip([5, u64::from(u16::MAX)]) {
        for _ in 0..3 {
            arena.made(state, stack, 100);
        }
        let calls = 3 * 65_536 + if in_bin == 5 { 5 } else { 0 };
        arena.set_calls(state, stack, calls);
        // Bin 7 is in the upper half of the second word of bins.
        arena.set_bins(state, stack, 1, in_bin << 48);
        let carried = (OVERFLOW_CARRY + 7) / 2;
        arena.set_overflow(state, stack, &[(carried, 3 << 32)]);
    }
    let profile = profile(arena);
    let sizes = |row: usize| -> Vec<(u8, u64)> {
        let bins = profile.sizes_total.row(row).iter();
        bins.map(|bin| (bin.bits, bin.blocks)).collect()
    };
    assert_eq!(sizes(0), [(7, 3 * 65_536 + 5)]);
    assert_eq!(sizes(1), [(7, 3 * 65_536 - 1)]);
}

/// A kill may come after a block is noted and before its bytes are counted.
#[test]
fn no_block_is_larger_than_all_bytes_of_its_record() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.made(state, stack, 100);
    arena.set_overflow(state, stack, &[(OVERFLOW_LARGEST, 1 << 20)]);
    arena.set(header::SIZES_LOST, 2);
    let profile = profile(arena);
    assert_eq!(profile.stacks[0].counters.largest_bytes, 100);
    let told = |note: &String| note.contains("the largest block of a stack may be too small");
    assert!(profile.meta.notes.iter().any(told));
}

#[test]
fn states_of_one_thread_are_one_and_shared_ones_are_told() {
    let mut arena = ArenaBytes::new();
    let states = [(7, "main"), (8, "worker"), (7, "main")];
    let states = states.map(|(tid, name)| arena.state(tid, name));
    arena.set_word(Region::Threads, 1, stat::EARLIER_THREADS, 2);
    let stack = arena.path(0x1001);
    for state in states {
        arena.made(state, stack, 8);
    }
    // A page of a thread whose state was not there yet when it was read.
    arena.made(5, stack, 8);
    let profile = profile(arena);
    let names: Vec<&str> = profile
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    assert_eq!(names, ["main", "worker and 2 earlier threads", ""]);
    let calls: Vec<(u32, u64)> = profile
        .by_thread
        .row(0)
        .iter()
        .map(|of| (of.thread, of.calls))
        .collect();
    assert_eq!(calls, [(0, 2), (1, 1), (2, 1)]);
    assert!(
        profile.meta.notes[0].contains("1 of 3"),
        "{:?}",
        profile.meta.notes
    );
}

#[test]
fn births_are_events_and_those_before_the_first_are_none() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let node = arena.node(ROOT, 0x1001);
    let (stack, mapping) = (arena.heap_stack(node), arena.map_stack(node));
    arena.set(header::SOURCE, header::SOURCE_MARKS);
    arena.set(header::EVENT_BASE, 5);
    arena.set(header::BIRTH, 105);
    // Too large, or born too late, for an entry of the live table.
    let blocks = [
        (64, 2),
        (64, 5),
        (100, 6),
        (70, 6),
        (1 << 30, 6),
        (8, 1 << 21),
    ];
    for (bytes, birth) in blocks {
        arena.made(state, stack, 1);
        arena.live_block(stack, bytes, birth);
    }
    arena.made(state, mapping, 4096);
    arena.mapping(mapping, 4096, 7);
    arena.mapping(mapping, 0, 7);
    let profile = profile(arena);
    let births: Vec<(u32, u64, u64)> = profile
        .births
        .row(0)
        .iter()
        .map(|bin| (bin.birth, bin.blocks, bin.bytes))
        .collect();
    let late = (1 << 21) - 5;
    assert_eq!(births, [(0, 2, 128), (1, 3, 170 + (1 << 30)), (late, 1, 8)]);
    let sizes: Vec<(u8, u64)> = profile
        .sizes_live
        .row(0)
        .iter()
        .map(|bin| (bin.bits, bin.blocks))
        .collect();
    assert_eq!(sizes, [(4, 1), (7, 4), (31, 1)]);
    assert_eq!(profile.births.row(1)[0].birth, 2);
    assert_eq!(profile.meta.birth_unit, "event");
}
