//! Numbers with their units, to three digits where more would not be read.

use residue_analysis::units::three_digits;
pub use residue_analysis::units::{bytes, count, counted, fractional_bytes};

/// A size to the byte: `2.19 MiB (2 296 381 bytes)`.
pub fn exact_bytes(exact: u64) -> String {
    if exact < 1024 {
        return bytes(exact);
    }
    format!("{} ({} bytes)", bytes(exact), count(exact))
}

/// A time in nanoseconds: `38.2 ms`, `2 min 5 s`.
pub fn duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds as f64 / 1e9;
    // Where the smaller unit would be rounded up to 1000, the larger one is used.
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..999_500 => format!("{} µs", three_digits(seconds * 1e6)),
        999_500..999_500_000 => format!("{} ms", three_digits(seconds * 1e3)),
        999_500_000..59_950_000_000 => format!("{} s", three_digits(seconds)),
        _ => long_duration(seconds.round() as u64),
    }
}

fn long_duration(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 => format!("{minutes} min {} s", seconds % 60),
        1..24 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// A part of a whole: `99.4 %`.
pub fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_string();
    }
    if part == whole {
        return "100 %".to_string();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    if percent < 0.05 {
        return "<0.1 %".to_string();
    }
    // Only the whole is shown as 100.
    let nearly = if part < whole { 99.9 } else { f64::INFINITY };
    format!("{:.1} %", percent.min(nearly))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_to_the_byte() {
        assert_eq!(exact_bytes(1023), "1023 B");
        assert_eq!(exact_bytes(2_296_381), "2.19 MiB (2 296 381 bytes)");
    }

    #[test]
    fn times_go_from_nanoseconds_to_days() {
        let expected = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_500, "1.50 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (38_240_000, "38.2 ms"),
            (999_600_000, "1.00 s"),
            (59_900_000_000, "59.9 s"),
            (59_960_000_000, "1 min 0 s"),
            (125_000_000_000, "2 min 5 s"),
            (3_599_600_000_000, "1 h 0 min"),
            (11_520_000_000_000, "3 h 12 min"),
            (183_600_000_000_000, "2 d 3 h"),
            (u64::MAX, "213503 d 23 h"),
        ];
        for (nanoseconds, text) in expected {
            assert_eq!(duration(nanoseconds), text);
        }
    }

    #[test]
    fn only_the_whole_is_a_hundred_percent() {
        assert_eq!(share(0, 10), "0 %");
        assert_eq!(share(1, 0), "0 %");
        assert_eq!(share(1, 100_000), "<0.1 %");
        assert_eq!(share(994, 1000), "99.4 %");
        assert_eq!(share(99_999, 100_000), "99.9 %");
        assert_eq!(share(7, 7), "100 %");
        assert_eq!(share(21, 20), "105.0 %");
    }
}
