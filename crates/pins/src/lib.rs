//! Which pages of the heap live blocks keep resident, and whose blocks they are.
//!
//! ```text
//!   resident heap = used by live blocks + free on their pages + free pages
//!                       by stack             by stack            the allocator's
//! ```
//!
//! A page can be given back to the system when no block on it is live. What is free on a page that
//! cannot is kept by all stacks that have blocks there, each as much as any other: without either
//! of two the page would stay. So the free bytes of a page are divided evenly among its stacks, and
//! the sums over stacks are the heap's. Pages that one stack alone keeps are counted apart: those
//! would go with it for certain. The same pages are a map, run by run in the order of addresses.
//!
//! It reads nothing itself: blocks and resident pages are handed in.
#![forbid(unsafe_code)]

mod area;
mod footprint;
mod map;
mod page;
mod sums;

pub use area::{Area, PAGE_BYTES};
pub use footprint::Footprint;
use page::Page;
use residue_profile::pins::Pins;
use residue_reach::Heap;
use sums::Sums;

/// Looks at all blocks that lie in the areas; `areas` are in order and apart from each other.
///
/// Blocks that lie inside others (of custom pools) are part of those: it is the outer one that
/// keeps the page.
pub fn pins(heap: &Heap, areas: &[Area], footprint: Footprint) -> Pins {
    let mut sums = Sums::of(areas);
    let mut page = Page::default();
    let mut area = 0;
    let mut taken = 0;
    for id in heap.ids().filter(|&id| heap.outer(id).is_none()) {
        let block = heap.block(id);
        let range = footprint.of(&block);
        // Where the rounding up of one block reaches into the next, the next one counts.
        let range = range.start.max(taken)..range.end;
        if range.is_empty() {
            continue;
        }
        taken = range.end;
        while area < areas.len() && areas[area].end() <= range.start {
            area += 1;
        }
        let mut is_new = true;
        // A block may reach from one area into the next: they were one mapping once.
        for one in areas[area..].iter().take_while(|it| it.start < range.end) {
            for number in one.resident(&range) {
                let start = one.start + number * PAGE_BYTES;
                if page.start != start {
                    sums.add(&mut page);
                    page.start = start;
                }
                let bytes = range.end.min(start + PAGE_BYTES) - range.start.max(start);
                page.add(&block, bytes, std::mem::take(&mut is_new));
            }
        }
    }
    sums.add(&mut page);
    sums.pins()
}

#[cfg(test)]
mod tests;
