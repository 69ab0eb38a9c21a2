//! What the rows of a range are called: the shape of each alone, and then what only all of
//! them together, or the whole run, can say.
//!
//! ```text
//!   classify ──► exchanges set aside ──► sum may be at rest ──► headline
//!     alone        others shrink           not certain            made from what is left
//! ```
//!
//! A headline is made from the shapes that come out of here, and every surface shows these and
//! no others ([`shapes_of`]), so a headline and a row under it cannot contradict each other:
//!
//! - LEAK if a row is a leak, or the sum of all grows on many paths; never without.
//! - FREED AT EXIT if no row is a leak and one is freed at exit, or the sum is.
//! - Under every other headline no row is either.
//! - Under NO GROWTH no row grows ever more slowly.
//!
//! Blocks of a program's own pools are no part of this: their memory is the pool's.

use super::{Headline, Verdict};
use crate::groups::{GroupId, Groups};
use crate::growth::{Growth, GrowthOptions, Outcome, assess};
use crate::history::History;
use crate::judged::{Judged, judge};
use crate::series::Series;
use crate::shape::{Confidence, Reason, Shape};
use residue_profile::StackKind;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Stacks judged one by one: those that grew most, and those that moved most.
const MOST_GROWN: usize = 400;
const MOST_MOVED: usize = 100;

/// The rows that a headline was made from.
#[derive(Debug, Clone, Default)]
pub struct RowShapes(FxHashMap<GroupId, RowShape>);

#[derive(Debug, Clone, Copy)]
struct RowShape {
    shape: Shape,
    /// What all rows together, or the run, say about it.
    because: Option<Reason>,
}

impl RowShapes {
    /// Takes what the rows are called from them.
    pub(super) fn of(judged: &[Judged], groups: &Groups) -> RowShapes {
        let row = |judged: &Judged| {
            let group = groups.of_stack[judged.stacks[0] as usize];
            let shape = RowShape {
                shape: judged.verdict.shape,
                because: judged.because,
            };
            (group, shape)
        };
        RowShapes(judged.iter().map(row).collect())
    }

    fn shape(&self, group: GroupId) -> Option<Shape> {
        self.0.get(&group).map(|row| row.shape)
    }
}

/// The shapes of some rows under the verdict on their range, in the order of `groups`.
pub fn shapes_of(verdict: Option<&Verdict>, history: &History, groups: &[GroupId]) -> Vec<Judged> {
    let mut judged = judge(history, groups);
    if let Some(verdict) = verdict {
        for (judged, group) in judged.iter_mut().zip(groups) {
            match verdict.rows.0.get(group) {
                Some(row) => judged.set(row.shape, row.because),
                None if history.kind(*group) == StackKind::Reported => {}
                None if !is_under(judged.verdict.shape, verdict.headline) => {
                    judged.set(Shape::Undetermined, Some(Reason::NotInVerdict));
                }
                None => {}
            }
        }
    }
    judged
}

/// Whether a row may have this shape under a headline.
fn is_under(shape: Shape, headline: Headline) -> bool {
    match shape {
        Shape::Leak => headline == Headline::Leak,
        Shape::ExitFreed => matches!(headline, Headline::Leak | Headline::FreedAtExit),
        Shape::Filling | Shape::Slowing => headline != Headline::NoGrowth,
        _ => true,
    }
}

impl Judged {
    /// Whether it grows, at whatever pace, and is not freed at exit.
    fn is_leak_or_slower(&self) -> bool {
        let shape = self.verdict.shape;
        matches!(shape, Shape::Leak | Shape::Filling | Shape::Slowing)
            || self.needs_events().is_some()
    }

    /// How many events would tell whether it leaks or slows down, where that is what is open.
    pub(super) fn needs_events(&self) -> Option<u64> {
        let mut reasons = self.verdict.reasons.iter();
        let needs = reasons.find_map(|reason| match reason {
            Reason::SteadyOrFilling { needs_events } => Some(*needs_events),
            _ => None,
        });
        needs.filter(|_| self.verdict.shape == Shape::Undetermined)
    }

    /// Calls it something else than it is called alone.
    pub(super) fn set(&mut self, shape: Shape, because: Option<Reason>) {
        if shape == Shape::Undetermined {
            self.verdict.confidence = Confidence::Low;
        }
        self.verdict.shape = shape;
        if let Some(reason) = because {
            self.because = Some(reason);
            self.verdict.reasons.push(reason);
        }
    }
}

