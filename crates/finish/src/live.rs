//! The live blocks: births and sizes per path.

use crate::arena_file::{ArenaFile, Error, half, to_words, word};
use crate::births::Births;
use crate::stacks::Ledger;
use crate::tree::{ABSENT, FastMap};
use crate::{Progress, Step};
use residue_arena::counters::size_bin;
use residue_arena::live::*;
use residue_arena::region::Region;
use residue_arena::tables;
use residue_profile::{BirthBin, Profile, SizeBin, Stack};

#[derive(Default)]
pub struct Live {
    /// (row, birth) to (blocks, bytes).
    births: FastMap<(u32, u32), (u64, u64)>,
    /// (row, size bin) to blocks.
    sizes: FastMap<(u32, u32), u64>,
}

impl Live {
    fn add(&mut self, ledger: &Ledger, stack: u32, bytes: u64, birth: u32) {
        let Some(row) = ledger.row_of(stack) else {
            return;
        };
        let row = row as u32;
        let (blocks, sum) = self.births.entry((row, birth)).or_default();
        *blocks += 1;
        *sum += bytes;
        *self.sizes.entry((row, size_bin(bytes) as u32)).or_default() += 1;
    }

    /// Moves the ledger's rows, which counted something, into the profile, with
    /// the live blocks beside them.
    pub fn fill(self, profile: &mut Profile, ledger: &mut Ledger, births: &Births) {
        let mut binned: FastMap<(u32, u32), (u64, u64)> = FastMap::default();
        for ((row, birth), (blocks, bytes)) in self.births {
            let bin = binned.entry((row, births.bin(birth))).or_default();
            bin.0 += blocks;
            bin.1 += bytes;
        }
        let mut births: Vec<((u32, u32), (u64, u64))> = binned.into_iter().collect();
        let mut sizes: Vec<((u32, u32), u64)> = self.sizes.into_iter().collect();
        births.sort_unstable();
        sizes.sort_unstable();
        let (mut birth_at, mut size_at) = (births.as_slice(), sizes.as_slice());
        for (index, row) in ledger.rows.iter_mut().enumerate() {
            let row_births = split_row(&mut birth_at, index, |entry| entry.0.0);
            let row_sizes = split_row(&mut size_at, index, |entry| entry.0.0);
            if row.counters.calls == 0 && row.counters.frees == 0 {
                ledger.stack_of_row.push(ABSENT);
                continue;
            }
            ledger.stack_of_row.push(profile.stacks.len() as u32);
            profile.stacks.push(Stack {
                node: row.node,
                kind: row.kind,
                counters: row.counters,
            });
            profile.sizes_total.push_row(std::mem::take(&mut row.sizes));
            profile
                .sizes_live
                .push_row(row_sizes.iter().map(|&((_, bin), blocks)| SizeBin {
                    bits: bin as u8,
                    blocks,
                }));
            profile
                .births
                .push_row(
                    row_births
                        .iter()
                        .map(|&((_, birth), (blocks, bytes))| BirthBin {
                            birth,
                            blocks,
                            bytes,
                        }),
                );
        }
    }
}

/// Takes the entries of row `index` off the front of a sorted slice.
fn split_row<'a, T>(rest: &mut &'a [T], index: usize, row: impl Fn(&T) -> u32) -> &'a [T] {
    let count = rest
        .iter()
        .take_while(|entry| row(entry) as usize == index)
        .count();
    let (mine, others) = rest.split_at(count);
    *rest = others;
    mine
}

pub fn read(arena: &ArenaFile, ledger: &Ledger, progress: Progress<'_>) -> Result<Live, Error> {
    let mut live = Live::default();
    let sides = read_sides(arena)?;
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
                } => live.add(ledger, stack, bytes, birth),
                Entry::Side { stack, side } => {
                    if let Some(&(bytes, birth)) = sides.get(side as usize) {
                        live.add(ledger, stack, bytes, birth);
                    }
                }
            }
        }
    })?;
    let mappings = arena.used(Region::Mappings);
    arena.each_chunk(Region::Mappings, mappings, |_, bytes| {
        for item in bytes.chunks_exact(tables::MAPPING_BYTES as usize) {
            let length = word(item, tables::MAPPING_LENGTH);
            if length != 0 {
                let stack = word(item, tables::MAPPING_STACK) as u32;
                let birth = word(item, tables::MAPPING_BIRTH) as u32;
                live.add(ledger, stack, length, birth);
            }
        }
    })?;
    Ok(live)
}

fn read_sides(arena: &ArenaFile) -> Result<Vec<(u64, u32)>, Error> {
    let mut sides = Vec::new();
    let count = arena.used(Region::Sides);
    arena.each_chunk(Region::Sides, count, |_, bytes| {
        for item in bytes.chunks_exact(SIDE_BYTES as usize) {
            sides.push((word(item, 0), half(item, 8)));
        }
    })?;
    Ok(sides)
}
