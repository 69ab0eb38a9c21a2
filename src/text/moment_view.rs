//! A profile as it was at one moment, or as it changed between two.
//!
//! Of a moment only what was live is known, not what had been allocated by then.

use residue_profile::timeline::MomentId;
use residue_profile::{Counters, Profile, Ragged, StackKind, Totals};

/// What changed after `from` (or at all) up to `to` (or the end).
pub fn between(profile: &Profile, from: Option<MomentId>, to: Option<MomentId>) -> Profile {
    let mut view = profile.clone();
    let mut live = vec![(0_i64, 0_i64); view.stacks.len()];
    for change in &profile.timeline.changes {
        let is_after = from.is_none_or(|from| change.moment > from);
        let is_before = to.is_none_or(|to| change.moment <= to);
        if is_after
            && is_before
            && let Some(sum) = live.get_mut(change.stack as usize)
        {
            sum.0 += change.bytes;
            sum.1 += change.blocks;
        }
    }
    let mut fallen_bytes = 0;
    for (stack, (bytes, blocks)) in view.stacks.iter_mut().zip(live) {
        stack.counters = Counters {
            live_bytes: u64::try_from(bytes).unwrap_or(0),
            live_blocks: u64::try_from(blocks).unwrap_or(0),
            ..Counters::default()
        };
        fallen_bytes += bytes.min(0).unsigned_abs();
    }
    view.heap = totals(&view, StackKind::is_heap);
    view.mappings = totals(&view, |kind| kind == StackKind::Mapping);
    view.sizes_total = Ragged::default();
    view.sizes_live = Ragged::default();
    view.births = Ragged::default();
    view.meta.notes.push(
        "this is a moment of the recording: of its stacks only what was live is known".to_string(),
    );
    if fallen_bytes > 0 {
        view.meta.notes.push(format!(
            "stacks that hold less than before are shown as zero; they fell by {fallen_bytes} bytes"
        ));
    }
    view
}

fn totals(profile: &Profile, is_meant: fn(StackKind) -> bool) -> Totals {
    let stacks = profile.stacks.iter();
    stacks
        .filter(|stack| is_meant(stack.kind))
        .fold(Totals::default(), |sum, stack| Totals {
            live_bytes: sum.live_bytes + stack.counters.live_bytes,
            live_blocks: sum.live_blocks + stack.counters.live_blocks,
            ..sum
        })
}
