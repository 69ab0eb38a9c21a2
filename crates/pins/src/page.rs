//! The blocks of one page.

use residue_reach::Block;

/// What stacks, sizes and births have on it.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub start: u64,
    pub parts: Vec<Part>,
}

/// Of blocks of one stack, size class and birth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub stack: u32,
    pub class: u8,
    pub birth: u32,
    pub bytes: u64,
    /// Each counts on the first of its pages.
    pub blocks: u64,
    pub smallest: u64,
    pub largest: u64,
}

impl Page {
    pub fn add(&mut self, block: &Block, bytes: u64, is_new: bool) {
        let class = class_of(block.bytes);
        let key = (block.stack, class, block.birth);
        match self.parts.last_mut() {
            // Neighbours are mostly alike.
            Some(last) if (last.stack, last.class, last.birth) == key => {
                last.bytes += bytes;
                last.blocks += u64::from(is_new);
                last.smallest = last.smallest.min(block.bytes);
                last.largest = last.largest.max(block.bytes);
            }
            _ => self.parts.push(Part {
                stack: block.stack,
                class,
                birth: block.birth,
                bytes,
                blocks: u64::from(is_new),
                smallest: block.bytes,
                largest: block.bytes,
            }),
        }
    }
}

/// The power of two that a size is below or at: 64 for 33 to 64 bytes.
pub(crate) fn class_of(bytes: u64) -> u8 {
    match bytes {
        0 | 1 => 0,
        _ => (u64::BITS - (bytes - 1).leading_zeros()) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::class_of;

    #[test]
    fn classes_are_powers_of_two() {
        let classes = [0, 1, 2, 3, 4, 5, 64, 65, 1 << 40, u64::MAX].map(class_of);
        assert_eq!(classes, [0, 0, 1, 2, 2, 3, 6, 7, 40, 64]);
    }
}
