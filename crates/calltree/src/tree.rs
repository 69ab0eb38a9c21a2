//! Paths that read the same are one path here, though their addresses differ. They
//! are merged node by node, so the work grows with the profile's tree and not with
//! stacks times depth:
//!
//! ```text
//!   node of the profile ── pieces of its frame ──► node of the call tree
//!        (parent's node, label) ── known? ──► the same node, else a new one
//! ```

use residue_profile::{Merge, Profile, ROOT, Stack};
use rustc_hash::FxHashMap;

use crate::course::{Course, Turn};
use crate::filter::Marks;
use crate::labels::{Label, LabelId, Labels};
use crate::node_values::NodeValues;
use crate::pieces::{Piece, Pieces};
use crate::{Detail, NOT_SHOWN, Options, TREE_ROOT, placeholder};

/// Index into [`CallTree::nodes`].
pub type CallNodeId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallNode {
    /// Always before its children.
    pub parent: CallNodeId,
    pub label: LabelId,
}

/// The tree of calls under the names that are shown.
#[derive(Debug, Clone, Default)]
pub struct CallTree {
    pub labels: Vec<Label>,
    /// The first is [`TREE_ROOT`], with itself as parent and a label without name.
    pub nodes: Vec<CallNode>,
    /// For every stack of the profile the node it ends in, or [`NOT_SHOWN`].
    pub node_of_stack: Vec<CallNodeId>,
}

impl CallTree {
    pub fn of(profile: &Profile, options: &Options<'_>) -> CallTree {
        let is_meant = |stack: &Stack| options.kind.holds(stack.kind);
        let on_path = nodes_on_paths(profile, |_, stack| is_meant(stack));
        let mut is_used = vec![false; profile.frames.len()];
        for (node, _) in profile.nodes.iter().zip(&on_path).filter(|(_, on)| **on) {
            if let Some(is_used) = is_used.get_mut(node.frame as usize) {
                *is_used = true;
            }
        }
        let mut labels = Labels::default();
        labels.intern_text("");
        let pieces = Pieces::of(profile, &is_used, options, &mut labels);
        let (on_path, admitted) = if options.filter.is_empty() {
            let admitted = profile.stacks.iter().map(is_meant).collect();
            (on_path, admitted)
        } else {
            let admitted = admitted(profile, &on_path, &pieces, options);
            let on_path = nodes_on_paths(profile, |index, _| admitted[index]);
            (on_path, admitted)
        };
        let mut builder = Builder::new(labels);
        let ends = builder.add_nodes(profile, &on_path, &pieces, options);
        let mut node_of_stack = Vec::with_capacity(profile.stacks.len());
        for (stack, is_admitted) in profile.stacks.iter().zip(admitted) {
            node_of_stack.push(if is_admitted {
                builder.end_of(profile, stack, &ends, &pieces)
            } else {
                NOT_SHOWN
            });
        }
        CallTree {
            labels: builder.labels.labels,
            nodes: builder.nodes.iter().map(|made| made.node).collect(),
            node_of_stack,
        }
    }

    /// Per node, what a number of the stacks that end there comes to.
    pub fn own(&self, merge: Merge, of_stack: impl Fn(usize) -> u64) -> NodeValues {
        let mut own = NodeValues::none(merge, self.nodes.len());
        for (stack, &node) in self.node_of_stack.iter().enumerate() {
            if node != NOT_SHOWN {
                own.include(node as usize, of_stack(stack));
            }
        }
        own
    }

    /// Per node, the same with everything below it.
    pub fn cumulative(&self, own: &NodeValues) -> NodeValues {
        let mut all = own.clone();
        for index in (1..self.nodes.len()).rev() {
            all.include(self.nodes[index].parent as usize, all[index]);
        }
        all
    }

    /// Per node, how many lie between it and the root, itself included.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            depths[index] = depths[node.parent as usize] + 1;
        }
        depths
    }

    pub fn label(&self, node: CallNodeId) -> &Label {
        &self.labels[self.nodes[node as usize].label as usize]
    }

    /// The nodes from the root's child to `node`.
    pub fn path(&self, node: CallNodeId) -> Vec<CallNodeId> {
        let mut path = Vec::new();
        let mut at = node;
        while at != TREE_ROOT {
            path.push(at);
            at = self.nodes[at as usize].parent;
        }
        path.reverse();
        path
    }

    pub fn children(&self) -> Children {
        Children::of(&self.nodes)
    }
}

/// The children of every node, in one array.
pub struct Children {
    items: Vec<CallNodeId>,
    starts: Vec<u32>,
}

