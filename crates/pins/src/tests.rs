use crate::{Area, Footprint, PAGE_BYTES, pins};
use residue_profile::pins::{ClassPins, MapCell, Pins};
use residue_reach::{Block, Heap};
use residue_testkit::random::Random;
use std::collections::BTreeMap;

const START: u64 = 0x7000_0000;

fn block(start: u64, bytes: u64, stack: u32, birth: u32) -> Block {
    Block {
        start: START + start,
        bytes,
        stack,
        birth,
    }
}

fn all_resident(pages: usize) -> Area {
    Area::new(START, std::iter::repeat_n(true, pages))
}

fn of(blocks: Vec<Block>, areas: &[Area]) -> Pins {
    pins(&Heap::new(blocks), areas, Footprint::Classes)
}

#[test]
fn a_small_block_keeps_a_whole_page() {
    let found = of(vec![block(4096 + 64, 64, 7, 3)], &[all_resident(4)]);
    assert_eq!(found.heap.resident_bytes, 4 * PAGE_BYTES);
    assert_eq!(found.heap.used_bytes, 64);
    assert_eq!(found.heap.free_bytes, PAGE_BYTES - 64);
    assert_eq!(found.heap.free_page_bytes, 3 * PAGE_BYTES);
    let stack = found.stacks[0];
    assert_eq!((stack.stack, stack.pages, stack.alone_pages), (7, 1, 1));
    assert_eq!(stack.alone_free_bytes, PAGE_BYTES - 64);
    assert_eq!((stack.smallest, stack.largest), (64, 64));
    assert_eq!((stack.first_birth, stack.last_birth), (3, 3));
    assert_eq!((found.sizes[0].class, found.births[0].class), (6, 3));
}

#[test]
fn what_is_free_is_divided_among_the_stacks_of_a_page() {
    let blocks = vec![
        block(0, 96, 1, 1),
        block(96, 1000, 2, 1),
        block(2000, 16, 1, 2),
        block(4096, 4096, 2, 9),
    ];
    let found = of(blocks, &[all_resident(2)]);
    let free = PAGE_BYTES - 96 - 1008 - 16;
    assert_eq!(found.heap.free_bytes, free);
    let stacks: Vec<_> = found
        .stacks
        .iter()
        .map(|of| (of.stack, of.free_bytes))
        .collect();
    assert_eq!(stacks, [(1, free / 2), (2, free / 2)]);
    let second = found.stacks[1];
    assert_eq!(
        (second.pages, second.alone_pages, second.alone_free_bytes),
        (2, 1, 0)
    );
    assert_eq!(second.used_bytes, 1008 + 4096);
    // Three classes are on the first page, two births.
    let sizes: Vec<_> = found
        .sizes
        .iter()
        .map(|of| (of.class, of.used_bytes))
        .collect();
    assert_eq!(sizes, [(4, 16), (7, 96), (10, 1008), (12, 4096)]);
    let births: Vec<_> = found
        .births
        .iter()
        .map(|of| (of.class, of.free_bytes))
        .collect();
    assert_eq!(births, [(1, free / 2), (2, free / 2), (9, 0)]);
}

#[test]
fn blocks_of_a_pool_are_part_of_what_the_pool_got() {
    let blocks = vec![block(0, 4096, 1, 1), block(16, 16, 2, 2)];
    let found = of(blocks, &[all_resident(1)]);
    assert_eq!(found.stacks.len(), 1);
    assert_eq!(found.heap.used_bytes, PAGE_BYTES);
}

#[test]
fn pages_that_are_not_resident_count_for_nothing() {
    let area = Area::new(START, [true, false, true]);
    let found = of(vec![block(100, 3 * 4096 - 200, 1, 1)], &[area]);
    assert_eq!(found.heap.resident_bytes, 2 * PAGE_BYTES);
    assert_eq!(found.stacks[0].pages, 2);
    assert_eq!(
        found.heap.used_bytes + found.heap.free_bytes,
        2 * PAGE_BYTES
    );
    assert_eq!(found.heap.free_page_bytes, 0);
}

#[test]
fn a_block_may_reach_over_several_areas() {
    let areas = [
        all_resident(1),
        Area::new(START + 4096, [true]),
        Area::new(START + 3 * 4096, [true]),
    ];
    let found = of(vec![block(0, 4 * 4096, 1, 1)], &areas);
    assert_eq!(found.heap.used_bytes, 3 * PAGE_BYTES);
    assert_eq!((found.stacks[0].pages, found.stacks[0].blocks), (3, 1));
}

/// The cells of the map have each page once, and add up to the heap.
fn expect_whole_map(found: &Pins, areas: &[Area]) {
    let cells = &found.map.cells;
    assert!(cells.is_sorted_by(|a, b| a.start < b.start), "{cells:?}");
    let sum = |of: fn(&MapCell) -> u64| cells.iter().map(of).sum::<u64>();
    let pages: u64 = areas.iter().map(|area| area.pages).sum();
    assert_eq!(sum(|cell| cell.pages), pages);
    let heap = &found.heap;
    let resident = sum(|cell| cell.resident_pages) * PAGE_BYTES;
    assert_eq!(resident, heap.resident_bytes);
    assert_eq!(sum(|cell| cell.used_bytes), heap.used_bytes);
    assert_eq!(sum(MapCell::free_bytes), heap.free_bytes);
    assert_eq!(sum(MapCell::free_page_bytes), heap.free_page_bytes);
    for cell in cells {
        assert_eq!(cell.stack.is_some(), cell.pinned_pages > 0, "{cell:?}");
        assert_eq!(cell.birth.is_some(), cell.pinned_pages > 0, "{cell:?}");
    }
}

