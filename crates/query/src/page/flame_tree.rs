//! The ways to look at a tree as boxes: from the root to what allocated, the other way
//! round, and both of them from one function on, wherever it was called.

use residue_calltree::{CallNodeId, LabelId, NodeValues, TREE_ROOT};
use rustc_hash::FxHashMap;

use super::boxes::{Below, Width};
use super::key::Key;
use super::tree::ShownTree;
use super::values::Values;

/// A tree with the numbers of one side, or of two that are compared.
pub struct FlameTree<'a> {
    pub shown: &'a ShownTree,
    pub values: &'a Values,
    pub base: Option<&'a Values>,
    /// By node: the larger side of each, and with all below. Only where two are compared.
    weights: Option<[NodeValues; 2]>,
}

impl<'a> FlameTree<'a> {
    pub fn new(shown: &'a ShownTree, values: &'a Values, base: Option<&'a Values>) -> Self {
        let weights = base.map(|base| {
            let sides = values.own.iter().zip(base.own.iter());
            let own = NodeValues {
                merge: values.own.merge,
                values: sides.map(|(&one, &other)| one.max(other)).collect(),
            };
            let cumulative = shown.tree.cumulative(&own);
            [own, cumulative]
        });
        FlameTree {
            shown,
            values,
            base,
            weights,
        }
    }

    /// A node with all below it.
    pub fn width(&self, node: CallNodeId) -> Width {
        let node = node as usize;
        let value = self.values.cumulative[node];
        Width {
            value,
            own: self.values.own[node],
            base: self.base.map_or(0, |base| base.cumulative[node]),
            weight: self
                .weights
                .as_ref()
                .map_or(value, |weights| weights[1][node]),
        }
    }

    /// One function with all that it called, at its outermost calls.
    pub fn function(&self, label: LabelId) -> MergedBox {
        MergedBox {
            key: self.shown.label_key(label).to_string(),
            members: self.outermost(label),
        }
    }

    /// One function with those that called it.
    pub fn callers(&self, label: LabelId) -> InvertedBox {
        let nodes = self.outermost(label).into_iter();
        InvertedBox {
            key: self.shown.label_key(label).to_string(),
            members: nodes
                .map(|node| (node, self.shown.tree.nodes[node as usize].parent))
                .collect(),
            is_cumulative: true,
        }
    }

    fn outermost(&self, label: LabelId) -> Vec<CallNodeId> {
        let is_outermost = self.shown.is_outermost();
        let nodes = 1..self.shown.tree.nodes.len() as CallNodeId;
        nodes
            .filter(|&node| self.label(node) == label && is_outermost[node as usize])
            .collect()
    }

    /// The sum over the places of a merged box.
    pub fn merged_width(&self, merged: &MergedBox) -> Width {
        let widths = merged.members.iter().map(|&node| self.width(node));
        widths.fold(Width::default(), Width::with)
    }

    /// What the function of a merged box called, by function; those with enough.
    pub fn below_merged(&self, merged: &MergedBox, least: u64) -> Below<MergedBox> {
        let mut members: FxHashMap<LabelId, Vec<CallNodeId>> = FxHashMap::default();
        for &node in &merged.members {
            for &child in self.shown.children.of_node(node) {
                if self.width(child).weight > 0 {
                    members.entry(self.label(child)).or_default().push(child);
                }
            }
        }
        let mut below = Below {
            wide: Vec::new(),
            narrow: 0,
        };
        for (label, members) in members {
            let key = format!("{}.{}", merged.key, self.shown.label_key(label));
            let called = MergedBox { key, members };
            let width = self.merged_width(&called);
            if width.weight >= least {
                below.wide.push((called, label, width));
            } else {
                below.narrow += 1;
            }
        }
        below.wide.sort_unstable_by_key(|(_, label, _)| *label);
        below
    }

    /// What a place of an inverted box counts with.
    fn member_width(&self, inverted: &InvertedBox, start: CallNodeId) -> Width {
        match inverted.is_cumulative {
            true => Width {
                own: 0,
                ..self.width(start)
            },
            false => self.own_width(start),
        }
    }

    /// A node alone.
    fn own_width(&self, node: CallNodeId) -> Width {
        let node = node as usize;
        let value = self.values.own[node];
        Width {
            value,
            own: 0,
            base: self.base.map_or(0, |base| base.own[node]),
            weight: self
                .weights
                .as_ref()
                .map_or(value, |weights| weights[0][node]),
        }
    }

