//! Whom to look at first, whatever the answer is: the stacks that a verdict accuses; else those
//! whose blocks keep pages resident; else those that are worth a word; without a verdict those that
//! held most at the peak.
//!
//! ```text
//!   verdict ──► accused ──┐ none
//!                         ├──► pages kept by blocks, where a picture was taken ──┐ none
//!                         │                                                      └──► worth a word
//!   no verdict ───────────┴──► live at the peak
//! ```

mod advice;
mod suspect;
mod words;

pub use advice::{SuspectAdvice, worth_a_line};
pub use suspect::Suspect;

use std::cmp::Reverse;

use residue_analysis::groups::Groups;
use residue_analysis::history::{EventRange, History};
use residue_analysis::shape::Shape;
use residue_analysis::stages;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_calltree::PathReader;
use residue_profile::pins::StackPins;
use residue_profile::timeline::StackId;
use residue_profile::{Counter, MemoryKind, Profile};
use serde::Serialize;

use crate::leaks::words::{and_more, follows};
use crate::pins;

/// Stacks that are told one by one.
pub const MOST_SUSPECTS: usize = 20;
/// Points of a small picture.
const MOST_SPARKS: usize = 60;

/// Why stacks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SuspectRole"))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The verdict accuses them.
    Guilty,
    /// Their blocks keep mostly empty pages of the heap resident.
    Pins,
    /// They do not leak, and did not lie still either.
    Notable,
    /// There is no verdict; they held most.
    Largest,
}

/// The stacks to look at first, and what is said of them together.
pub struct Suspects {
    pub role: Role,
    /// What they have in common: `2 stacks leak`. Empty where there are none.
    pub title: String,
    /// The worst first, at most 20.
    pub suspects: Vec<Suspect>,
    /// `and 3 more stacks, 1.20 KiB/event together`; null where all are told.
    pub rest: Option<String>,
    /// The counter that the growth of the whole process follows, where no stack stands for it.
    pub follows: Option<String>,
    /// Between which stamps of an event the live heap grows; null where that is not known.
    pub stage: Option<String>,
    /// What to do, the most useful first.
    pub advice: Vec<SuspectAdvice>,
}

/// What suspects are found in.
pub struct Known<'a> {
    pub profile: &'a Profile,
    pub groups: &'a Groups,
    pub verdict: Option<&'a Verdict>,
    pub range: EventRange,
}

