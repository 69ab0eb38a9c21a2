//! The live blocks: births and sizes per stack.

use crate::arena_file::{ArenaFile, Error, to_words};
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
    let mut sums = Sums::default();
    let mut add = |id: u32, bytes: u64, birth: u32| {
        if let Some(stack) = ledger.ids.stack(id) {
            sums.add(stack, bytes, births.bin(birth));
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
        for entry in to_words(bytes) {
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
    Ok(sums.into_rows(ledger.rows.len()))
}

#[derive(Default)]
struct Sums {
    /// Blocks and bytes.
    by_birth: FxHashMap<(StackId, u32), (u64, u64)>,
    by_size: FxHashMap<(StackId, u8), u64>,
}

impl Sums {
    fn add(&mut self, stack: StackId, bytes: u64, birth: u32) {
        let (blocks, sum) = self.by_birth.entry((stack, birth)).or_default();
        *blocks += 1;
        *sum = sum.saturating_add(bytes);
        let bits = size_bin(bytes) as u8;
        *self.by_size.entry((stack, bits)).or_default() += 1;
    }

    fn into_rows(self, stacks: usize) -> LiveBlocks {
        let mut births: Vec<_> = self.by_birth.into_iter().collect();
        let mut sizes: Vec<_> = self.by_size.into_iter().collect();
        births.sort_unstable();
        sizes.sort_unstable();
        let births = births.into_iter().map(|((stack, birth), (blocks, bytes))| {
            let bin = BirthBin {
                birth,
                blocks,
                bytes,
            };
            (stack, bin)
        });
        let sizes = sizes.into_iter();
        let sizes = sizes.map(|((stack, bits), blocks)| (stack, SizeBin { bits, blocks }));
        LiveBlocks {
            births: Ragged::from_sorted(stacks, births),
            sizes: Ragged::from_sorted(stacks, sizes),
        }
    }
}
