//! Names of functions, wherever in the debug information they stand.
//!
//! An entry with code often has no name itself. It refers to the entry that all its
//! copies share, and that may refer to the declaration in a class. The linkage name is
//! wanted. Compilers leave it out for functions that no other unit can see; those get
//! the name that the source gives them, after the names of what encloses them.

use gimli::{AttributeValue, Unit, UnitOffset};
use rustc_hash::FxHashMap;

use super::references::{EntryPlace, File, MOST_HOPS, References};
use super::scopes::Scopes;
use super::sections::Slice;

/// Looks up names on behalf of one unit, and remembers them.
pub(super) struct Names<'a, 'data> {
    pub(super) references: References<'a, 'data>,
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
            references: References::new(own, alternate, home, home_number),
            scopes: FxHashMap::default(),
        }
    }

    /// The linkage name of the function that an entry of the home unit describes, or
    /// the qualified name if it has none.
    pub(super) fn find(&mut self, entry: UnitOffset) -> Option<String> {
        let place = self.references.at_home(entry);
        let name = self.linkage_name(place);
        name.or_else(|| self.qualified(place, MOST_HOPS))
    }

    fn linkage_name(&mut self, mut place: EntryPlace) -> Option<String> {
        for _ in 0..MOST_HOPS {
            let described = self.describe(place)?;
            if let Some(name) = described.linkage_name {
                return self.references.text(place, name);
            }
            place = described.origin?;
        }
        None
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
            Some(name) => self.references.text(place, name)?,
            None => nameless(described.tag)?.to_owned(),
        };
        let enclosing = self.enclosing(place);
        match enclosing.and_then(|enclosing| self.qualified(enclosing, hops)) {
            Some(scope) => Some(format!("{scope}::{name}")),
            None => Some(name),
        }
    }

    fn enclosing(&mut self, place: EntryPlace) -> Option<EntryPlace> {
        let unit = self.references.unit(place)?;
        let unit = unit.get();
        let scopes = self.scopes.entry((place.file, place.unit));
        let scopes = scopes.or_insert_with(|| Scopes::new(unit));
        let entry = scopes.enclosing(unit, place.entry)?;
        Some(EntryPlace { entry, ..place })
    }

    fn describe(&mut self, place: EntryPlace) -> Option<Described<'data>> {
        let unit = self.references.unit(place)?;
        let entry = unit.get().entry(place.entry).ok()?;
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
                    described.origin = self.references.refer(place, attribute.value());
                }
                _ => {}
            }
        }
        Some(described)
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
