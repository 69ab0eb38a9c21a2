//! What to do, in the words of the command line.

use residue_analysis::churn::{Saving, savings};
use residue_analysis::verdict::{Headline, Verdict};
use residue_calltree::PathReader;
use residue_profile::Profile;
use residue_profile::timeline::StackId;
use serde::Serialize;

use crate::advice::{Advice, LEAST_SAVED_BYTES};
use crate::leaks::{ShownPath, shown_path_of_stack};
use crate::pins;

const MOST_ADVICE: usize = 3;

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuspectAdvice {
    /// `reserve`, `reuse`, `pool`, `trim`, or `record` what is not known yet.
    pub action: &'static str,
    pub words: String,
    /// The stack that is meant, and where it is; null and empty where none is.
    pub stack: Option<StackId>,
    #[serde(flatten)]
    pub path: ShownPath,
}

/// What stacks need not have allocated, as far as it is worth a line; the most first.
pub fn worth_a_line(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    churn: &[Saving],
    unit: &str,
) -> Vec<SuspectAdvice> {
    let worth = churn
        .iter()
        .filter(|one| one.saved_bytes.low >= LEAST_SAVED_BYTES);
    let advice = worth.take(MOST_ADVICE).map(|one| {
        let Advice { action, words, .. } = Advice::of(one, unit);
        SuspectAdvice {
            action,
            words,
            stack: Some(one.stack),
            path: shown_path_of_stack(profile, paths, one.stack),
        }
    });
    advice.collect()
}

pub(super) fn of_verdict(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    verdict: &Verdict,
) -> Vec<SuspectAdvice> {
    let mut advice = match pins::of_verdict(profile, verdict) {
        Some(found) => of_pins(profile, paths, found),
        None if verdict.headline == Headline::Fragmentation => vec![take_a_picture()],
        None => Vec::new(),
    };
    let unit = verdict.source.unit();
    advice.extend(worth_a_line(profile, paths, &verdict.churn, unit));
    advice
}

/// Where there is no verdict.
pub(super) fn of_savings(profile: &Profile, paths: &mut PathReader<'_>) -> Vec<SuspectAdvice> {
    let unit = profile.timeline.about.source.unit();
    worth_a_line(profile, paths, &savings(profile), unit)
}

fn of_pins(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    found: &residue_profile::pins::Pins,
) -> Vec<SuspectAdvice> {
    let advice = pins::advice(profile, paths, found)
        .into_iter()
        .take(MOST_ADVICE);
    let advice = advice.map(|one| SuspectAdvice {
        action: one.action,
        words: one.words,
        path: match one.stack {
            Some(stack) => shown_path_of_stack(profile, paths, stack),
            None => ShownPath::none(),
        },
        stack: one.stack,
    });
    advice.collect()
}

/// Who keeps pages resident is seen in a picture of the memory alone.
fn take_a_picture() -> SuspectAdvice {
    SuspectAdvice {
        action: "record",
        words: "with --holders: `residue pins` then says whose blocks keep pages resident"
            .to_string(),
        stack: None,
        path: ShownPath::none(),
    }
}
