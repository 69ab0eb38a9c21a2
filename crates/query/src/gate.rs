//! Whether a run stays within its limits.

use residue_analysis::growth::Growth;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_calltree::Filter;
use residue_profile::Profile;
use serde::Serialize;

use crate::choice::Names;
use crate::leaks::shown_path_of_stack;

/// From the best to the worst: above a limit is worse than not knowing about another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Decision {
    #[serde(rename = "pass")]
    Within,
    #[serde(rename = "cannot-tell")]
    CannotTell,
    #[serde(rename = "fail")]
    Above,
}

/// What a decision about growth rests on.
pub struct GrowthGate {
    pub decision: Decision,
    pub why: Why,
    /// Stacks that rules excuse, and their rate in bytes an event.
    pub ignored_stacks: usize,
    pub ignored_rate: f64,
    /// What is compared with the limit.
    pub left_rate: f64,
    /// The verdict on those that no rule excuses, where they decided.
    pub blamed: Option<Verdict>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Why {
    Verdict,
    /// The run would not have seen growth as small as the limit.
    BelowSight,
    /// Growth that ends is not compared with a limit.
    Ends,
    /// The process grows by more than its leaks.
    BeyondLeaks {
        bytes_per_event: f64,
    },
}

/// The highest resident size without the recorder's own.
pub fn resident_bytes(profile: &Profile) -> Option<u64> {
    let moments = profile.timeline.moments.iter();
    let highest = moments
        .filter_map(|moment| Some(moment.rss_bytes?.saturating_sub(moment.recorder_bytes)))
        .max();
    let recorder = &profile.recorder;
    let own = recorder.arena_bytes.saturating_add(recorder.private_bytes);
    let kernel = profile.meta.max_rss_bytes;
    kernel.map(|rss| rss.saturating_sub(own)).max(highest)
}

/// Stacks with a function that `is_ignored` names, as it is shown or in full, do not count.
pub fn growth_gate(
    profile: &Profile,
    verdict: &Verdict,
    limit: f64,
    is_ignored: &dyn Fn(&str) -> bool,
) -> GrowthGate {
    let (ignored, counted) = split(profile, verdict, is_ignored);
    let sum = |stacks: &[&StackVerdict], bound: fn(&Growth) -> f64| -> f64 {
        let bounds = stacks.iter().map(|stack| bound(&stack.verdict.growth));
        bounds.sum()
    };
    let mut gate = GrowthGate {
        decision: Decision::Within,
        why: Why::Verdict,
        ignored_stacks: ignored.len(),
        ignored_rate: sum(&ignored, |growth| growth.rate),
        left_rate: match ignored.is_empty() {
            true => verdict.growth.rate,
            // A sum of nothing has a sign: none here.
            false => sum(&counted, |growth| growth.rate) + 0.0,
        },
        blamed: None,
    };
    let growth = &verdict.growth;
    gate.decision = match verdict.headline {
        Headline::NoGrowth if growth.smallest_visible > limit.max(1.0) => {
            gate.why = Why::BelowSight;
            // Not seen with a limit of nothing is the best that any run can say.
            match limit > 0.0 {
                true => Decision::CannotTell,
                false => Decision::Within,
            }
        }
        Headline::NoGrowth => Decision::Within,
        Headline::Undetermined => match growth.high <= limit {
            true => Decision::Within,
            false => Decision::CannotTell,
        },
        Headline::Fragmentation | Headline::Growth => decide(growth.low, growth.high, limit),
        // Its growth ends: in the long run it is none.
        Headline::Filling => {
            gate.why = Why::Ends;
            Decision::Within
        }
        Headline::Leak | Headline::FreedAtExit | Headline::Slowing => {
            match verdict.rss_beyond_leak() {
                Some(beyond) if beyond > limit => {
                    gate.why = Why::BeyondLeaks {
                        bytes_per_event: beyond,
                    };
                    Decision::Above
                }
                _ if counted.is_empty() && !ignored.is_empty() => Decision::Within,
                _ if counted.is_empty() => decide(growth.low, growth.high, limit),
                _ => {
                    let stacks = counted.iter().copied().cloned().collect();
                    gate.blamed = Some(Verdict {
                        stacks,
                        slowing: None,
                        ..verdict.clone()
                    });
                    let low = sum(&counted, |growth| growth.low);
                    let high = sum(&counted, |growth| growth.high);
                    decide(low, high, limit)
                }
            }
        }
    };
    gate
}

/// The stacks that the verdict accuses: those that a rule excuses, and the others.
fn split<'a>(
    profile: &Profile,
    verdict: &'a Verdict,
    is_ignored: &dyn Fn(&str) -> bool,
) -> (Vec<&'a StackVerdict>, Vec<&'a StackVerdict>) {
    let everything = Filter::default();
    let (shown, full) = (Names::usual(), Names::full());
    let mut paths = [&shown, &full].map(|names| names.paths(profile, &everything));
    let is_accused = |shape: Shape| match verdict.headline {
        Headline::Slowing => matches!(shape, Shape::Filling | Shape::Slowing),
        _ => matches!(shape, Shape::Leak | Shape::ExitFreed),
    };
    let stacks = verdict.stacks.iter();
    let accused = stacks.filter(|stack| is_accused(stack.verdict.shape));
    accused.partition(|stack| {
        paths.iter_mut().any(|paths| {
            let shown = shown_path_of_stack(profile, paths, stack.stack);
            shown.path.iter().any(|name| is_ignored(name))
        })
    })
}

/// Whether an interval lies below a limit, above it, or around it.
pub(crate) fn decide(low: f64, high: f64, limit: f64) -> Decision {
    match (low > limit, high <= limit) {
        (true, _) => Decision::Above,
        (_, true) => Decision::Within,
        _ => Decision::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::answers::sample;
    use residue_analysis::history::EventRange;
    use residue_analysis::verdict::{Reason, verdict};

    #[test]
    fn growth_that_ends_is_within_every_limit_and_growth_that_slows_is_not() {
        let profile = sample::events(50);
        let mut judged = verdict(&profile, EventRange::ALL).expect("two events");
        judged.stacks.clear();
        let decision =
            |judged: &Verdict, limit| growth_gate(&profile, judged, limit, &|_| false).decision;
        judged.headline = Headline::Filling;
        judged.reasons = vec![Reason::Fills {
            live_bytes: 870.0,
            end_bytes: 1000.0,
            end_low: 950.0,
            end_high: 1100.0,
            first_bytes_per_event: 90.0,
        }];
        assert_eq!(decision(&judged, 0.0), Decision::Within);
        assert_eq!(
            crate::leaks::headline(&judged).to_string(),
            "FILLING  87 % full, would end near 1000 B (95 %: 950 B .. 1.07 KiB); 64 B/event now  (events 1..50)"
        );
        judged.headline = Headline::Slowing;
        assert_eq!(decision(&judged, 100.0), Decision::Within);
        assert_eq!(decision(&judged, 10.0), Decision::Above);
        assert_eq!(
            crate::leaks::headline(&judged).to_string(),
            "GROWTH SLOWS  no end in sight; 64 B/event now  (95 %: exact, events 1..50)"
        );
    }
}
