//! What each stack allocates in an event, and how much of that is gone before the next.

use super::heap_stacks;
use crate::event_range::EventRange;
use residue_profile::timeline::{MomentId, StackId};
use residue_profile::{Profile, Span};

/// What stacks allocated from the begin of an event on.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRates {
    /// That began meanwhile and were recorded; at least one.
    pub events: u64,
    /// Those that allocated anything, in their order.
    pub stacks: Vec<StackRate>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StackRate {
    pub stack: StackId,
    pub calls: u64,
    pub bytes: u64,
    /// Freed by the thread that made them before it allocated again.
    pub temporaries: u64,
    /// Freed before another event began; `None` where that is not known.
    pub freed_in_event: Option<u64>,
}

/// What happened in the events of a span. What came before the first event is no part of it; what
/// comes after an event belongs to it. `None` without events, and where it is not known what was
/// allocated.
pub fn rates(profile: &Profile, span: Span) -> Option<EventRates> {
    let timeline = &profile.timeline;
    let is_begin = |place: &usize| timeline.moments[*place].kind.is_begin();
    let first = (0..timeline.moments.len()).find(is_begin)? as MomentId;
    let from = span.from.map_or(first, |from| from.max(first));
    let in_events = Span {
        from: Some(from),
        to: span.to,
    };
    let events = recorded_events(profile, in_events);
    let allocated = timeline.allocated_between(in_events.from, in_events.to)?;
    if events == 0 {
        return None;
    }
    let mut rates = vec![StackRate::default(); profile.stacks.len()];
    for row in allocated {
        if let Some(rate) = rates.get_mut(row.stack as usize) {
            rate.calls = rate.calls.saturating_add(row.calls);
            rate.bytes = rate.bytes.saturating_add(row.bytes);
            rate.temporaries = rate.temporaries.saturating_add(row.temporaries);
        }
    }
    for (stack, rate) in (0..).zip(&mut rates) {
        rate.stack = stack;
    }
    let is_to_the_end = span.from.is_none_or(|from| from <= first) && span.to.is_none();
    if is_to_the_end && profile.meta.birth_unit == "event" {
        freed_in_event(profile, &mut rates);
    }
    rates.retain(|rate| rate.calls > 0);
    Some(EventRates {
        events,
        stacks: rates,
    })
}

impl EventRates {
    /// Of a stack that may have allocated nothing.
    pub fn calls_per_event(&self, stack: StackId) -> f64 {
        let place = self.stacks.binary_search_by_key(&stack, |rate| rate.stack);
        let calls = place.map_or(0, |place| self.stacks[place].calls);
        calls as f64 / self.events as f64
    }
}

fn recorded_events(profile: &Profile, span: Span) -> u64 {
    let recorded = EventRange::recorded(profile);
    let (first, last) = profile.timeline.events_covered(span);
    let first = first.max(recorded.from.into());
    let last = last.min(recorded.to.into());
    (last + 1).saturating_sub(first)
}

/// Of the blocks that events made, those that are neither live nor were freed in a later event.
fn freed_in_event(profile: &Profile, rates: &mut [StackRate]) {
    let mut later = vec![0_u64; rates.len()];
    for deferral in &profile.timeline.deferrals {
        if let Some(frees) = later.get_mut(deferral.stack as usize) {
            *frees = frees.saturating_add(deferral.frees);
        }
    }
    for blocks in heap_stacks(profile) {
        let stack = blocks.stack as usize;
        let births = profile.births.row(stack).iter();
        let sum = |is_meant: fn(u32) -> bool| {
            let meant = births.clone().filter(|bin| is_meant(bin.birth));
            meant.fold(0_u64, |sum, bin| sum.saturating_add(bin.blocks))
        };
        // Births that were not read say nothing of what is live.
        if sum(|_| true) == blocks.counters.live_blocks {
            let kept = sum(|birth| birth > 0).saturating_add(later[stack]);
            rates[stack].freed_in_event = rates[stack].calls.checked_sub(kept);
        }
    }
}
