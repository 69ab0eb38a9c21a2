//! Large entries stay as few as the blocks that need one.

use super::*;
use residue_arena::region::USED;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The shared lists are the process's.
static ALONE: Mutex<()> = Mutex::new(());

fn with_arena(test: impl FnOnce(Arena)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = std::env::temp_dir().join(format!("residue-large-entries-{}", std::process::id()));
    let name = format!("{}\0", path.display());
    let (arena, _) = Arena::create(name.as_bytes()).unwrap();
    std::fs::remove_file(path).unwrap();
    hot::get().shared_large_entries.store(0, Ordering::Relaxed);
    test(arena);
}

fn used(arena: Arena) -> u64 {
    arena.get(Region::LargeEntries.word(USED))
}

#[test]
fn one_maker_and_one_who_frees_need_no_more_than_are_under_way() {
    with_arena(|arena| {
        let (mut maker, mut other) = (FreeLargeEntries::default(), FreeLargeEntries::default());
        for block in 0..100_000 {
            let number = make(arena, &mut maker, block, block as u32 + 1).unwrap();
            let opened = open(arena, &mut other, number);
            assert_eq!(opened, (block, block as u32 + 1));
        }
        // A list, and the record that makes it too long.
        assert_eq!(used(arena), u64::from(LIST_RECORDS) + 1);
    });
}

#[test]
fn no_record_is_handed_out_twice() {
    with_arena(|arena| {
        const BLOCKS: usize = 1000;
        let (mut maker, mut other) = (FreeLargeEntries::default(), FreeLargeEntries::default());
        for _ in 0..10 {
            let numbers: Vec<u32> = (0..BLOCKS)
                .map(|block| make(arena, &mut maker, block as u64, 7).unwrap())
                .collect();
            assert_eq!(BTreeSet::from_iter(&numbers).len(), BLOCKS);
            for (block, &number) in numbers.iter().enumerate() {
                assert_eq!(open(arena, &mut other, number), (block as u64, 7));
            }
        }
        assert!(used(arena) <= BLOCKS as u64 + u64::from(2 * LIST_RECORDS));
    });
}

#[test]
fn threads_that_share_lists_never_share_a_record() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 2000;
    const HELD: usize = 100;
    with_arena(|arena| {
        let base = arena.base();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let arena = Arena::at(base).unwrap();
                    let mut free = FreeLargeEntries::default();
                    for round in 0..ROUNDS {
                        let mark = thread * ROUNDS + round;
                        let held: Vec<u32> = (0..HELD)
                            .map(|_| make(arena, &mut free, mark, mark as u32).unwrap())
                            .collect();
                        for number in held {
                            assert_eq!(open(arena, &mut free, number), (mark, mark as u32));
                        }
                    }
                });
            }
        });
        let most = THREADS * (HELD as u64 + u64::from(2 * LIST_RECORDS));
        assert!(used(arena) <= most, "{} records", used(arena));
    });
}
