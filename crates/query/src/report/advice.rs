//! The advice of a report: of the stacks that pass the filters, those that could save most.

use residue_analysis::churn::{Saving, savings};
use residue_calltree::PathReader;
use residue_profile::Profile;
use serde::Serialize;

use crate::advice::{Advice, LEAST_SAVED_BYTES};
use crate::paths::names;
use crate::report::source::Source;

pub const HEADING: &str = "advice: what need not be allocated";
/// Where there is nothing worth a line.
pub const NONE: &str = "advice: none";

const MOST_ADVICE: usize = 5;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackAdvice {
    #[serde(flatten)]
    pub advice: Advice,
    /// Root first.
    pub path: Vec<String>,
}

/// Those that could save most, first.
pub fn advice(source: &Source<'_>) -> Vec<StackAdvice> {
    let found = savings(source.profile);
    let admits = |stack| source.admits(stack);
    worth_saying(source.profile, &found, &admits, &mut source.paths())
}

/// Of all that could be saved, the most first, what is worth a line.
pub fn worth_saying(
    profile: &Profile,
    found: &[Saving],
    admits: &dyn Fn(usize) -> bool,
    paths: &mut PathReader<'_>,
) -> Vec<StackAdvice> {
    let unit = profile.timeline.about.source.unit();
    let is_worth =
        |one: &&Saving| one.saved_bytes.low >= LEAST_SAVED_BYTES && admits(one.stack as usize);
    let advice = |one: &Saving| StackAdvice {
        advice: Advice::of(one, unit),
        path: names(&paths.steps(&profile.stacks[one.stack as usize])),
    };
    let first = found.iter().filter(is_worth).take(MOST_ADVICE);
    first.map(advice).collect()
}
