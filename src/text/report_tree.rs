//! The tree of calls, highest first, with what is too small to name put together.
//!
//! A call that has no sister stands below its caller without a further step to the
//! right, so that the depth on paper is the number of branches:
//!
//! ```text
//!     100 %   2.19 MiB  main
//!     100 %   2.19 MiB  run
//!    96.2 %   2.11 MiB  ├ simulate
//!    96.2 %   2.11 MiB  │ getPhotonFrame
//!     3.8 %   84.1 KiB  └ (3 others)
//! ```

use std::collections::HashMap;
use std::io::{self, Write};

use residue_calltree::{CallNodeId, CallTree, LabelId, TREE_ROOT};
use serde::Serialize;

use super::counter::{self, Counter};
use super::csv;
use super::report_flat::is_enough;
use super::report_grid::name_beside;
use super::report_source::Source;
use super::terminal::Page;
use super::units::{bytes, count, counted, share};

const SHORTEST_NAME: usize = 20;
/// Columns that branches may take of a line.
const MOST_INDENT: usize = 40;

#[derive(Serialize)]
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
        shown.fill(tree, places, above);
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
        shown.fill(tree, tops, below);
    }
    shown
}

impl Tree {
    /// Adds rows below rows until nothing is left that is high enough. `next` says
    /// what lies below some places; the root stands for what ends there.
    fn fill(&mut self, tree: &CallTree, tops: Places, next: impl Fn(&Places) -> Places) {
        // A list and not recursion: how deep paths go is up to the file.
        let mut work: Vec<(Option<usize>, usize, Branch)> = Vec::new();
        let push = |this: &Tree, work: &mut Vec<_>, parent, depth, places| {
            let branches = this.branches(tree, places);
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
    fn branches(&self, tree: &CallTree, places: Places) -> Vec<Branch> {
        let mut itself = 0_u64;
        let mut by_label: HashMap<LabelId, (u64, Places)> = HashMap::new();
        for (node, value) in places {
            if node == TREE_ROOT {
                itself = itself.saturating_add(value);
            } else if value > 0 {
                let label = tree.nodes[node as usize].label;
                let (sum, places) = by_label.entry(label).or_default();
                *sum = sum.saturating_add(value);
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
                others = (others.0 + 1, others.1.saturating_add(value));
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

    pub fn heading(&self, counter: Counter) -> String {
        format!(
            "tree by {}, {}: down to {} % of {}",
            counter.subject(),
            match self.inverted {
                true => "callers below those they call",
                false => "from the root",
            },
            self.min_percent,
            counter::amount(counter, self.whole),
        )
    }

    pub fn lines(&self, counter: Counter, page: &Page) -> Vec<String> {
        let mut sisters_left = vec![0_usize; self.rows.len() + 1];
        // The last place is for rows without a parent.
        let slot = |row: &TreeRow| row.parent.unwrap_or(self.rows.len());
        for row in &self.rows {
            sisters_left[slot(row)] += 1;
        }
        let families = sisters_left.clone();
        // What stands before the rows below each row.
        let mut indents: Vec<String> = Vec::with_capacity(self.rows.len());
        let mut lines = Vec::new();
        for row in &self.rows {
            let slot = slot(row);
            sisters_left[slot] -= 1;
            let before = row.parent.map_or("", |parent| indents[parent].as_str());
            let (mark, below) = match (families[slot], sisters_left[slot]) {
                (1, _) => ("", ""),
                (_, 0) => ("└ ", "  "),
                _ => ("├ ", "│ "),
            };
            lines.push(self.line(row, &format!("{before}{mark}"), counter, page));
            indents.push(format!("{before}{below}"));
        }
        lines
    }

    fn line(&self, row: &TreeRow, indent: &str, counter: Counter, page: &Page) -> String {
        let value = match counter.is_bytes() {
            true => bytes(row.value),
            false => count(row.value),
        };
        let numbers = format!("{:>8}{value:>12}  ", share(row.value, self.whole));
        // Of many branches the last are enough to see where a row belongs.
        let steps = indent.chars().count();
        let indent: String = match steps > MOST_INDENT && page.width != usize::MAX {
            true => {
                let last = indent.chars().skip(steps - MOST_INDENT + 1);
                std::iter::once('…').chain(last).collect()
            }
            false => indent.to_string(),
        };
        let taken = numbers.chars().count() + indent.chars().count();
        let room = page.width.saturating_sub(taken).max(SHORTEST_NAME);
        let name = name_beside(page, &row.function, &row.library, row.framework, room);
        format!("{numbers}{}{name}", page.dim(&indent))
    }

    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        csv::write_row(
            out,
            [
                "row", "parent", "depth", "what", "function", "library", "value",
            ],
        )?;
        for (index, row) in self.rows.iter().enumerate() {
            let what = match row.what {
                What::Call => "call",
                What::Itself => "itself",
                What::Others => "others",
            };
            let parent = row.parent.map(|parent| parent.to_string());
            csv::write_row(
                out,
                [
                    index.to_string(),
                    parent.unwrap_or_default(),
                    row.depth.to_string(),
                    what.to_string(),
                    row.function.clone(),
                    row.library.clone(),
                    row.value.to_string(),
                ],
            )?;
        }
        Ok(())
    }
}