impl Children {
    pub(crate) fn of(nodes: &[CallNode]) -> Children {
        let mut starts = vec![0_u32; nodes.len() + 1];
        for node in nodes.iter().skip(1) {
            starts[node.parent as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0; nodes.len().saturating_sub(1)];
        for (index, node) in nodes.iter().enumerate().skip(1) {
            let place = &mut next[node.parent as usize];
            items[*place as usize] = index as CallNodeId;
            *place += 1;
        }
        Children { items, starts }
    }

    pub fn of_node(&self, node: CallNodeId) -> &[CallNodeId] {
        let node = node as usize;
        &self.items[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Which nodes lie on the path of a stack that is meant.
fn nodes_on_paths(profile: &Profile, is_meant: impl Fn(usize, &Stack) -> bool) -> Vec<bool> {
    let mut on_path = vec![false; profile.nodes.len()];
    for (index, stack) in profile.stacks.iter().enumerate() {
        if !is_meant(index, stack) {
            continue;
        }
        let mut at = stack.node as usize;
        while at != ROOT as usize && !on_path[at] {
            on_path[at] = true;
            at = profile.nodes[at].parent as usize;
        }
    }
    on_path
}

/// Which stacks the filter lets through.
fn admitted(
    profile: &Profile,
    on_path: &[bool],
    pieces: &Pieces,
    options: &Options<'_>,
) -> Vec<bool> {
    let mut marks: Vec<Marks> = vec![0; profile.nodes.len()];
    for (index, node) in profile.nodes.iter().enumerate() {
        if on_path[index] {
            let own = pieces.of_frame(node.frame).iter();
            let own = own.fold(0, |marks, piece| marks | piece.marks);
            marks[index] = marks[node.parent as usize] | own;
        }
    }
    let is_admitted = |stack: &Stack| {
        options.kind.holds(stack.kind) && options.filter.admits(marks[stack.node as usize])
    };
    profile.stacks.iter().map(is_admitted).collect()
}

/// Where a node of the profile ended up.
#[derive(Clone, Copy, Default)]
struct End {
    node: CallNodeId,
    /// The root, or the node that was asked to be it.
    root: CallNodeId,
    course: Course,
}

/// A node of the call tree while it is made. Children are a list, as most nodes have
/// one or two; [`TREE_ROOT`], which is nobody's child, ends it.
struct Made {
    node: CallNode,
    first_child: CallNodeId,
    next_sister: CallNodeId,
}

/// Children of one node that are looked through one by one.
const LONGEST_LIST: usize = 16;

struct Builder {
    labels: Labels,
    nodes: Vec<Made>,
    /// Children beyond those in lists, by parent and label.
    more: FxHashMap<(CallNodeId, LabelId), CallNodeId>,
}

impl Builder {
    fn new(labels: Labels) -> Builder {
        let mut builder = Builder {
            labels,
            nodes: Vec::new(),
            more: FxHashMap::default(),
        };
        builder.push(TREE_ROOT, 0);
        builder
    }

    fn push(&mut self, parent: CallNodeId, label: LabelId) -> CallNodeId {
        self.nodes.push(Made {
            node: CallNode { parent, label },
            first_child: TREE_ROOT,
            next_sister: TREE_ROOT,
        });
        (self.nodes.len() - 1) as CallNodeId
    }

    fn add_nodes(
        &mut self,
        profile: &Profile,
        on_path: &[bool],
        pieces: &Pieces,
        options: &Options<'_>,
    ) -> Vec<End> {
        let joins_equal = options.detail == Detail::Library;
        let mut ends = vec![End::default(); profile.nodes.len()];
        for (index, node) in profile.nodes.iter().enumerate() {
            if on_path[index] {
                let mut end = ends[node.parent as usize];
                for piece in pieces.of_frame(node.frame) {
                    self.descend(&mut end, piece, joins_equal);
                }
                ends[index] = end;
            }
        }
        ends
    }

    fn descend(&mut self, end: &mut End, piece: &Piece, joins_equal: bool) {
        match end.course.turn(piece.action, piece.marks, joins_equal) {
            Turn::Stay => {}
            Turn::Join if self.nodes[end.node as usize].node.label == piece.label => {}
            Turn::Below | Turn::Join => end.node = self.child(end.node, piece.label),
            Turn::Cut => end.node = self.child(end.root, piece.label),
            Turn::Root => {
                end.node = self.child(TREE_ROOT, piece.label);
                end.root = end.node;
            }
        }
    }

    fn child(&mut self, parent: CallNodeId, label: LabelId) -> CallNodeId {
        let first = self.nodes[parent as usize].first_child;
        let (mut at, mut looked_at) = (first, 0);
        while at != TREE_ROOT {
            let here = &self.nodes[at as usize];
            if here.node.label == label {
                return at;
            }
            at = here.next_sister;
            looked_at += 1;
        }
        if looked_at < LONGEST_LIST {
            let child = self.push(parent, label);
            self.nodes[child as usize].next_sister = first;
            self.nodes[parent as usize].first_child = child;
            return child;
        }
        if let Some(&known) = self.more.get(&(parent, label)) {
            return known;
        }
        let child = self.push(parent, label);
        self.more.insert((parent, label), child);
        child
    }

    fn end_of(
        &mut self,
        profile: &Profile,
        stack: &Stack,
        ends: &[End],
        pieces: &Pieces,
    ) -> CallNodeId {
        if let Some(text) = placeholder(stack) {
            let label = self.labels.intern_text(text);
            return self.child(TREE_ROOT, label);
        }
        let end = ends[stack.node as usize].node;
        if end != TREE_ROOT {
            return end;
        }
        // Every frame is hidden; the innermost one is shown all the same.
        let mut frames = profile.frames_leaf_first(stack.node);
        let innermost = frames.find_map(|frame| pieces.of_frame(frame).last());
        match innermost {
            Some(piece) => self.child(TREE_ROOT, piece.label),
            None => TREE_ROOT,
        }
    }
}
