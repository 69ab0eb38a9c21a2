//! What a type is made of, as far as it matters for where in it an address is.

use std::rc::Rc;

use gimli::{Attribute, AttributeValue, DwAt, Operation, Result};
use rustc_hash::FxHashMap;

use super::entries::{Entries, Entry};
use super::language::is_fortran;
use super::references::{EntryPlace, MOST_HOPS, References};
use super::sections::Slice;

/// Entries that are read for the types of one unit's variables. A guard against bad data, in
/// which every byte may begin a class with all that follows as its members.
const MOST_ENTRIES: u32 = 1 << 22;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    /// In bytes, where the type says so itself.
    size: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another name for a type, or the type with a qualifier.
    Alias(EntryPlace),
    /// A structure, class or union. Nothing where it is only declared.
    Members(Vec<Member>),
    Array(Array),
    /// A pointer or reference.
    Pointer,
    /// Numbers, enumerations, and what is not known.
    Scalar,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// `None` for base classes and anonymous structures: what is in them is named as if it
    /// stood outside.
    pub(super) name: Option<String>,
    pub(super) offset: u64,
    pub(super) kind: EntryPlace,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) element: EntryPlace,
    /// As they are written in the source.
    pub(super) dimensions: Vec<Dimension>,
    /// The first index runs fastest, and they stand in one pair of parentheses.
    pub(super) is_fortran: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) first: i64,
    pub(super) count: Option<u64>,
}

/// The types that one unit refers to, each read once.
pub(super) struct Types<'r, 'a, 'data> {
    references: &'r mut References<'a, 'data>,
    known: FxHashMap<EntryPlace, Option<Rc<Type>>>,
    entries_left: u32,
}

impl<'r, 'a, 'data> Types<'r, 'a, 'data> {
    pub(super) fn new(references: &'r mut References<'a, 'data>) -> Self {
        Types {
            references,
            known: FxHashMap::default(),
            entries_left: MOST_ENTRIES,
        }
    }

    /// The type at a place, without its other names and its qualifiers.
    pub(super) fn find(&mut self, mut place: EntryPlace) -> Option<Rc<Type>> {
        for _ in 0..MOST_HOPS {
            let found = match self.known.get(&place) {
                Some(known) => known.clone(),
                None => {
                    let read = self.read(place).map(Rc::new);
                    self.known.insert(place, read.clone());
                    read
                }
            }?;
            match found.kind {
                Kind::Alias(other) => place = other,
                _ => return Some(found),
            }
        }
        None
    }

    /// The bytes of the type at a place. Arrays may be of arrays, but not for ever.
    pub(super) fn size(&mut self, place: EntryPlace, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let found = self.find(place)?;
        match &found.kind {
            _ if found.size.is_some() => found.size,
            Kind::Array(array) => {
                let element = self.size(array.element, depth)?;
                let mut counts = array.dimensions.iter().map(|dimension| dimension.count);
                counts.try_fold(element, |size, count| size.checked_mul(count?))
            }
            _ => None,
        }
    }

