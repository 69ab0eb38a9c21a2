//! One function, with who called it and whom it called.
//!
//! What a function did within itself is counted once. A call from one function to
//! another counts where it is outermost; the part of it in which the called one was at
//! work already, further out, is said to be recursive.

use anyhow::{Context, Result};
use residue_calltree::{CallNodeId, Detail, LabelId, TREE_ROOT};
use residue_profile::FileId;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::functions::FunctionRow;
use crate::page::key::Key;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;
use crate::page::selection::Selection;
use crate::page::tree::ShownTree;
use crate::page::values::Values;
use residue_profile::units::Unit;

const MOST_ENDS: usize = 200;

/// Answers `api/callers`. Parameters: side, events, kind, focus, ignore, counter, function (a key).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Callers {
    #[cfg_attr(feature = "typescript", ts(type = "CounterName"))]
    counter: &'static str,
    unit: Unit,
    whole: u64,
    function: FunctionRow,
    /// What root: nothing called it.
    begun: u64,
    /// The highest, at most 200 each.
    callers: Vec<CallEnd>,
    callees: Vec<CallEnd>,
    callers_found: usize,
    callees_found: usize,
    /// Where it is in the source, as far as is known: the file with most of it.
    file_id: Option<FileId>,
    file: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CallEnd {
    #[serde(flatten)]
    function: FunctionRow,
    value: u64,
    /// The part in which the called one of the two was at work already, further out.
    recursive: u64,
}

/// A call from or to the function, summed over its places.
#[derive(Default)]
struct Call {
    value: u64,
    recursive: u64,
}

pub fn callers(profiles: &OpenProfiles, question: &Question) -> Result<Callers> {
    let selection = Selection::of(profiles.side(question)?, question)?;
    let key: Key = question.text("function").unwrap_or_default().parse()?;
    let shown = selection.opened.tree(Detail::Function);
    let function = shown
        .label_of(key)
        .context("no such function in this profile")?;
    let values = selection.values(shown)?;
    let sums = values.by_label(&shown.tree, shown.is_outermost());
    let calls = calls(shown, &values, function);
    let ends = |calls: FxHashMap<LabelId, Call>| {
        let mut ends: Vec<(LabelId, Call)> = calls.into_iter().collect();
        ends.retain(|(_, call)| call.value > 0);
        ends.sort_unstable_by_key(|(label, call)| (std::cmp::Reverse(call.value), *label));
        let found = ends.len();
        let end = |(label, call): (LabelId, Call)| CallEnd {
            function: FunctionRow::of(shown, sums, label),
            value: call.value,
            recursive: call.recursive,
        };
        let ends: Vec<CallEnd> = ends.into_iter().take(MOST_ENDS).map(end).collect();
        (found, ends)
    };
    let (callers_found, callers) = ends(calls.callers);
    let (callees_found, callees) = ends(calls.callees);
    let profile = &selection.opened.profile;
    let file_id = file_of(selection.opened, &values, function);
    Ok(Callers {
        counter: selection.counter.name(),
        unit: selection.unit(),
        whole: values.whole(),
        function: FunctionRow::of(shown, sums, function),
        begun: calls.begun,
        callers,
        callees,
        callers_found,
        callees_found,
        file_id,
        file: file_id.and_then(|id| profile.files.get(id as usize).cloned()),
    })
}

#[derive(Default)]
struct Calls {
    callers: FxHashMap<LabelId, Call>,
    callees: FxHashMap<LabelId, Call>,
    begun: u64,
}

fn calls(shown: &ShownTree, values: &Values, function: LabelId) -> Calls {
    let nodes = &shown.tree.nodes;
    let is_outermost = shown.is_outermost();
    let merge = values.own.merge;
    let mut calls = Calls::default();
    for (index, node) in nodes.iter().enumerate().skip(1) {
        let value = values.cumulative[index];
        if value == 0 {
            continue;
        }
        let caller = nodes[node.parent as usize].label;
        if node.parent == TREE_ROOT {
            if node.label == function {
                merge.include(&mut calls.begun, value);
            }
            continue;
        }
        if (node.label != function && caller != function)
            || !is_outermost_call(shown, index as CallNodeId)
        {
            continue;
        }
        let add = |ends: &mut FxHashMap<LabelId, Call>, end: LabelId| {
            let call = ends.entry(end).or_default();
            merge.include(&mut call.value, value);
            if !is_outermost[index] {
                merge.include(&mut call.recursive, value);
            }
        };
        if node.label == function {
            add(&mut calls.callers, caller);
        }
        if caller == function {
            add(&mut calls.callees, node.label);
        }
    }
    calls
}

/// Whether the same function called the same one nowhere further out.
fn is_outermost_call(shown: &ShownTree, node: CallNodeId) -> bool {
    let nodes = &shown.tree.nodes;
    let of = |node: CallNodeId| {
        let here = nodes[node as usize];
        (nodes[here.parent as usize].label, here.label)
    };
    let call = of(node);
    let mut at = nodes[node as usize].parent;
    while at != TREE_ROOT {
        if nodes[at as usize].parent != TREE_ROOT && of(at) == call {
            return false;
        }
        at = nodes[at as usize].parent;
    }
    true
}

/// The source file of a function, where it did most: that of the heaviest stack below
/// its heaviest call.
fn file_of(opened: &Opened, values: &Values, function: LabelId) -> Option<FileId> {
    let shown = opened.tree(Detail::Function);
    let nodes = &shown.tree.nodes;
    let calls = (1..nodes.len()).filter(|&node| nodes[node].label == function);
    let mut at = calls.max_by_key(|&node| values.cumulative[node])? as CallNodeId;
    loop {
        let below = shown.children.of_node(at).iter().copied();
        let heaviest = below.max_by_key(|&node| values.cumulative[node as usize]);
        match heaviest {
            Some(next) if values.own[at as usize] == 0 => at = next,
            _ => break,
        }
    }
    let mut stacks = shown.tree.node_of_stack.iter();
    let stack = stacks.position(|&node| node == at)?;
    let name = &shown.tree.labels[function as usize].name;
    let mut paths = opened.paths();
    let steps = paths.steps(&opened.profile.stacks[stack]);
    let here = steps.iter().rev().find(|step| step.label.name == *name)?;
    let files = &opened.profile.files;
    let place = files.iter().position(|file| **file == *here.label.file)?;
    Some(place as FileId)
}
