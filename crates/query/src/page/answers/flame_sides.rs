//! What a flame graph is of: one profile or range, or two beside each other.

use std::sync::Arc;

use anyhow::{Result, bail};
use residue_calltree::diff::Pair;
use residue_calltree::{Detail, NodeValues};

use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::Selection;
use crate::page::tree::ShownTree;
use crate::page::values::Values;

/// A tree with the numbers of one side or two.
pub struct Sides<'a> {
    pub shown: Shown<'a>,
    pub values: Arc<Values>,
    /// With the number of its events.
    pub base: Option<(Arc<Values>, u64)>,
}

impl<'a> Sides<'a> {
    /// What a flame graph by this word is of.
    pub fn of(
        profiles: &OpenProfiles,
        question: &Question,
        selection: &Selection<'a>,
        by: &str,
    ) -> Result<Sides<'a>> {
        let detail = match by {
            "module" => Detail::Library,
            "line" => Detail::Line,
            _ => Detail::Function,
        };
        match question.text("against") {
            Some("a" | "b") if by == "scope" => {
                bail!("scopes cannot be compared between two files")
            }
            // As in every comparison, functions are the same by name: two builds have files of
            // different names.
            Some("a" | "b") if detail == Detail::Function => {
                of_both_files(profiles, question, selection, Detail::Name)
            }
            Some("a" | "b") => of_both_files(profiles, question, selection, detail),
            against => {
                let shown = match by {
                    "scope" => selection.opened.tree_by_scope(),
                    _ => selection.opened.tree(detail),
                };
                let base = match against {
                    None => None,
                    Some(_) => Some(of_other_range(question, selection, shown)?),
                };
                Ok(Sides {
                    values: selection.values(shown)?,
                    shown: Shown::Own(shown),
                    base,
                })
            }
        }
    }
}

pub enum Shown<'a> {
    Own(&'a ShownTree),
    Joined(Arc<ShownTree>),
}

impl Shown<'_> {
    pub fn tree(&self) -> &ShownTree {
        match self {
            Shown::Own(tree) => tree,
            Shown::Joined(tree) => tree,
        }
    }
}

fn of_other_range(
    question: &Question,
    selection: &Selection<'_>,
    shown: &ShownTree,
) -> Result<(Arc<Values>, u64)> {
    let other = Selection {
        events: question.events("against")?,
        filter: selection.filter.clone(),
        ..*selection
    };
    other.check()?;
    Ok((other.values(shown)?, other.event_count()?))
}

/// The two files, joined by name. The side that is asked for is the value, the other
/// one the base.
fn of_both_files<'a>(
    profiles: &OpenProfiles,
    question: &Question,
    selection: &Selection<'_>,
    detail: Detail,
) -> Result<Sides<'a>> {
    let joined = profiles.joined(detail)?;
    let other = Selection {
        opened: profiles.other(question)?,
        filter: selection.filter.clone(),
        ..*selection
    };
    let is_second = question.text("side") == Some("b");
    let (before, after) = match is_second {
        true => (&other, selection),
        false => (selection, &other),
    };
    let (one, two) = (before.number()?, after.number()?);
    // What fell has no place in a tree of what there is, but is said.
    let pairs = joined.own(|stack| one(stack).max(0), |stack| two(stack).max(0));
    let shown = joined.shown_tree();
    let fallen = |selection: &Selection<'_>, number: &dyn Fn(usize) -> i64| {
        let stacks = 0..selection.opened.profile.stacks.len();
        let fell = stacks.map(|stack| number(stack).min(0).unsigned_abs());
        fell.fold(0_u64, u64::saturating_add)
    };
    let side = |of: fn(&Pair) -> i64, fallen: u64| {
        let own = NodeValues {
            merge: selection.counter.merge(),
            values: pairs.iter().map(|pair| of(pair).unsigned_abs()).collect(),
        };
        Arc::new(Values::of_nodes(&shown.tree, own, fallen))
    };
    let fallen = (fallen(before, &one), fallen(after, &two));
    let before = side(|pair| pair.before, fallen.0);
    let after = side(|pair| pair.after, fallen.1);
    let (values, base) = match is_second {
        true => (after, before),
        false => (before, after),
    };
    Ok(Sides {
        values,
        base: Some((base, other.event_count()?)),
        shown: Shown::Joined(shown),
    })
}
