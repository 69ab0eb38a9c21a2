//! The sizes that a bin of blocks stands for.

use residue_profile::units::bytes;

/// The recorder counts all larger blocks in its last bin too.
const OPEN_BIN: u8 = (residue_arena::counters::BINS - 1) as u8;

/// The smallest and the largest size that a bin stands for; `None` for what is larger
/// than all others, too.
pub fn size_bounds(bits: u8) -> (u64, Option<u64>) {
    let Some(shift) = bits.checked_sub(1).map(|shift| u32::from(shift.min(63))) else {
        return (0, Some(0));
    };
    let low = 1_u64 << shift;
    (low, (bits != OPEN_BIN).then(|| low + (low - 1)))
}

/// The sizes that a bin stands for: `64..127 B`, `1..2 KiB`.
pub fn size_range(bits: u8) -> String {
    let Some(shift) = bits.checked_sub(1).map(|shift| u32::from(shift.min(63))) else {
        return "0 B".to_string();
    };
    let (low, _) = size_bounds(bits);
    match bits {
        1 => "1 B".to_string(),
        2..=10 => format!("{low}..{} B", 2 * low - 1),
        OPEN_BIN => format!("{} or more", bytes(low)),
        _ => {
            let unit = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][(shift / 10 - 1) as usize];
            let first = 1 << (shift % 10);
            format!("{first}..{} {unit}", 2 * first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_ranges_of_sizes() {
        let expected = [
            (0, "0 B"),
            (1, "1 B"),
            (2, "2..3 B"),
            (7, "64..127 B"),
            (10, "512..1023 B"),
            (11, "1..2 KiB"),
            (20, "512..1024 KiB"),
            (21, "1..2 MiB"),
            (30, "512..1024 MiB"),
            (OPEN_BIN, "1.00 GiB or more"),
            (64, "8..16 EiB"),
            (255, "8..16 EiB"),
        ];
        for (bits, text) in expected {
            assert_eq!(size_range(bits), text);
        }
        assert_eq!(size_bounds(0), (0, Some(0)));
        assert_eq!(size_bounds(7), (64, Some(127)));
        assert_eq!(size_bounds(OPEN_BIN), (1 << 30, None));
        assert_eq!(size_bounds(64), (1 << 63, Some(u64::MAX)));
    }
}