/// The rows that grew most and those that moved most, each judged alone.
pub(super) fn judge_stacks(history: &History) -> Vec<Judged> {
    let swings = history.swings();
    let is_meant = |&group: &GroupId| {
        swings[group as usize].is_touched && history.kind(group) != StackKind::Reported
    };
    let mut chosen: Vec<GroupId> = (0..swings.len() as GroupId).filter(is_meant).collect();
    if chosen.len() > MOST_GROWN + MOST_MOVED {
        let grown = |&group: &GroupId| (Reverse(swings[group as usize].grown_bytes), group);
        let moved = |&group: &GroupId| (Reverse(swings[group as usize].moved_bytes()), group);
        chosen.select_nth_unstable_by_key(MOST_GROWN, grown);
        chosen[MOST_GROWN..].select_nth_unstable_by_key(MOST_MOVED, moved);
        chosen.truncate(MOST_GROWN + MOST_MOVED);
    }
    chosen.sort_unstable();
    judge(history, &chosen)
}

/// The sum of several series over the same events.
pub(super) fn sum_of<'a>(judged: impl Iterator<Item = &'a Judged>) -> Series {
    let mut sum: Option<Series> = None;
    for judged in judged {
        sum = Some(match sum {
            None => judged.course.live.clone(),
            Some(sum) => {
                let values = sum.values().iter().zip(judged.course.live.values());
                let values = values.map(|(one, other)| one + other).collect();
                Series::new(sum.events().to_vec(), values)
            }
        });
    }
    sum.unwrap_or_default()
}

/// How the sum of some rows grows; `None` where there are none.
pub(super) fn sum_growth<'a>(judged: impl Iterator<Item = &'a Judged>) -> Option<Growth> {
    let sum = sum_of(judged);
    (sum.len() >= 2).then(|| assess(&sum, &GrowthOptions::default()))
}

/// What some stacks gain others may lose: then memory changes hands, and the program
/// holds no more than before. None of them leaks. Returns how many these are and their rate.
pub(super) fn set_aside_exchanges(
    judged: &mut [Judged],
    live: Option<&Growth>,
) -> Option<(usize, f64)> {
    let grows = |judged: &&Judged| judged.is_leak_or_slower();
    let (live, growth) = (live?, sum_growth(judged.iter().filter(grows))?);
    let is_flat = matches!(live.outcome, Outcome::NoGrowth | Outcome::Shrinking);
    if !is_flat || live.high >= growth.low / 2.0 {
        return None;
    }
    let exchanging = judged.iter_mut().filter(|it| it.is_leak_or_slower());
    let rows = exchanging.map(|judged| judged.set(Shape::Flat, Some(Reason::Exchange)));
    Some((rows.count(), growth.rate))
}

/// Rows that leak by their survivors alone do not make a leak while the sum may as well be
/// falling. Those whose own readings grow for certain are heard without the others.
/// Returns the growth of the sum where that is so.
pub(super) fn set_aside_uncertain(judged: &mut [Judged], shape: Shape) -> Option<Growth> {
    let of_shape = |judged: &&Judged| judged.verdict.shape == shape;
    let sum = sum_growth(judged.iter().filter(of_shape))?;
    if sum.low > 0.0 {
        return None;
    }
    let is_certain = |judged: &Judged| judged.verdict.growth.low > 0.0;
    let certain = judged.iter().filter(of_shape).filter(|it| is_certain(it));
    let certain_grow = sum_growth(certain).is_some_and(|growth| growth.low > 0.0);
    for judged in judged.iter_mut().filter(|it| it.verdict.shape == shape) {
        if !certain_grow || !is_certain(judged) {
            judged.set(Shape::Undetermined, Some(Reason::SumMayBeAtRest));
        }
    }
    Some(sum)
}

/// Calls all rows of some shapes by another one; returns how many these are.
pub(super) fn call(judged: &mut [Judged], from: &[Shape], to: Shape, because: Reason) -> usize {
    let chosen = judged
        .iter_mut()
        .filter(|judged| from.contains(&judged.verdict.shape));
    chosen.map(|judged| judged.set(to, Some(because))).count()
}

/// Rows that grow in a range and not in the run say so.
pub(super) fn tell_of_run(judged: &mut [Judged], groups: &Groups, run: &RowShapes) {
    for judged in judged.iter_mut() {
        let group = groups.of_stack[judged.stacks[0] as usize];
        if let (Shape::Leak | Shape::ExitFreed, Some(in_run)) =
            (judged.verdict.shape, run.shape(group))
            && !matches!(in_run, Shape::Leak | Shape::ExitFreed)
        {
            let shape = judged.verdict.shape;
            judged.set(shape, Some(Reason::OnlyInThisRange { run: in_run }));
        }
    }
}
