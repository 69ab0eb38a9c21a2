//! Damage to files, the same in every run.

/// A small generator of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Flips, cuts, swaps, repeats, and junk from `pieces`.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random, pieces: &[&[u8]]) {
    for _ in 0..=random.below(4) {
        let start = random.below(bytes.len());
        let end = (start + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte = random.next() as u8;
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => drop(bytes.drain(start..end)),
            3 => {
                let piece = pieces[random.below(pieces.len())];
                bytes.splice(start..end, piece.iter().copied());
            }
            4 => {
                let copy = bytes[start..end].to_vec();
                let place = random.below(bytes.len());
                bytes.splice(place..place, copy);
            }
            5 => {
                let length = random.below(bytes.len() / 4);
                let other = random.below(bytes.len());
                let length = length.min(bytes.len() - start.max(other));
                for offset in 0..length {
                    bytes.swap(start + offset, other + offset);
                }
            }
            _ => bytes.truncate(start.max(bytes.len() / 2)),
        }
    }
}
