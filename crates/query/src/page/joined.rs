//! The trees of two profiles as one, so that what they share stands at the same place.

use std::sync::{Arc, OnceLock};

use residue_calltree::diff::{JoinedTree, Pair};
use residue_calltree::{CallNodeId, CallTree, Detail, NOT_SHOWN};

use super::opened::Opened;
use super::tree::ShownTree;
use crate::builds::Builds;

pub struct Joined {
    pub tree: Arc<JoinedTree>,
    /// Per stack of the profile before, and of the one after, the node it ends in, or
    /// [`NOT_SHOWN`].
    pub node_of_stack: [Vec<CallNodeId>; 2],
    shown: OnceLock<Arc<ShownTree>>,
}

impl Joined {
    pub fn of(before: &Opened, after: &Opened, detail: Detail) -> Joined {
        let (one, other) = (&before.tree(detail).tree, &after.tree(detail).tree);
        let builds = [before, after].map(|side| Builds::of(&side.profile));
        let is_moved = |module: &str| builds[0].is_moved(&builds[1], module);
        let tree = JoinedTree::of(one, other, is_moved);
        let places = tree.places();
        let moved = |of_stack: &[CallNodeId], places: &[CallNodeId]| {
            let moved = of_stack.iter().map(|&node| match node {
                NOT_SHOWN => NOT_SHOWN,
                node => places[node as usize],
            });
            moved.collect()
        };
        let node_of_stack = [
            moved(&one.node_of_stack, &places[0]),
            moved(&other.node_of_stack, &places[1]),
        ];
        Joined {
            tree: Arc::new(tree),
            node_of_stack,
            shown: OnceLock::new(),
        }
    }

    /// The same as a tree that can be drawn. No stack ends in it: numbers come from
    /// [`Joined::own`].
    pub fn shown_tree(&self) -> Arc<ShownTree> {
        let make = || {
            Arc::new(ShownTree::new(CallTree {
                labels: self.tree.labels.clone(),
                nodes: self.tree.nodes.clone(),
                node_of_stack: Vec::new(),
            }))
        };
        self.shown.get_or_init(make).clone()
    }

    /// Per node, the sums of a number over the stacks that end there, on both sides.
    pub fn own(&self, before: impl Fn(usize) -> i64, after: impl Fn(usize) -> i64) -> Vec<Pair> {
        let mut pairs = vec![Pair::default(); self.tree.nodes.len()];
        for (stack, node) in shown(&self.node_of_stack[0]) {
            let sum = &mut pairs[node].before;
            *sum = sum.saturating_add(before(stack));
        }
        for (stack, node) in shown(&self.node_of_stack[1]) {
            let sum = &mut pairs[node].after;
            *sum = sum.saturating_add(after(stack));
        }
        pairs
    }
}

/// The stacks that are shown, each with its node.
fn shown(node_of_stack: &[CallNodeId]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let numbered = node_of_stack.iter().enumerate();
    numbered
        .filter(|(_, node)| **node != NOT_SHOWN)
        .map(|(stack, &node)| (stack, node as usize))
}
