//! Types in units of their own, which linkers keep one of. Elsewhere a hash stands for them.

use gimli::{Dwarf, UnitHeader, UnitType};
use rustc_hash::FxHashMap;

use super::references::{EntryPlace, OWN, TYPES};
use super::sections::Slice;

#[derive(Default)]
pub(super) struct TypeUnits<'data> {
    /// Before version 5 they have a section of their own; later they are among the others.
    pub(super) headers: Vec<UnitHeader<Slice<'data>>>,
    by_hash: FxHashMap<u64, EntryPlace>,
}

impl<'data> TypeUnits<'data> {
    /// `headers` are of the units that are not in a section of their own.
    pub(super) fn find(dwarf: &Dwarf<Slice<'data>>, headers: &[UnitHeader<Slice<'data>>]) -> Self {
        let mut found = TypeUnits::default();
        let mut units = dwarf.type_units();
        // What comes after a damaged one cannot be found.
        while let Ok(Some(header)) = units.next() {
            found.headers.push(header);
        }
        let own = headers.iter().enumerate();
        let apart = found.headers.iter().enumerate();
        let all = own.map(|unit| (OWN, unit));
        for (file, (unit, header)) in all.chain(apart.map(|unit| (TYPES, unit))) {
            if let UnitType::Type {
                type_signature,
                type_offset: entry,
            } = header.type_()
            {
                let place = EntryPlace { file, unit, entry };
                found.by_hash.insert(type_signature.0, place);
            }
        }
        found
    }

    pub(super) fn place(&self, hash: u64) -> Option<EntryPlace> {
        self.by_hash.get(&hash).copied()
    }
}
