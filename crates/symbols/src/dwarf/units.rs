//! The units of compilation in a file, and which addresses each of them covers.

use std::ops::Range;

use gimli::{
    AbbreviationsCacheStrategy, AttributeValue, DebuggingInformationEntry, Dwarf, SectionId, Unit,
    UnitHeader, UnitType,
};

use super::lines;
use super::sections::{Sections, Slice};
use super::split::Package;
use crate::parallel::{self, Workers};

/// Number of a unit in its file.
pub(crate) type UnitId = u32;

/// A file with its units, and the one that holds what it shares with others.
pub(super) struct Files<'data> {
    pub(super) dwarf: Dwarf<Slice<'data>>,
    /// In the order in which they stand in the file.
    pub(super) headers: Vec<UnitHeader<Slice<'data>>>,
    /// Those of the supplementary file.
    pub(super) alternate_headers: Vec<UnitHeader<Slice<'data>>>,
}

impl<'data> Files<'data> {
    pub(super) fn read(main: &'data Sections, alternate: Option<&'data Sections>) -> Files<'data> {
        let mut dwarf = load(main);
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        let mut alternate_headers = Vec::new();
        if let Some(alternate) = alternate {
            let mut alternate = load(alternate);
            alternate.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
            alternate_headers = headers(&alternate);
            dwarf.set_sup(alternate);
        }
        Files {
            headers: headers(&dwarf),
            dwarf,
            alternate_headers,
        }
    }
}

/// The debug information of one module.
pub(crate) struct DebugInfo<'data> {
    pub(super) dwarf: Dwarf<Slice<'data>>,
    /// In the order in which they stand in the file.
    pub(super) headers: Vec<UnitHeader<Slice<'data>>>,
    /// Those of the supplementary file.
    pub(super) alternate_headers: Vec<UnitHeader<Slice<'data>>>,
    pub(super) package: Option<Package<'data>>,
    /// Sorted ranges of addresses that hold code.
    pub(super) code: Vec<Range<u64>>,
    /// Sorted by where they begin.
    spans: Vec<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    start: u64,
    end: u64,
    unit: UnitId,
    /// The greatest `end` up to and including this span, which says how far back a
    /// search has to go.
    reach: u64,
}

impl<'data> DebugInfo<'data> {
    /// Reads the roots of all units. Ranges that do not begin in `code` (sorted) belong
    /// to functions that the linker dropped.
    pub(crate) fn read(
        main: &'data Sections,
        alternate: Option<&'data Sections>,
        package: Option<&'data Sections>,
        code: Vec<Range<u64>>,
        workers: Workers,
    ) -> DebugInfo<'data> {
        let Files {
            dwarf,
            headers,
            alternate_headers,
        } = Files::read(main, alternate);
        let spans = parallel::map(headers.len(), workers, |unit| {
            spans_of(&dwarf, headers[unit], unit as UnitId, &code)
        });
        let mut spans: Vec<_> = spans.into_iter().flatten().collect();
        spans.sort_unstable();
        let mut reach = 0;
        for span in &mut spans {
            reach = reach.max(span.end);
            span.reach = reach;
        }
        DebugInfo {
            dwarf,
            headers,
            alternate_headers,
            package: package.and_then(Package::read),
            code,
            spans,
        }
    }

    /// The units that claim an address, the closest first. There is one, except where
    /// a compiler gives a unit more addresses than it has.
    pub(crate) fn units_at(&self, address: u64) -> impl Iterator<Item = UnitId> {
        let until = self.spans.partition_point(|span| span.start <= address);
        self.spans[..until]
            .iter()
            .rev()
            .take_while(move |span| span.reach > address)
            .filter(move |span| span.end > address)
            .map(|span| span.unit)
    }
}

pub(super) fn load(sections: &Sections) -> Dwarf<Slice<'_>> {
    let load = |id: SectionId| Ok::<_, gimli::Error>(sections.slice(id.name()));
    // The closure cannot fail.
    Dwarf::load(load).unwrap_or_default()
}

/// All units that may hold functions, or names that functions refer to. What comes
/// after a damaged one cannot be found.
pub(super) fn headers<'data>(dwarf: &Dwarf<Slice<'data>>) -> Vec<UnitHeader<Slice<'data>>> {
    let mut units = dwarf.units();
    let mut headers = Vec::new();
    while let Ok(Some(header)) = units.next() {
        headers.push(header);
    }
    headers
}

fn spans_of(
    dwarf: &Dwarf<Slice<'_>>,
    header: UnitHeader<Slice<'_>>,
    unit: UnitId,
    code: &[Range<u64>],
) -> Vec<Span> {
    if matches!(
        header.type_(),
        UnitType::Type { .. } | UnitType::SplitType { .. } | UnitType::Partial
    ) {
        return Vec::new();
    }
    let Ok(parsed) = dwarf.unit(header) else {
        return Vec::new();
    };
    let mut spans = root_ranges(dwarf, &parsed);
    if spans.is_empty() && has_code_tag(&parsed) {
        // No ranges, but perhaps lines.
        spans = lines::sequences(&parsed);
    }
    let alive = spans
        .into_iter()
        .filter(|span| span.start < span.end && contains(code, span.start));
    let span = |span: Range<u64>| Span {
        start: span.start,
        end: span.end,
        unit,
        reach: span.end,
    };
    alive.map(span).collect()
}

/// The ranges that a unit says of itself.
fn root_ranges(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>) -> Vec<Range<u64>> {
    let mut entries = unit.entries();
    let Ok(Some((_, root))) = entries.next_dfs() else {
        return Vec::new();
    };
    if reaches_beyond_all(dwarf, unit, root) {
        return Vec::new();
    }
    let mut ranges = dwarf.die_ranges(unit, root).unwrap_or_default();
    let mut spans = Vec::new();
    while let Ok(Some(range)) = ranges.next() {
        spans.push(range.begin..range.end);
    }
    spans
}

/// Whether an entry's start and size add up to more than there are addresses, which gimli does not
/// expect.
fn reaches_beyond_all(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    entry: &DebuggingInformationEntry<'_, '_, Slice<'_>>,
) -> bool {
    let (mut start, mut size) = (0_u64, 0_u64);
    let mut attributes = entry.attrs();
    while let Ok(Some(attribute)) = attributes.next() {
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_low_pc, value) => {
                let address = dwarf.attr_address(unit, value).ok().flatten();
                start = start.max(address.unwrap_or(0));
            }
            (gimli::DW_AT_high_pc, AttributeValue::Udata(bytes)) => size = size.max(bytes),
            _ => {}
        }
    }
    start.checked_add(size).is_none()
}

/// Whether a unit is of a kind that holds functions. Units that only share what others
/// refer to may point to lines all the same.
fn has_code_tag(unit: &Unit<Slice<'_>>) -> bool {
    let mut entries = unit.entries();
    let tag = match entries.next_dfs() {
        Ok(Some((_, root))) => root.tag(),
        _ => return false,
    };
    matches!(
        tag,
        gimli::DW_TAG_compile_unit | gimli::DW_TAG_skeleton_unit
    )
}

/// Whether an address is inside one of the sorted ranges.
pub(super) fn contains(code: &[Range<u64>], address: u64) -> bool {
    let after = code.partition_point(|range| range.start <= address);
    after > 0 && code[after - 1].contains(&address)
}
