//! Stacks that pass through the same functions, whatever line each stands at.
//!
//! A program asks for one kind of memory from several lines of the same function;
//! what one line's blocks make room for, the other's fill. Judged apart the one
//! grows and the other shrinks; judged together nothing happens.

use residue_profile::timeline::StackId;
use residue_profile::{FrameId, NONE, Profile, ROOT, Stack, StackKind};
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
        let paths = function_paths(profile);
        let mut known: FxHashMap<(u32, StackKindCode), GroupId> = FxHashMap::default();
        let group_of = |stack: &Stack| {
            let path = paths.get(stack.node as usize).copied().unwrap_or(ROOT);
            let next = known.len() as GroupId;
            *known.entry((path, code(stack.kind))).or_insert(next)
        };
        let of_stack: Vec<GroupId> = profile.stacks.iter().map(group_of).collect();
        let mut starts = vec![0_u32; known.len() + 1];
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

type StackKindCode = u8;

fn code(kind: StackKind) -> StackKindCode {
    kind as StackKindCode
}

/// Per node a number that is the same for nodes reached through the same functions.
fn function_paths(profile: &Profile) -> Vec<u32> {
    let mut known: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let mut paths: Vec<u32> = Vec::with_capacity(profile.nodes.len());
    for (number, node) in profile.nodes.iter().enumerate() {
        if number == ROOT as usize {
            paths.push(ROOT);
            continue;
        }
        // A parent stands before its children.
        let parent = paths.get(node.parent as usize).copied().unwrap_or(ROOT);
        let next = known.len() as u32 + 1;
        paths.push(
            *known
                .entry((parent, function_key(profile, node.frame)))
                .or_insert(next),
        );
    }
    paths
}

/// What a frame is called, or where it is.
fn function_key(profile: &Profile, frame: FrameId) -> u64 {
    const NAMELESS: u64 = 1 << 63;
    match profile.frames.get(frame as usize) {
        Some(known) if known.function != NONE => u64::from(known.function),
        _ => NAMELESS | u64::from(frame),
    }
}
