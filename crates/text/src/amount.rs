//! A value of a counter with its unit.

use residue_profile::Counter;
use residue_profile::units::{self, Unit};

/// A value as a share of the whole; nothing for a counter that does not add up.
pub fn share_of(counter: Counter, value: u64, whole: u64) -> String {
    match counter.adds_up() {
        true => units::share(value, whole),
        false => String::new(),
    }
}

pub fn amount(counter: Counter, value: u64) -> String {
    match counter.unit() {
        Unit::Bytes => units::exact_bytes(value),
        unit => unit.amount(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_unit_of_the_counter() {
        assert_eq!(amount(Counter::Live, 2048), "2.00 KiB (2 048 bytes)");
        assert_eq!(amount(Counter::Calls, 2048), "2 048");
        assert_eq!(amount(Counter::Cpu, 2_048_000), "2.05 ms");
    }

    #[test]
    fn a_maximum_has_no_shares() {
        assert_eq!(share_of(Counter::Live, 1, 4), "25.0 %");
        assert_eq!(share_of(Counter::Largest, 1, 4), "");
    }
}
