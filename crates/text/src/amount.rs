//! A value of a counter with its unit.

use residue_profile::Counter;
use residue_profile::units;

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

    #[test]
    fn amounts_have_the_unit_of_the_counter() {
        assert_eq!(amount(Counter::Live, 2048), "2.00 KiB (2 048 bytes)");
        assert_eq!(amount(Counter::Calls, 2048), "2 048");
    }
}
