//! The recorder's own memory in a picture, which is no memory of the program.

use super::memory::FrozenMemory;
use std::ops::Range;

/// A page of the recorder's list (`private.rs` there): the next page, how many mappings were
/// entered, and as many pairs of start and length.
const PAGE_BYTES: u64 = 4096;
const PAIRS: u64 = 255;
const PAIRS_AT: u64 = 16;
const MOST_PAGES: usize = 4096;

/// The recorder's private mappings, from its list.
pub fn mappings(memory: &FrozenMemory, list: u64) -> Vec<Range<u64>> {
    let mut found = Vec::new();
    let mut page = list;
    for _ in 0..MOST_PAGES {
        if page == 0 {
            break;
        }
        found.push(page..page.saturating_add(PAGE_BYTES));
        for pair in 0..PAIRS {
            let at = page + PAIRS_AT + pair * 16;
            let (Some(start), Some(bytes)) = (memory.word(at), memory.word(at + 8)) else {
                break;
            };
            if bytes != 0 {
                let bytes = bytes.saturating_add(PAGE_BYTES - 1) & !(PAGE_BYTES - 1);
                found.push(start..start.saturating_add(bytes));
            }
        }
        page = memory.word(page).unwrap_or(0);
    }
    found
}
