//! Stacks that pass through the same functions, whatever line each stands at.
//!
//! A program asks for one kind of memory from several lines of the same function;
//! what one line's blocks make room for, the other's fill. Judged apart the one
//! grows and the other shrinks; judged together nothing happens.

use residue_profile::timeline::StackId;
use residue_profile::{CUT, Frame, FrameId, NONE, Profile, ROOT, Stack, StackKind};
use rustc_hash::FxHashMap;

/// Number of a group, from zero.
pub type GroupId = u32;

pub struct Groups {
    /// Per stack.
    pub of_stack: Vec<GroupId>,
    /// Stacks by group, and where each group begins among them.
    stacks: Vec<StackId>,
    starts: Vec<u32>,
}

impl Groups {
    pub fn of(profile: &Profile) -> Groups {
        let mut numbers = Numbers::of(function_paths(profile));
        let of_stack: Vec<GroupId> = profile.stacks.iter().map(|it| numbers.group(it)).collect();
        let mut starts = vec![0_u32; numbers.count as usize + 1];
        for &group in &of_stack {
            starts[group as usize + 1] += 1;
        }
        for group in 1..starts.len() {
            starts[group] += starts[group - 1];
        }
        let mut next = starts.clone();
        let mut stacks = vec![0; of_stack.len()];
        for (&group, stack) in of_stack.iter().zip(0..) {
            let place = &mut next[group as usize];
            stacks[*place as usize] = stack;
            *place += 1;
        }
        let live = |stack: &StackId| profile.stacks[*stack as usize].counters.live_bytes;
        for bounds in starts.windows(2) {
            let members = &mut stacks[bounds[0] as usize..bounds[1] as usize];
            members.sort_unstable_by_key(|stack| (std::cmp::Reverse(live(stack)), *stack));
        }
        Groups {
            of_stack,
            stacks,
            starts,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The stacks of a group, the largest first.
    pub fn members(&self, group: GroupId) -> &[StackId] {
        let start = self.starts[group as usize] as usize;
        &self.stacks[start..self.starts[group as usize + 1] as usize]
    }
}

/// Groups by path and kind of memory, numbered as they are met.
struct Numbers {
    path_of_node: Vec<u32>,
    /// Per path, since nearly all stacks are of the heap.
    heap: Vec<GroupId>,
    others: FxHashMap<(u32, u8), GroupId>,
    count: u32,
}

impl Numbers {
    fn of(path_of_node: Vec<u32>) -> Numbers {
        let paths = path_of_node.iter().max().map_or(1, |&last| last + 1);
        Numbers {
            heap: vec![NONE; paths as usize],
            path_of_node,
            others: FxHashMap::default(),
            count: 0,
        }
    }

    fn group(&mut self, stack: &Stack) -> GroupId {
        let path = self.path_of_node.get(stack.node as usize);
        let path = path.copied().unwrap_or(ROOT);
        let group = match stack.kind {
            StackKind::Heap => &mut self.heap[path as usize],
            kind => self.others.entry((path, kind as u8)).or_insert(NONE),
        };
        if *group == NONE {
            *group = self.count;
            self.count += 1;
        }
        *group
    }
}

/// Per node a number that is the same for nodes reached through the same functions.
///
/// Path by path: the children of all nodes of one path are seen together, and a table by
/// function tells which of them are one path again. That is several times faster than a
/// search by path and function for each node.
pub(crate) fn function_paths(profile: &Profile) -> Vec<u32> {
    let nodes = &profile.nodes;
    let mut functions = Functions::of(profile);
    // Lists that are chained by number: the children of a node, and the nodes of a path.
    let mut child_of = vec![NONE; nodes.len()];
    let mut sibling_of = vec![NONE; nodes.len()];
    for (node, known) in (0..).zip(nodes).skip(1) {
        // A parent stands before its children.
        let parent = if known.parent < node {
            known.parent
        } else {
            ROOT
        };
        sibling_of[node as usize] = child_of[parent as usize];
        child_of[parent as usize] = node;
    }
    let mut paths = vec![ROOT; nodes.len()];
    let mut same_path = vec![NONE; nodes.len()];
    let mut path_starts = vec![ROOT; nodes.len().min(1)];
    let mut path = 0;
    while let Some(&start) = path_starts.get(path as usize) {
        let mut node = start;
        while node != NONE {
            let mut child = child_of[node as usize];
            while child != NONE {
                let next = path_starts.len() as u32;
                let own = functions.path(nodes[child as usize].frame, path, next);
                if own == next {
                    path_starts.push(NONE);
                }
                paths[child as usize] = own;
                same_path[child as usize] = path_starts[own as usize];
                path_starts[own as usize] = child;
                child = sibling_of[child as usize];
            }
            node = same_path[node as usize];
        }
        path += 1;
    }
    paths
}

/// Which functions were met behind the path that is looked at.
struct Functions {
    /// Per frame the number of its function; one of its own where that has no name.
    of_frame: Vec<u32>,
    /// Per function: the last path behind which it was met, and the path through it.
    met: Vec<(u32, u32)>,
}

impl Functions {
    fn of(profile: &Profile) -> Functions {
        let named = profile.functions.len() as u32;
        let function = |(frame, known): (u32, &Frame)| match known.function {
            NONE => named + frame,
            function => function,
        };
        let of_frame: Vec<u32> = (0..).zip(&profile.frames).map(function).collect();
        let most = of_frame.iter().copied().max().unwrap_or(0);
        Functions {
            of_frame,
            met: vec![(NONE, NONE); most as usize + 3],
        }
    }

    /// The path through a frame behind a path: `next` if it is met for the first time.
    fn path(&mut self, frame: FrameId, behind: u32, next: u32) -> u32 {
        // Behind all functions: a stack that was cut, and what is not known at all.
        let function = match self.of_frame.get(frame as usize) {
            Some(&function) => function as usize,
            None => self.met.len() - 1 - usize::from(frame == CUT),
        };
        let met = &mut self.met[function];
        if met.0 != behind {
            *met = (behind, next);
        }
        met.1
    }
}
