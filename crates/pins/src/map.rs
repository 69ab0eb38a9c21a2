//! A picture of the heap: runs of pages in the order of their addresses.
//!
//! ```text
//!   areas  |---------|  |---|    |------------------|
//!   cells  |--|--|--|-| |--|-|   |--|--|--|--|--|--|-|
//! ```
//!
//! A cell is of one area, unless there are so many areas that cells would not be enough: then the
//! last pages of one and the first of the next may share a cell.

use crate::area::{Area, PAGE_BYTES};
use crate::page::Page;
use residue_profile::pins::{HeapMap, MOST_CELLS, MapCell};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// While pages are added, in the order of their addresses.
pub(crate) struct Map<'a> {
    areas: &'a [Area],
    map: HeapMap,
    /// The number of each area's first page, as cells count them.
    firsts: Vec<u64>,
    /// The area of the page that was added last.
    area: usize,
    open: Open,
}

/// The cell that pages are being added to.
#[derive(Default)]
struct Open {
    cell: usize,
    /// Bytes by stack, and by birth.
    stacks: FxHashMap<u32, u64>,
    births: FxHashMap<u32, u64>,
}

impl<'a> Map<'a> {
    pub fn of(areas: &'a [Area]) -> Map<'a> {
        let (cell_pages, firsts, count) = laid_out(areas, MOST_CELLS as u64);
        let mut cells = vec![MapCell::default(); count as usize];
        for (area, first) in areas.iter().zip(&firsts) {
            for page in 0..area.pages {
                let cell = &mut cells[((first + page) / cell_pages) as usize];
                if cell.pages == 0 {
                    cell.start = area.start + page * PAGE_BYTES;
                }
                cell.pages += 1;
                cell.resident_pages += u64::from(area.is_resident(page));
            }
        }
        Map {
            areas,
            map: HeapMap { cell_pages, cells },
            firsts,
            area: 0,
            open: Open::default(),
        }
    }

    /// Adds a page that live blocks are on.
    pub fn add(&mut self, page: &Page) {
        if page.parts.is_empty() {
            return;
        }
        while self
            .areas
            .get(self.area)
            .is_some_and(|area| area.end() <= page.start)
        {
            self.area += 1;
        }
        let Some(area) = self.areas.get(self.area) else {
            return;
        };
        let number = self.firsts[self.area] + (page.start - area.start) / PAGE_BYTES;
        let cell = (number / self.map.cell_pages) as usize;
        if cell != self.open.cell {
            self.close();
            self.open.cell = cell;
        }
        let cell = &mut self.map.cells[cell];
        cell.pinned_pages += 1;
        for part in &page.parts {
            cell.used_bytes += part.bytes;
            *self.open.stacks.entry(part.stack).or_default() += part.bytes;
            *self.open.births.entry(part.birth).or_default() += part.bytes;
        }
    }

    pub fn finish(mut self) -> HeapMap {
        self.close();
        self.map
    }

    /// Whose bytes and which birth a cell is told by.
    fn close(&mut self) {
        let Some(cell) = self.map.cells.get_mut(self.open.cell) else {
            return;
        };
        let stacks = self.open.stacks.drain();
        let most = stacks.max_by_key(|&(stack, bytes)| (bytes, Reverse(stack)));
        let births = self.open.births.drain().collect();
        if let Some((stack, _)) = most {
            cell.stack = Some(stack);
            cell.birth = median(births);
        }
    }
}

/// Pages of a cell, the numbers of the areas' first pages, and how many cells there are.
fn laid_out(areas: &[Area], most_cells: u64) -> (u64, Vec<u64>, u64) {
    let is_apart = areas.len() as u64 <= most_cells / 2;
    let mut cell_pages = 1;
    loop {
        let mut next = 0_u64;
        let firsts = areas.iter().map(|area| {
            if is_apart {
                next = next.next_multiple_of(cell_pages);
            }
            let first = next;
            next += area.pages;
            first
        });
        let firsts = firsts.collect();
        let count = next.div_ceil(cell_pages);
        if count <= most_cells {
            return (cell_pages, firsts, count);
        }
        cell_pages *= 2;
    }
}

/// The birth that half of the bytes are older than.
fn median(mut births: Vec<(u32, u64)>) -> Option<u32> {
    births.sort_unstable();
    let all: u64 = births.iter().map(|(_, bytes)| bytes).sum();
    let mut before = 0;
    let middle = births.iter().find(|(_, bytes)| {
        before += bytes;
        before >= all.div_ceil(2)
    });
    middle.map(|(birth, _)| *birth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(start: u64, pages: usize) -> Area {
        Area::new(start, std::iter::repeat_n(true, pages))
    }

    #[test]
    fn cells_are_of_one_area_as_long_as_they_are_enough() {
        let areas = [area(0, 5), area(1 << 20, 3), area(2 << 20, 9)];
        let of = |most| {
            let (cell_pages, firsts, count) = laid_out(&areas, most);
            (cell_pages, firsts, count)
        };
        assert_eq!(of(100), (1, vec![0, 5, 8], 17));
        assert_eq!(of(10), (2, vec![0, 6, 10], 10));
        assert_eq!(of(7), (4, vec![0, 8, 12], 6));
        // Of five cells no three can be of areas of their own.
        assert_eq!(of(5), (4, vec![0, 5, 8], 5));
        assert_eq!(laid_out(&[], 5), (1, vec![], 0));
    }

    #[test]
    fn half_of_the_bytes_are_not_younger_than_the_median() {
        assert_eq!(median(vec![(9, 10), (1, 5), (5, 6)]), Some(5));
        assert_eq!(median(vec![(9, 11), (1, 5), (5, 6)]), Some(5));
        assert_eq!(median(vec![(9, 12), (1, 5), (5, 6)]), Some(9));
        assert_eq!(median(vec![]), None);
    }
}
