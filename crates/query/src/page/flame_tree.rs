//! The two ways to look at a tree as boxes: from the root to what allocated, and the
//! other way round.

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
        }
    }

    /// The sum over the places of an inverted box.
    pub fn inverted_width(&self, inverted: &InvertedBox) -> Width {
        let mut sum = Width::default();
        for &(start, at) in &inverted.members {
            let width = self.own_width(start);
            sum.value = sum.value.saturating_add(width.value);
            sum.base = sum.base.saturating_add(width.base);
            sum.weight = sum.weight.saturating_add(width.weight);
            // What nobody further out called.
            if at == TREE_ROOT {
                sum.own = sum.own.saturating_add(width.value);
            }
        }
        sum
    }

    /// Who called the function of an inverted box, by function; those with enough.
    pub fn above(&self, inverted: &InvertedBox, least: u64) -> Below<InvertedBox> {
        let mut weights: FxHashMap<LabelId, u64> = FxHashMap::default();
        for &(start, at) in inverted.members.iter().filter(|(_, at)| *at != TREE_ROOT) {
            let sum = weights.entry(self.label(at)).or_default();
            *sum = sum.saturating_add(self.own_width(start).weight);
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
        };
        (!above.members.is_empty()).then_some((above, label))
    }

    fn label(&self, node: CallNodeId) -> LabelId {
        self.shown.tree.nodes[node as usize].label
    }
}

/// A box of the inverted tree: where it was allocated, and how far up this is.
pub struct InvertedBox {
    /// The keys of the functions from the allocating one on, with dots between them.
    pub key: String,
    /// Node that allocated, node that is to be looked at next.
    pub members: Vec<(CallNodeId, CallNodeId)>,
}

impl InvertedBox {
    fn key_of(&self, function: Key) -> String {
        match self.key.is_empty() {
            true => function.to_string(),
            false => format!("{}.{function}", self.key),
        }
    }
}
