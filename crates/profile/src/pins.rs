//! Which pages of the heap live blocks keep resident, and whose they are, at the moment of a
//! picture.
//!
//! ```text
//!   resident = used by live blocks + free on their pages + pages without a live block
//!                   by stack              by stack
//! ```

use crate::timeline::StackId;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// Bytes of the resident heap, and who keeps them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pins {
    #[serde(flatten)]
    pub heap: ResidentHeap,
    /// Most free bytes first.
    pub stacks: Vec<StackPins>,
    /// Stacks that are not among them: how many, and what they keep.
    pub other_stacks: u64,
    pub other_used_bytes: u64,
    pub other_free_bytes: u64,
    /// By size of block: the exponents of powers of two, ascending.
    pub sizes: Vec<ClassPins>,
    /// By the event that the blocks were made in, ascending.
    pub births: Vec<ClassPins>,
    /// The heap in the order of addresses; empty where it was recorded before there were maps.
    pub map: HeapMap,
    /// What earlier pictures said, the first first.
    pub earlier: Vec<EarlierPins>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ResidentHeap {
    pub resident_bytes: u64,
    /// In live blocks, with what the allocator adds to each.
    pub used_bytes: u64,
    /// Free on pages that live blocks are on.
    pub free_bytes: u64,
    /// On pages without a live block: the allocator has not given them back.
    pub free_page_bytes: u64,
}

/// What the blocks of one stack keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackPins {
    pub stack: StackId,
    /// Its live blocks in the resident heap.
    pub blocks: u64,
    /// Bytes of them that are resident, with what the allocator adds.
    pub used_bytes: u64,
    /// Its part of what is free on their pages: divided evenly among the stacks of a page.
    pub free_bytes: u64,
    /// Pages that its blocks are on.
    pub pages: u64,
    /// Of these, on which no other stack has a block; what is free on them.
    pub alone_pages: u64,
    pub alone_free_bytes: u64,
    /// Sizes of its blocks, the smallest and the largest.
    pub smallest: u64,
    pub largest: u64,
    /// Events that they were made in, the first and the last.
    pub first_birth: u32,
    pub last_birth: u32,
}

/// What the blocks of one size class, or of one birth, keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPins {
    /// The exponent of a power of two, or the event.
    pub class: u32,
    pub used_bytes: u64,
    pub free_bytes: u64,
}

/// Runs of pages of the heap, resident or not, in the order of their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeapMap {
    /// Pages of a cell; the last of an area may have fewer.
    pub cell_pages: u64,
    pub cells: Vec<MapCell>,
}

/// One run of pages. In a file it is a list of these numbers in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "CellNumbers", into = "CellNumbers")]
pub struct MapCell {
    /// Where its first page begins.
    pub start: u64,
    pub pages: u64,
    /// Those of them that are in RAM, and those of these that live blocks are on.
    pub resident_pages: u64,
    pub pinned_pages: u64,
    /// In live blocks, with what the allocator adds to each.
    pub used_bytes: u64,
    /// Whose blocks have the most bytes in it; `None` where there are none.
    pub stack: Option<StackId>,
    /// Half of the bytes in live blocks were made in this event or before.
    pub birth: Option<u32>,
}

type CellNumbers = (u64, u64, u64, u64, u64, Option<StackId>, Option<u32>);

impl From<CellNumbers> for MapCell {
    fn from(numbers: CellNumbers) -> MapCell {
        let (start, pages, resident_pages, pinned_pages, used_bytes, stack, birth) = numbers;
        MapCell {
            start,
            pages,
            resident_pages,
            pinned_pages,
            used_bytes,
            stack,
            birth,
        }
    }
}

impl From<MapCell> for CellNumbers {
    fn from(cell: MapCell) -> CellNumbers {
        (
            cell.start,
            cell.pages,
            cell.resident_pages,
            cell.pinned_pages,
            cell.used_bytes,
            cell.stack,
            cell.birth,
        )
    }
}

/// More are not made, and not read.
pub const MOST_CELLS: usize = 4096;
const PAGE_BYTES: u64 = 4096;

impl MapCell {
    pub fn resident_bytes(&self) -> u64 {
        self.resident_pages.saturating_mul(PAGE_BYTES)
    }