#[test]
fn a_map_says_whose_a_page_is_and_how_old() {
    let blocks = vec![
        block(0, 96, 1, 1),
        block(96, 1008, 2, 5),
        block(2000, 16, 1, 9),
        block(3 * 4096, 4096, 3, 7),
    ];
    let area = Area::new(START, [true, false, true, true]);
    let found = of(blocks, std::slice::from_ref(&area));
    expect_whole_map(&found, &[area]);
    assert_eq!(found.map.cell_pages, 1);
    let cells = found.map.cells.iter();
    let cells = cells.map(|cell| (cell.resident_pages, cell.used_bytes, cell.stack, cell.birth));
    let expected = [
        (1, 96 + 1008 + 16, Some(2), Some(5)),
        (0, 0, None, None),
        (1, 0, None, None),
        (1, 4096, Some(3), Some(7)),
    ];
    assert_eq!(cells.collect::<Vec<_>>(), expected);
}

/// A large heap with a hole every seventh page, and a block on every third that is resident.
#[test]
fn maps_of_large_heaps_are_bounded_and_whole() {
    for (count, pages) in [(1, 100_000), (3, 40_001), (3000, 7), (5000, 3)] {
        let area = |place: u64| {
            let start = START + place * 2 * pages * PAGE_BYTES;
            Area::new(start, (0..pages).map(|page| page % 7 != 3))
        };
        let areas: Vec<Area> = (0..count).map(area).collect();
        let blocks = areas.iter().flat_map(|area| {
            let starts = (0..pages)
                .step_by(3)
                .map(|page| area.start + page * PAGE_BYTES);
            starts.map(|start| Block {
                start: start + 64,
                bytes: 5000,
                stack: 1,
                birth: (start >> 12) as u32,
            })
        });
        let found = of(blocks.collect(), &areas);
        let cells = found.map.cells.len();
        assert!((2000..=4096).contains(&cells), "{count} areas: {cells}");
        expect_whole_map(&found, &areas);
    }
}

/// Byte by byte: whose is it?
fn slowly(
    blocks: &[Block],
    areas: &[Area],
    footprint: Footprint,
) -> BTreeMap<u32, (u64, u64, u64)> {
    let mut sums: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
    for area in areas {
        let pages: Vec<u64> = area.resident(&(0..u64::MAX)).collect();
        for page in pages {
            let start = area.start + page * PAGE_BYTES;
            let mut on_page: BTreeMap<u32, u64> = BTreeMap::new();
            for at in start..start + PAGE_BYTES {
                let holds = |block: &&Block| footprint.of(block).contains(&at);
                if let Some(block) = blocks.iter().find(holds) {
                    *on_page.entry(block.stack).or_default() += 1;
                }
            }
            let used: u64 = on_page.values().sum();
            let free = PAGE_BYTES - used;
            let all = on_page.len() as u64;
            for (place, (stack, bytes)) in (0..).zip(on_page) {
                let sum = sums.entry(stack).or_default();
                sum.0 += bytes;
                sum.1 += free / all + u64::from(place < free % all);
                sum.2 += u64::from(all == 1);
            }
        }
    }
    sums
}

#[test]
fn random_heaps_are_as_the_slowest_way_says() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut blocks = Vec::new();
        let mut at = 16;
        let pages = 12;
        loop {
            at += 16 * random.below(60);
            let bytes = match random.below(10) {
                0 => random.below(9000),
                _ => random.below(200),
            };
            if at + bytes + 64 > pages * PAGE_BYTES {
                break;
            }
            let stack = random.below(5) as u32;
            blocks.push(block(at, bytes, stack, random.below(4) as u32));
            at += (bytes + 8).next_multiple_of(16).max(32);
        }
        let resident: Vec<bool> = (0..pages).map(|_| random.below(4) != 0).collect();
        let (low, high) = resident.split_at(5);
        let areas = [
            Area::new(START, low.iter().copied()),
            Area::new(START + 5 * PAGE_BYTES, high.iter().copied()),
        ];
        for footprint in [Footprint::Glibc, Footprint::Classes] {
            let found = pins(&Heap::new(blocks.clone()), &areas, footprint);
            let rows = found.stacks.iter();
            let rows = rows.map(|of| (of.stack, (of.used_bytes, of.free_bytes, of.alone_pages)));
            let expected = slowly(&blocks, &areas, footprint);
            assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected, "seed {seed}");
            let sum = |classes: &[ClassPins]| {
                let bytes = classes.iter().map(|of| of.used_bytes + of.free_bytes);
                bytes.sum::<u64>() + found.heap.free_page_bytes
            };
            assert_eq!(sum(&found.sizes), found.heap.resident_bytes, "seed {seed}");
            assert_eq!(sum(&found.births), found.heap.resident_bytes, "seed {seed}");
            expect_whole_map(&found, &areas);
        }
    }
}

/// A block whose end was not seen reaches over the next one.
#[test]
fn a_block_in_the_place_of_another_adds_nothing() {
    let stale = block(16, 100, 1, 0);
    let inside_its_footprint = block(16 + 96, 8, 2, 0);
    let found = of(vec![stale, inside_its_footprint], &[all_resident(1)]);
    assert_eq!(found.heap.used_bytes, 112);
    assert_eq!(found.heap.free_bytes, PAGE_BYTES - 112);
    let stacks: Vec<u32> = found.stacks.iter().map(|of| of.stack).collect();
    assert_eq!(stacks, [1]);
}
