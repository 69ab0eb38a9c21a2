//! The tree of calls, highest first, with what is too small to name put together.

use std::collections::HashMap;

use residue_calltree::{CallNodeId, CallTree, LabelId, TREE_ROOT};
use serde::Serialize;

use residue_profile::Merge;
use residue_profile::units::counted;

use crate::report::flat::is_enough;
use crate::report::source::Source;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tree {
    pub counter: &'static str,
    pub whole: u64,
    pub min_percent: f64,
    /// From the allocating function to the root instead.
    pub inverted: bool,
    /// Parents before their children, in the order of the paper.
    pub rows: Vec<TreeRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeRow {
    /// Index of the row of the caller, or in an inverted tree of the callee.
    pub parent: Option<usize>,
    pub depth: usize,
    pub what: What,
    pub function: String,
    pub library: String,
    pub framework: bool,
    /// With all that is below.
    pub value: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum What {
    Call,
    /// What the parent did itself, beside its children.
    Itself,
    /// Calls that are below the threshold, together.
    Others,
}

/// Where a part of the tree lies: nodes, each with what it stands for.
type Places = Vec<(CallNodeId, u64)>;

/// Something that is to be shown below a row.
struct Branch {
    what: What,
    label: LabelId,
    /// For [`What::Others`].
    count: u64,
    value: u64,
    places: Places,
}

pub fn tree(source: &Source<'_>, min_percent: f64, inverted: bool) -> Tree {
    let tree = source.tree();
    let counter = source.counter();
    let own = source.own(tree, counter);
    let whole = source.whole(counter);
    let mut shown = Tree {
        counter: counter.name(),
        whole,
        min_percent,
        inverted,
        rows: Vec::new(),
    };
    if inverted {
        let places = own.iter().enumerate().skip(1);
        let places: Places = places
            .filter(|(_, value)| **value > 0)
            .map(|(node, value)| (node as CallNodeId, *value))
            .collect();
        let above = |places: &Places| -> Places {
            let parent = |(node, value): &(CallNodeId, u64)| {
                let parent = tree.nodes[*node as usize].parent;
                (parent, *value)
            };
            places.iter().map(parent).collect()
        };
        shown.fill(tree, own.merge, places, above);
    } else {
        let children = tree.children();
        let cumulative = tree.cumulative(&own);
        let place = |&node: &CallNodeId| (node, cumulative[node as usize]);
        let tops: Places = children.of_node(TREE_ROOT).iter().map(place).collect();
        let below = |places: &Places| -> Places {
            let of_node = |(node, _): &(CallNodeId, u64)| {
                // What a node did itself stands at the root, where no call leads.
                let itself = (TREE_ROOT, own[*node as usize]);
                let calls = children.of_node(*node).iter().map(place);
                calls.chain([itself]).collect::<Places>()
            };
            places.iter().flat_map(of_node).collect()
        };
        shown.fill(tree, own.merge, tops, below);
    }
    shown
}

impl Tree {
    /// Adds rows below rows until nothing is left that is high enough. `next` says
    /// what lies below some places; the root stands for what ends there.
    fn fill(
        &mut self,
        tree: &CallTree,
        merge: Merge,
        tops: Places,
        next: impl Fn(&Places) -> Places,
    ) {
        // A list and not recursion: how deep paths go is up to the file.
        let mut work: Vec<(Option<usize>, usize, Branch)> = Vec::new();
        let push = |this: &Tree, work: &mut Vec<_>, parent, depth, places| {
            let branches = this.branches(tree, merge, places);
            work.extend(
                branches
                    .into_iter()
                    .rev()
                    .map(|branch| (parent, depth, branch)),
            );
        };
        push(self, &mut work, None, 0, tops);
        while let Some((parent, depth, branch)) = work.pop() {
            let label = &tree.labels[branch.label as usize];
            self.rows.push(TreeRow {
                parent,
                depth,
                what: branch.what,
                function: match branch.what {
                    What::Call => label.name.to_string(),
                    What::Itself if self.inverted => "(root)".to_string(),
                    What::Itself => "(itself)".to_string(),
                    What::Others => format!("({})", counted(branch.count, "other", "others")),
                },
                library: match branch.what {
                    What::Call => label.module.to_string(),
                    What::Itself | What::Others => String::new(),
                },
                framework: label.is_framework || branch.what != What::Call,
                value: branch.value,
            });
            if branch.what == What::Call {
                let row = self.rows.len() - 1;
                push(self, &mut work, Some(row), depth + 1, next(&branch.places));
            }
        }
    }

    /// Places by function, highest first; what is too low, and what a place did
    /// itself, as one branch each. A function that did all itself has no branches.
    fn branches(&self, tree: &CallTree, merge: Merge, places: Places) -> Vec<Branch> {
        let mut itself = 0_u64;
        let mut by_label: HashMap<LabelId, (u64, Places)> = HashMap::new();
        for (node, value) in places {
            if node == TREE_ROOT {
                merge.include(&mut itself, value);
            } else if value > 0 {
                let label = tree.nodes[node as usize].label;
                let (sum, places) = by_label.entry(label).or_default();
                merge.include(sum, value);
                places.push((node, value));
            }
        }
        if by_label.is_empty() {
            return Vec::new();
        }
        let mut branches = Vec::new();
        let mut others = (0_u64, 0_u64);
        for (label, (value, places)) in by_label {
            if is_enough(value, self.whole, self.min_percent) {
                branches.push(Branch {
                    what: What::Call,
                    label,
                    count: 1,
                    value,
                    places,
                });
            } else {
                others = (others.0 + 1, merge.join(others.1, value));
            }
        }
        let name = |branch: &Branch| {
            let label = &tree.labels[branch.label as usize];
            (label.name.clone(), label.module.clone())
        };
        branches.sort_by(|one, other| {
            let by_value = other.value.cmp(&one.value);
            by_value.then_with(|| name(one).cmp(&name(other)))
        });
        let rest = |what, count, value| Branch {
            what,
            label: 0,
            count,
            value,
            places: Vec::new(),
        };
        if itself > 0 {
            branches.push(rest(What::Itself, 1, itself));
        }
        if others.0 > 0 {
            branches.push(rest(What::Others, others.0, others.1));
        }
        branches
    }
}
