//! Names of functions, wherever in the debug information they stand.
//!
//! An entry with code often has no name itself. It refers to the entry that all its
//! copies share, and that may refer to the declaration in a class. The linkage name is
//! wanted. Compilers leave it out for functions that no other unit can see; those get
//! the name that the source gives them, after the names of what encloses them.

use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Dwarf, Unit, UnitHeader, UnitOffset};
use rustc_hash::FxHashMap;

use super::scopes::Scopes;
use super::sections::Slice;

/// References that are followed from one entry; real ones have three. A guard against
/// circles in bad data.
const MOST_HOPS: u32 = 32;

/// A file with units that may refer to each other.
#[derive(Clone, Copy)]
pub(super) struct File<'a, 'data> {
    pub(super) dwarf: &'a Dwarf<Slice<'data>>,
    /// In the order in which they stand in the file.
    pub(super) headers: &'a [UnitHeader<Slice<'data>>],
}

/// The files that entries may refer to. The numbers are of [`Place::file`].
const OWN: u8 = 0;
const ALTERNATE: u8 = 1;

/// Where an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct EntryPlace {
    file: u8,
    /// Number of the unit in its file.
    unit: usize,
    entry: UnitOffset,
}

/// Looks up names on behalf of one unit, and remembers them.
pub(super) struct Names<'a, 'data> {
    files: [Option<File<'a, 'data>>; 2],
    /// The unit whose functions are named, and its number.
    home: &'a Unit<Slice<'data>>,
    home_number: usize,
    units: FxHashMap<(u8, usize), Option<Rc<Unit<Slice<'data>>>>>,
    scopes: FxHashMap<(u8, usize), Scopes>,
}

impl<'a, 'data> Names<'a, 'data> {
    /// For a unit of `own`, and the number it has there.
    pub(super) fn new(
        own: File<'a, 'data>,
        alternate: Option<File<'a, 'data>>,
        home: &'a Unit<Slice<'data>>,
        home_number: usize,
    ) -> Self {
        Names {
            files: [Some(own), alternate],
            home,
            home_number,
            units: FxHashMap::default(),
            scopes: FxHashMap::default(),
        }
    }

    /// The linkage name of the function that an entry of the home unit describes, or
    /// the qualified name if it has none.
    pub(super) fn find(&mut self, entry: UnitOffset) -> Option<String> {
        let place = EntryPlace {
            file: OWN,
            unit: self.home_number,
            entry,
        };
        let name = self.linkage_name(place);
        name.or_else(|| self.qualified(place, MOST_HOPS))
    }

    fn linkage_name(&mut self, mut place: EntryPlace) -> Option<String> {
        for _ in 0..MOST_HOPS {
            let described = self.describe(place)?;
            if let Some(name) = described.linkage_name {
                return self.text(place, name);
            }
            place = described.origin?;
        }
        None
    }

    fn text(&mut self, place: EntryPlace, value: AttributeValue<Slice<'data>>) -> Option<String> {
        let unit = self.unit(place)?;
        let dwarf = self.files[place.file as usize]?.dwarf;
        let text = dwarf.attr_string(unit.get(self.home), value).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    /// The name in the source, after those of all enclosing scopes.
    fn qualified(&mut self, mut place: EntryPlace, hops: u32) -> Option<String> {
        let mut hops = hops.checked_sub(1)?;
        let mut described = self.describe(place)?;
        while described.name.is_none()
            && let Some(origin) = described.origin
        {
            hops = hops.checked_sub(1)?;
            place = origin;
            described = self.describe(place)?;
        }
        let name = match described.name {
            Some(name) => self.text(place, name)?,
            None => nameless(described.tag)?.to_owned(),
        };
        let enclosing = self.enclosing(place);
        match enclosing.and_then(|enclosing| self.qualified(enclosing, hops)) {
            Some(scope) => Some(format!("{scope}::{name}")),
            None => Some(name),
        }
    }

    fn enclosing(&mut self, place: EntryPlace) -> Option<EntryPlace> {
        let unit = self.unit(place)?;
        let unit = unit.get(self.home);
        let scopes = self.scopes.entry((place.file, place.unit));
        let scopes = scopes.or_insert_with(|| Scopes::new(unit));
        let entry = scopes.enclosing(unit, place.entry)?;
        Some(EntryPlace { entry, ..place })
    }

    fn describe(&mut self, place: EntryPlace) -> Option<Described<'data>> {
        let unit = self.unit(place)?;
        let entry = unit.get(self.home).entry(place.entry).ok()?;
        let mut described = Described {
            tag: entry.tag(),
            linkage_name: None,
            name: None,
            origin: None,
        };
        let mut attributes = entry.attrs();
        while let Ok(Some(attribute)) = attributes.next() {
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    described.linkage_name = Some(attribute.value());
                }
                gimli::DW_AT_name => described.name = Some(attribute.value()),
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    described.origin = self.refer(place, attribute.value());
                }
                _ => {}
            }
        }
        Some(described)
    }

    /// Where an attribute of the entry at `from` points to.
    fn refer(&self, from: EntryPlace, value: AttributeValue<Slice<'data>>) -> Option<EntryPlace> {
        let (file, offset) = match value {
            AttributeValue::UnitRef(entry) => return Some(EntryPlace { entry, ..from }),
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

    fn unit(&mut self, place: EntryPlace) -> Option<Found<'data>> {
        if place.file == OWN && place.unit == self.home_number {
            return Some(Found::Home);
        }
        let File { dwarf, headers } = self.files[place.file as usize]?;
        let header = *headers.get(place.unit)?;
        let unit = self.units.entry((place.file, place.unit));
        let unit = unit.or_insert_with(|| dwarf.unit(header).ok().map(Rc::new));
        unit.clone().map(Found::Other)
    }
}

/// A unit that some entry is in.
enum Found<'data> {
    Home,
    Other(Rc<Unit<Slice<'data>>>),
}

impl<'data> Found<'data> {
    fn get<'a>(&'a self, home: &'a Unit<Slice<'data>>) -> &'a Unit<Slice<'data>> {
        match self {
            Found::Home => home,
            Found::Other(unit) => unit,
        }
    }
}

/// What an entry says about names.
struct Described<'data> {
    tag: gimli::DwTag,
    linkage_name: Option<AttributeValue<Slice<'data>>>,
    name: Option<AttributeValue<Slice<'data>>>,
    /// The entry that says the rest.
    origin: Option<EntryPlace>,
}

/// What stands for a scope that has no name.
fn nameless(tag: gimli::DwTag) -> Option<&'static str> {
    match tag {
        gimli::DW_TAG_namespace => Some("(anonymous namespace)"),
        gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
            Some("(anonymous class)")
        }
        _ => None,
    }
}

/// Where a unit begins.
fn start(header: &UnitHeader<Slice<'_>>) -> DebugInfoOffset {
    let offset = header.offset().as_debug_info_offset();
    offset.unwrap_or(DebugInfoOffset(0))
}
