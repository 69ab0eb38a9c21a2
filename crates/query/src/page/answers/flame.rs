//! One flame graph: the widest boxes below a root, of any counter or range, from either
//! end, beside another range or the other profile.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use residue_calltree::{CallNodeId, Label, LabelId, NOT_SHOWN, TREE_ROOT};
use residue_names::cut_middle;
use residue_profile::Counter;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::flame_sides::Sides;
use super::stack_row::MOST_NAME;
use super::thread_flame;
use crate::page::boxes::{Boxes, Sent, Width, widest};
use crate::page::flame_tree::{FlameTree, InvertedBox, MergedBox};
use crate::page::key::Key;
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::Selection;
use crate::page::tree::ShownTree;
use crate::page::values::Values;
use residue_profile::units::Unit;

const USUAL_DEPTH: usize = 256;
const MOST_DEPTH: usize = 4096;
/// Functions from the allocating one on: the key of an inverted box names them all.
const MOST_UPSIDE_DEPTH: usize = 256;

/// What boxes stand for.
pub const BY: [&str; 5] = ["function", "module", "scope", "thread", "line"];

/// Answers `api/flame`. Parameters: side, events, kind, focus, ignore, counter, by, inverted (1),
/// root (a key), function (a key: it alone with all that it called, inverted with all that
/// called it), span (`0..4096`: a part of the root's width, of which narrower boxes are sent),
/// thread (a tid), against (`51..100` for another range of the same file; `a` or `b` for the
/// other file), highlight (a regular expression), depth (most, default 256).
#[derive(Serialize, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Flame {
    #[cfg_attr(feature = "typescript", ts(type = "CounterName"))]
    pub counter: &'static str,
    pub unit: Unit,
    /// What shares are of: everything, not only below the root that is shown.
    pub whole: u64,
    pub base_whole: Option<u64>,
    /// Events on each side, to compare rates.
    pub events: u64,
    pub base_events: Option<u64>,
    /// From the outermost to the box that is shown as the root; empty for everything.
    pub breadcrumbs: Vec<Crumb>,
    /// Texts that boxes refer to.
    pub names: Vec<String>,
    pub libraries: Vec<String>,
    /// Boxes in columns, parents before children; the first is the root that is shown.
    pub key: Vec<String>,
    /// Keys of functions, for `api/callers`; empty where there is none.
    pub function: Vec<String>,
    /// Of the first, which has none, minus one.
    pub parent: Vec<i64>,
    pub name: Vec<usize>,
    pub library: Vec<usize>,
    /// With all below it.
    pub value: Vec<u64>,
    pub own: Vec<u64>,
    /// On the other side, where two are compared.
    pub base: Option<Vec<u64>>,
    /// Width: the value, or where two are compared the larger side of each stack, so that
    /// what is gone has a width too.
    pub weight: Vec<u64>,
    /// Where a box begins, in weight from the left edge of the root.
    pub start: Vec<u64>,
    /// 1: part of a framework.
    pub framework: Vec<u8>,
    /// 1: it matches `highlight`.
    pub matched: Vec<u8>,
    /// Of all below the root that is shown: in or below a match.
    pub matched_value: Option<u64>,
    /// Too small to be drawn: how many boxes were not sent, at the edges of what was.
    pub left_out: u64,
    /// In a range: bytes by which other stacks fell; they have no box.
    pub fallen: u64,
    /// What the reader should know, such as that a range is not known by thread.
    pub notes: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Crumb {
    pub key: String,
    pub name: String,
    pub value: u64,
}

pub fn flame(profiles: &OpenProfiles, question: &Question) -> Result<Flame> {
    let by = question.word("by", &BY)?;
    let opened = profiles.side(question)?;
    let counter = question.counter()?;
    if !counter.adds_up() {
        let name = counter.name();
        bail!("`{name}` is a maximum, and a flame graph adds up what lies below");
    }
    if by == "thread" && question.text("thread").is_none() {
        return thread_flame::threads(opened, question);
    }
    let selection = Selection::of(opened, question)?;
    let sides = Sides::of(profiles, question, &selection, by)?;
    draw(question, &selection, &sides)
}