impl Known<'_> {
    /// Whom to look at first.
    pub fn suspects(&self, paths: &mut PathReader<'_>) -> Suspects {
        match self.verdict {
            Some(verdict) => self.of_verdict(verdict, paths),
            None => self.largest(paths),
        }
    }

    fn of_verdict(&self, verdict: &Verdict, paths: &mut PathReader<'_>) -> Suspects {
        let unit = verdict.source.unit();
        let (guilty, others): (Vec<&StackVerdict>, Vec<&StackVerdict>) = verdict
            .stacks
            .iter()
            .partition(|stack| stack.share.is_some());
        let pins = pins::of_verdict(self.profile, verdict);
        let (role, shown) = match () {
            _ if !guilty.is_empty() => (Role::Guilty, guilty),
            _ if pins.is_some_and(|pins| keeping(&pins.stacks).next().is_some()) => {
                (Role::Pins, Vec::new())
            }
            _ => (Role::Notable, moving_first(others)),
        };
        let told = shown.iter().take(MOST_SUSPECTS);
        let mut suspects: Vec<Suspect> = told
            .map(|stack| Suspect::judged(self.profile, paths, stack, unit))
            .collect();
        let rest = shown.get(MOST_SUSPECTS..).unwrap_or_default();
        let mut rest = match role {
            Role::Guilty => and_more(rest, unit),
            _ => words::more(rest.len()),
        };
        let mut found = shown.len();
        if let (Role::Pins, Some(pins)) = (role, pins) {
            found = keeping(&pins.stacks).count();
            rest = words::more(found.saturating_sub(MOST_SUSPECTS));
            let told = keeping(&pins.stacks).take(MOST_SUSPECTS);
            let told = told.map(|of| Suspect::keeping(self.profile, paths, of, pins));
            suspects = told.collect();
            self.add_courses(&mut suspects);
        }
        let is_growing = role == Role::Guilty
            || matches!(verdict.headline, Headline::Growth | Headline::Fragmentation);
        Suspects {
            title: words::title(role, verdict.headline, found),
            suspects,
            rest,
            follows: follows(self.profile, verdict),
            stage: is_growing.then(|| self.stage(unit)).flatten(),
            advice: advice::of_verdict(self.profile, paths, verdict),
            role,
        }
    }

    /// Live bytes over the events.
    fn add_courses(&self, suspects: &mut [Suspect]) {
        let Some(history) = History::new(self.profile, self.groups, self.range) else {
            return;
        };
        let group = |of: &Suspect| self.groups.of_stack[of.stack as usize];
        let groups: Vec<_> = suspects.iter().map(group).collect();
        for (suspect, course) in suspects.iter_mut().zip(history.courses(&groups)) {
            suspect.live = course.live.evenly(MOST_SPARKS).0;
        }
    }

    /// The stages of the live heap accuse one of them.
    fn stage(&self, unit: &str) -> Option<String> {
        let timeline = &self.profile.timeline;
        let range = self.range.within(EventRange::recorded(self.profile));
        let found = stages::of_events(timeline, range, Some(stages::Value::Live)).ok()?;
        found.guilty.as_ref()?;
        crate::stages::verdict(&found, unit).into_iter().next()
    }

    /// Of all kinds of memory what was live at the peak of the heap; else what is live at the end,
    /// else what was allocated.
    fn largest(&self, paths: &mut PathReader<'_>) -> Suspects {
        let profile = self.profile;
        let counters = [Counter::AtPeak, Counter::Live, Counter::Total];
        let sum = |counter: Counter| {
            let of = profile
                .stacks
                .iter()
                .filter(|it| MemoryKind::All.holds(it.kind));
            of.map(|stack| counter.of(&stack.counters)).sum::<u64>()
        };
        let counter = counters.into_iter().find(|&counter| sum(counter) > 0);
        let counter = counter.unwrap_or(Counter::Total);
        let mut found: Vec<(u64, StackId)> = (0..self.groups.count() as u32)
            .filter_map(|group| {
                let members = self.groups.members(group);
                let of = |&stack: &StackId| {
                    let stack = &profile.stacks[stack as usize];
                    let is_meant = MemoryKind::All.holds(stack.kind);
                    if is_meant {
                        counter.of(&stack.counters)
                    } else {
                        0
                    }
                };
                let bytes = members.iter().map(of).sum::<u64>();
                (bytes > 0).then_some((bytes, members[0]))
            })
            .collect();
        let order = |&(bytes, stack): &(u64, StackId)| (Reverse(bytes), stack);
        let stacks = found.len();
        if found.len() > MOST_SUSPECTS {
            found.select_nth_unstable_by_key(MOST_SUSPECTS - 1, order);
            found.truncate(MOST_SUSPECTS);
        }
        found.sort_unstable_by_key(order);
        let all = sum(counter);
        let told = found.into_iter().map(|(bytes, stack)| {
            let group = self.groups.of_stack[stack as usize];
            Suspect::largest(
                profile,
                paths,
                self.groups.members(group),
                (bytes, all, counter),
            )
        });
        Suspects {
            role: Role::Largest,
            title: words::largest(counter, all, stacks),
            suspects: told.collect(),
            rest: words::more(stacks.saturating_sub(MOST_SUSPECTS)),
            follows: None,
            stage: None,
            advice: advice::of_savings(profile, paths),
        }
    }
}

/// Those that still move before those that came to rest.
fn moving_first(mut stacks: Vec<&StackVerdict>) -> Vec<&StackVerdict> {
    stacks.sort_by_key(|of| {
        matches!(
            of.verdict.shape,
            Shape::WarmUp | Shape::Plateau | Shape::Step | Shape::Stopped
        )
    });
    stacks
}

/// Stacks that keep anything free resident, the most first.
fn keeping(stacks: &[StackPins]) -> impl Iterator<Item = &StackPins> {
    stacks.iter().filter(|of| of.free_bytes > 0)
}