    /// Free on pages that live blocks are on.
    pub fn free_bytes(&self) -> u64 {
        let pinned_bytes = self.pinned_pages.saturating_mul(PAGE_BYTES);
        pinned_bytes.saturating_sub(self.used_bytes)
    }

    /// On pages without a live block.
    pub fn free_page_bytes(&self) -> u64 {
        let free_pages = self.resident_pages.saturating_sub(self.pinned_pages);
        free_pages.saturating_mul(PAGE_BYTES)
    }
}

/// Cells in which one stack has the most bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StackCells {
    pub stack: StackId,
    pub cells: u64,
    pub resident_bytes: u64,
}

impl HeapMap {
    /// Stacks that have the most bytes in any cell, those with most pages first.
    pub fn stacks(&self) -> Vec<StackCells> {
        let mut found: BTreeMap<StackId, StackCells> = BTreeMap::new();
        for cell in &self.cells {
            let Some(stack) = cell.stack else { continue };
            let of = found.entry(stack).or_default();
            of.stack = stack;
            of.cells += 1;
            of.resident_bytes = of.resident_bytes.saturating_add(cell.resident_bytes());
        }
        let mut stacks: Vec<StackCells> = found.into_values().collect();
        stacks.sort_by_key(|of| (Reverse(of.resident_bytes), of.stack));
        stacks
    }
}

/// What a picture before the latest said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierPins {
    pub event: u32,
    #[serde(flatten)]
    pub heap: ResidentHeap,
    /// Free bytes that stacks kept, most first.
    pub stacks: Vec<(StackId, u64)>,
}

/// Stacks that have rows of their own.
pub const MOST_STACKS: usize = 2000;
/// Earlier pictures that are remembered.
const MOST_EARLIER: usize = 64;
/// Stacks of each.
const MOST_STACKS_OF_EARLIER: usize = 100;

impl EarlierPins {
    /// Free bytes that a stack kept then; `None` where it is not among those that were remembered.
    pub fn of_stack(&self, stack: StackId) -> Option<u64> {
        let of = self.stacks.iter().find(|(one, _)| *one == stack);
        match of {
            Some((_, bytes)) => Some(*bytes),
            None => (self.stacks.len() < MOST_STACKS_OF_EARLIER).then_some(0),
        }
    }
}

