//! Counters and kinds of memory on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
pub use residue_profile::{Counter, Kind};

use super::units;

/// Reads the name of a counter.
pub fn counters() -> impl TypedValueParser<Value = Counter> {
    let names = Counter::ALL.map(|it| PossibleValue::new(it.name()).help(it.meaning()));
    PossibleValuesParser::new(names).map(|name| {
        let mut all = Counter::ALL.into_iter();
        all.find(|it| it.name() == name).unwrap_or_default()
    })
}

/// Reads the name of a kind of memory.
pub fn kinds() -> impl TypedValueParser<Value = Kind> {
    let names = Kind::ALL.map(|it| PossibleValue::new(it.name()).help(it.meaning()));
    PossibleValuesParser::new(names).map(|name| {
        let mut all = Kind::ALL.into_iter();
        all.find(|it| it.name() == name).unwrap_or_default()
    })
}

/// A value with its unit.
pub fn amount(counter: Counter, value: u64) -> String {
    if counter.is_bytes() {
        units::exact_bytes(value)
    } else {
        units::count(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;

    #[test]
    fn every_counter_has_its_own_value() {
        let stack = sample::profile().stacks[0];
        let values = Counter::ALL.map(|counter| counter.value(&stack));
        assert_eq!(values, [100, 6400, 1920, 30, 3200, 2560, 40, 70, 5, 3]);
    }

    #[test]
    fn amounts_have_the_unit_of_the_counter() {
        assert_eq!(amount(Counter::Live, 2048), "2.00 KiB (2 048 bytes)");
        assert_eq!(amount(Counter::Calls, 2048), "2 048");
    }

    #[test]
    fn shares_are_of_the_sum_but_peaks_are_of_the_peak() {
        let profile = sample::profile();
        assert_eq!(Counter::Live.whole(&profile, Kind::Heap), 1920 + 1000 + 16);
        assert_eq!(Counter::Live.whole(&profile, Kind::Mapping), 8192);
        assert_eq!(Counter::Live.whole(&profile, Kind::All), 11_128);
        assert_eq!(Counter::Peak.whole(&profile, Kind::Heap), 5000);
        assert_eq!(Counter::Peak.whole(&profile, Kind::All), 5000 + 8192);
    }
}
