//! What a range is called, from what its rows are called and how its sizes went.

use super::rows::{set_aside_uncertain, sum_growth};
use super::{Basis, Headline, Reason};
use crate::account::GrowthAccount;
use crate::counters::Counters;
use crate::growth::{Growth, Outcome};
use crate::history::History;
use crate::judged::Judged;
use crate::pace::{End, Pace};
use crate::series::Series;
use crate::shape::{Shape, SlowCourse, pace_of_sum};

/// Growth of the resident size over the whole run below this is a few pages.
pub(super) const NOTABLE_RSS_BYTES: f64 = 256.0 * 1024.0;
/// Stacks that jump once each, from which on all together are looked at.
const MANY_JUMPS: usize = 8;
/// Left at exit of what the range added, below which it was freed.
const LEFT_AT_EXIT: f64 = 0.1;

/// The sizes of the process, judged; those that were not read are missing.
pub(super) struct Sizes {
    pub live: Option<Growth>,
    pub rss: Option<Growth>,
    pub vm: Option<Growth>,
    pub rss_span: f64,
}

pub(super) type Decision = (Headline, Basis, Growth, Vec<Reason>);

/// Calls rows undetermined that may be at rest, and decides by the others.
pub(super) fn decide(
    judged: &mut [Judged],
    sizes: &Sizes,
    account: Option<&GrowthAccount>,
    history: &History,
    live: &Series,
) -> Option<Decision> {
    let mut at_rest = None;
    for (headline, shape) in [
        (Headline::Leak, Shape::Leak),
        (Headline::FreedAtExit, Shape::ExitFreed),
    ] {
        at_rest = at_rest.or(set_aside_uncertain(judged, shape));
        let guilty = judged.iter().filter(|judged| judged.is_guilty(headline));
        if let Some(growth) = sum_growth(guilty) {
            return Some((headline, Basis::Stacks, growth, Vec::new()));
        }
    }
    if let Some(growth) = at_rest {
        let reasons = vec![Reason::SumMayBeAtRest];
        return Some((Headline::Undetermined, Basis::Stacks, growth, reasons));
    }
    let slower = slower(judged);
    if let Some(open) = may_be_filling(judged)
        && slower
            .as_ref()
            .is_none_or(|(_, _, slower, _)| slower.rate < open.2.rate)
    {
        return Some(open);
    }
    if let Some(growth) = &sizes.live
        && growth.outcome == Outcome::Growing
        && is_explained_by_no_shape(judged)
    {
        match pace_of_sum(live, growth, &Counters::new(history)) {
            Pace::Steady | Pace::Unknown => {}
            Pace::Slows(slowdown) => {
                let course = SlowCourse::of(live, &slowdown);
                let mut decision = slow_decision(&course, growth.clone(), Basis::Live);
                decision.3.push(Reason::ManyPaths);
                return Some(decision);
            }
            Pace::Open { needs_events } => {
                return Some(open_decision(growth.clone(), needs_events, Basis::Live));
            }
        }
        let headline = match is_freed_at_exit(growth, history) {
            true => Headline::FreedAtExit,
            false => Headline::Leak,
        };
        let reasons = vec![Reason::ManyPaths];
        return Some((headline, Basis::Live, growth.clone(), reasons));
    }
    if slower.is_some() {
        return slower;
    }
    let resident = sizes.rss.as_ref().or(sizes.vm.as_ref());
    let basis = match &sizes.rss {
        Some(_) => Basis::Rss,
        None => Basis::Vm,
    };
    if let Some(growth) = resident
        && growth.outcome == Outcome::Growing
        && growth.rate * sizes.rss_span.max(1.0) >= NOTABLE_RSS_BYTES
    {
        // Without knowledge of the heap, growth is all that can be said.
        let headline = match account.is_some_and(|account| account.is_fragmentation) {
            true => Headline::Fragmentation,
            false => Headline::Growth,
        };
        return Some((headline, basis, growth.clone(), Vec::new()));
    }
    // Too few readings of a size that seems to grow leave the question open.
    if let Some(growth) = resident
        && growth.outcome == Outcome::Undetermined
        && growth.low * sizes.rss_span.max(1.0) >= NOTABLE_RSS_BYTES
    {
        let reason = Reason::SizeMayGrow {
            basis,
            live_is_flat: sizes.live.as_ref().is_some_and(Growth::is_flat),
        };
        return Some((Headline::Undetermined, basis, growth.clone(), vec![reason]));
    }
    let (basis, growth) = match (&sizes.live, resident) {
        (Some(live), _) => (Basis::Live, live),
        (None, Some(resident)) => (basis, resident),
        (None, None) => return None,
    };
    let mut reasons = Vec::new();
    let is_open = match growth.outcome {
        Outcome::NoGrowth | Outcome::Shrinking => false,
        // The whole cannot tell, but each of its parts can.
        Outcome::Growing | Outcome::Undetermined => {
            let is_settled = !judged.is_empty() && !judged.iter().any(is_open_question);
            if is_settled {
                reasons.push(Reason::AllStacksComeToRest);
            }
            !is_settled
        }
    };
    let headline = if is_open {
        Headline::Undetermined
    } else {
        Headline::NoGrowth
    };
    Some((headline, basis, growth.clone(), reasons))
}