fn draw(question: &Question, selection: &Selection<'_>, sides: &Sides<'_>) -> Result<Flame> {
    let shown = sides.shown.tree();
    let values = &*sides.values;
    let base = sides.base.as_ref().map(|(values, _)| &**values);
    let tree = FlameTree::new(shown, values, base);
    let depth = question.limit("depth", USUAL_DEPTH, MOST_DEPTH)?;
    let pattern = question.pattern("highlight")?;
    let matching = pattern.map(|pattern| shown.matching(&pattern));
    let mut flame = Flame {
        counter: selection.counter.name(),
        unit: selection.unit(),
        whole: values.whole(),
        base_whole: base.map(Values::whole),
        events: selection.event_count()?,
        base_events: sides.base.as_ref().map(|(_, events)| *events),
        base: base.map(|_| Vec::new()),
        fallen: values.fallen,
        ..Flame::default()
    };
    if selection.counter == Counter::Peak {
        let note = "peaks are at different moments: their sum is not a heap size";
        flame.notes.push(note.to_string());
    }
    let stack = question.number("stack")?;
    let root = question.text("root");
    let window = question.span("span")?;
    let matched = Matched {
        is_in: matching.as_ref().map(|matching| shown.nodes_in(matching)),
        shown,
        values,
    };
    let function = match question.text("function") {
        None => None,
        Some(key) => Some(
            shown
                .label_of(key.parse()?)
                .context("no such function in this profile")?,
        ),
    };
    if stack.is_some() && (question.is_set("inverted") || function.is_some()) {
        bail!("stack: a whole path is not in the inverted tree");
    }
    if question.is_set("inverted") {
        let start = match function {
            Some(function) => (tree.callers(function), function),
            None => (tree.ends(), 0),
        };
        let root = find_inverted(&tree, start, root, &mut flame)?;
        flame.matched_value = matched.of_inverted(&root.0);
        let left = MOST_UPSIDE_DEPTH.saturating_sub(flame.breadcrumbs.len());
        let boxes = widest(root, depth.min(left), window, |inverted, least| {
            tree.above(inverted, least)
        });
        let key = |sent: &Sent<InvertedBox>| sent.place.key.clone();
        fill(&mut flame, shown, boxes, key, matching.as_deref());
    } else if let Some(function) = function {
        if root.is_some() {
            bail!("root: what one function called has the function as its root");
        }
        let merged = tree.function(function);
        flame.matched_value = matched.below(&merged.members);
        let width = tree.merged_width(&merged);
        let boxes = widest((merged, function, width), depth, window, |merged, least| {
            tree.below_merged(merged, least)
        });
        let key = |sent: &Sent<MergedBox>| sent.place.key.clone();
        fill(&mut flame, shown, boxes, key, matching.as_deref());
    } else {
        let node = match (stack, root) {
            (Some(stack), _) => node_of_stack(shown, stack)?,
            (None, Some(key)) => shown
                .node_of(key.parse()?)
                .context("root: no such call in this profile")?,
            (None, None) => TREE_ROOT,
        };
        let root = root_at(&tree, node, &mut flame);
        flame.matched_value = matched.below(&[node]);
        let boxes = widest(root, depth, window, |&node, least| tree.below(node, least));
        let key = |sent: &Sent<CallNodeId>| match sent.place {
            TREE_ROOT => String::new(),
            node => shown.node_key(node).to_string(),
        };
        fill(&mut flame, shown, boxes, key, matching.as_deref());
    }
    Ok(flame)
}

/// Where the path of a stack ends. Of two profiles that are joined there are no stacks.
fn node_of_stack(shown: &ShownTree, stack: u64) -> Result<CallNodeId> {
    let known = usize::try_from(stack).ok();
    let node = known.and_then(|stack| shown.tree.node_of_stack.get(stack));
    node.copied()
        .filter(|&node| node != NOT_SHOWN)
        .with_context(|| format!("stack: {stack} is not in this flame graph"))
}

/// A node as the root, with the way to it.
fn root_at(
    tree: &FlameTree<'_>,
    node: CallNodeId,
    flame: &mut Flame,
) -> (CallNodeId, LabelId, Width) {
    let shown = tree.shown;
    for node in shown.tree.path(node) {
        flame.breadcrumbs.push(Crumb {
            key: shown.node_key(node).to_string(),
            name: shown_name(shown.tree.label(node)),
            value: tree.values.cumulative[node as usize],
        });
    }
    (
        node,
        shown.tree.nodes[node as usize].label,
        tree.width(node),
    )
}