impl Pins {
    /// Remembers what pictures before this one said: that of the latest before it, and what that
    /// one remembered. Of too many every second one is kept.
    pub fn remember(&mut self, event: u32, before: Pins) {
        let stacks = before.stacks.iter().take(MOST_STACKS_OF_EARLIER);
        let latest = EarlierPins {
            event,
            heap: before.heap,
            stacks: stacks.map(|of| (of.stack, of.free_bytes)).collect(),
        };
        self.earlier = before.earlier;
        if self.earlier.len() >= MOST_EARLIER {
            let mut place = 0;
            self.earlier.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.earlier.push(latest);
    }

    /// Takes out what names stacks that are not there, or twice, and what nobody writes so much of;
    /// returns how many rows that were.
    pub(crate) fn repair(&mut self, is_there: impl Fn(StackId) -> bool) -> usize {
        let rows = |pins: &Pins| {
            let earlier = pins.earlier.iter().map(|of| of.stacks.len());
            pins.stacks.len() + earlier.sum::<usize>()
        };
        let before = rows(self);
        let mut known = HashSet::new();
        self.stacks
            .retain(|of| is_there(of.stack) && known.insert(of.stack));
        self.stacks.truncate(MOST_STACKS);
        self.earlier.truncate(MOST_EARLIER);
        let mut nameless = self.map.cells.len().saturating_sub(MOST_CELLS);
        self.map.cells.truncate(MOST_CELLS);
        for cell in &mut self.map.cells {
            nameless += usize::from(cell.stack.take_if(|stack| !is_there(*stack)).is_some());
        }
        for earlier in &mut self.earlier {
            earlier.stacks.retain(|(stack, _)| is_there(*stack));
            earlier.stacks.truncate(MOST_STACKS_OF_EARLIER);
        }
        before - rows(self) + nameless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(event: u32) -> Pins {
        Pins {
            heap: ResidentHeap {
                resident_bytes: u64::from(event) * 4096,
                ..ResidentHeap::default()
            },
            stacks: vec![StackPins {
                stack: 3,
                free_bytes: u64::from(event),
                ..StackPins::default()
            }],
            ..Pins::default()
        }
    }

    #[test]
    fn earlier_pictures_are_remembered_within_bounds() {
        let mut latest = at(1);
        for event in 2..=1000 {
            let mut next = at(event);
            next.remember(event - 1, latest);
            latest = next;
        }
        let events: Vec<u32> = latest.earlier.iter().map(|of| of.event).collect();
        assert!(events.len() <= MOST_EARLIER, "{events:?}");
        assert!(events.len() >= MOST_EARLIER / 2, "{events:?}");
        assert_eq!((events[0], *events.last().unwrap()), (1, 999));
        assert!(events.is_sorted_by(|a, b| a < b), "{events:?}");
        let last = latest.earlier.last().unwrap();
        assert_eq!(last.heap.resident_bytes, 999 * 4096);
        assert_eq!(last.stacks, [(3, 999)]);
    }

    fn cell(stack: StackId) -> MapCell {
        MapCell {
            start: 4096,
            pages: 2,
            resident_pages: 2,
            pinned_pages: 1,
            used_bytes: 96,
            stack: Some(stack),
            birth: Some(7),
        }
    }

    #[test]
    fn cells_are_lists_and_files_of_before_have_none() {
        let written = serde_json::to_string(&cell(3)).unwrap();
        assert_eq!(written, "[4096,2,2,1,96,3,7]");
        assert_eq!(serde_json::from_str::<MapCell>(&written).unwrap(), cell(3));
        assert_eq!(
            (cell(3).free_bytes(), cell(3).free_page_bytes()),
            (4000, 4096)
        );
        let before: Pins = serde_json::from_str("{}").unwrap();
        assert_eq!(before.map, HeapMap::default());
    }

    #[test]
    fn stacks_of_a_map_come_by_their_pages() {
        let map = HeapMap {
            cell_pages: 2,
            cells: vec![cell(9), cell(4), cell(4), MapCell::default()],
        };
        let stacks = map.stacks().into_iter();
        let stacks: Vec<_> = stacks
            .map(|of| (of.stack, of.cells, of.resident_bytes))
            .collect();
        assert_eq!(stacks, [(4, 2, 4 * 4096), (9, 1, 2 * 4096)]);
    }

    #[test]
    fn stacks_that_are_not_there_go() {
        let mut pins = at(7);
        pins.remember(6, at(6));
        pins.map.cells = vec![cell(3), cell(1)];
        assert_eq!(pins.repair(|stack| stack < 4), 0);
        assert_eq!(pins.repair(|stack| stack < 3), 3);
        assert_eq!(
            (pins.map.cells[0].stack, pins.map.cells[1].stack),
            (None, Some(1))
        );
        assert_eq!((pins.stacks.len(), pins.earlier[0].stacks.len()), (0, 0));
    }

    #[test]
    fn more_than_is_ever_written_goes() {
        let mut pins = at(7);
        pins.stacks = vec![pins.stacks[0]; 5];
        pins.earlier = {
            let mut later = at(2);
            later.remember(1, at(1));
            vec![later.earlier[0].clone(); 70]
        };
        pins.earlier[0].stacks = vec![(3, 1); 150];
        assert_eq!(pins.repair(|_| true), 4 + 6 + 50);
        assert_eq!((pins.stacks.len(), pins.earlier.len()), (1, 64));
        assert_eq!(pins.earlier[0].stacks.len(), 100);
    }

    #[test]
    fn a_stack_beyond_those_that_were_remembered_is_not_known() {
        let few = EarlierPins {
            stacks: vec![(3, 10)],
            ..EarlierPins::default()
        };
        assert_eq!((few.of_stack(3), few.of_stack(4)), (Some(10), Some(0)));
        let many = EarlierPins {
            stacks: (0..100).map(|stack| (stack, 10)).collect(),
            ..EarlierPins::default()
        };
        assert_eq!((many.of_stack(3), many.of_stack(100)), (Some(10), None));
    }
}
