//! What a block takes of its page: what was asked for, rounded up, and the allocator's head.

use residue_reach::Block;
use std::ops::Range;

/// Whose blocks they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Footprint {
    /// glibc's: eight bytes before the block, 32 at least, in steps of 16.
    ///
    /// ```text
    ///   | size | block ........ | size of the next
    ///   -8     0                -8 + round16(bytes + 8)
    /// ```
    Glibc,
    /// Size classes of 8 and 16 bytes; larger ones are not rounded up, as no two allocators do it
    /// alike.
    Classes,
}

const HEAD_BYTES: u64 = 8;
const FEWEST_BYTES: u64 = 32;
const STEP_BYTES: u64 = 16;

impl Footprint {
    pub(crate) fn of(self, block: &Block) -> Range<u64> {
        match self {
            Footprint::Glibc => {
                let bytes = block.bytes.saturating_add(HEAD_BYTES);
                let bytes = round_up(bytes).max(FEWEST_BYTES);
                let start = block.start.saturating_sub(HEAD_BYTES);
                start..start.saturating_add(bytes)
            }
            Footprint::Classes => {
                let bytes = match block.bytes {
                    0..=HEAD_BYTES => HEAD_BYTES,
                    bytes => round_up(bytes),
                };
                block.start..block.start.saturating_add(bytes)
            }
        }
    }
}

fn round_up(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(STEP_BYTES).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(footprint: Footprint, bytes: u64) -> (u64, u64) {
        let block = Block {
            start: 0x1010,
            bytes,
            stack: 0,
            birth: 0,
        };
        let range = footprint.of(&block);
        (range.start, range.end - range.start)
    }

    #[test]
    fn blocks_take_more_than_was_asked_for() {
        for (bytes, taken) in [(0, 32), (1, 32), (24, 32), (25, 48), (40, 48), (41, 64)] {
            assert_eq!(of(Footprint::Glibc, bytes), (0x1008, taken), "{bytes}");
        }
        for (bytes, taken) in [(0, 8), (8, 8), (9, 16), (16, 16), (17, 32), (100, 112)] {
            assert_eq!(of(Footprint::Classes, bytes), (0x1010, taken), "{bytes}");
        }
        assert_eq!(of(Footprint::Glibc, u64::MAX).0, 0x1008);
    }
}
