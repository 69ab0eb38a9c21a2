//! Units of sizes in other tools' files.

use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Kib,
    Mib,
    Gib,
    /// 1000 bytes.
    Kb,
    /// 1 000 000 bytes.
    Mb,
    /// 1000 KiB, what comes out where kibibytes are divided by 1000.
    KiloKib,
}

impl Unit {
    pub const NAMES: [(&str, Unit); 7] = [
        ("bytes", Unit::Bytes),
        ("kib", Unit::Kib),
        ("mib", Unit::Mib),
        ("gib", Unit::Gib),
        ("kb", Unit::Kb),
        ("mb", Unit::Mb),
        ("1000kib", Unit::KiloKib),
    ];

    pub fn bytes(self) -> u64 {
        match self {
            Unit::Bytes => 1,
            Unit::Kib => 1 << 10,
            Unit::Mib => 1 << 20,
            Unit::Gib => 1 << 30,
            Unit::Kb => 1000,
            Unit::Mb => 1_000_000,
            Unit::KiloKib => 1000 << 10,
        }
    }

    /// The size in bytes; `None` where that is no number a size can have.
    pub(crate) fn size(self, number: Number) -> Option<u64> {
        number.times(self.bytes())
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Unit, String> {
        let known = Unit::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|&(_, unit)| unit).ok_or_else(|| {
            let names: Vec<&str> = Unit::NAMES.iter().map(|&(name, _)| name).collect();
            format!("not one of {}", names.join(", "))
        })
    }
}

/// A number as files have them, exact where it is whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Whole(u64),
    Broken(f64),
}

impl Number {
    pub fn parse(text: &str) -> Option<Number> {
        let whole = text.parse().ok().map(Number::Whole);
        whole.or_else(|| text.parse().ok().map(Number::Broken))
    }

    /// The product as a whole number, rounded; `None` where it is below zero or
    /// beyond all bounds.
    pub fn times(self, factor: u64) -> Option<u64> {
        // Products below this are whole numbers that a float tells apart from
        // their neighbours' neighbours; sizes and times stay far below.
        const LIMIT: f64 = (1_u64 << 63) as f64;
        match self {
            Number::Whole(number) => number.checked_mul(factor),
            Number::Broken(number) => {
                let product = (number * factor as f64).round();
                (0.0..LIMIT).contains(&product).then_some(product as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_or_nothing() {
        let size = |unit: &str, number| {
            let unit: Unit = unit.parse().unwrap();
            unit.size(Number::parse(number)?)
        };
        assert_eq!(size("kib", "3563396"), Some(3_648_917_504));
        assert_eq!(size("1000kib", "9.765625"), Some(10_000_000));
        assert_eq!(size("mib", "0.5"), Some(524_288));
        assert_eq!(size("mb", "1"), Some(1_000_000));
        assert_eq!(size("bytes", "18446744073709551615"), Some(u64::MAX));
        for wrong in ["-1", "nan", "inf", "1e30", "", "x", "18446744073709551615"] {
            assert_eq!(size("kib", wrong), None, "{wrong}");
        }
        assert!("furlong".parse::<Unit>().unwrap_err().contains("1000kib"));
    }
}