    pub fn below(&self, node: CallNodeId, least: u64) -> Below<CallNodeId> {
        let mut below = Below {
            wide: Vec::new(),
            narrow: 0,
        };
        for &child in self.shown.children.of_node(node) {
            let width = self.width(child);
            if width.weight >= least {
                let label = self.shown.tree.nodes[child as usize].label;
                below.wide.push((child, label, width));
            } else if width.weight > 0 {
                below.narrow += 1;
            }
        }
        below
    }

    /// Everything, to be looked at from where it was allocated.
    pub fn ends(&self) -> InvertedBox {
        let nodes = 1..self.shown.tree.nodes.len() as CallNodeId;
        let starts = nodes.filter(|&node| self.own_width(node).weight > 0);
        InvertedBox {
            key: String::new(),
            members: starts.map(|node| (node, node)).collect(),
            is_cumulative: false,
        }
    }

    /// The sum over the places of an inverted box.
    pub fn inverted_width(&self, inverted: &InvertedBox) -> Width {
        let mut sum = Width::default();
        for &(start, at) in &inverted.members {
            let mut width = self.member_width(inverted, start);
            // What nobody further out called.
            if at == TREE_ROOT {
                width.own = width.value;
            }
            sum = sum.with(width);
        }
        sum
    }

    /// Who called the function of an inverted box, by function; those with enough.
    pub fn above(&self, inverted: &InvertedBox, least: u64) -> Below<InvertedBox> {
        let mut weights: FxHashMap<LabelId, u64> = FxHashMap::default();
        for &(start, at) in inverted.members.iter().filter(|(_, at)| *at != TREE_ROOT) {
            let sum = weights.entry(self.label(at)).or_default();
            *sum = sum.saturating_add(self.member_width(inverted, start).weight);
        }
        let mut labels: Vec<LabelId> = Vec::new();
        let mut narrow = 0;
        for (label, weight) in weights {
            if weight >= least {
                labels.push(label);
            } else {
                narrow += 1;
            }
        }
        labels.sort_unstable();
        let mut members: Vec<Vec<(CallNodeId, CallNodeId)>> = vec![Vec::new(); labels.len()];
        for &(start, at) in inverted.members.iter().filter(|(_, at)| *at != TREE_ROOT) {
            if let Ok(place) = labels.binary_search(&self.label(at)) {
                let parent = self.shown.tree.nodes[at as usize].parent;
                members[place].push((start, parent));
            }
        }
        let wide = labels.into_iter().zip(members).map(|(label, members)| {
            let above = InvertedBox {
                key: inverted.key_of(self.shown.label_key(label)),
                members,
                is_cumulative: inverted.is_cumulative,
            };
            let width = self.inverted_width(&above);
            (above, label, width)
        });
        Below {
            wide: wide.collect(),
            narrow,
        }
    }

    /// The inverted box of one function among those that lie above another.
    pub fn above_of(
        &self,
        inverted: &InvertedBox,
        function: Key,
    ) -> Option<(InvertedBox, LabelId)> {
        let label = self.shown.label_of(function)?;
        let here = inverted.members.iter().filter(|(_, at)| *at != TREE_ROOT);
        let members: Vec<(CallNodeId, CallNodeId)> = here
            .filter(|(_, at)| self.label(*at) == label)
            .map(|&(start, at)| (start, self.shown.tree.nodes[at as usize].parent))
            .collect();
        let above = InvertedBox {
            key: inverted.key_of(function),
            members,
            is_cumulative: inverted.is_cumulative,
        };
        (!above.members.is_empty()).then_some((above, label))
    }

    fn label(&self, node: CallNodeId) -> LabelId {
        self.shown.tree.nodes[node as usize].label
    }
}

/// A function with what it called, summed over several places.
pub struct MergedBox {
    /// The keys of the functions on the way to it, with dots between them.
    pub key: String,
    pub members: Vec<CallNodeId>,
}

/// A box of the inverted tree: where it was allocated, and how far up this is.
pub struct InvertedBox {
    /// The keys of the functions from the allocating one on, with dots between them.
    pub key: String,
    /// Node that allocated, node that is to be looked at next.
    pub members: Vec<(CallNodeId, CallNodeId)>,
    /// Each place counts with all below it, and not alone.
    pub is_cumulative: bool,
}

impl InvertedBox {
    fn key_of(&self, function: Key) -> String {
        match self.key.is_empty() {
            true => function.to_string(),
            false => format!("{}.{function}", self.key),
        }
    }
}
