//! A walk over the entries of a unit, that can pass over whole branches.

use std::slice;

use gimli::{
    Abbreviation, Attribute, AttributeSpecification, AttributeValue, DwTag, Encoding, EntriesRaw,
    Result, Unit, UnitOffset,
};

use super::sections::Slice;

/// The entries of a unit in the order in which they stand: outer ones before inner ones.
pub(super) struct Entries<'unit, 'data> {
    unit: &'unit Unit<Slice<'data>>,
    raw: EntriesRaw<'unit, 'unit, Slice<'data>>,
    /// The depth at which the raw walk began.
    base_depth: isize,
}

/// The beginning of an entry. Its attributes come next, to be read or skipped.
pub(super) struct Entry<'unit> {
    pub(super) offset: UnitOffset,
    pub(super) depth: isize,
    abbreviation: &'unit Abbreviation,
}

impl<'unit> Entry<'unit> {
    pub(super) fn tag(&self) -> DwTag {
        self.abbreviation.tag()
    }

    pub(super) fn has_children(&self) -> bool {
        self.abbreviation.has_children()
    }

    pub(super) fn attributes(&self) -> &'unit [AttributeSpecification] {
        self.abbreviation.attributes()
    }
}

impl<'unit, 'data> Entries<'unit, 'data> {
    pub(super) fn new(unit: &'unit Unit<Slice<'data>>) -> Result<Self> {
        Ok(Entries {
            unit,
            raw: unit.entries_raw(None)?,
            base_depth: 0,
        })
    }

    /// From the entry at `offset` on, which gets the depth 0.
    pub(super) fn at(unit: &'unit Unit<Slice<'data>>, offset: UnitOffset) -> Result<Self> {
        Ok(Entries {
            unit,
            raw: unit.entries_raw(Some(offset))?,
            base_depth: 0,
        })
    }

    /// The next entry. The attributes of the one before must have been read or skipped.
    pub(super) fn next(&mut self) -> Result<Option<Entry<'unit>>> {
        while !self.raw.is_empty() {
            let offset = self.raw.next_offset();
            let depth = self.base_depth + self.raw.next_depth();
            if let Some(abbreviation) = self.raw.read_abbreviation()? {
                return Ok(Some(Entry {
                    offset,
                    depth,
                    abbreviation,
                }));
            }
        }
        Ok(None)
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.unit.encoding()
    }

    /// Where the next entry begins, once the attributes of this one were read or skipped.
    pub(super) fn next_offset(&self) -> UnitOffset {
        self.raw.next_offset()
    }

    pub(super) fn read_attribute(
        &mut self,
        specification: AttributeSpecification,
    ) -> Result<Attribute<Slice<'data>>> {
        self.raw.read_attribute(specification)
    }

    pub(super) fn skip_attribute(&mut self, specification: &AttributeSpecification) -> Result<()> {
        self.raw.skip_attributes(slice::from_ref(specification))
    }

    pub(super) fn skip_attributes(&mut self, entry: &Entry<'unit>) -> Result<()> {
        self.raw.skip_attributes(entry.attributes())
    }

    /// Skips the attributes, and all that is below the entry if it says where that ends.
    pub(super) fn skip_children(&mut self, entry: &Entry<'unit>) -> Result<()> {
        self.skip_children_before(entry, UnitOffset(usize::MAX))
    }

    /// The same, but goes into the entry if it does not end before `offset`.
    pub(super) fn skip_children_before(
        &mut self,
        entry: &Entry<'unit>,
        offset: UnitOffset,
    ) -> Result<()> {
        let attributes = entry.attributes();
        let is_sibling =
            |attribute: &AttributeSpecification| attribute.name() == gimli::DW_AT_sibling;
        let Some(at) = attributes.iter().position(is_sibling) else {
            return self.skip_attributes(entry);
        };
        self.raw.skip_attributes(&attributes[..at])?;
        match self.raw.read_attribute(attributes[at])?.value() {
            AttributeValue::UnitRef(sibling) if sibling <= offset => {
                self.go_to(sibling, entry.depth)
            }
            _ => self.raw.skip_attributes(&attributes[at + 1..]),
        }
    }

    /// Goes on with the entry at `offset`, which is further on and has that depth.
    pub(super) fn go_to(&mut self, offset: UnitOffset, depth: isize) -> Result<()> {
        // Going back would never end.
        if offset < self.raw.next_offset() {
            return Err(gimli::Error::NoEntryAtGivenOffset);
        }
        self.raw = self.unit.entries_raw(Some(offset))?;
        self.base_depth = depth;
        Ok(())
    }
}