fn find_inverted(
    tree: &FlameTree<'_>,
    start: (InvertedBox, LabelId),
    key: Option<&str>,
    flame: &mut Flame,
) -> Result<(InvertedBox, LabelId, Width)> {
    let (mut inverted, mut label) = start;
    for part in key.into_iter().flat_map(|key| key.split('.')) {
        let function: Key = part.parse()?;
        (inverted, label) = tree
            .above_of(&inverted, function)
            .context("root: no such call in this profile")?;
        flame.breadcrumbs.push(Crumb {
            key: inverted.key.clone(),
            name: shown_name(&tree.shown.tree.labels[label as usize]),
            value: tree.inverted_width(&inverted).value,
        });
    }
    let width = tree.inverted_width(&inverted);
    Ok((inverted, label, width))
}

/// What lies in or below a match.
struct Matched<'a> {
    shown: &'a ShownTree,
    values: &'a Values,
    /// By node; none where nothing is searched for.
    is_in: Option<Vec<bool>>,
}

impl Matched<'_> {
    /// Of all below some nodes, none of which is below another.
    fn below(&self, roots: &[CallNodeId]) -> Option<u64> {
        let is_in = self.is_in.as_ref()?;
        let nodes = &self.shown.tree.nodes;
        let mut is_below = vec![false; nodes.len()];
        for &root in roots {
            is_below[root as usize] = true;
        }
        let first = roots
            .iter()
            .min()
            .map_or(nodes.len(), |&root| root as usize);
        let mut sum = 0_u64;
        for index in first..nodes.len() {
            is_below[index] |= is_below[nodes[index].parent as usize];
            if is_below[index] && is_in[index] {
                sum = sum.saturating_add(self.values.own[index]);
            }
        }
        Some(sum)
    }

    fn of_inverted(&self, inverted: &InvertedBox) -> Option<u64> {
        let is_in = self.is_in.as_ref()?;
        let starts = inverted.members.iter().map(|(start, _)| *start as usize);
        let numbers = match inverted.is_cumulative {
            true => &self.values.cumulative,
            false => &self.values.own,
        };
        let of_matches = starts.filter(|&node| is_in[node]);
        Some(of_matches.fold(0_u64, |sum, node| sum.saturating_add(numbers[node])))
    }
}

/// The name, with the line where lines are told apart.
fn shown_name(label: &Label) -> String {
    let name = cut_middle(&label.name, MOST_NAME);
    let file = label.file.rsplit('/').next().unwrap_or_default();
    match label.line {
        0 => name,
        line => format!("{name}  {file}:{line}"),
    }
}

/// Writes boxes as columns.
fn fill<P>(
    flame: &mut Flame,
    shown: &ShownTree,
    boxes: Boxes<P>,
    key: impl Fn(&Sent<P>) -> String,
    matching: Option<&Vec<bool>>,
) {
    let mut names: FxHashMap<LabelId, usize> = FxHashMap::default();
    let mut libraries: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    for (index, sent) in boxes.sent.iter().enumerate() {
        let label = &shown.tree.labels[sent.label as usize];
        let name = *names.entry(sent.label).or_insert_with(|| {
            flame.names.push(shown_name(label));
            flame.names.len() - 1
        });
        let library = *libraries.entry(label.module.clone()).or_insert_with(|| {
            flame.libraries.push(label.module.to_string());
            flame.libraries.len() - 1
        });
        flame.key.push(key(sent));
        flame.function.push(shown.label_key(sent.label).to_string());
        flame.parent.push(match index {
            0 => -1,
            _ => sent.parent as i64,
        });
        flame.name.push(name);
        flame.library.push(library);
        flame.value.push(sent.width.value);
        flame.own.push(sent.width.own);
        flame.weight.push(sent.width.weight);
        flame.start.push(sent.start);
        if let Some(base) = &mut flame.base {
            base.push(sent.width.base);
        }
        flame.framework.push(u8::from(label.is_framework));
        let is_match = matching.is_some_and(|matching| matching[sent.label as usize]);
        flame.matched.push(u8::from(is_match));
    }
    flame.left_out += boxes.left_out;
}
