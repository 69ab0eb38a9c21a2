//! The regions: where items of one kind are appended.

use crate::PAGE_BYTES;
use crate::header::{self, Word};

/// Words of the header that describe one region.
pub const WORDS_PER_REGION: usize = 8;

/// Byte offset of the first item in the arena.
pub const OFFSET: usize = 0;
pub const ITEM_BYTES: usize = 1;
/// Most items it can ever hold.
pub const CAPACITY: usize = 2;
/// Items handed out; may run past `CAPACITY` or `COMMITTED` when memory ends.
pub const USED: usize = 3;
/// Items whose memory is there. Only items below both numbers hold anything.
pub const COMMITTED: usize = 4;
/// Times the region could not grow.
pub const REFUSED: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Region {
    Strings,
    Modules,
    Threads,
    Mappings,
    Nodes,
    CounterKeys,
    CounterPages,
    Extras,
    Sides,
    LiveKeys,
    LivePages,
    Names,
    Moments,
    LatestMoments,
    Changes,
    Accounts,
    Snapshots,
    Papers,
    Loads,
    Targets,
    CodeFiles,
    CodeBytes,
}

pub const COUNT: usize = 22;

pub const ALL: [Region; COUNT] = [
    Region::Strings,
    Region::Modules,
    Region::Threads,
    Region::Mappings,
    Region::Nodes,
    Region::CounterKeys,
    Region::CounterPages,
    Region::Extras,
    Region::Sides,
    Region::LiveKeys,
    Region::LivePages,
    Region::Names,
    Region::Moments,
    Region::LatestMoments,
    Region::Changes,
    Region::Accounts,
    Region::Snapshots,
    Region::Papers,
    Region::Loads,
    Region::Targets,
    Region::CodeFiles,
    Region::CodeBytes,
];

impl Region {
    pub const fn item_bytes(self) -> u64 {
        match self {
            Region::Strings => 1,
            Region::Modules => crate::tables::MODULE_BYTES,
            Region::Threads => crate::tables::THREAD_BYTES,
            Region::Mappings => crate::tables::MAPPING_BYTES,
            Region::Nodes => crate::node::NODE_BYTES,
            Region::CounterKeys => 8,
            Region::CounterPages => crate::counters::PAGE_BYTES,
            Region::Extras => crate::counters::EXTRA_BYTES,
            Region::Sides => crate::live::SIDE_BYTES,
            Region::LiveKeys => 8,
            Region::LivePages => crate::live::PAGE_BYTES,
            Region::Names => 8,
            Region::Moments | Region::LatestMoments => crate::moments::ROW_BYTES,
            Region::Changes => crate::moments::CHANGE_BYTES,
            Region::Accounts => crate::moments::ACCOUNT_BYTES,
            Region::Snapshots => crate::moments::SNAPSHOT_BYTES,
            Region::Papers => 1,
            Region::Loads => crate::moments::LOAD_BYTES,
            Region::Targets => crate::moments::TARGET_BYTES,
            Region::CodeFiles => crate::tables::CODE_FILE_BYTES,
            Region::CodeBytes => 1,
        }
    }

    /// Items in an arena of full size; virtual space only, used as it is needed.
    pub const fn full_capacity(self) -> u64 {
        match self {
            Region::Strings => 64 << 20,
            Region::Modules => 1 << 16,
            Region::Threads => 1 << 16,
            Region::Mappings => 1 << 16,
            Region::Nodes => 1 << 26,
            Region::CounterKeys | Region::CounterPages => 1 << 21,
            Region::Extras => 1 << 22,
            Region::Sides => 1 << 26,
            Region::LiveKeys | Region::LivePages => 1 << 23,
            Region::Names => crate::moments::MOST_NAMES,
            Region::Moments => 1 << 21,
            Region::LatestMoments => crate::moments::LATEST_ROWS,
            Region::Changes => 1 << 24,
            Region::Accounts | Region::Snapshots => 1 << 14,
            Region::Papers => 1 << 30,
            Region::Loads => 1 << 16,
            Region::Targets => crate::moments::MOST_TARGETS,
            Region::CodeFiles => 1 << 14,
            Region::CodeBytes => 64 << 20,
        }
    }

    /// Header word `which` (one of the constants above) of this region.
    pub const fn word(self, which: usize) -> Word {
        header::REGIONS + self as usize * WORDS_PER_REGION + which
    }
}

/// Where a region lies in an arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub offset: u64,
    pub capacity: u64,
}

/// Places all regions, with capacities divided by two to the `shrink`.
/// Returns the extents and the length of the whole arena.
pub const fn layout(shrink: u32) -> ([Extent; COUNT], u64) {
    let mut extents = [Extent {
        offset: 0,
        capacity: 0,
    }; COUNT];
    let mut offset = (header::WORDS * 8) as u64;
    let mut index = 0;
    while index < COUNT {
        let region = ALL[index];
        let least = PAGE_BYTES.div_ceil(region.item_bytes());
        let shrunk = region.full_capacity() >> shrink;
        let capacity = if shrunk < least { least } else { shrunk };
        extents[index] = Extent { offset, capacity };
        offset += (capacity * region.item_bytes()).next_multiple_of(PAGE_BYTES);
        index += 1;
    }
    (extents, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_do_not_overlap_at_any_size() {
        for shrink in 0..24 {
            let (extents, length) = layout(shrink);
            let mut end = (header::WORDS * 8) as u64;
            for (extent, region) in extents.iter().zip(ALL) {
                assert_eq!(extent.offset, end);
                assert_eq!(extent.offset % PAGE_BYTES, 0);
                end += (extent.capacity * region.item_bytes()).next_multiple_of(PAGE_BYTES);
            }
            assert_eq!(end, length);
        }
    }

    #[test]
    fn the_region_table_fits_the_header() {
        assert!(ALL[COUNT - 1].word(WORDS_PER_REGION) <= header::WORDS);
    }
}
