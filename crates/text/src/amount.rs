//! A value of a counter with its unit.

use residue_profile::Counter;
use residue_profile::units::{self, Unit};

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
}
