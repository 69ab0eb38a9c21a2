//! The entries of variables, among places that may be in one.

use gimli::{AttributeValue, DwTag, Operation, Result, UnitOffset, UnitRef};

use super::entries::Entries;
use super::sections::Slice;
use crate::variables::DataAddress;

/// The entry that says where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VariableEntry {
    pub(super) address: DataAddress,
    pub(super) entry: UnitOffset,
    /// The function that it is local to, or a copy of that.
    pub(super) function: Option<UnitOffset>,
}

/// Finds the variables with these sorted places in their own entries: one walk from outer to
/// inner entries, which passes over what none of the places is in.
pub(super) fn find(unit: UnitRef<'_, Slice<'_>>, places: &[UnitOffset]) -> Vec<VariableEntry> {
    let mut found = Vec::new();
    // What comes after damage is lost.
    let _ = walk(unit, places, &mut found);
    found
}

fn walk(
    unit: UnitRef<'_, Slice<'_>>,
    places: &[UnitOffset],
    found: &mut Vec<VariableEntry>,
) -> Result<()> {
    let mut around: Vec<Scope> = Vec::new();
    let mut places = places.iter().copied().peekable();
    let mut entries = Entries::new(unit.unit)?;
    while let Some(entry) = entries.next()? {
        while places.next_if(|&place| place < entry.offset).is_some() {}
        let Some(&place) = places.peek() else {
            break;
        };
        while around
            .last()
            .is_some_and(|scope| scope.depth >= entry.depth)
        {
            around.pop();
        }
        let (function, is_shared) = around
            .last()
            .map_or((None, false), |scope| (scope.function, scope.is_shared));
        if entry.has_children() {
            entries.skip_children_before(&entry, place)?;
            around.push(Scope {
                depth: entry.depth,
                function: is_function(entry.tag())
                    .then_some(entry.offset)
                    .or(function),
                is_shared: entry.tag() == gimli::DW_TAG_common_block,
            });
        } else {
            entries.skip_attributes(&entry)?;
        }
        if entry.tag() == gimli::DW_TAG_variable
            && place < entries.next_offset()
            && !is_shared
            && let Some(address) = address(unit, entry.offset)
        {
            found.push(VariableEntry {
                address,
                entry: entry.offset,
                function,
            });
        }
    }
    Ok(())
}

/// An entry that encloses others.
struct Scope {
    depth: isize,
    /// The innermost function.
    function: Option<UnitOffset>,
    /// It is a block of Fortran, which begins where the first of its variables does, and is
    /// none of them.
    is_shared: bool,
}

fn is_function(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine
    )
}

/// Where the variable of an entry is, if that is the same in every call of its function.
fn address(unit: UnitRef<'_, Slice<'_>>, entry: UnitOffset) -> Option<DataAddress> {
    let entry = unit.entry(entry).ok()?;
    let location = entry.attr_value(gimli::DW_AT_location).ok()??;
    let AttributeValue::Exprloc(expression) = location else {
        return None;
    };
    let mut operations = expression.operations(unit.encoding());
    let mut next = || operations.next().ok();
    let indexed = |index| unit.address(index).ok();
    match (next()??, next()?) {
        (Operation::Address { address }, None) => Some(DataAddress::Static(address)),
        (Operation::AddressIndex { index }, None) => indexed(index).map(DataAddress::Static),
        (Operation::UnsignedConstant { value }, Some(Operation::TLS)) => {
            Some(DataAddress::ThreadLocal(value))
        }
        (Operation::ConstantIndex { index }, Some(Operation::TLS)) => {
            indexed(index).map(DataAddress::ThreadLocal)
        }
        _ => None,
    }
}
