//! The functions at an address: the one that the code belongs to, and those that were
//! inlined into it.

use std::ops::Range;

use gimli::{AttributeValue, DwAt, RangeListsOffset, Result, UnitOffset, UnitRef};

use super::entries::Entries;
use super::language::Language;
use super::lines::{Line, NO_FILE};
use super::sections::Slice;
use super::units::contains;

/// A function, or an inlined copy of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// The entry that names it, or refers to one that does.
    pub(super) entry: UnitOffset,
    /// The call that this one was inlined into, and from which line. `None` for a
    /// function that stands on its own.
    pub(super) inlined_into: Option<(CallId, Line)>,
}

pub(super) type CallId = u32;

/// The calls of one unit that some address lies in.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) calls: Vec<Call>,
    /// For each address the innermost call.
    pub(super) innermost: Vec<Option<CallId>>,
}

/// Finds the calls at the sorted addresses. Functions that do not begin in `code` were
/// dropped by the linker.
///
/// One walk over all entries of the unit, from outer to inner ones: an inlined call
/// takes over the addresses that it covers from the call it is described in.
pub(super) fn find(unit: UnitRef<'_, Slice<'_>>, addresses: &[u64], code: &[Range<u64>]) -> Calls {
    let mut walk = Walk {
        unit,
        addresses,
        code,
        open: Vec::new(),
        found: Calls {
            calls: Vec::new(),
            innermost: vec![None; addresses.len()],
        },
    };
    // What comes after damage is lost.
    let _ = walk.run();
    walk.found
}

struct Walk<'unit, 'data> {
    unit: UnitRef<'unit, Slice<'data>>,
    addresses: &'unit [u64],
    code: &'unit [Range<u64>],
    /// The functions and calls that enclose the entry at hand, with their depths.
    /// `None` for those that cover no address.
    open: Vec<(isize, Option<Open>)>,
    found: Calls,
}

/// A call that others may be inlined into.
struct Open {
    call: CallId,
    /// The addresses from the first to the last that it covers, as indices.
    covered: Range<usize>,
}

/// What is said of a function or call, as far as it matters here.
#[derive(Default)]
struct Attributes {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    ranges: Option<RangeListsOffset>,
    call_file: Option<u32>,
    call_line: u32,
    origin: Option<UnitOffset>,
    sibling: Option<UnitOffset>,
}

/// Those that [`Attributes`] is made of. To skip an attribute is cheaper than to read it.
const ATTRIBUTES: [DwAt; 7] = [
    gimli::DW_AT_low_pc,
    gimli::DW_AT_high_pc,
    gimli::DW_AT_ranges,
    gimli::DW_AT_call_file,
    gimli::DW_AT_call_line,
    gimli::DW_AT_abstract_origin,
    gimli::DW_AT_sibling,
];

