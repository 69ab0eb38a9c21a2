//! One bit a block.

#[derive(Debug, Clone)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn new(length: usize) -> Self {
        Bits {
            words: vec![0; length.div_ceil(64)],
        }
    }

    pub fn get(&self, place: u32) -> bool {
        self.words[place as usize / 64] >> (place % 64) & 1 != 0
    }

    /// Whether it was not set before.
    pub fn set(&mut self, place: u32) -> bool {
        let word = &mut self.words[place as usize / 64];
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
