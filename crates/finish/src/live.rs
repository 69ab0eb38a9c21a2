//! The live blocks: births and sizes per stack.

use crate::arena_file::{ArenaFile, Error, words_of};
use crate::births::Births;
use crate::ledger::Ledger;
use crate::{Progress, Step};
use residue_arena::counters::size_bin;
use residue_arena::live::{Entry, unpack};
use residue_arena::region::Region;
use residue_arena::tables;
use residue_profile::timeline::StackId;
use residue_profile::{BirthBin, Ragged, SizeBin};
use rustc_hash::FxHashMap;
use std::hash::Hash;

pub struct LiveBlocks {
    pub births: Ragged<BirthBin>,
    pub sizes: Ragged<SizeBin>,
}

pub fn read(
    arena: &ArenaFile,
    ledger: &Ledger,
    births: &Births,
    progress: Progress<'_>,
) -> Result<LiveBlocks, Error> {
    let mut births_by_stack = ByStack::of(ledger.rows.len());
    let mut sizes_by_stack = ByStack::of(ledger.rows.len());
    let mut add = |id: u32, bytes: u64, birth: u32| {
        if let Some(stack) = ledger.ids.stack(id) {
            let (blocks, sum): &mut (u64, u64) = births_by_stack.at(stack, births.bin(birth));
            *blocks += 1;
            *sum = sum.saturating_add(bytes);
            *sizes_by_stack.at(stack, size_bin(bytes) as u8) += 1;
        }
    };
    let mut large_entries: Vec<(u64, u32)> = Vec::new();
    arena.each_item(Region::LargeEntries, |item| {
        large_entries.push((item.word(0), item.half(8)));
    })?;
    let pages = arena.used(Region::LivePages);
    let keys = arena.keys(Region::LiveKeys, pages)?;
    arena.each_chunk(Region::LivePages, keys.len() as u64, |first, bytes| {
        progress(Step::LiveBlocks, first, pages);
        for entry in words_of(bytes) {
            match unpack(entry) {
                Entry::Absent => {}
                Entry::Inline {
                    stack,
                    bytes,
                    birth,
                } => add(stack, bytes, birth),
                Entry::Large { stack, number } => {
                    if let Some(&(bytes, birth)) = large_entries.get(number as usize) {
                        add(stack, bytes, birth);
                    }
                }
            }
        }
    })?;
    arena.each_item(Region::Mappings, |item| {
        let length = item.word(tables::MAPPING_LENGTH);
        if length != 0 {
            let id = item.word(tables::MAPPING_STACK) as u32;
            add(id, length, item.word(tables::MAPPING_BIRTH) as u32);
        }
    })?;
    let birth = |birth, (blocks, bytes)| BirthBin {
        birth,
        blocks,
        bytes,
    };
    Ok(LiveBlocks {
        births: births_by_stack.into_rows(birth),
        sizes: sizes_by_stack.into_rows(|bits, blocks| SizeBin { bits, blocks }),
    })
}

/// Sums by stack and by something else, of which most stacks have one alone: that has a place of its
/// own, and others are looked for.
struct ByStack<Key, Sum> {
    first: Vec<Option<(Key, Sum)>>,
    others: FxHashMap<(StackId, Key), Sum>,
}

impl<Key: Copy + Ord + Hash, Sum: Clone + Default> ByStack<Key, Sum> {
    fn of(stacks: usize) -> ByStack<Key, Sum> {
        ByStack {
            first: vec![None; stacks],
            others: FxHashMap::default(),
        }
    }

    fn at(&mut self, stack: StackId, key: Key) -> &mut Sum {
        let (first, sum) = self.first[stack as usize].get_or_insert_with(|| (key, Sum::default()));
        match *first == key {
            true => sum,
            false => self.others.entry((stack, key)).or_default(),
        }
    }

    fn into_rows<Bin>(self, bin: impl Fn(Key, Sum) -> Bin) -> Ragged<Bin> {
        let mut others: Vec<_> = self.others.into_iter().collect();
        others.sort_unstable_by_key(|(place, _)| *place);
        let mut others = others.into_iter().peekable();
        let (mut rows, mut row) = (Ragged::default(), Vec::new());
        for (first, stack) in self.first.into_iter().zip(0..) {
            row.extend(first);
            while let Some(((_, key), sum)) = others.next_if(|((of, _), _)| *of == stack) {
                row.push((key, sum));
            }
            row.sort_unstable_by_key(|(key, _)| *key);
            rows.push_row(row.drain(..).map(|(key, sum)| bin(key, sum)));
        }
        rows
    }
}
