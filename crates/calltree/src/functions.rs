//! Sums by function, and who calls whom.
//!
//! A function that calls itself stands several times on one path, but what happens
//! below it happens once: it is counted at the outermost call only. The same holds
//! for a call from one function to another.
//!
//! ```text
//!   f ── g ── f ── h     f: counted at the first f      f → g: counted
//!                        g → f: counted, and said to be within an f
//!                        f → h: counted, and said to be from an f within an f
//! ```

use rustc_hash::FxHashMap;

use crate::TREE_ROOT;
use crate::labels::LabelId;
use crate::node_values::NodeValues;
use crate::tree::{CallNodeId, CallTree, Children};

/// Per label, or group of them: what it allocated itself, and with all that it called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionSums {
    pub own: Vec<u64>,
    pub cumulative: Vec<u64>,
}

/// What was allocated in calls from one function to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub caller: LabelId,
    pub callee: LabelId,
    pub value: u64,
    /// The part of the value where the callee is at work already, further out. The
    /// rest adds up, over the callers of a function, to what the function did.
    pub within_callee: u64,
    /// The part of the value where the caller is at work already, further out.
    pub within_caller: u64,
}

/// Sums by label from the values of the nodes.
pub fn by_function(tree: &CallTree, children: &Children, own: &NodeValues) -> FunctionSums {
    Functions::of(tree, children).sums(own)
}

/// All calls below which there is something, by caller, then callee.
pub fn edges(tree: &CallTree, children: &Children, own: &NodeValues) -> Vec<Edge> {
    let calls = Calls::of(tree, children);
    let mut edges = calls.edges(own);
    edges.retain(|edge| edge.value > 0);
    edges
}

/// The functions of a tree, or other groups of labels, ready for the sums of any
/// counter.
pub struct Functions<'t> {
    tree: &'t CallTree,
    /// Of every node the group of its label.
    groups: Vec<u32>,
    count: usize,
    /// Of every node: no node above it is of the same group.
    is_outermost: Vec<bool>,
}

impl<'t> Functions<'t> {
    /// Every label is its own group.
    pub fn of(tree: &'t CallTree, children: &Children) -> Functions<'t> {
        Functions::grouped(tree, children, tree.labels.len(), |label| label)
    }

    /// Labels in so many groups, which are counted from zero.
    pub fn grouped(
        tree: &'t CallTree,
        children: &Children,
        count: usize,
        group: impl Fn(LabelId) -> u32,
    ) -> Functions<'t> {
        let groups: Vec<u32> = tree.nodes.iter().map(|node| group(node.label)).collect();
        let is_outermost = outermost(tree, children, &groups, count);
        Functions {
            tree,
            groups,
            count,
            is_outermost,
        }
    }

    pub fn sums(&self, own: &NodeValues) -> FunctionSums {
        let mut sums = FunctionSums {
            own: vec![0; self.count],
            cumulative: vec![0; self.count],
        };
        let cumulative = self.tree.cumulative(own);
        for (index, &group) in self.groups.iter().enumerate().skip(1) {
            own.merge.include(&mut sums.own[group as usize], own[index]);
            if self.is_outermost[index] {
                let sum = &mut sums.cumulative[group as usize];
                own.merge.include(sum, cumulative[index]);
            }
        }
        sums
    }
}

/// Functions and the calls between them, ready for the sums of any counter.
pub struct Calls<'t> {
    pub functions: Functions<'t>,
    /// Of every node: no node above it is the same call.
    is_outermost_call: Vec<bool>,
    /// Of every node the call that leads to it, as an index into `pairs`.
    call_of_node: Vec<u32>,
    /// Caller and callee; the first is [`NO_CALL`].
    pairs: Vec<(LabelId, LabelId)>,
}

/// In `call_of_node`: nobody called it.
const NO_CALL: u32 = 0;

impl<'t> Calls<'t> {
    pub fn of(tree: &'t CallTree, children: &Children) -> Calls<'t> {
        let (pairs, call_of_node) = pairs(tree);
        let is_outermost_call = outermost(tree, children, &call_of_node, pairs.len());
        Calls {
            functions: Functions::of(tree, children),
            is_outermost_call,
            call_of_node,
            pairs,
        }
    }

    /// All calls, also those below which there is nothing, by caller, then callee.
    pub fn edges(&self, own: &NodeValues) -> Vec<Edge> {
        let Functions {
            tree, is_outermost, ..
        } = &self.functions;
        let cumulative = tree.cumulative(own);
        let edge = |&(caller, callee): &(LabelId, LabelId)| Edge {
            caller,
            callee,
            value: 0,
            within_callee: 0,
            within_caller: 0,
        };
        let mut edges: Vec<Edge> = self.pairs.iter().map(edge).collect();
        for (index, node) in tree.nodes.iter().enumerate().skip(1) {
            if !self.is_outermost_call[index] {
                continue;
            }
            let edge = &mut edges[self.call_of_node[index] as usize];
            let value = cumulative[index];
            own.merge.include(&mut edge.value, value);
            if !is_outermost[index] {
                own.merge.include(&mut edge.within_callee, value);
            }
            if !is_outermost[node.parent as usize] {
                own.merge.include(&mut edge.within_caller, value);
            }
        }
        edges.swap_remove(NO_CALL as usize);
        edges.sort_unstable_by_key(|edge| (edge.caller, edge.callee));
        edges
    }
}

/// Every pair of caller and callee once, and which of them leads to each node. The
/// first pair stands for no call at all.
fn pairs(tree: &CallTree) -> (Vec<(LabelId, LabelId)>, Vec<u32>) {
    let mut pairs = vec![(0, 0)];
    let mut known: FxHashMap<(LabelId, LabelId), u32> = FxHashMap::default();
    let mut call_of_node = vec![NO_CALL; tree.nodes.len()];
    for (call, node) in call_of_node.iter_mut().zip(&tree.nodes).skip(1) {
        if node.parent != TREE_ROOT {
            let caller = tree.nodes[node.parent as usize].label;
            *call = *known.entry((caller, node.label)).or_insert_with(|| {
                pairs.push((caller, node.label));
                (pairs.len() - 1) as u32
            });
        }
    }
    (pairs, call_of_node)
}

/// Of every node, whether no node above it is of the same function.
pub fn outermost_calls(tree: &CallTree, children: &Children) -> Vec<bool> {
    let labels: Vec<LabelId> = tree.nodes.iter().map(|node| node.label).collect();
    outermost(tree, children, &labels, tree.labels.len())
}

/// Of every node, whether no node above it is of the same kind.
fn outermost(tree: &CallTree, children: &Children, kinds: &[u32], count: usize) -> Vec<bool> {
    let mut is_outermost = vec![false; tree.nodes.len()];
    let mut is_above = vec![false; count];
    let mut path: Vec<CallNodeId> = Vec::new();
    // A list and not recursion: how deep paths go is up to the file.
    let mut work: Vec<CallNodeId> = children.of_node(TREE_ROOT).to_vec();
    while let Some(node) = work.pop() {
        let parent = tree.nodes[node as usize].parent;
        while let Some(&left) = path.last()
            && left != parent
        {
            path.pop();
            if is_outermost[left as usize] {
                is_above[kinds[left as usize] as usize] = false;
            }
        }
        let kind = kinds[node as usize] as usize;
        is_outermost[node as usize] = !is_above[kind];
        let below = children.of_node(node);
        if !below.is_empty() {
            is_above[kind] = true;
            path.push(node);
            work.extend_from_slice(below);
        }
    }
    is_outermost
}
