//! Flame graphs: a picture in which every path is a pile of frames, as wide as its value.
//!
//! Frames too narrow to be seen are left out before anything is drawn, so that the
//! work is bounded; what they hold is part of the frame below them, as wide as before.

use std::io::{self, Write};

use inferno::flamegraph::color::{BasicPalette, Palette};
use inferno::flamegraph::{self, Direction, Options};
use residue_calltree::{CallNode, CallNodeId, CallTree, Label, LabelId, NodeValues, TREE_ROOT};
use residue_profile::units::Unit;
use residue_profile::{Counter, Merge};
use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::Source;
use crate::folded::texts;
use crate::plain::visible;
use crate::walk::{PathText, Placed, depth_first};

/// Sums up to here can be drawn.
const LARGEST: u64 = i64::MAX as u64;
/// The frame of what would stand at the root and is too narrow.
const OTHERS: &str = "[others]";
/// Frames narrower than one part in so many are not drawn: an eighth of a pixel.
const NARROWEST: u128 = 10_000;
/// Of all lines, which are in memory at once.
const MOST_LINE_BYTES: usize = 128 << 20;

/// How the picture is to look.
#[derive(Debug, Clone, Default)]
pub struct Look {
    pub title: String,
    /// Below the title; not drawn if empty.
    pub subtitle: String,
    /// What the values are: `bytes`.
    pub unit: String,
    /// Roots on top.
    pub is_inverted: bool,
}

impl Look {
    /// The usual words for a counter.
    pub fn of(program: &str, counter: Counter) -> Look {
        Look {
            title: format!("{program}: {}", counter.subject()),
            subtitle: counter.meaning().to_string(),
            unit: match counter.unit() {
                Unit::Count => counter.subject().to_string(),
                unit => unit.name().to_string(),
            },
            is_inverted: false,
        }
    }
}

/// Fails where there is nothing to draw.
pub fn write(source: &Source<'_>, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    let own = source.own(source.counter());
    draw(source.tree, None, &own, look, out)
}

/// What changed: as wide as it is after, red where it grew and blue where it shrank.
/// Paths are names from the root on, each with its value before and after; one that
/// comes twice counts twice.
pub fn differential<'a, P>(
    paths: impl IntoIterator<Item = (P, u64, u64)>,
    look: &Look,
    out: &mut dyn Write,
) -> io::Result<()>
where
    P: IntoIterator<Item = &'a str>,
{
    let mut planted = Planted::default();
    let mut sides = [(), ()].map(|()| NodeValues::none(Merge::Sum, 1));
    for (path, was, is) in paths {
        let node = planted.node(path) as usize;
        for (side, value) in sides.iter_mut().zip([was, is]) {
            side.values.resize(planted.tree.nodes.len(), 0);
            side.include(node, value);
        }
    }
    let [before, after] = sides;
    draw(&planted.tree, Some(&before), &after, look, out)
}

