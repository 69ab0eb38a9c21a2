//! The blocks that were live when the picture was taken: from the live table of a program that goes
//! on.
//!
//! A page of the table is copied before its first change. So a page is read first, and then it is
//! looked for among the copies: if it is there, the copy counts.

use super::memory::Area;
use anyhow::{Result, bail};
use residue_arena::live::{
    Entry, HALF_BIT, KEPT_PICTURE_SHIFT, KEY_FLAGS, KEY_IN_USE, KEY_ODD, PAGE_ENTRIES, unpack,
};
use residue_arena::region::Region;
use residue_arena::{PAGE_BYTES, header, tables};
use residue_finish::{ArenaFile, to_words};
use residue_reach::Block;
use std::collections::HashMap;
use std::ops::Range;

/// What was live, and where blocks lie at all.
#[derive(Default)]
pub struct Table {
    pub blocks: Vec<Block>,
    /// Parts of the address space in which the allocator has had blocks, in order.
    pub heap: Vec<Range<u64>>,
    /// What the program mapped itself; blocks too.
    pub mapped: Vec<Range<u64>>,
}

/// Pages of the table that are read at once.
const PAGES_AT_ONCE: u64 = 1024;
/// A granule of glibc's holds a block in its first or its second half.
const WIDE_GRANULE_SHIFT: u64 = 5;
const HALF_BYTES: u64 = 16;
/// Reported blocks lie above all addresses, in narrow granules.
const REPORTED_BIT: u64 = 1 << 47;
const NARROW_GRANULE_SHIFT: u64 = 4;
const ODD_BYTES: u64 = 8;

/// What the table held when the latest picture was taken.
pub fn read(arena: &mut ArenaFile, areas: &[Area]) -> Result<Table> {
    arena.refresh()?;
    let picture = arena.word(header::PICTURES);
    let pages = arena.word(header::PICTURE_PAGES);
    let granule_shift = arena.word(header::GRANULE_SHIFT);
    let mut table = Table::default();
    let mut large = Vec::new();
    arena.each_item(Region::LargeEntries, |item| {
        large.push((item.word(0), item.half(8)));
    })?;
    mappings(arena, areas, &mut table)?;
    let keys = arena.keys(Region::LiveKeys, pages)?;
    let mut kept: HashMap<u64, u64> = HashMap::new();
    let mut kept_seen = 0;
    for first in (0..keys.len() as u64).step_by(PAGES_AT_ONCE as usize) {
        let count = PAGES_AT_ONCE.min(keys.len() as u64 - first);
        let mut entries = to_words(&arena.items(Region::LivePages, first, count)?);
        arena.refresh()?;
        if arena.word(header::PICTURES) != picture {
            bail!("another picture was taken meanwhile");
        }
        let now = arena.word(header::PICTURE_KEPT);
        let fresh = arena.items(Region::KeptKeys, kept_seen, now.saturating_sub(kept_seen))?;
        for (place, key) in to_words(&fresh).into_iter().enumerate() {
            if key >> KEPT_PICTURE_SHIFT == picture {
                let page = key & ((1 << KEPT_PICTURE_SHIFT) - 1);
                kept.entry(page).or_insert(kept_seen + place as u64);
            }
        }
        kept_seen = now;
        for (place, page) in entries.chunks_exact_mut(PAGE_ENTRIES).enumerate() {
            let number = first + place as u64;
            if let Some(&copy) = kept.get(&number) {
                let words = to_words(&arena.items(Region::KeptPages, copy, 1)?);
                if words.len() == page.len() {
                    page.copy_from_slice(&words);
                }
            }
            table.add_page(keys[number as usize], page, granule_shift, &large);
        }
    }
    table.heap.sort_unstable_by_key(|range| range.start);
    Ok(table)
}

/// Those that came since are not in the child.
fn mappings(arena: &ArenaFile, areas: &[Area], table: &mut Table) -> Result<()> {
    arena.each_item(Region::Mappings, |item| {
        let (start, bytes) = (
            item.word(tables::MAPPING_START),
            item.word(tables::MAPPING_LENGTH),
        );
        let after = areas.partition_point(|area| area.end <= start);
        let is_there = areas.get(after).is_some_and(|area| area.start <= start);
        if bytes != 0 && is_there {
            table.mapped.push(start..start.saturating_add(bytes));
            table.blocks.push(Block {
                start,
                bytes,
                stack: item.word(tables::MAPPING_STACK) as u32,
                birth: item.word(tables::MAPPING_BIRTH) as u32,
            });
        }
    })?;
    Ok(())
}

impl Table {
    fn add_page(&mut self, key: u64, page: &[u64], granule_shift: u64, large: &[(u64, u32)]) {
        if key & KEY_IN_USE == 0 {
            return;
        }
        let address = key & !KEY_FLAGS;
        let is_reported = address & REPORTED_BIT != 0;
        let first = address & !REPORTED_BIT;
        let shift = match is_reported {
            true => NARROW_GRANULE_SHIFT,
            false => granule_shift.min(WIDE_GRANULE_SHIFT),
        };
        let odd = match key & KEY_ODD {
            0 => 0,
            _ => ODD_BYTES,
        };
        if !is_reported {
            self.heap
                .push(first..first.saturating_add((PAGE_ENTRIES as u64) << shift));
        }
        for (place, &entry) in page.iter().enumerate() {
            let (stack, bytes, birth) = match unpack(entry) {
                Entry::Absent => continue,
                Entry::Inline {
                    stack,
                    bytes,
                    birth,
                } => (stack, bytes, birth),
                Entry::Large { stack, number } => match large.get(number as usize) {
                    Some(&(bytes, birth)) => (stack, bytes, birth),
                    None => continue,
                },
            };
            let half = match entry & HALF_BIT {
                0 => 0,
                _ if shift == WIDE_GRANULE_SHIFT => HALF_BYTES,
                _ => 0,
            };
            self.blocks.push(Block {
                start: first + ((place as u64) << shift) + half + odd,
                bytes,
                stack,
                birth,
            });
        }
    }

    /// Whether blocks have ever been in this range, other than those of mappings.
    pub fn has_heap(&self, range: &Range<u64>) -> bool {
        let after = self.heap.partition_point(|it| it.end <= range.start);
        self.heap.get(after).is_some_and(|it| it.start < range.end)
    }
}

const _: () = assert!(PAGE_ENTRIES as u64 * 8 == PAGE_BYTES);