    fn read(&mut self, place: EntryPlace) -> Option<Type> {
        let unit = self.references.unit(place)?;
        let mut entries = Entries::at(unit.get(), place.entry).ok()?;
        let entry = entries.next().ok()??;
        let said = self.attributes(place, &mut entries, &entry).ok()?;
        let address_size = || Some(unit.get().encoding().address_size.into());
        let of_kind = |kind| {
            let size = said.size;
            Some(Type { kind, size })
        };
        match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => of_kind(Kind::Alias(said.kind?)),
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_union_type => {
                if let Some(definition) = said.definition {
                    return of_kind(Kind::Alias(definition));
                }
                let mut members = Vec::new();
                // What comes after damage is lost.
                let _ = self.members(place, &mut entries, &mut members);
                of_kind(Kind::Members(members))
            }
            gimli::DW_TAG_array_type if !said.has_stride => {
                let mut array = Array {
                    element: said.kind?,
                    dimensions: Vec::new(),
                    is_fortran: is_fortran(unit.get()),
                };
                self.dimensions(place, &mut entries, &mut array).ok()?;
                of_kind(Kind::Array(array))
            }
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => Some(Type {
                kind: Kind::Pointer,
                size: said.size.or_else(address_size),
            }),
            _ => of_kind(Kind::Scalar),
        }
    }

    /// Members stand directly below their type, except where it depends on one of them which
    /// others there are, as in an enumeration of Rust.
    fn members(
        &mut self,
        place: EntryPlace,
        entries: &mut Entries<'_, 'data>,
        members: &mut Vec<Member>,
    ) -> Result<()> {
        let mut around = vec![0];
        while let Some(entry) = entries.next()? {
            while around.last().is_some_and(|&depth| depth >= entry.depth) {
                around.pop();
            }
            let Some(&parent) = around.last() else {
                break;
            };
            match entry.tag() {
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance if entry.depth == parent + 1 => {
                    let said = self.attributes(place, entries, &entry)?;
                    let is_base = entry.tag() == gimli::DW_TAG_inheritance;
                    members.extend(self.member(place, said, is_base));
                }
                gimli::DW_TAG_variant_part | gimli::DW_TAG_variant if entry.has_children() => {
                    entries.skip_attributes(&entry)?;
                    around.push(entry.depth);
                }
                _ => self.pass(entries, &entry)?,
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        place: EntryPlace,
        said: Attributes<'data>,
        is_base: bool,
    ) -> Option<Member> {
        let name = said.name.filter(|_| !is_base);
        let name = name.and_then(|name| self.references.text(place, name));
        let name = name.filter(|name| !name.is_empty());
        (!said.is_elsewhere).then_some(Member {
            name,
            offset: said.offset,
            kind: said.kind?,
        })
    }

    fn dimensions(
        &mut self,
        place: EntryPlace,
        entries: &mut Entries<'_, 'data>,
        array: &mut Array,
    ) -> Result<()> {
        while let Some(entry) = entries.next()? {
            if entry.depth <= 0 {
                break;
            }
            if entry.tag() != gimli::DW_TAG_subrange_type || entry.depth != 1 {
                self.pass(entries, &entry)?;
                continue;
            }
            let said = self.attributes(place, entries, &entry)?;
            let first = said.lower.unwrap_or(array.is_fortran.into());
            let upper = said.upper.map(|upper| upper.wrapping_sub(first));
            let count = upper.map(|upper| upper.wrapping_add(1));
            let count = said.count.or(count).map(u64::try_from);
            let count = count.map(std::result::Result::unwrap_or_default);
            array.dimensions.push(Dimension { first, count });
        }
        Ok(())
    }

    fn pass<'unit>(
        &mut self,
        entries: &mut Entries<'unit, 'data>,
        entry: &Entry<'unit>,
    ) -> Result<()> {
        self.count_entry()?;
        match entry.has_children() {
            true => entries.skip_children(entry),
            false => entries.skip_attributes(entry),
        }
    }

    fn count_entry(&mut self) -> Result<()> {
        let left = self.entries_left.checked_sub(1);
        self.entries_left = left.ok_or(gimli::Error::TooManyIterations)?;
        Ok(())
    }

    fn attributes(
        &mut self,
        place: EntryPlace,
        entries: &mut Entries<'_, 'data>,
        entry: &Entry<'_>,
    ) -> Result<Attributes<'data>> {
        self.count_entry()?;
        let mut said = Attributes::default();
        for specification in entry.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match attribute.name() {
                gimli::DW_AT_type => said.kind = self.references.refer(place, attribute.value()),
                gimli::DW_AT_signature => {
                    said.definition = self.references.refer(place, attribute.value());
                }
                name => said.take(name, &attribute, entries),
            }
        }
        Ok(said)
    }
}

/// What the entries of types and of their parts say.
#[derive(Default)]
struct Attributes<'data> {
    name: Option<AttributeValue<Slice<'data>>>,
    kind: Option<EntryPlace>,
    /// Of a declaration, in a unit of its own.
    definition: Option<EntryPlace>,
    size: Option<u64>,
    /// Of a member in its type.
    offset: u64,
    /// It has no place in its type that could be told: it is a static member, a part of some
    /// byte, or a base that only a running program can find.
    is_elsewhere: bool,
    has_stride: bool,
    lower: Option<i64>,
    upper: Option<i64>,
    count: Option<i64>,
}

impl<'data> Attributes<'data> {
    fn take(&mut self, name: DwAt, attribute: &Attribute<Slice<'data>>, entries: &Entries<'_, '_>) {
        match name {
            gimli::DW_AT_name => self.name = Some(attribute.value()),
            gimli::DW_AT_byte_size => self.size = attribute.udata_value(),
            gimli::DW_AT_external
            | gimli::DW_AT_declaration
            | gimli::DW_AT_bit_size
            | gimli::DW_AT_bit_offset
            | gimli::DW_AT_data_bit_offset => self.is_elsewhere = true,
            gimli::DW_AT_data_member_location => match member_offset(attribute, entries) {
                Some(offset) => self.offset = offset,
                None => self.is_elsewhere = true,
            },
            gimli::DW_AT_byte_stride | gimli::DW_AT_bit_stride => self.has_stride = true,
            gimli::DW_AT_lower_bound => self.lower = number(attribute),
            gimli::DW_AT_upper_bound => self.upper = number(attribute),
            gimli::DW_AT_count => self.count = number(attribute),
            _ => {}
        }
    }
}

fn number(attribute: &Attribute<Slice<'_>>) -> Option<i64> {
    let unsigned = attribute.udata_value();
    let unsigned = unsigned.map(|number| number as i64);
    unsigned.or_else(|| attribute.sdata_value())
}

/// A constant, or what version 2 had in its place: that much to be added.
fn member_offset(attribute: &Attribute<Slice<'_>>, entries: &Entries<'_, '_>) -> Option<u64> {
    if let Some(expression) = attribute.exprloc_value() {
        let mut operations = expression.operations(entries.encoding());
        let first = operations.next().ok()?;
        return match (first, operations.next()) {
            (Some(Operation::PlusConstant { value }), Ok(None)) => Some(value),
            _ => None,
        };
    }
    attribute.udata_value()
}
