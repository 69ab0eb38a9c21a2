//! Sums over a tree of calls, of a counter or of what a range left.

use std::sync::OnceLock;

use residue_calltree::{CallTree, NOT_SHOWN, NodeValues};
use residue_profile::{Counter, MemoryKind, Merge};

use residue_profile::Span;

/// What is summed; equal ones have equal sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    pub kind: MemoryKind,
    /// Of a `StackFilter`.
    pub filter: [Option<String>; 2],
    pub counter: Counter,
    /// The moments of a range of events.
    pub span: Option<Span>,
    /// Of one thread alone: the kernel's number for it.
    pub thread: Option<u32>,
}

/// By node of a tree.
pub struct Values {
    pub own: NodeValues,
    pub cumulative: NodeValues,
    /// By how much stacks fell, which have no place in a tree of what there is.
    pub fallen: u64,
    by_label: OnceLock<ByLabel>,
}

/// By label of a tree. A function that calls itself counts at its outermost call.
pub struct ByLabel {
    pub own: Vec<u64>,
    pub cumulative: Vec<u64>,
}

impl Values {
    pub fn of(tree: &CallTree, merge: Merge, of_stack: impl Fn(usize) -> i64) -> Values {
        let mut own = NodeValues::none(merge, tree.nodes.len());
        let mut fallen = 0_u64;
        for (stack, &node) in tree.node_of_stack.iter().enumerate() {
            if node == NOT_SHOWN {
                continue;
            }
            let value = of_stack(stack);
            match u64::try_from(value) {
                Ok(value) => own.include(node as usize, value),
                Err(_) => fallen = fallen.saturating_add(value.unsigned_abs()),
            }
        }
        Values::of_nodes(tree, own, fallen)
    }

    pub fn of_nodes(tree: &CallTree, own: NodeValues, fallen: u64) -> Values {
        Values {
            cumulative: tree.cumulative(&own),
            own,
            fallen,
            by_label: OnceLock::new(),
        }
    }

    /// All there is.
    pub fn whole(&self) -> u64 {
        self.cumulative.first().copied().unwrap_or(0)
    }

    pub fn by_label(&self, tree: &CallTree, is_outermost: &[bool]) -> &ByLabel {
        self.by_label.get_or_init(|| {
            let mut sums = ByLabel {
                own: vec![0; tree.labels.len()],
                cumulative: vec![0; tree.labels.len()],
            };
            let merge = self.own.merge;
            for (index, node) in tree.nodes.iter().enumerate().skip(1) {
                let own = &mut sums.own[node.label as usize];
                merge.include(own, self.own[index]);
                if is_outermost[index] {
                    let sum = &mut sums.cumulative[node.label as usize];
                    merge.include(sum, self.cumulative[index]);
                }
            }
            sums
        })
    }
}
