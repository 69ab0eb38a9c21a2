//! Stacks that pass through the same functions, whatever line each stands at.
//!
//! A program asks for one kind of memory from several lines of the same function;
//! what one line's blocks make room for, the other's fill. Judged apart the one
//! grows and the other shrinks; judged together nothing happens.

use residue_profile::timeline::StackId;
use residue_profile::{FrameId, NONE, Profile, ROOT, StackKind};
use std::collections::HashMap;

/// Index into [`Groups::members`].
pub type GroupId = u32;

pub struct Groups {
    /// Per stack.
    pub of_stack: Vec<GroupId>,
    /// Stacks of each group, the largest first.
    pub members: Vec<Vec<StackId>>,
}

impl Groups {
    pub fn of(profile: &Profile) -> Groups {
        let paths = function_paths(profile);
        let mut known: HashMap<(u32, StackKindCode), GroupId> = HashMap::new();
        let mut groups = Groups {
            of_stack: Vec::with_capacity(profile.stacks.len()),
            members: Vec::new(),
        };
        for (stack, id) in profile.stacks.iter().zip(0..) {
            let path = paths.get(stack.node as usize).copied().unwrap_or(ROOT);
            let group = *known.entry((path, code(stack.kind))).or_insert_with(|| {
                groups.members.push(Vec::new());
                (groups.members.len() - 1) as GroupId
            });
            groups.of_stack.push(group);
            groups.members[group as usize].push(id);
        }
        let live = |stack: &StackId| profile.stacks[*stack as usize].counters.live_bytes;
        for members in &mut groups.members {
            members.sort_by_key(|stack| (std::cmp::Reverse(live(stack)), *stack));
        }
        groups
    }
}

type StackKindCode = u8;

fn code(kind: StackKind) -> StackKindCode {
    kind as StackKindCode
}

/// Per node a number that is the same for nodes reached through the same functions.
fn function_paths(profile: &Profile) -> Vec<u32> {
    let mut known: HashMap<(u32, u64), u32> = HashMap::new();
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
