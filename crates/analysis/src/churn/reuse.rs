//! A block of one size that is made and freed again and again: a buffer to keep.
//!
//! The highest that a stack held at once is no less than its largest block, and that no less
//! than the mean of its blocks. Where the highest *is* the mean, `peak × calls = total`, all
//! blocks have that size, and never were there two of them. Nothing less is proof: a mean may
//! be whole where sizes differ.

use super::{Action, Blocks, Limits, Saving};

pub fn saving(blocks: &Blocks<'_>) -> Option<Saving> {
    let counters = &blocks.counters;
    let block_bytes = blocks.mean_bytes()?;
    // A block that is reallocated stays, and is no other one.
    if counters.calls < 2 || counters.peak_bytes != block_bytes || blocks.reallocations() > 0 {
        return None;
    }
    Some(Saving {
        stack: blocks.stack,
        action: Action::Reuse { block_bytes },
        allocations: counters.calls,
        bytes_allocated: counters.total_bytes,
        saved_allocations: counters.calls - 1,
        saved_bytes: Limits::exactly(counters.total_bytes - block_bytes),
        allocations_per_event: None,
    })
}
