//! Two trees as one, each node with what it had before and has after.
//!
//! ```text
//!   before   main ─ load 10          main ─ load 10 → 12
//!                 └ parse 5     ──►       ├ parse 5 → 0
//!   after    main ─ load 12               └ draw  0 → 3
//!                 └ draw 3
//! ```
//!
//! Nodes are the same when they are called the same and so are their callers: two
//! builds of a program have different addresses, but mostly the same names.

mod rows;
#[cfg(test)]
mod tests;

pub use rows::{Class, ComparedRow, Pair, Scale, Sums};

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::labels::{Label, LabelId};
use crate::tree::{CallNode, CallNodeId, CallTree, Children};
use crate::{NOT_SHOWN, TREE_ROOT};

/// Per node of a tree, the sum of a number over the stacks that end there. Numbers have
/// a sign: what changed between two moments can be less than nothing.
pub fn own_values(tree: &CallTree, of_stack: impl Fn(usize) -> i64) -> Vec<i64> {
    let mut sums = vec![0_i64; tree.nodes.len()];
    for (stack, &node) in tree.node_of_stack.iter().enumerate() {
        if node != NOT_SHOWN {
            let sum = &mut sums[node as usize];
            *sum = sum.saturating_add(of_stack(stack));
        }
    }
    sums
}

/// Two trees, joined.
#[derive(Debug)]
pub struct JoinedTree {
    pub labels: Vec<Label>,
    /// Every node is followed by all that is below it, before its next sibling.
    pub nodes: Vec<CallNode>,
    /// Where the nodes of the two trees are now.
    places: [Vec<CallNodeId>; 2],
}

/// Sums of a label, by index: what it allocated itself, and with all that it called.
#[derive(Debug, Default)]
pub struct LabelPairs {
    pub own: Vec<Pair>,
    pub cumulative: Vec<Pair>,
}

impl JoinedTree {
    /// Joins two trees. `is_moved` says of a library whether its code lies elsewhere
    /// in the two, so that addresses in it without a name cannot be compared.
    pub fn of(before: &CallTree, after: &CallTree, is_moved: impl Fn(&str) -> bool) -> JoinedTree {
        let mut naming = Naming::default();
        let sides = [before, after].map(|tree| Side::new(tree, &mut naming, &is_moved));
        join(&sides, naming.labels)
    }

    /// The numbers of both trees' nodes, by node of this one.
    pub fn pairs(&self, before: &[i64], after: &[i64]) -> Vec<Pair> {
        let mut pairs = vec![Pair::default(); self.nodes.len()];
        for (&place, &value) in self.places[0].iter().zip(before) {
            pairs[place as usize].add(Pair::new(value, 0));
        }
        for (&place, &value) in self.places[1].iter().zip(after) {
            pairs[place as usize].add(Pair::new(0, value));
        }
        pairs
    }

    /// Where the nodes of the tree before, and of the tree after, are now.
    pub fn places(&self) -> &[Vec<CallNodeId>; 2] {
        &self.places
    }

    pub fn label(&self, node: CallNodeId) -> &Label {
        &self.labels[self.nodes[node as usize].label as usize]
    }

    /// The labels from `node` up to the root, leaf first.
    pub fn path_leaf_first(&self, node: CallNodeId) -> impl Iterator<Item = &Label> {
        let mut at = node;
        std::iter::from_fn(move || {
            if at == TREE_ROOT {
                return None;
            }
            let here = at;
            at = self.nodes[here as usize].parent;
            Some(self.label(here))
        })
    }

    /// Per node, the sum over the node and everything below it.
    pub fn cumulative(&self, own: &[Pair]) -> Vec<Pair> {
        let mut sums = own.to_vec();
        for index in (1..self.nodes.len()).rev() {
            let here = sums[index];
            sums[self.nodes[index].parent as usize].add(here);
        }
        sums
    }

    /// Sums by label. A function that calls itself counts at its outermost call.
    pub fn by_label(&self, own: &[Pair]) -> LabelPairs {
        let cumulative = self.cumulative(own);
        let mut sums = LabelPairs {
            own: vec![Pair::default(); self.labels.len()],
            cumulative: vec![Pair::default(); self.labels.len()],
        };
        // What has no path at all is the root's own.
        sums.own[0].add(own[TREE_ROOT as usize]);
        sums.cumulative[0].add(own[TREE_ROOT as usize]);
        let mut calls_above = vec![0_u32; self.labels.len()];
        let mut path: Vec<CallNodeId> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            while path.last().is_some_and(|&last| last != node.parent) {
                if let Some(left) = path.pop() {
                    calls_above[self.nodes[left as usize].label as usize] -= 1;
                }
            }
            let label = node.label as usize;
            sums.own[label].add(own[index]);
            if calls_above[label] == 0 {
                sums.cumulative[label].add(cumulative[index]);
            }
            calls_above[label] += 1;
            path.push(index as CallNodeId);
        }
        sums
    }
}

