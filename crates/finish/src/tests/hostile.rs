//! A program may write anything into its arena: whatever stands there, a profile comes out
//! or an error, in little memory.

use super::*;
use residue_arena::region;
use residue_testkit::random::Random;

/// One of everything.
fn arena() -> ArenaBytes {
    let mut arena = ArenaBytes::new();
    let module = arena.module("/bin/hostile", 0x1000..0x9000, 0);
    assert_eq!(module, 0);
    let state = arena.state(7, "worker");
    let outer = arena.node(ROOT, 0x1234);
    let inner = arena.node(outer, 0x2345);
    let stack = arena.heap_stack(inner);
    let hits = arena.name("hits");
    arena.set(header::SOURCE, header::SOURCE_MARKS);
    for event in 1..=3 {
        arena.set(header::EVENTS, event.into());
        arena.set(header::BIRTH, event.into());
        arena.moment(moment(KIND_BEGIN, event, u64::from(event) * 10));
        arena.made(state, stack, 100);
        arena.live_block(stack, 100, event);
        let count = MomentRow {
            name: Some(hits),
            ..moment(KIND_COUNT, event, u64::from(event) * 10 + 1)
        };
        arena.row(Region::Moments, count, 0);
        arena.moment(moment(KIND_END, event, u64::from(event) * 10 + 5));
    }
    arena.live_block(stack, 1 << 40, 2);
    arena.mapping(stack, 8192, 1);
    let named = arena.name("half");
    arena.snapshot(named, 2, ["maps", "smaps", "numa"]);
    let path = arena.text("/bin/hostile");
    arena.set(header::EXECUTABLE, path);
    arena.set(header::COMMAND, path);
    arena.set(header::TITLE, path);
    arena
}

fn read(arena: ArenaBytes) {
    let Ok(profile) = put_together(&arena.open(), Vec::new(), &Ending::default(), &|_, _, _| {})
    else {
        return;
    };
    let mut repaired = profile;
    repaired.repair();
    encode(&repaired).unwrap();
}

/// Numbers that break what does not expect them.
fn nasty(random: &mut Random) -> u64 {
    let number = random.below(64);
    match random.below(6) {
        0 => u64::MAX - number,
        1 => 1 << number,
        2 => (1_u64 << number).wrapping_sub(1),
        3 => u64::from(u32::MAX) - number,
        4 => number,
        _ => random.bits(),
    }
}

#[test]
fn any_word_of_the_header_may_be_anything() {
    let mut random = Random::new(1);
    let keep = [header::MAGIC, header::VERSION, header::STATE];
    for round in 0..300 {
        let mut hostile = arena();
        for _ in 0..=random.below(3) {
            let word = match round % 2 {
                // Half of them in the table of regions.
                0 => {
                    let region = region::ALL[random.below(region::COUNT as u64) as usize];
                    region.word(random.below(region::WORDS_PER_REGION as u64) as usize)
                }
                _ => random.below(header::WORDS as u64) as usize,
            };
            if !keep.contains(&word) {
                hostile.set(word, nasty(&mut random));
            }
        }
        read(hostile);
    }
}

#[test]
fn any_word_of_an_item_may_be_anything() {
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let mut hostile = arena();
        for _ in 0..=random.below(3) {
            let region = region::ALL[random.below(region::COUNT as u64) as usize];
            let items = hostile.get(region.word(region::USED));
            let words = region.item_bytes() / 8;
            if items == 0 || words == 0 {
                continue;
            }
            let (item, index) = (random.below(items), random.below(words) as usize);
            let value = nasty(&mut random);
            hostile.set_word(region, item, index, value);
        }
        read(hostile);
    }
}

/// Found by fuzzing: the sum of what could not be hooked was too large.
#[test]
fn numbers_of_functions_may_be_anything() {
    let mut hostile = arena();
    hostile.set(header::MODULES_ANSWERED, 1);
    hostile.set(header::FUNCTIONS_WATCHED, u64::MAX);
    hostile.set(header::FUNCTIONS_UNTOLD, 7);
    assert_eq!(
        profile(hostile).timeline.about.search.functions_matched,
        Some(u64::MAX)
    );
}

/// Found by fuzzing: half a gigabyte for an arena of some kilobytes.
#[test]
fn ids_that_no_stack_has_take_no_memory() {
    let mut hostile = arena();
    hostile.set(header::STACKS, u64::MAX);
    let trie = crate::trie::read(&hostile.open()).unwrap();
    assert!(trie.stacks.len() < 100, "{}", trie.stacks.len());
}

/// A thousand modules may say that all texts together are their name.
#[test]
fn bytes_are_not_read_over_and_over() {
    let mut arena = arena();
    arena.text(&"x".repeat(3000));
    let arena = arena.open();
    let used = arena.used(Region::Strings);
    assert!(used > 0);
    let mut read_bytes = 0;
    for _ in 0..10_000_000 {
        let bytes = arena.bytes(Region::Strings, 0, used).unwrap();
        read_bytes += bytes.len() as u64;
        if bytes.is_empty() {
            break;
        }
    }
    assert!((16 << 20..17 << 20).contains(&read_bytes), "{read_bytes}");
}
