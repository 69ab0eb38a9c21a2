//! A part of the address space that the allocator has, and which of its pages are resident.

use std::ops::Range;

pub const PAGE_BYTES: u64 = 4096;

/// Whole pages from `start` on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Area {
    pub start: u64,
    pub pages: u64,
    /// A bit for each page.
    resident: Vec<u64>,
}

impl Area {
    /// Of pages in order, resident or not.
    pub fn new(start: u64, is_resident: impl IntoIterator<Item = bool>) -> Area {
        let mut area = Area {
            start,
            ..Area::default()
        };
        for is_resident in is_resident {
            if area.pages.is_multiple_of(64) {
                area.resident.push(0);
            }
            let word = (area.pages / 64) as usize;
            area.resident[word] |= u64::from(is_resident) << (area.pages % 64);
            area.pages += 1;
        }
        area
    }

    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.pages * PAGE_BYTES)
    }

    pub fn resident_pages(&self) -> u64 {
        let ones = self.resident.iter().map(|word| word.count_ones());
        ones.map(u64::from).sum()
    }

    /// Numbers of the resident pages that a range touches, in order.
    pub(crate) fn resident(&self, range: &Range<u64>) -> impl Iterator<Item = u64> {
        let from = range.start.max(self.start).min(self.end());
        let to = range.end.clamp(from, self.end());
        let first = (from - self.start) / PAGE_BYTES;
        let last = match from < to {
            true => (to - self.start).div_ceil(PAGE_BYTES),
            false => first,
        };
        (first..last).filter(|&page| self.is_resident(page))
    }

    pub(crate) fn is_resident(&self, page: u64) -> bool {
        let word = self.resident.get((page / 64) as usize);
        word.is_some_and(|word| word >> (page % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_a_range_touches() {
        let area = Area::new(0x10000, (0..70).map(|page| page != 1));
        assert_eq!(area.resident_pages(), 69);
        assert_eq!(area.end(), 0x10000 + 70 * PAGE_BYTES);
        let of = |range: Range<u64>| area.resident(&range).collect::<Vec<_>>();
        assert_eq!(of(0x10fff..0x12001), [0, 2]);
        assert!(of(0x11000..0x12000).is_empty());
        assert_eq!(of(0..0x10001), [0]);
        assert_eq!(of(area.end() - 1..u64::MAX), [69]);
        assert!(of(0x12000..0x12000).is_empty());
        assert!(of(0x12010..0x12010).is_empty());
        assert!(of(0..1).is_empty());
    }
}