fn draw(
    tree: &CallTree,
    before: Option<&NodeValues>,
    after: &NodeValues,
    look: &Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_too_large = |own: &NodeValues| {
        let mut sum = 0_u64;
        own.iter().any(|&value| {
            sum = sum.saturating_add(value);
            sum > LARGEST
        })
    };
    if is_too_large(after) || before.is_some_and(is_too_large) {
        let message = "the numbers are too large to be drawn: their sum is beyond 2^63";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let lines = lines(tree, before, after)?;
    if lines.is_empty() {
        let message = format!("nothing to draw: the sum is 0 {}", look.unit);
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let mut options = Options::default();
    options.title = visible(&look.title);
    options.subtitle = Some(visible(&look.subtitle)).filter(|text| !text.is_empty());
    options.count_name = visible(&look.unit);
    options.colors = Palette::Basic(BasicPalette::Mem);
    // The same colours for the same names, always.
    options.hash = true;
    if look.is_inverted {
        options.direction = Direction::Inverted;
    }
    // Takes the lines last first, and leaves their order alone.
    options.flame_chart = true;
    flamegraph::from_lines(&mut options, lines.iter().rev().map(String::as_str), out)
}

/// Folded lines with one value or two. Those of one subtree stand together, a node's
/// own before those below it.
fn lines(
    tree: &CallTree,
    before: Option<&NodeValues>,
    after: &NodeValues,
) -> io::Result<Vec<String>> {
    let texts = texts(tree);
    let text = |node: CallNodeId| &*texts[tree.nodes[node as usize].label as usize];
    let sums = tree.cumulative(after);
    let whole = u128::from(sums[TREE_ROOT as usize]);
    let is_wide = |node: CallNodeId| {
        let sum = u128::from(sums[node as usize]);
        sum > 0 && sum * NARROWEST >= whole
    };
    let own_after = with_the_narrow(tree, &sums, is_wide);
    let own_before = before.map(|own| with_the_narrow(tree, &tree.cumulative(own), is_wide));
    let order = |row: &mut Vec<CallNodeId>| {
        row.retain(|&node| is_wide(node));
        row.sort_by_key(|&node| text(node));
    };
    let line = |path: &str, node: CallNodeId| {
        let is = own_after[node as usize];
        let values = match &own_before {
            Some(before) => format!("{} {is}", before[node as usize]),
            None => is.to_string(),
        };
        (is > 0).then(|| format!("{path} {values}"))
    };
    let mut lines: Vec<String> = line(OTHERS, TREE_ROOT).into_iter().collect();
    let mut path = PathText::default();
    let mut bytes = 0;
    for Placed { node, depth } in depth_first(&tree.children(), order) {
        let path = path.go_to(depth, text(node), ';');
        let line = line(path, node);
        bytes += line.as_ref().map_or(0, String::len);
        if bytes.max(path.len()) > MOST_LINE_BYTES {
            let message = "the paths are too long to be drawn; --focus or --under shows a part";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        lines.extend(line);
    }
    Ok(lines)
}

/// Per node, what it has of its own and what is below it in nodes that are not wide.
fn with_the_narrow(
    tree: &CallTree,
    sums: &[u64],
    is_wide: impl Fn(CallNodeId) -> bool,
) -> Vec<u64> {
    let mut own = sums.to_vec();
    for (index, node) in tree.nodes.iter().enumerate().skip(1) {
        if is_wide(index as CallNodeId) {
            let own = &mut own[node.parent as usize];
            *own = own.saturating_sub(sums[index]);
        }
    }
    own
}

/// A tree that grows by paths.
struct Planted {
    tree: CallTree,
    labels: FxHashMap<String, LabelId>,
    nodes: FxHashMap<(CallNodeId, LabelId), CallNodeId>,
}

impl Default for Planted {
    fn default() -> Planted {
        let mut planted = Planted {
            tree: CallTree::default(),
            labels: FxHashMap::default(),
            nodes: FxHashMap::default(),
        };
        let label = planted.label("");
        planted.tree.nodes.push(CallNode {
            parent: TREE_ROOT,
            label,
        });
        planted
    }
}

impl Planted {
    fn node<'a>(&mut self, path: impl IntoIterator<Item = &'a str>) -> CallNodeId {
        let mut node = TREE_ROOT;
        for name in path {
            let label = self.label(name);
            let nodes = &mut self.tree.nodes;
            node = *self.nodes.entry((node, label)).or_insert_with(|| {
                nodes.push(CallNode {
                    parent: node,
                    label,
                });
                (nodes.len() - 1) as CallNodeId
            });
        }
        node
    }

    fn label(&mut self, name: &str) -> LabelId {
        if let Some(&label) = self.labels.get(name) {
            return label;
        }
        let label = self.tree.labels.len() as LabelId;
        let none: Arc<str> = Arc::from("");
        self.tree.labels.push(Label {
            name: Arc::from(name),
            module: none.clone(),
            file: none,
            line: 0,
            is_framework: false,
        });
        self.labels.insert(name.to_string(), label);
        label
    }
}

#[cfg(test)]
mod tests;
