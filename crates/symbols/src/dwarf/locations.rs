//! Where debug information may speak of a variable at some address.
//!
//! No index leads from the address of a variable to its entry: `.debug_aranges` and the ranges
//! of units are of code, and to read all entries of a file takes seconds for every hundred
//! megabytes. But the linker has written each address out in full, after an operation that
//! says so, and bytes can be searched as fast as memory is read. What is found is only
//! mentioned: it may as well be an argument of a call, or chance. The entry that the bytes are
//! in decides, and only units with a mention are read.

use std::ops::RangeInclusive;

use gimli::{DwOp, RunTimeEndian};
use rustc_hash::FxHashSet;

use crate::variables::DataAddress;

/// The addresses at which variables are looked for.
#[derive(Default)]
pub(crate) struct Wanted {
    /// Where variables begin, as symbols say.
    starts: FxHashSet<DataAddress>,
    /// Where some variable may begin of which no symbol tells: stretches of sections.
    ranges: Vec<(DataAddress, DataAddress)>,
    /// From the first to the last, to pass quickly over what is none of them.
    around: Option<RangeInclusive<u64>>,
}

impl Wanted {
    pub(crate) fn add(&mut self, start: DataAddress) {
        self.starts.insert(start);
        self.widen(start.value());
    }

    /// Adds all addresses from the first to the last, which are of one kind.
    pub(crate) fn add_range(&mut self, first: DataAddress, last: DataAddress) {
        let known = self.ranges.iter_mut().find(|range| range.0 == first);
        match known {
            Some(range) => range.1 = range.1.max(last),
            None => self.ranges.push((first, last)),
        }
        self.widen(first.value());
        self.widen(last.value());
    }

    fn widen(&mut self, value: u64) {
        let (first, last) = match &self.around {
            Some(around) => (value.min(*around.start()), value.max(*around.end())),
            None => (value, value),
        };
        self.around = Some(first..=last);
    }

    fn contains(&self, address: DataAddress) -> bool {
        let value = address.value();
        if !self.around.as_ref().is_some_and(|all| all.contains(&value)) {
            return false;
        }
        let mut ranges = self.ranges.iter();
        self.starts.contains(&address)
            || ranges.any(|(first, last)| (first..=last).contains(&&address))
    }
}

/// Calls `found` with every wanted address in the bytes of a unit, and where it is in them.
/// `indexed` knows the addresses that the unit has by numbers only, if it has any.
pub(super) fn mentions(
    bytes: &[u8],
    endian: RunTimeEndian,
    wanted: &Wanted,
    indexed: Option<&dyn Fn(usize) -> Option<u64>>,
    mut found: impl FnMut(DataAddress, usize),
) {
    for (at, &operation) in bytes.iter().enumerate() {
        let rest = || &bytes[at + 1..];
        let address = match DwOp(operation) {
            gimli::DW_OP_addr => number(rest(), endian).map(DataAddress::Static),
            gimli::DW_OP_const8u if is_thread_local(rest().get(8)) => {
                number(rest(), endian).map(DataAddress::ThreadLocal)
            }
            operation @ (gimli::DW_OP_addrx | gimli::DW_OP_constx) => indexed.and_then(|indexed| {
                let (index, length) = short_leb(rest())?;
                let is_thread_local = is_thread_local(rest().get(length));
                match operation {
                    gimli::DW_OP_addrx => Some(DataAddress::Static(indexed(index)?)),
                    _ if is_thread_local => Some(DataAddress::ThreadLocal(indexed(index)?)),
                    _ => None,
                }
            }),
            _ => continue,
        };
        if let Some(address) = address.filter(|&address| wanted.contains(address)) {
            found(address, at);
        }
    }
}

fn is_thread_local(operation: Option<&u8>) -> bool {
    matches!(
        operation.map(|&byte| DwOp(byte)),
        Some(gimli::DW_OP_form_tls_address | gimli::DW_OP_GNU_push_tls_address)
    )
}

fn number(bytes: &[u8], endian: RunTimeEndian) -> Option<u64> {
    let bytes = *bytes.first_chunk()?;
    Some(match endian {
        RunTimeEndian::Little => u64::from_le_bytes(bytes),
        RunTimeEndian::Big => u64::from_be_bytes(bytes),
    })
}

/// A number of up to 28 bits and its length; nobody has more addresses.
fn short_leb(bytes: &[u8]) -> Option<(usize, usize)> {
    let length = bytes.iter().take(4).position(|byte| byte & 0x80 == 0)? + 1;
    let digits = bytes[..length].iter().rev();
    let number = digits.fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f));
    Some((number, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataAddress::{Static, ThreadLocal};

    fn found(bytes: &[u8], wanted: &Wanted) -> Vec<(DataAddress, usize)> {
        let mut found = Vec::new();
        let indexed = |index| [0x5000, 0x4010].get(index).copied();
        mentions(
            bytes,
            RunTimeEndian::Little,
            wanted,
            Some(&indexed),
            |address, at| {
                found.push((address, at));
            },
        );
        found
    }

    #[test]
    fn addresses_are_found_wherever_they_stand() {
        let mut wanted = Wanted::default();
        wanted.add(Static(0x4010));
        wanted.add(ThreadLocal(8));
        let bytes = [3, 9, 3, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 3];
        assert_eq!(found(&bytes, &wanted), [(Static(0x4010), 2)]);
        assert_eq!(found(&bytes[..10], &wanted), []);
        let bytes = [0x0e, 8, 0, 0, 0, 0, 0, 0, 0, 0xe0];
        assert_eq!(found(&bytes, &wanted), [(ThreadLocal(8), 0)]);
        assert_eq!(found(&bytes[..9], &wanted), []);
        // The first number, the second, and one that nobody has.
        let bytes = [2, 0xa1, 0, 2, 0xa1, 1, 0xa1, 0x81, 1];
        assert_eq!(found(&bytes, &wanted), [(Static(0x4010), 4)]);
    }

    #[test]
    fn ranges_are_of_one_kind() {
        let mut wanted = Wanted::default();
        wanted.add_range(Static(8), Static(0x100));
        let bytes = [3, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(found(&bytes, &wanted), [(Static(8), 0), (Static(0x100), 9)]);
        let bytes = [0x0e, 8, 0, 0, 0, 0, 0, 0, 0, 0xe0];
        assert_eq!(found(&bytes, &wanted), []);
    }
}
