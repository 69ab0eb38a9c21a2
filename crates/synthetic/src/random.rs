//! Numbers that look random and are the same on every machine.

/// A SplitMix64 generator.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// From zero up to, but not including, `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    /// As often between 1 and 2 as between 1000 and 2000: a long tail.
    pub fn skewed(&mut self, max_bits: u64) -> u64 {
        let bits = self.below(max_bits + 1);
        self.below(1 << bits)
    }
}

/// The same number for the same two, else any.
pub fn hash(first: u64, second: u64) -> u64 {
    mix(mix(first.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ second)
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
