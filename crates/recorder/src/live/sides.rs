//! Side records: size and birth of blocks that do not fit their entries.
//!
//! A thread uses the records that it freed. Those that free need not be those that
//! make, so a thread that has many hands them over:
//!
//! ```text
//!   thread  first ──► free ──► free ──► free            linked through their births
//!   shared  ──► list of 64 ──► list of 64 ──► ...       linked through the first's size
//! ```

use crate::arena_map::Arena;
use crate::hot;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use residue_arena::region::Region;

/// Records in a list that is handed over.
const LIST_RECORDS: u32 = 64;

/// The free records of a thread; all zero when there are none.
#[derive(Default)]
pub struct FreeSides {
    /// The number of the first, plus one.
    first: u32,
    count: u32,
}

/// The record `number`: size, birth.
fn side(arena: Arena, number: u32) -> (&'static AtomicU64, &'static AtomicU32) {
    let item = arena.item(Region::Sides, u64::from(number));
    // SAFETY: numbers come from `make`, and a side record is two words.
    unsafe { (&*item.cast(), &*item.add(8).cast()) }
}

/// A record for a block; `None` when there is no memory for it.
pub fn make(arena: Arena, free: &mut FreeSides, bytes: u64, birth: u32) -> Option<u32> {
    if free.first == 0 {
        take_shared(arena, free);
    }
    let number = match free.first {
        0 => u32::try_from(arena.append(Region::Sides)?).ok()?,
        first => {
            free.first = side(arena, first - 1).1.load(Ordering::Relaxed);
            free.count -= 1;
            first - 1
        }
    };
    let (bytes_place, birth_place) = side(arena, number);
    bytes_place.store(bytes, Ordering::Relaxed);
    birth_place.store(birth, Ordering::Relaxed);
    Some(number)
}

/// Size and birth in a record, which is free from now on.
pub fn open(arena: Arena, free: &mut FreeSides, number: u32) -> (u64, u32) {
    let (bytes_place, birth_place) = side(arena, number);
    let opened = (
        bytes_place.load(Ordering::Relaxed),
        birth_place.load(Ordering::Relaxed),
    );
    if free.count == LIST_RECORDS {
        share(arena, free);
    }
    birth_place.store(free.first, Ordering::Relaxed);
    free.first = number + 1;
    free.count += 1;
    opened
}

/// The word that leads to the shared lists: the first record of the first, plus one, and
/// above it how often the word was changed. A thread that was interrupted in the middle
/// would otherwise take a list that came back for one that never went.
fn changed(word: u64, first: u32) -> u64 {
    const CHANGE: u64 = 1 << 32;
    (word & !(CHANGE - 1)).wrapping_add(CHANGE) | u64::from(first)
}

fn share(arena: Arena, free: &mut FreeSides) {
    let (next_list, _) = side(arena, free.first - 1);
    let change = |word| {
        next_list.store(u64::from(word as u32), Ordering::Relaxed);
        Some(changed(word, free.first))
    };
    let shared = &hot::get().shared_sides;
    let _ = shared.fetch_update(Ordering::AcqRel, Ordering::Acquire, change);
    *free = FreeSides::default();
}

fn take_shared(arena: Arena, free: &mut FreeSides) {
    let change = |word| {
        let first = word as u32;
        let next_list = || side(arena, first - 1).0.load(Ordering::Relaxed);
        (first != 0).then(|| changed(word, next_list() as u32))
    };
    let shared = &hot::get().shared_sides;
    if let Ok(word) = shared.fetch_update(Ordering::AcqRel, Ordering::Acquire, change) {
        free.first = word as u32;
        free.count = LIST_RECORDS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_arena::region::USED;
    use std::collections::BTreeSet;
    use std::sync::{Mutex, PoisonError};

    /// The shared lists are the process's.
    static ALONE: Mutex<()> = Mutex::new(());

    fn with_arena(test: impl FnOnce(Arena)) {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = std::env::temp_dir().join(format!("residue-sides-{}", std::process::id()));
        let name = format!("{}\0", path.display());
        let (arena, _) = Arena::create(name.as_bytes()).unwrap();
        std::fs::remove_file(path).unwrap();
        hot::get().shared_sides.store(0, Ordering::Relaxed);
        test(arena);
    }

    fn used(arena: Arena) -> u64 {
        arena.get(Region::Sides.word(USED))
    }

    #[test]
    fn one_maker_and_one_who_frees_need_no_more_than_are_under_way() {
        with_arena(|arena| {
            let (mut maker, mut other) = (FreeSides::default(), FreeSides::default());
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
            let (mut maker, mut other) = (FreeSides::default(), FreeSides::default());
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
                        let mut free = FreeSides::default();
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
}
