//! All functions, with what each allocated itself and with all that it called.

use anyhow::Result;
use residue_calltree::{Detail, LabelId};
use residue_names::cut_middle;
use serde::Serialize;

use super::stack_row::MOST_NAME;
use crate::page::key::Key;
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::Selection;
use crate::page::tree::ShownTree;
use crate::page::values::ByLabel;
use residue_profile::units::Unit;

const USUAL_ROWS: usize = 100;
const MOST_ROWS: usize = 200;

/// Answers `api/functions`. Parameters: side, events, kind, focus (chooses functions by
/// their names, and not stacks), ignore, counter, sort (cumulative, self), offset, limit (most 200).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Functions {
    #[cfg_attr(feature = "typescript", ts(type = "CounterName"))]
    counter: &'static str,
    unit: Unit,
    whole: u64,
    found: usize,
    offset: usize,
    rows: Vec<FunctionRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionRow {
    pub key: Key,
    pub function: String,
    pub library: String,
    pub framework: bool,
    #[serde(rename = "self")]
    pub own: u64,
    pub cumulative: u64,
}

impl FunctionRow {
    pub fn of(shown: &ShownTree, sums: &ByLabel, id: LabelId) -> FunctionRow {
        let label = &shown.tree.labels[id as usize];
        FunctionRow {
            key: shown.label_key(id),
            function: cut_middle(&label.name, MOST_NAME),
            library: label.module.to_string(),
            framework: label.is_framework,
            own: sums.own[id as usize],
            cumulative: sums.cumulative[id as usize],
        }
    }
}

/// Here `focus` chooses functions and not stacks: it is a list to find one in.
pub fn functions(profiles: &OpenProfiles, question: &Question) -> Result<Functions> {
    let mut selection = Selection::of(profiles.side(question)?, question)?;
    let pattern = selection.filter.focus.take();
    let is_own = question.word("sort", &["cumulative", "self"])? == "self";
    let offset = question.limit("offset", 0, usize::MAX)?;
    let limit = question.limit("limit", USUAL_ROWS, MOST_ROWS)?;

    let shown = selection.opened.tree(Detail::Function);
    let values = selection.values(shown)?;
    let sums = values.by_label(&shown.tree, shown.is_outermost());
    let matching = pattern.map(|pattern| shown.matching(&pattern));
    let ranking = match is_own {
        true => &sums.own,
        false => &sums.cumulative,
    };
    let is_shown = |id: &LabelId| {
        let id = *id as usize;
        sums.cumulative[id] > 0 && matching.as_ref().is_none_or(|matching| matching[id])
    };
    let mut found: Vec<LabelId> = (0..shown.tree.labels.len() as LabelId)
        .filter(is_shown)
        .collect();
    let order = |id: &LabelId| {
        let label = &shown.tree.labels[*id as usize];
        let numbers = (ranking[*id as usize], sums.cumulative[*id as usize]);
        (std::cmp::Reverse(numbers), &label.name, *id)
    };
    found.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
    Ok(Functions {
        counter: selection.counter.name(),
        unit: selection.unit(),
        whole: values.whole(),
        found: found.len(),
        offset,
        rows: found
            .iter()
            .skip(offset)
            .take(limit)
            .map(|&id| FunctionRow::of(shown, sums, id))
            .collect(),
    })
}
