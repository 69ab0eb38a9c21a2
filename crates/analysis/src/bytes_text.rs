//! Sizes in sentences.

/// A size with its unit, to four digits: `2.201 MiB`, `-64 B`.
pub fn bytes_text(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes.abs();
    let mut unit = 0;
    // What would be rounded up to 1024 is one of the next unit.
    while size >= 1023.95 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let digits = match (unit, size) {
        (0, size) if (size - size.round()).abs() < 1e-6 || size >= 100.0 => 0,
        (_, size) if size >= 100.0 => 1,
        (_, size) if size >= 10.0 => 2,
        (0, _) => 2,
        _ => 3,
    };
    let sign = if bytes < 0.0 { "-" } else { "" };
    format!("{sign}{size:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_and_a_unit() {
        for (bytes, text) in [
            (0.0, "0 B"),
            (64.0, "64 B"),
            (0.25, "0.25 B"),
            (-1536.0, "-1.500 KiB"),
            (2_201.0 * 1024.0, "2.149 MiB"),
            (1023.99, "1.000 KiB"),
            (350.0 * 1024.0 * 1024.0, "350.0 MiB"),
        ] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
