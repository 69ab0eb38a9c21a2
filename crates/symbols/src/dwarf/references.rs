//! From one entry to another: within its unit, into another one of its file, or into the file
//! that several debug files share.

use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Dwarf, Unit, UnitHeader, UnitOffset};
use rustc_hash::FxHashMap;

use super::sections::Slice;
use super::type_units::TypeUnits;

/// References that are followed from one entry; real ones have three. A guard against
/// circles in bad data.
pub(super) const MOST_HOPS: u32 = 32;

/// A file with units that may refer to each other.
#[derive(Clone, Copy)]
pub(super) struct File<'a, 'data> {
    pub(super) dwarf: &'a Dwarf<Slice<'data>>,
    /// In the order in which they stand in the file.
    pub(super) headers: &'a [UnitHeader<Slice<'data>>],
}

/// The files that entries may refer to. The numbers are of [`EntryPlace::file`].
pub(super) const OWN: u8 = 0;
const ALTERNATE: u8 = 1;
/// The section of the own file that holds types by their hashes.
pub(super) const TYPES: u8 = 2;

/// Where an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct EntryPlace {
    pub(super) file: u8,
    /// Number of the unit in its file.
    pub(super) unit: usize,
    pub(super) entry: UnitOffset,
}

/// Finds what the entries of one unit refer to, and remembers the units that it was in.
pub(super) struct References<'a, 'data> {
    files: [Option<File<'a, 'data>>; 3],
    type_units: Option<&'a TypeUnits<'data>>,
    /// The unit on whose behalf others are looked at, and its number.
    home: &'a Unit<Slice<'data>>,
    home_number: usize,
    units: FxHashMap<(u8, usize), Option<Rc<Unit<Slice<'data>>>>>,
}

impl<'a, 'data> References<'a, 'data> {
    /// For a unit of `own`, and the number it has there.
    pub(super) fn new(
        own: File<'a, 'data>,
        alternate: Option<File<'a, 'data>>,
        home: &'a Unit<Slice<'data>>,
        home_number: usize,
    ) -> Self {
        References {
            files: [Some(own), alternate, None],
            type_units: None,
            home,
            home_number,
            units: FxHashMap::default(),
        }
    }

    /// Also follows references to types in units of their own.
    pub(super) fn add_types(&mut self, type_units: &'a TypeUnits<'data>) {
        let own = self.files[OWN as usize];
        self.files[TYPES as usize] = own.map(|own| File {
            headers: &type_units.headers,
            ..own
        });
        self.type_units = Some(type_units);
    }

    /// The place of an entry of the unit at home.
    pub(super) fn at_home(&self, entry: UnitOffset) -> EntryPlace {
        EntryPlace {
            file: OWN,
            unit: self.home_number,
            entry,
        }
    }

    /// The unit that an entry is in.
    pub(super) fn unit(&mut self, place: EntryPlace) -> Option<Found<'a, 'data>> {
        if place.file == OWN && place.unit == self.home_number {
            return Some(Found::Home(self.home));
        }
        let File { dwarf, headers } = self.files[place.file as usize]?;
        let header = *headers.get(place.unit)?;
        let unit = self.units.entry((place.file, place.unit));
        let unit = unit.or_insert_with(|| dwarf.unit(header).ok().map(Rc::new));
        unit.clone().map(Found::Other)
    }

    /// The file that an entry is in.
    pub(super) fn dwarf(&self, place: EntryPlace) -> Option<&'a Dwarf<Slice<'data>>> {
        Some(self.files[place.file as usize]?.dwarf)
    }

    /// The text of an attribute of the entry at `place`.
    pub(super) fn text(
        &mut self,
        place: EntryPlace,
        value: AttributeValue<Slice<'data>>,
    ) -> Option<String> {
        let unit = self.unit(place)?;
        let text = self.dwarf(place)?.attr_string(unit.get(), value).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    /// Where an attribute of the entry at `from` points to.
    pub(super) fn refer(
        &self,
        from: EntryPlace,
        value: AttributeValue<Slice<'data>>,
    ) -> Option<EntryPlace> {
        let (file, offset) = match value {
            AttributeValue::UnitRef(entry) => return Some(EntryPlace { entry, ..from }),
            AttributeValue::DebugTypesRef(hash) if from.file != ALTERNATE => {
                return self.type_units?.place(hash.0);
            }
            AttributeValue::DebugInfoRef(offset) if from.file == TYPES => (OWN, offset),
            AttributeValue::DebugInfoRef(offset) => (from.file, offset),
            AttributeValue::DebugInfoRefSup(offset) => (ALTERNATE, offset),
            _ => return None,
        };
        let headers = self.files[file as usize]?.headers;
        let starts_by = |header: &UnitHeader<_>| start(header) <= offset;
        let unit = headers.partition_point(starts_by).checked_sub(1)?;
        let entry = offset.to_unit_offset(&headers[unit])?;
        Some(EntryPlace { file, unit, entry })
    }
}

/// A unit that some entry is in.
pub(super) enum Found<'a, 'data> {
    Home(&'a Unit<Slice<'data>>),
    Other(Rc<Unit<Slice<'data>>>),
}

impl<'data> Found<'_, 'data> {
    pub(super) fn get(&self) -> &Unit<Slice<'data>> {
        match self {
            Found::Home(unit) => unit,
            Found::Other(unit) => unit,
        }
    }
}

/// Where a unit begins.
pub(super) fn start(header: &UnitHeader<Slice<'_>>) -> DebugInfoOffset {
    let offset = header.offset().as_debug_info_offset();
    offset.unwrap_or(DebugInfoOffset(0))
}