/// One of the trees, while it is joined.
struct Side<'a> {
    tree: &'a CallTree,
    children: Children,
    /// The numbers of its labels in the join.
    labels: Vec<LabelId>,
}

impl<'a> Side<'a> {
    fn new(tree: &'a CallTree, naming: &mut Naming, is_moved: &impl Fn(&str) -> bool) -> Side<'a> {
        let labels = tree.labels.iter();
        Side {
            tree,
            children: tree.children(),
            labels: labels.map(|label| naming.number(label, is_moved)).collect(),
        }
    }
}

/// A node of one side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    /// In the join; first, so that sources sort by it.
    label: LabelId,
    side: u8,
    node: CallNodeId,
}

/// A node of the join that is not made yet, and where its sources begin.
struct Due {
    parent: CallNodeId,
    label: LabelId,
    sources_from: usize,
}

fn join(sides: &[Side<'_>; 2], labels: Vec<Label>) -> JoinedTree {
    let mut nodes: Vec<CallNode> = Vec::new();
    let mut places = [&sides[0], &sides[1]].map(|side| vec![TREE_ROOT; side.tree.nodes.len()]);
    let mut due = vec![Due {
        parent: TREE_ROOT,
        label: 0,
        sources_from: 0,
    }];
    // Those of the last one due are always the last ones in the list.
    let mut sources = Vec::from([0, 1].map(|side| Source {
        label: 0,
        side,
        node: TREE_ROOT,
    }));
    let mut below: Vec<Source> = Vec::new();
    while let Some(next) = due.pop() {
        let id = nodes.len() as CallNodeId;
        nodes.push(CallNode {
            parent: next.parent,
            label: next.label,
        });
        below.clear();
        for source in sources.drain(next.sources_from..) {
            let number = usize::from(source.side);
            places[number][source.node as usize] = id;
            let side = &sides[number];
            let children = side.children.of_node(source.node).iter();
            below.extend(children.map(|&node| Source {
                label: side.labels[side.tree.nodes[node as usize].label as usize],
                side: source.side,
                node,
            }));
        }
        // From the last, so that the first is the next to be made.
        below.sort_unstable_by(|one, other| other.cmp(one));
        for same in below.chunk_by(|one, other| one.label == other.label) {
            due.push(Due {
                parent: id,
                label: same[0].label,
                sources_from: sources.len(),
            });
            sources.extend_from_slice(same);
        }
    }
    JoinedTree {
        labels,
        nodes,
        places,
    }
}

/// What makes two labels one.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    name: Arc<str>,
    module: Arc<str>,
    file: Arc<str>,
    line: u32,
}

#[derive(Default)]
struct Naming {
    labels: Vec<Label>,
    numbers: FxHashMap<Key, LabelId>,
}

impl Naming {
    fn number(&mut self, label: &Label, is_moved: &impl Fn(&str) -> bool) -> LabelId {
        let name = match comparable(&label.name, is_moved) {
            Cow::Borrowed(_) => label.name.clone(),
            Cow::Owned(name) => Arc::from(name),
        };
        let key = Key {
            name: name.clone(),
            module: label.module.clone(),
            file: label.file.clone(),
            line: label.line,
        };
        *self.numbers.entry(key).or_insert_with(|| {
            self.labels.push(Label {
                name,
                ..label.clone()
            });
            (self.labels.len() - 1) as LabelId
        })
    }
}

/// The name, without an address that means nothing on the other side.
fn comparable<'a>(name: &'a str, is_moved: &impl Fn(&str) -> bool) -> Cow<'a, str> {
    let is_address = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_hexdigit());
    match name.rsplit_once("0x") {
        Some(("[jit] ", address)) if is_address(address) => Cow::Owned("[jit]".to_string()),
        Some((module, address)) if is_address(address) => match module.strip_suffix('+') {
            Some(module) if is_moved(module) => Cow::Owned(format!("{module}+?")),
            _ => Cow::Borrowed(name),
        },
        _ => Cow::Borrowed(name),
    }
}
