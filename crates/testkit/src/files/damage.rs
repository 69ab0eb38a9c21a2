//! Damage to files, the same in every run.

use crate::random::Random;

/// Flips, cuts, swaps, repeats, and junk from `pieces`.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random, pieces: &[&[u8]]) {
    for _ in 0..=random.index(4) {
        let start = random.index(bytes.len());
        let end = (start + random.index(12)).min(bytes.len());
        match random.index(7) {
            0 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte = random.bits() as u8;
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte ^= 1 << random.index(8);
                }
            }
            2 => drop(bytes.drain(start..end)),
            3 => {
                let piece = pieces[random.index(pieces.len())];
                bytes.splice(start..end, piece.iter().copied());
            }
            4 => {
                let copy = bytes[start..end].to_vec();
                let place = random.index(bytes.len());
                bytes.splice(place..place, copy);
            }
            5 => {
                let length = random.index(bytes.len() / 4);
                let other = random.index(bytes.len());
                let length = length.min(bytes.len() - start.max(other));
                for offset in 0..length {
                    bytes.swap(start + offset, other + offset);
                }
            }
            _ => bytes.truncate(start.max(bytes.len() / 2)),
        }
    }
}
