//! A profile as a person reads it.
//!
//! ```text
//!   Profile ── naming: rules, styles ──► labels
//!      │                                   │
//!      └─ filter: which stacks ── tree: equal paths merged ──► CallTree
//!                                                                │
//!                                     own and cumulative sums by node, by function,
//!                                     callers and callees
//! ```
//!
//! Names are joined, frames hidden and paths cut, but no stack's numbers are ever
//! lost or counted twice: whatever the rules, every sum stays the same. A counter that is a maximum
//! stays one: [`NodeValues`] knows how its numbers are joined.
#![forbid(unsafe_code)]

mod course;
pub mod diff;
mod filter;
mod functions;
mod labels;
mod node_values;
mod path;
mod patterns;
mod pieces;
mod scopes;
mod tree;

pub use filter::{Filter, FilterError};
pub use functions::{Calls, Edge, FunctionSums, Functions, by_function, edges, outermost_calls};
pub use labels::{Label, LabelId};
pub use node_values::NodeValues;
pub use path::{PathReader, PathStep};
pub use patterns::smart_case;
pub use pieces::{CUT_FRAMES, LOST_FRAME};
pub use scopes::{is_by_frame_pointer, outermost_scopes, scope_names};
pub use tree::{CallNode, CallNodeId, CallTree, Children};

use residue_names::{NameStyle, Rules};
use residue_profile::{MemoryKind, ROOT, Stack, StackKind};

/// The root of a [`CallTree`], which has no label of its own.
pub const TREE_ROOT: CallNodeId = 0;
/// In [`CallTree::node_of_stack`]: the stack is not part of the tree.
pub const NOT_SHOWN: CallNodeId = u32::MAX;

/// What makes two frames the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// Their library.
    Library,
    /// Their function's name, whatever the library.
    Name,
    /// Their function's name and library.
    #[default]
    Function,
    /// Their function, library, source file and line.
    Line,
}

/// How a profile is to be read.
pub struct Options<'a> {
    pub rules: &'a Rules,
    pub style: NameStyle,
    pub detail: Detail,
    pub kind: MemoryKind,
    pub filter: &'a Filter,
}

/// In place of the path of a stack that has none.
pub fn placeholder(stack: &Stack) -> Option<&'static str> {
    match stack.kind {
        StackKind::Pooled => Some("[pooled: blocks outside the size limits]"),
        StackKind::Overflow => Some("[no room for the path]"),
        StackKind::Heap | StackKind::Mapping | StackKind::Reported | StackKind::Cpu => {
            (stack.node == ROOT).then_some("[lost path]")
        }
    }
}
