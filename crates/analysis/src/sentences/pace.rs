//! Growth that slows down.

use residue_profile::units::fractional_bytes;

/// How full something is, and where it ends: `87 % full, would end near 3.20 MiB (95 %: 3.05 MiB
/// .. 3.50 MiB)`.
pub fn end_of_filling(live_bytes: f64, end_bytes: f64, low: f64, high: f64) -> String {
    // Never called full while it still grows.
    let full = (100.0 * live_bytes / end_bytes).clamp(0.0, 99.0).round();
    format!(
        "{full} % full, would end near {} (95 %: {} .. {})",
        fractional_bytes(end_bytes),
        fractional_bytes(low),
        fractional_bytes(high)
    )
}

/// A rate at the end of a run against that at its begin.
pub(super) fn fall(first: f64, now: f64, unit: &str) -> String {
    format!(
        "{}/{unit} at first, {}/{unit} now",
        fractional_bytes(first),
        fractional_bytes(now)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_still_grows_is_never_full() {
        assert_eq!(
            end_of_filling(870.0, 1000.0, 950.0, 1100.0),
            "87 % full, would end near 1000 B (95 %: 950 B .. 1.07 KiB)"
        );
        assert!(end_of_filling(999.9, 1000.0, 999.9, 1001.0).starts_with("99 % full"));
    }

    #[test]
    fn a_fall_is_told_by_both_of_its_ends() {
        assert_eq!(
            fall(2048.0, 100.0, "tick"),
            "2.00 KiB/tick at first, 100 B/tick now"
        );
    }
}
