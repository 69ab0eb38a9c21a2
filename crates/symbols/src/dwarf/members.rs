//! From an offset in a variable to the member that is there.
//!
//! Where members overlap, as in unions, no file tells which of them is meant. A pointer is
//! preferred, because who asks wants to know what keeps a block of memory; then a member that
//! covers the offset to one that has a hole there; then the first.

use std::rc::Rc;

use super::references::EntryPlace;
use super::types::{Array, Kind, Member, Type, Types};

/// Types within types. Containers in containers have a dozen.
pub(super) const MOST_LEVELS: u32 = 24;

/// Types and members that are looked at for one offset; a guard against unions that branch on
/// every level.
const MOST_STEPS: u32 = 1 << 16;

/// What is found at the end of a path; the later is the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// In a hole, or in something of which nothing is known.
    Nowhere,
    /// In a hole of a member.
    Inside,
    Word,
    Pointer,
}

/// The path to the member at `offset`, outermost first: `.map`, `[3]`, `.first`. Empty where
/// none is known.
pub(super) fn path(types: &mut Types<'_, '_, '_>, kind: EntryPlace, offset: u64) -> Vec<String> {
    let mut steps = Steps {
        types,
        left: MOST_STEPS,
    };
    let (_, mut path) = steps.descend(kind, offset, MOST_LEVELS);
    path.reverse();
    path
}

struct Steps<'t, 'r, 'a, 'data> {
    types: &'t mut Types<'r, 'a, 'data>,
    left: u32,
}

/// With the innermost part of the path first.
type Reached = (End, Vec<String>);

const NOWHERE: Reached = (End::Nowhere, Vec::new());

impl Steps<'_, '_, '_, '_> {
    fn descend(&mut self, kind: EntryPlace, offset: u64, levels: u32) -> Reached {
        let Some(levels) = levels.checked_sub(1) else {
            return NOWHERE;
        };
        let Some(found) = self.types.find(kind) else {
            return NOWHERE;
        };
        match &found.kind {
            Kind::Pointer => (End::Pointer, Vec::new()),
            Kind::Scalar => (End::Word, Vec::new()),
            Kind::Members(_) => self.in_members(&found, offset, levels),
            Kind::Array(array) => self.in_array(array, offset, levels),
            Kind::Alias(_) => NOWHERE,
        }
    }

    fn in_members(&mut self, found: &Rc<Type>, offset: u64, levels: u32) -> Reached {
        let Kind::Members(members) = &found.kind else {
            return NOWHERE;
        };
        let mut best = NOWHERE;
        for member in members {
            if let Some(reached) = self.in_member(member, offset, levels)
                && reached.0 > best.0
            {
                best = reached;
            }
        }
        best
    }

    fn in_member(&mut self, member: &Member, offset: u64, levels: u32) -> Option<Reached> {
        self.left = self.left.checked_sub(1)?;
        let within = offset.checked_sub(member.offset)?;
        // An array at the end may be as long as it likes.
        let size = self.types.size(member.kind, levels);
        if size.is_some_and(|size| within >= size) {
            return None;
        }
        let (end, mut path) = self.descend(member.kind, within, levels);
        match &member.name {
            Some(name) => {
                path.push(format!(".{name}"));
                Some((end.max(End::Inside), path))
            }
            // What has no name and no members cannot be shown.
            None => (!path.is_empty()).then_some((end, path)),
        }
    }

    fn in_array(&mut self, array: &Array, offset: u64, levels: u32) -> Reached {
        let Some(size) = self.types.size(array.element, levels) else {
            return NOWHERE;
        };
        let Some((mut indices, within)) = indices(array, size, offset) else {
            return NOWHERE;
        };
        let (end, mut path) = self.descend(array.element, within, levels);
        if array.is_fortran {
            indices.reverse();
            let indices: Vec<String> = indices.iter().map(i64::to_string).collect();
            path.push(format!("({})", indices.join(",")));
        } else {
            let indices = indices.iter().rev();
            path.extend(indices.map(|index| format!("[{index}]")));
        }
        (end.max(End::Inside), path)
    }
}

/// The indices at an offset in an array with elements of that size, slowest first, and the
/// offset in the element.
fn indices(array: &Array, size: u64, offset: u64) -> Option<(Vec<i64>, u64)> {
    let within = offset.checked_rem(size)?;
    let mut rest = offset / size;
    let mut dimensions = array.dimensions.clone();
    if !array.is_fortran {
        dimensions.reverse();
    }
    let (slowest, others) = dimensions.split_last()?;
    let mut indices = Vec::with_capacity(dimensions.len());
    let index = |first: i64, distance| first.checked_add_unsigned(distance);
    for dimension in others {
        let count = dimension.count?;
        indices.push(index(dimension.first, rest.checked_rem(count)?)?);
        rest /= count;
    }
    if slowest.count.is_some_and(|count| rest >= count) {
        return None;
    }
    indices.push(index(slowest.first, rest)?);
    indices.reverse();
    Some((indices, within))
}