impl<'data> Walk<'_, 'data> {
    fn run(&mut self) -> Result<()> {
        let unit = self.unit;
        let language = Language::of(unit.unit);
        let mut entries = Entries::new(unit.unit)?;
        while let Some(entry) = entries.next()? {
            while self
                .open
                .last()
                .is_some_and(|(open, _)| *open >= entry.depth)
            {
                self.open.pop();
            }
            let is_inlined = match entry.tag() {
                gimli::DW_TAG_subprogram => false,
                gimli::DW_TAG_inlined_subroutine => true,
                tag if entry.has_children() && language.holds_no_code(tag) => {
                    entries.skip_children(&entry)?;
                    continue;
                }
                _ => {
                    entries.skip_attributes(&entry)?;
                    continue;
                }
            };
            let attributes = self.read(&mut entries, &entry)?;
            let call = self.enter(entry.offset, is_inlined, &attributes);
            if !entry.has_children() {
                continue;
            }
            // Most have no address that anybody asked for, and neither has what is in them.
            let is_done = call.is_none()
                && (is_inlined
                    || language.functions_hold_no_functions()
                    || attributes.is_abstract());
            match attributes.sibling {
                Some(sibling) if is_done => entries.go_to(sibling, entry.depth)?,
                _ => self.open.push((entry.depth, call)),
            }
        }
        Ok(())
    }

    fn read(
        &self,
        entries: &mut Entries<'_, 'data>,
        entry: &super::entries::Entry<'_>,
    ) -> Result<Attributes> {
        let unit = self.unit;
        let mut read = Attributes::default();
        for specification in entry.attributes() {
            let name = specification.name();
            if !ATTRIBUTES.contains(&name) {
                entries.skip_attribute(specification)?;
                continue;
            }
            // By reference, because to move it takes as long as to read it.
            let value = match &entries.read_attribute(*specification) {
                Ok(attribute) => attribute.value(),
                Err(error) => return Err(*error),
            };
            match name {
                gimli::DW_AT_low_pc => read.low = unit.attr_address(value)?,
                gimli::DW_AT_high_pc => match value {
                    AttributeValue::Udata(size) => read.size = Some(size),
                    high => read.high = unit.attr_address(high)?,
                },
                gimli::DW_AT_ranges => read.ranges = unit.attr_ranges_offset(value)?,
                gimli::DW_AT_call_file => {
                    if let AttributeValue::FileIndex(file) = value {
                        read.call_file = file.try_into().ok();
                    }
                }
                gimli::DW_AT_call_line => {
                    let line = value.udata_value();
                    read.call_line = line.and_then(|line| line.try_into().ok()).unwrap_or(0);
                }
                gimli::DW_AT_abstract_origin => read.origin = in_unit(value),
                gimli::DW_AT_sibling => read.sibling = in_unit(value),
                _ => {}
            }
        }
        Ok(read)
    }

    /// Gives a function or call the addresses that it covers. `None` if it has none.
    fn enter(
        &mut self,
        entry: UnitOffset,
        is_inlined: bool,
        attributes: &Attributes,
    ) -> Option<Open> {
        let (outer, within) = if is_inlined {
            // Without an outer call that covers an address, it covers none either.
            let outer = self.open.last()?.1.as_ref()?;
            (Some(outer.call), outer.covered.clone())
        } else {
            (None, 0..self.addresses.len())
        };
        let call = CallId::try_from(self.found.calls.len()).ok()?;
        let (mut first, mut last) = (usize::MAX, 0);
        let (addresses, code) = (&self.addresses[within.clone()], self.code);
        let innermost = &mut self.found.innermost[within.clone()];
        for_each_range(self.unit, attributes, |start, end| {
            if !is_inlined && !contains(code, start) {
                return;
            }
            let from = addresses.partition_point(|&address| address < start);
            let inside = addresses[from..]
                .iter()
                .take_while(|&&address| address < end);
            for (index, _) in (from..).zip(inside) {
                if innermost[index] == outer {
                    innermost[index] = Some(call);
                    first = first.min(within.start + index);
                    last = last.max(within.start + index);
                }
            }
        });
        if first > last {
            return None;
        }
        let line = Line {
            file: attributes.call_file.unwrap_or(NO_FILE),
            line: attributes.call_line,
        };
        self.found.calls.push(Call {
            // All inlined copies of a function have the same origin, and are named once.
            entry: attributes.origin.filter(|_| is_inlined).unwrap_or(entry),
            inlined_into: outer.map(|outer| (outer, line)),
        });
        Some(Open {
            call,
            covered: first..last + 1,
        })
    }
}

impl Attributes {
    fn is_abstract(&self) -> bool {
        self.low.is_none() && self.ranges.is_none()
    }
}

fn in_unit(value: AttributeValue<Slice<'_>>) -> Option<UnitOffset> {
    match value {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

fn for_each_range(
    unit: UnitRef<'_, Slice<'_>>,
    attributes: &Attributes,
    mut found: impl FnMut(u64, u64),
) {
    if let Some(ranges) = attributes.ranges {
        let Ok(mut ranges) = unit.ranges(ranges) else {
            return;
        };
        while let Ok(Some(range)) = ranges.next() {
            found(range.begin, range.end);
        }
    } else if let Some(low) = attributes.low {
        let size = attributes.size.map(|size| low.saturating_add(size));
        if let Some(high) = attributes.high.or(size) {
            found(low, high);
        }
    }
}
