//! Which pages of the heap are resident.
//!
//! ```text
//!   area                                      what of it is the heap's
//!   ----------------------------------------  ------------------------------------------
//!   [heap], areas in which blocks have lived  all, but for mappings that the program made,
//!                                             stacks, and what the recorder keeps
//!   everything else                           nothing
//! ```

use super::memory::{Area, AreaKind};
use super::ranges;
use super::roots::{Around, thread_in};
use residue_pins::PAGE_BYTES;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

const ENTRY_BYTES: u64 = 8;
/// A page is there, and not in swap.
const PRESENT: u64 = 1 << 63;
/// Entries that are read at once.
const MOST_ENTRIES: u64 = 1 << 16;

/// The heap's pages in the child, in the order of their addresses.
pub fn of_heap(
    child: u32,
    areas: &[Area],
    around: &Around<'_>,
) -> io::Result<Vec<residue_pins::Area>> {
    let pagemap = File::open(format!("/proc/{child}/pagemap"))?;
    let ranges = ranges(areas, around);
    ranges
        .into_iter()
        .map(|range| area(&pagemap, range))
        .collect()
}

fn ranges(areas: &[Area], around: &Around<'_>) -> Vec<Range<u64>> {
    let mapped = around.table.mapped.iter().cloned();
    let holes = ranges::joined(mapped.chain(around.own.iter().cloned()).collect());
    let of_heap = areas.iter().filter(|area| match area.kind {
        AreaKind::Heap => true,
        AreaKind::Anonymous => {
            !area.is_shared
                && around.table.has_heap(&(area.start..area.end))
                && thread_in(area, around.threads).is_none()
        }
        _ => false,
    });
    of_heap
        .flat_map(|area| ranges::without(area.start..area.end, &holes))
        .map(whole_pages)
        .filter(|range| !range.is_empty())
        .collect()
}

/// A mapping takes the whole of its last page.
fn whole_pages(range: Range<u64>) -> Range<u64> {
    range.start.next_multiple_of(PAGE_BYTES)..range.end / PAGE_BYTES * PAGE_BYTES
}

fn area(pagemap: &File, range: Range<u64>) -> io::Result<residue_pins::Area> {
    let pages = (range.end - range.start) / PAGE_BYTES;
    let mut is_resident = Vec::new();
    for first in (0..pages).step_by(MOST_ENTRIES as usize) {
        let count = MOST_ENTRIES.min(pages - first);
        let mut entries = vec![0; (count * ENTRY_BYTES) as usize];
        let place = (range.start / PAGE_BYTES + first) * ENTRY_BYTES;
        pagemap.read_exact_at(&mut entries, place)?;
        let (entries, _) = entries.as_chunks::<{ ENTRY_BYTES as usize }>();
        let entries = entries.iter().map(|entry| u64::from_le_bytes(*entry));
        is_resident.extend(entries.map(|entry| entry & PRESENT != 0));
    }
    Ok(residue_pins::Area::new(range.start, is_resident))
}
