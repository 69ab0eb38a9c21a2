//! The advice of a report: of the stacks that pass the filters, those that could save most.

use residue_analysis::churn::{Saving, savings};
use serde::Serialize;

use crate::advice::{Advice, LEAST_SAVED_BYTES};
use crate::paths::names;
use crate::report::source::Source;

const MOST_ADVICE: usize = 5;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackAdvice {
    #[serde(flatten)]
    pub advice: Advice,
    /// Root first.
    pub path: Vec<String>,
}

/// Those that could save most, first.
pub fn advice(source: &Source<'_>) -> Vec<StackAdvice> {
    let mut paths = source.paths();
    let mut found = savings(source.profile);
    found.retain(|one| {
        one.saved_bytes.low >= LEAST_SAVED_BYTES && source.admits(one.stack as usize)
    });
    found.truncate(MOST_ADVICE);
    let advice = |one: &Saving| StackAdvice {
        advice: Advice::of(one),
        path: names(&paths.steps(&source.profile.stacks[one.stack as usize])),
    };
    found.iter().map(advice).collect()
}
