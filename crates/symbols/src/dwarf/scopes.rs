//! What encloses what: namespaces, classes and functions of one unit.

use std::rc::Rc;

use gimli::{DwTag, Result, Unit, UnitOffset};
use rustc_hash::FxHashMap;

use super::entries::Entries;
use super::language::Language;
use super::sections::Slice;

/// Entries do not say what encloses them, only their order does. So the way to an entry
/// leads down from the root. What was seen on the way is remembered, and branches that
/// do not lead there are passed over.
pub(super) struct Scopes {
    /// In C every function stands alone.
    are_flat: bool,
    /// The branches directly below an entry, by its offset.
    below: FxHashMap<UnitOffset, Rc<[Branch]>>,
}

/// An entry that has others below it.
#[derive(Clone, Copy)]
struct Branch {
    start: UnitOffset,
    /// Where the next entry beside it begins, or the end of the unit.
    end: UnitOffset,
    is_scope: bool,
}

impl Scopes {
    pub(super) fn new(unit: &Unit<Slice<'_>>) -> Scopes {
        Scopes {
            are_flat: Language::of(unit) == Language::C,
            below: FxHashMap::default(),
        }
    }

    /// The innermost scope around `entry`.
    pub(super) fn enclosing(
        &mut self,
        unit: &Unit<Slice<'_>>,
        entry: UnitOffset,
    ) -> Option<UnitOffset> {
        if self.are_flat {
            return None;
        }
        let mut innermost = None;
        let mut at = UnitOffset(unit.header.header_size());
        while let Some(branch) = self.branch_with(unit, at, entry) {
            if branch.is_scope {
                innermost = Some(branch.start);
            }
            at = branch.start;
        }
        innermost
    }

    /// The branch directly below `at` that holds `entry`, if it is not that itself.
    fn branch_with(
        &mut self,
        unit: &Unit<Slice<'_>>,
        at: UnitOffset,
        entry: UnitOffset,
    ) -> Option<Branch> {
        let branches = self.below.entry(at).or_insert_with(|| {
            let mut branches = Vec::new();
            // What comes after damage is lost.
            let _ = read_branches(unit, at, &mut branches);
            branches.into()
        });
        let before = branches.partition_point(|branch| branch.start < entry);
        let branch = branches[before.checked_sub(1)?];
        (entry < branch.end).then_some(branch)
    }
}

fn read_branches(unit: &Unit<Slice<'_>>, at: UnitOffset, branches: &mut Vec<Branch>) -> Result<()> {
    let end_of_unit = UnitOffset(unit.header.length_including_self());
    let mut entries = Entries::at(unit, at)?;
    while let Some(entry) = entries.next()? {
        match entry.depth {
            0 if entry.offset == at => {
                entries.skip_attributes(&entry)?;
                continue;
            }
            ..=0 => {
                close(branches, entry.offset);
                return Ok(());
            }
            1 => {
                close(branches, entry.offset);
                if entry.has_children() {
                    branches.push(Branch {
                        start: entry.offset,
                        end: end_of_unit,
                        is_scope: is_scope(entry.tag()),
                    });
                }
            }
            _ => {}
        }
        if entry.has_children() {
            entries.skip_children(&entry)?;
        } else {
            entries.skip_attributes(&entry)?;
        }
    }
    Ok(())
}

/// The last branch ended before the entry at `end`.
fn close(branches: &mut [Branch], end: UnitOffset) {
    if let Some(last) = branches.last_mut() {
        last.end = last.end.min(end);
    }
}

fn is_scope(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_module
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_subprogram
    )
}
