//! Numbers of a comparison: with a sign where they are changes, divided where sides are
//! compared by event.

use residue_calltree::diff::Pair;

use residue_profile::Counter;
use residue_profile::units::{self, Unit, count};
use residue_query::compare::comparison::Comparison;

/// A change with its sign, in the unit of the comparison.
pub fn signed(comparison: &Comparison, pair: Pair) -> String {
    let scale = comparison.scale;
    match comparison.per {
        Some(_) => rate(comparison.counter, scale.delta(pair), true),
        None => amount(comparison.counter, pair.delta(), true),
    }
}

pub fn unit(counter: Counter) -> &'static str {
    match counter.unit() {
        Unit::Bytes => "bytes",
        Unit::Ns | Unit::Count => counter.subject(),
    }
}

fn sign(is_negative: bool, has_sign: bool) -> &'static str {
    match (is_negative, has_sign) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    }
}

fn magnitude(value: i128) -> u64 {
    u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX)
}

/// Every digit: `+100 000`.
pub fn plain(value: i128, has_sign: bool) -> String {
    format!("{}{}", sign(value < 0, has_sign), count(magnitude(value)))
}

/// A number with its unit: `+97.7 KiB`.
pub fn amount(counter: Counter, value: i128, has_sign: bool) -> String {
    let amount = counter.unit().amount(magnitude(value));
    format!("{}{amount}", sign(value < 0, has_sign))
}

/// The same of a number that was divided: `+1.25 KiB`, `-0.667`.
pub fn rate(counter: Counter, value: f64, has_sign: bool) -> String {
    let text = match (counter.unit(), value.abs()) {
        (Unit::Bytes, size) => units::fractional_bytes(size),
        (Unit::Ns, time) => units::duration(time.round() as u64),
        (Unit::Count, number @ 1e4..) => count(number.round() as u64),
        (Unit::Count, number) => {
            let digits = match number {
                1000.0.. => 1,
                10.0.. => 2,
                _ => 3,
            };
            let text = format!("{number:.digits$}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    };
    format!("{}{text}", sign(value < 0.0, has_sign))
}

/// A number with its unit, and to the byte where that says more.
pub fn exact(counter: Counter, value: i128, has_sign: bool) -> String {
    let short = amount(counter, value, has_sign);
    match (counter.unit(), magnitude(value)) {
        (Unit::Bytes, ..1024) => short,
        (Unit::Bytes, _) => format!("{short} ({} bytes)", plain(value, has_sign)),
        (Unit::Ns | Unit::Count, _) => format!("{short} {}", counter.subject()),
    }
}

/// The change in percent of what was there before, if anything was.
pub fn to_before(comparison: &Comparison, pair: Pair) -> Option<String> {
    let before = comparison.scale.before(pair);
    (before > 0.0).then(|| {
        let percent = 100.0 * comparison.scale.delta(pair) / before;
        match percent.abs() {
            0.0 => "0 %".to_string(),
            ..0.05 => "~0 %".to_string(),
            ..1000.0 => format!("{percent:+.1} %"),
            _ => format!("{percent:+.0} %"),
        }
    })
}

pub fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent < 0.05 => "<0.1 %".to_string(),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign_and_sizes_a_unit() {
        assert_eq!(amount(Counter::Live, 100_000, true), "+97.7 KiB");
        assert_eq!(amount(Counter::Live, -100, true), "-100 B");
        assert_eq!(amount(Counter::Live, 100, false), "100 B");
        assert_eq!(amount(Counter::Calls, -1_234_567, true), "-1 234 567");
        assert_eq!(plain(0, true), "+0");
        assert_eq!(plain(i128::MIN, true), "-18 446 744 073 709 551 615");
    }

    #[test]
    fn exact_numbers_have_every_digit() {
        assert_eq!(exact(Counter::Live, 900, true), "+900 B");
        let text = "-97.7 KiB (-100 000 bytes)";
        assert_eq!(exact(Counter::Live, -100_000, true), text);
        assert_eq!(exact(Counter::LiveBlocks, 7, false), "7 live blocks");
    }

    #[test]
    fn rates_have_few_digits() {
        assert_eq!(rate(Counter::Live, 1280.0, true), "+1.25 KiB");
        assert_eq!(rate(Counter::Live, -0.5, true), "-0.50 B");
        assert_eq!(rate(Counter::Calls, 2.0 / 3.0, true), "+0.667");
        assert_eq!(rate(Counter::Calls, 12.0, false), "12");
        assert_eq!(rate(Counter::Calls, 1234.56, false), "1234.6");
        assert_eq!(rate(Counter::Calls, 123_456.7, false), "123 457");
    }

    #[test]
    fn shares_are_never_rounded_to_nothing() {
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(0.0001), "<0.1 %");
        assert_eq!(percent(1.0), "100.0 %");
    }
}
