//! Numbers with their units: the one way in which sizes and counts are written.

use serde::Serialize;

/// What a number counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    #[default]
    Bytes,
    /// Nanoseconds.
    Ns,
    Count,
}

impl Unit {
    /// The name it has in what is written for other programs.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Ns => "ns",
            Unit::Count => "count",
        }
    }

    /// A number with its unit, to three digits where it has one.
    pub fn amount(self, value: u64) -> String {
        match self {
            Unit::Bytes => bytes(value),
            Unit::Ns => duration(value),
            Unit::Count => count(value),
        }
    }
}

const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// A size in binary units, to three digits: `2.19 MiB`.
pub fn bytes(bytes: u64) -> String {
    fractional_bytes(bytes as f64)
}

/// The same of a mean or a rate, which may be a fraction or below zero: `0.25 B`, `-64 B`.
pub fn fractional_bytes(bytes: f64) -> String {
    let size = bytes.abs();
    // A mean of whole numbers is rarely whole to its last bit.
    let whole = bytes.round();
    if size < 1024.0 && (bytes - whole).abs() < 1e-6 {
        return format!("{} B", if whole == 0.0 { 0.0 } else { whole });
    }
    if size < LEAST_SHOWN {
        return "~0 B".to_string();
    }
    let mut value = size;
    let mut unit = 0;
    // What would be rounded up to 1024 is 1.00 of the next unit.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let sign = if bytes < 0.0 { "-" } else { "" };
    format!("{sign}{} {}", three_digits(value), UNITS[unit])
}

/// What would be rounded to nothing.
const LEAST_SHOWN: f64 = 0.005;

/// Three digits of a number from 0.01 to 1024.
pub fn three_digits(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A number in groups of three digits: `5 001 622`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A mean number of things: `13`, `9.59`, `0.025`.
pub fn fractional_count(mean: f64) -> String {
    match mean {
        whole if (whole - whole.round()).abs() < 1e-9 => count(whole.round() as u64),
        large if large >= 999.5 => count(large.round() as u64),
        mean if mean >= 1.0 => three_digits(mean),
        mean => format!("{mean:.3}"),
    }
}

/// A number of things: `1 block`, `36 180 blocks`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A number of events or ticks: `1 event`, `12 000 events`.
pub fn counted_units(number: u64, unit: &str) -> String {
    counted(number, unit, &format!("{unit}s"))
}

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

/// The same of a mean or a rate, which may be a fraction or below zero: `0.25 ns`, `-3.10 ms`.
pub fn fractional_duration(nanoseconds: f64) -> String {
    let size = nanoseconds.abs();
    let text = match size {
        0.0 => return "0 ns".to_string(),
        ..LEAST_SHOWN => return "~0 ns".to_string(),
        ..999.5 => format!("{} ns", three_digits(size)),
        _ => duration(size.round() as u64),
    };
    let sign = if nanoseconds < 0.0 { "-" } else { "" };
    format!("{sign}{text}")
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
    fn means_are_whole_numbers_where_they_can_be() {
        let shown = [13.0, 9.585, 0.025, 5_001_622.4, 999.7].map(fractional_count);
        assert_eq!(shown, ["13", "9.59", "0.025", "5 001 622", "1 000"]);
    }

    #[test]
    fn sizes_have_three_digits_and_a_unit() {
        let expected = [
            (0, "0 B"),
            (1, "1 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (10_234, "9.99 KiB"),
            (10_239, "10.0 KiB"),
            (102_348, "99.9 KiB"),
            (102_399, "100 KiB"),
            (1_048_063, "1023 KiB"),
            (1_048_064, "1.00 MiB"),
            (2_296_381, "2.19 MiB"),
            (512 << 20, "512 MiB"),
            (1 << 40, "1.00 TiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        for (size, text) in expected {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn rates_may_be_fractions_and_fall() {
        let expected = [
            (0.0, "0 B"),
            (-0.0, "0 B"),
            (64.0, "64 B"),
            (63.999_999_99, "64 B"),
            (1e-9, "0 B"),
            (-64.0, "-64 B"),
            (0.25, "0.25 B"),
            (-0.001, "~0 B"),
            (41.37, "41.4 B"),
            (1023.6, "1.00 KiB"),
            (-1536.0, "-1.50 KiB"),
            (2_201.0 * 1024.0, "2.15 MiB"),
        ];
        for (size, text) in expected {
            assert_eq!(fractional_bytes(size), text);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        let expected = [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (5_001_622, "5 001 622"),
            (u64::MAX, "18 446 744 073 709 551 615"),
        ];
        for (number, text) in expected {
            assert_eq!(count(number), text);
        }
        assert_eq!(counted(1, "block", "blocks"), "1 block");
        assert_eq!(counted(36_180, "block", "blocks"), "36 180 blocks");
        assert_eq!(counted_units(1, "event"), "1 event");
        assert_eq!(counted_units(0, "tick"), "0 ticks");
    }

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
    fn mean_times_may_be_fractions_and_fall() {
        let expected = [
            (0.0, "0 ns"),
            (0.001, "~0 ns"),
            (0.25, "0.25 ns"),
            (-12.34, "-12.3 ns"),
            (999.7, "1.00 µs"),
            (-3_100_000.0, "-3.10 ms"),
        ];
        for (nanoseconds, text) in expected {
            assert_eq!(fractional_duration(nanoseconds), text);
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
