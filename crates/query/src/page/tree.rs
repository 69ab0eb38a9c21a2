//! A tree of calls with what the page asks of it again and again: sums of a counter or a
//! range, who matches a pattern, which node a key means.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use residue_calltree::{
    CallNode, CallNodeId, CallTree, Children, Label, LabelId, NOT_SHOWN, TREE_ROOT, outermost_calls,
};

use super::key::Key;
use super::recent::Recent;
use super::values::{Values, Wanted};

/// Sums that are kept: 16 bytes a node each.
const SUMS_KEPT: usize = 6;
/// Patterns whose answers are kept: a byte a label, or a stack.
const PATTERNS_KEPT: usize = 8;

/// In place of a scope for what is allocated in none.
pub const NO_SCOPE: &str = "(in no scope)";

pub struct ShownTree {
    pub tree: CallTree,
    pub children: Children,
    /// By label.
    pub label_keys: Vec<Key>,
    node_keys: OnceLock<Vec<Key>>,
    is_outermost: OnceLock<Vec<bool>>,
    sums: Recent<Wanted, Values>,
    matches: Recent<String, Vec<bool>>,
    admissions: Recent<String, Vec<bool>>,
}

impl ShownTree {
    pub fn new(tree: CallTree) -> ShownTree {
        ShownTree {
            children: tree.children(),
            label_keys: tree.labels.iter().map(Key::of_label).collect(),
            node_keys: OnceLock::new(),
            is_outermost: OnceLock::new(),
            sums: Recent::new(SUMS_KEPT),
            matches: Recent::new(PATTERNS_KEPT),
            admissions: Recent::new(PATTERNS_KEPT),
            tree,
        }
    }

    /// The sums of something that was asked for.
    pub fn values(&self, wanted: &Wanted, of_stack: impl Fn(usize) -> i64) -> Arc<Values> {
        let merge = wanted.counter.merge();
        let values = || Values::of(&self.tree, merge, of_stack);
        self.sums.get(wanted.clone(), values)
    }

    pub fn label_key(&self, label: LabelId) -> Key {
        self.label_keys[label as usize]
    }

    pub fn node_key(&self, node: CallNodeId) -> Key {
        self.node_keys()[node as usize]
    }

    fn node_keys(&self) -> &[Key] {
        self.node_keys.get_or_init(|| {
            let mut keys = Vec::with_capacity(self.tree.nodes.len());
            for (index, node) in self.tree.nodes.iter().enumerate() {
                keys.push(match index as CallNodeId {
                    TREE_ROOT => Key::ROOT,
                    _ => Key::then(keys[node.parent as usize], self.label_key(node.label)),
                });
            }
            keys
        })
    }

    /// The place that a key means.
    pub fn node_of(&self, key: Key) -> Option<CallNodeId> {
        // Looking through all takes a thousandth of what a map would take to be made.
        let place = self.node_keys().iter().position(|other| *other == key)?;
        Some(place as CallNodeId)
    }

    /// The function that a key means.
    pub fn label_of(&self, key: Key) -> Option<LabelId> {
        let place = self.label_keys.iter().position(|other| *other == key)?;
        Some(place as LabelId)
    }

    /// Of every node, whether no node above it is of the same function.
    pub fn is_outermost(&self) -> &[bool] {
        self.is_outermost
            .get_or_init(|| outermost_calls(&self.tree, &self.children))
    }

    /// Which labels match.
    pub fn matching(&self, pattern: &Regex) -> Arc<Vec<bool>> {
        self.matches.get(pattern.as_str().to_string(), || {
            let labels = self.tree.labels.iter();
            labels.map(|label| pattern.is_match(&label.name)).collect()
        })
    }

    /// Of every node, whether it or one above it matches.
    pub fn nodes_in(&self, matching: &[bool]) -> Vec<bool> {
        let mut is_in = vec![false; self.tree.nodes.len()];
        for (index, node) in self.tree.nodes.iter().enumerate().skip(1) {
            is_in[index] = matching[node.label as usize] || is_in[node.parent as usize];
        }
        is_in
    }

    /// Which stacks have a function that matches.
    pub fn with_match(&self, pattern: &Regex) -> Arc<Vec<bool>> {
        self.admissions.get(pattern.as_str().to_string(), || {
            let is_in = self.nodes_in(&self.matching(pattern));
            let ends = self.tree.node_of_stack.iter();
            ends.map(|&node| node != NOT_SHOWN && is_in[node as usize])
                .collect()
        })
    }
}

/// The same tree with what lies in no scope below a node of its own, so that the first
/// level is of scopes alone. `scopes` are the outermost ones, as they are called in the tree.
pub fn by_scope(tree: &CallTree, scopes: &HashSet<String>) -> CallTree {
    let is_scope = |label: &Label| scopes.contains(label.name.as_ref());
    let mut labels = tree.labels.clone();
    let no_scope = labels.len() as LabelId;
    labels.push(Label::text(NO_SCOPE));
    // The new node comes second, and all others move by one.
    const NO_SCOPE_NODE: CallNodeId = TREE_ROOT + 1;
    let moved = |node: CallNodeId| match node {
        TREE_ROOT => TREE_ROOT,
        NOT_SHOWN => NOT_SHOWN,
        node => node + 1,
    };
    let mut nodes = Vec::with_capacity(tree.nodes.len() + 1);
    nodes.extend(tree.nodes.first().copied());
    nodes.push(CallNode {
        parent: TREE_ROOT,
        label: no_scope,
    });
    for node in tree.nodes.iter().skip(1) {
        let is_outside = node.parent == TREE_ROOT && !is_scope(&tree.labels[node.label as usize]);
        nodes.push(CallNode {
            parent: match is_outside {
                true => NO_SCOPE_NODE,
                false => moved(node.parent),
            },
            label: node.label,
        });
    }
    CallTree {
        labels,
        nodes,
        node_of_stack: tree.node_of_stack.iter().map(|&node| moved(node)).collect(),
    }
}
