//! The rows that the recorder wrote: moments, stamps and counts.

use crate::arena_file::{ArenaFile, Error};
use residue_arena::moments::MomentRow;
use residue_arena::region::Region;

/// All whole rows, kept ones and those of the ring, in the order of time.
pub fn read(arena: &ArenaFile) -> Result<Vec<MomentRow>, Error> {
    let mut rows = Vec::new();
    for region in [Region::Moments, Region::LatestMoments] {
        arena.each_item(region, |item| {
            rows.extend(MomentRow::from_words(item.words()))
        })?;
    }
    rows.sort_by_key(|row| (row.time_ns, row.event, row.number));
    Ok(rows)
}

/// A size of the process, where it was read.
pub fn read_size(bytes: u64) -> Option<u64> {
    (bytes != 0).then_some(bytes)
}
