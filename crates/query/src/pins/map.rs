//! The heap in the order of addresses, column by column.

use residue_profile::pins::{HeapMap, MapCell};
use residue_profile::timeline::StackId;
use serde::Serialize;

use crate::leaks::ShownPath;

/// Stacks that are named; so many colours can be told apart.
pub const NAMED_STACKS: usize = 7;

/// Cells are runs of pages; of each list the number at the same place is of the same cell. All
/// cells add up to the resident heap.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "HeapMap")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HeapMap"))]
pub struct Map {
    /// Pages of a cell; the last of an area of addresses may have fewer.
    pub cell_pages: u64,
    /// Address of the first page.
    pub start: Vec<u64>,
    pub pages: Vec<u64>,
    /// Those of them that are in RAM, and those of these that live blocks are on.
    pub resident_pages: Vec<u64>,
    pub pinned_pages: Vec<u64>,
    /// In live blocks, with what the allocator adds to each.
    pub used_bytes: Vec<u64>,
    /// Whose blocks have the most bytes in it; null where there are none.
    pub stack: Vec<Option<StackId>>,
    /// Half of the bytes in live blocks were made in this event or before.
    pub birth: Vec<Option<u32>>,
    /// Stacks that have the most bytes in cells, those with most pages first; of all only a few.
    pub stacks: Vec<MapStack>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapStack {
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
    /// Cells in which it has the most bytes, and what of them is in RAM.
    pub cells: u64,
    pub resident_bytes: u64,
}

/// `None` where there are no cells.
pub fn map(map: &HeapMap, mut path_of: impl FnMut(StackId) -> ShownPath) -> Option<Map> {
    if map.cells.is_empty() {
        return None;
    }
    fn column<T>(map: &HeapMap, of: impl FnMut(&MapCell) -> T) -> Vec<T> {
        map.cells.iter().map(of).collect()
    }
    let named = map.stacks().into_iter().take(NAMED_STACKS);
    Some(Map {
        cell_pages: map.cell_pages,
        start: column(map, |cell| cell.start),
        pages: column(map, |cell| cell.pages),
        resident_pages: column(map, |cell| cell.resident_pages),
        pinned_pages: column(map, |cell| cell.pinned_pages),
        used_bytes: column(map, |cell| cell.used_bytes),
        stack: column(map, |cell| cell.stack),
        birth: column(map, |cell| cell.birth),
        stacks: named
            .map(|of| MapStack {
                stack: of.stack,
                path: path_of(of.stack),
                cells: of.cells,
                resident_bytes: of.resident_bytes,
            })
            .collect(),
    })
}