/// What rows add up to whose growth slows down.
fn slower(judged: &[Judged]) -> Option<Decision> {
    let rows = judged.iter().filter(|it| it.is_guilty(Headline::Slowing));
    let growth = sum_growth(rows.clone())?;
    let mut sum = SlowCourse {
        live_bytes: 0.0,
        rate: 0.0,
        low: 0.0,
        high: 0.0,
        first_rate: 0.0,
        end: Some(End::default()),
    };
    for row in rows {
        let of_row = row.verdict.slow_course()?;
        sum.live_bytes += of_row.live_bytes;
        sum.rate += of_row.rate;
        sum.low += of_row.low;
        sum.high += of_row.high;
        sum.first_rate += of_row.first_rate;
        // Bounds of each row add up to bounds that are too wide rather than too narrow.
        sum.end = sum.end.zip(of_row.end).map(|(sum, end)| End {
            added: sum.added + end.added,
            low: sum.low + end.low,
            high: sum.high + end.high,
        });
    }
    Some(slow_decision(&sum, growth, Basis::Stacks))
}

fn slow_decision(course: &SlowCourse, growth: Growth, basis: Basis) -> Decision {
    let first_bytes_per_event = course.first_rate;
    let (headline, reason) = match course.end {
        Some(end) => {
            let reason = Reason::Fills {
                live_bytes: course.live_bytes,
                end_bytes: end.added,
                end_low: end.low,
                end_high: end.high,
                first_bytes_per_event,
            };
            (Headline::Filling, reason)
        }
        None => {
            let reason = Reason::SlowsDown {
                first_bytes_per_event,
            };
            (Headline::Slowing, reason)
        }
    };
    (headline, basis, course.growth(growth), vec![reason])
}

/// The sum of rows of which a longer run will tell whether they keep their pace.
fn may_be_filling(judged: &[Judged]) -> Option<Decision> {
    let needs_events = judged.iter().filter_map(Judged::needs_events).max()?;
    let growth = sum_growth(judged.iter().filter(|it| it.needs_events().is_some()))?;
    Some(open_decision(growth, needs_events, Basis::Stacks))
}

fn open_decision(growth: Growth, needs_events: u64, basis: Basis) -> Decision {
    let growth = Growth {
        outcome: Outcome::Undetermined,
        needs_events: Some(needs_events),
        ..growth
    };
    let reasons = vec![Reason::SteadyOrFilling { needs_events }];
    (Headline::Undetermined, basis, growth, reasons)
}

/// Whether next to nothing that the range added to the heap is left when the process ends.
fn is_freed_at_exit(growth: &Growth, history: &History) -> bool {
    let events = growth.last_event.saturating_sub(growth.first_event);
    let added = growth.rate * events as f64;
    let left = history.survivors_at_exit_bytes();
    left.is_some_and(|left| (left as f64) < LEFT_AT_EXIT * added)
}

/// Whether a stack may yet turn out to leak.
fn is_open_question(judged: &Judged) -> bool {
    judged.verdict.shape == Shape::Undetermined
}

/// Whether growth of the whole cannot be put down to stacks that come to rest.
fn is_explained_by_no_shape(judged: &[Judged]) -> bool {
    let net = |judged: &Judged| {
        let movement = &judged.course.movement;
        movement
            .end_bytes
            .saturating_sub(movement.start_bytes)
            .max(0)
    };
    let sum = |nets: &mut dyn Iterator<Item = i64>| nets.map(i128::from).sum::<i128>();
    let whole = sum(&mut judged.iter().map(net));
    let jumps = judged
        .iter()
        .filter(|judged| judged.verdict.shape == Shape::Step)
        .count();
    let is_open = |judged: &&Judged| match judged.verdict.shape {
        Shape::Undetermined | Shape::Flat => true,
        // One that jumped is at rest; one after another they are a leak on many paths.
        Shape::Step => jumps >= MANY_JUMPS,
        _ => false,
    };
    let open = sum(&mut judged.iter().filter(is_open).map(net));
    open * 2 > whole
}
