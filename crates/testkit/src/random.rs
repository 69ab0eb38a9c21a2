//! Numbers that look random and are the same on every machine.

/// xorshift64*: small, seeded, good enough for a few million draws.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        // Never zero, where it would stay; and neighbouring seeds part in the first draws.
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = Random { state };
        for _ in 0..8 {
            random.bits();
        }
        random
    }

    /// Any number of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// From zero up to, but not including, `limit`; zero where the limit is.
    pub fn below(&mut self, limit: u64) -> u64 {
        let bits = self.bits() >> 11;
        ((u128::from(bits) * u128::from(limit)) >> 53) as u64
    }

    /// A place in something of this length; zero where it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    pub fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    /// As often between 1 and 2 as between 1000 and 2000: a long tail.
    pub fn skewed(&mut self, max_bits: u64) -> u64 {
        let bits = self.below(max_bits + 1);
        self.below(1 << bits)
    }

    /// Uniform in 0..1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
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
