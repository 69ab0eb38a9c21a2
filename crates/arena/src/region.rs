//! The regions: where items of one kind are appended.

use crate::PAGE_BYTES;
use crate::header::{self, Word};
use crate::{counters, live, moments, node, tables};

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
/// Bytes from its offset on that are mapped in the program: the rest of it takes no
/// address space there.
pub const MAPPED: usize = 6;

/// The list of regions, in their order in the arena: of how many bytes an item is, and how
/// many items there are room for in an arena of full size.
macro_rules! regions {
    ($($Region:ident: $item_bytes:expr, $full_capacity:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Region {
            $($Region,)*
        }

        pub const COUNT: usize = [$(stringify!($Region)),*].len();

        pub const ALL: [Region; COUNT] = [$(Region::$Region),*];

        impl Region {
            pub const fn item_bytes(self) -> u64 {
                match self {
                    $(Region::$Region => $item_bytes,)*
                }
            }

            /// Virtual space only, used as it is needed.
            pub const fn full_capacity(self) -> u64 {
                match self {
                    $(Region::$Region => $full_capacity,)*
                }
            }
        }
    };
}

regions! {
    Strings: 1, 64 << 20;
    Modules: tables::MODULE_BYTES, 1 << 16;
    Threads: tables::THREAD_BYTES, 1 << 16;
    Mappings: tables::MAPPING_BYTES, 1 << 16;
    Nodes: node::CELL_BYTES, 1 << 28;
    CounterKeys: 8, 1 << 21;
    CounterPages: counters::PAGE_BYTES, 1 << 21;
    RecordDetails: counters::DETAIL_BYTES, 1 << 25;
    RecordsLogged: counters::LOGGED_ITEM_BYTES, 1 << 25;
    RecordOverflow: counters::OVERFLOW_BYTES, 1 << 22;
    LargeEntries: live::LARGE_ENTRY_BYTES, 1 << 26;
    LiveKeys: 8, 1 << 23;
    LivePages: live::PAGE_BYTES, 1 << 23;
    Names: 8, moments::MOST_NAMES;
    Moments: moments::ROW_BYTES, 1 << 21;
    LatestMoments: moments::ROW_BYTES, moments::LATEST_ROWS;
    Changes: moments::CHANGE_BYTES, 1 << 24;
    Accounts: moments::ACCOUNT_BYTES, 1 << 14;
    Snapshots: moments::SNAPSHOT_BYTES, 1 << 14;
    ProcMaps: 1, 1 << 30;
    Loads: moments::LOAD_BYTES, 1 << 16;
    Targets: moments::TARGET_BYTES, moments::MOST_TARGETS;
    CodeFiles: tables::CODE_FILE_BYTES, 1 << 14;
    CodeBytes: 1, 64 << 20;
    KeptKeys: 8, 1 << 21;
    KeptPages: live::PAGE_BYTES, 1 << 21;
}

impl Region {
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

/// The `shrink` of an arena in which no region has room: it only counts what is dropped. One
/// less, and each has a page.
pub const HEADER_ALONE: u32 = 24;

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
        let capacity = match shrunk < least {
            _ if shrink >= HEADER_ALONE => 0,
            true => least,
            false => shrunk,
        };
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
        for shrink in 0..=HEADER_ALONE {
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
    fn the_smallest_arenas_fit_where_files_may_hardly_be_written() {
        assert_eq!(layout(HEADER_ALONE).1, 4096);
        assert!(layout(HEADER_ALONE - 1).1 <= 112 << 10);
    }

    #[test]
    fn the_region_table_fits_the_header() {
        assert!(ALL[COUNT - 1].word(WORDS_PER_REGION) <= header::WORDS);
    }
}
