//! Two profiles, compared as `residue diff` compares them.

use anyhow::Result;
use residue_profile::{Counter, MemoryKind};

use super::joined::Joined;
use super::opened::Opened;
use super::selection::{Selection, StackFilter};
use crate::compare::comparison::{About, Comparison, Pairs, PerEvent};
use crate::compare::rows::{By, Table};
use residue_profile::Span;

/// What is compared; equal ones have equal answers.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub by: By,
    pub counter: Counter,
    pub kind: MemoryKind,
    pub filter: StackFilter,
}

impl PartialEq for Wanted {
    fn eq(&self, other: &Wanted) -> bool {
        let rest = |it: &Wanted| (it.by, it.counter, it.kind);
        rest(self) == rest(other) && self.filter.patterns() == other.filter.patterns()
    }
}

impl Wanted {
    /// The number of each stack of a profile.
    fn number<'a>(&self, opened: &'a Opened) -> Result<impl Fn(usize) -> i64 + use<'a>> {
        let selection = Selection {
            opened,
            kind: self.kind,
            filter: self.filter.clone(),
            counter: self.counter,
            events: None,
            thread: None,
        };
        selection.number()
    }
}

pub struct Compared {
    pub comparison: Comparison,
    pub table: Table,
}

impl Compared {
    /// The first is before, the second after.
    pub fn of(
        before: &Opened,
        after: &Opened,
        joined: &Joined,
        wanted: &Wanted,
    ) -> Result<Compared> {
        let numbers = Pairs {
            counter: wanted.counter,
            own: joined.own(wanted.number(before)?, wanted.number(after)?),
            beside: None,
        };
        let comparison = Comparison::new(
            [about(before), about(after)],
            joined.tree.clone(),
            numbers,
            PerEvent::WhereTheyDiffer,
            None,
        )?;
        Ok(Compared {
            table: Table::of(&comparison, wanted.by, false),
            comparison,
        })
    }
}

fn about(opened: &Opened) -> About {
    let whole = Span {
        from: None,
        to: None,
    };
    About::of(&opened.profile, opened.name.clone(), None, whole)
}
