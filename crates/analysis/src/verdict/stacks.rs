//! The stacks of a verdict, with what is worth a word about each.

use super::{Followed, Verdict};
use crate::counters::Counters;
use crate::judged::Judged;
use crate::shape::{Shape, ShapeVerdict};
use residue_profile::timeline::StackId;
use residue_profile::{NodeId, Profile, StackKind};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone)]
pub struct StackVerdict {
    /// The largest of those through the same functions, and how many there are.
    pub stack: StackId,
    pub lines: usize,
    pub kind: StackKind,
    pub verdict: ShapeVerdict,
    /// Part of the headline's rate.
    pub share: Option<f64>,
    pub blocks_per_event: f64,
    pub counter: Option<Followed>,
    /// Path of a late free.
    pub freed_at: Option<NodeId>,
    /// Live bytes at every begin, thinned to at most 60: for a small picture.
    pub sparkline: Vec<f64>,
}

/// Of the stacks that were judged: the path of a late free, with its place among all. One
/// pass, as there are far more late frees than stacks that are judged.
fn late_frees(profile: &Profile, judged: &[Judged]) -> FxHashMap<StackId, (usize, NodeId)> {
    let stacks = judged.iter().flat_map(|judged| &judged.stacks);
    let is_judged: FxHashSet<StackId> = stacks.copied().collect();
    let mut known = FxHashMap::default();
    for (place, deferral) in profile.timeline.deferrals.iter().enumerate() {
        if let Some(node) = deferral.freed_at
            && is_judged.contains(&deferral.stack)
        {
            known.entry(deferral.stack).or_insert((place, node));
        }
    }
    known
}

pub(super) fn stack_verdicts(
    profile: &Profile,
    judged: Vec<Judged>,
    verdict: &Verdict,
    counters: &Counters,
) -> Vec<StackVerdict> {
    let freed_at = late_frees(profile, &judged);
    let mut stacks: Vec<StackVerdict> = judged
        .into_iter()
        .filter(|judged| judged.verdict.shape != Shape::Flat)
        .map(|judged| {
            let is_guilty = judged.is_guilty(verdict.headline);
            let movement = &judged.course.movement;
            let grown_blocks = movement.end_blocks.saturating_sub(movement.start_blocks);
            let grown_bytes = movement.end_bytes.saturating_sub(movement.start_bytes);
            let growth = &judged.verdict.growth;
            let bytes_per_block = grown_bytes as f64 / (grown_blocks as f64).max(1.0);
            let freeing = judged.stacks.iter().filter_map(|stack| freed_at.get(stack));
            let freed_at = freeing
                .min_by_key(|(place, _)| place)
                .map(|(_, node)| *node);
            StackVerdict {
                stack: judged.stacks[0],
                lines: judged.stacks.len(),
                kind: profile.stacks[judged.stacks[0] as usize].kind,
                share: (is_guilty && verdict.growth.rate > 0.0)
                    .then(|| growth.rate / verdict.growth.rate),
                blocks_per_event: match bytes_per_block > 0.0 {
                    true => growth.rate / bytes_per_block,
                    false => 0.0,
                },
                counter: is_guilty
                    .then(|| counters.followed(&judged.course.live, growth))
                    .flatten(),
                freed_at,
                sparkline: judged.course.live.evenly(60).0,
                verdict: judged.verdict,
            }
        })
        .collect();
    let rank = |stack: &StackVerdict| match stack.verdict.shape {
        Shape::Leak => 0,
        Shape::ExitFreed => 1,
        Shape::Filling | Shape::Slowing => 2,
        Shape::Undetermined => 3,
        _ => 4,
    };
    let weight = |stack: &StackVerdict| match rank(stack) {
        0..=3 => stack.verdict.growth.rate,
        _ => stack.sparkline.iter().copied().fold(0.0, f64::max),
    };
    stacks.sort_by(|one, other| {
        rank(one)
            .cmp(&rank(other))
            .then(weight(other).total_cmp(&weight(one)))
            .then(one.stack.cmp(&other.stack))
    });
    stacks
}
