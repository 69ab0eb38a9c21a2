//! Stacks by what they allocate in each event.

use std::cmp::Reverse;

use residue_analysis::churn::{EventRates, StackRate, rates};
use residue_profile::Counter;
use serde::Serialize;

use crate::paths::names;
use crate::report::source::Source;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Churn {
    /// What rates are per: `event` or `tick`.
    pub unit: &'static str,
    /// How many the numbers are of, from the begin of the first on. Null without events, and
    /// where it is not known what was allocated in them: then numbers are of the whole recording.
    pub events: Option<u64>,
    /// Stacks that allocated anything and pass the filters.
    pub found: usize,
    /// What all of them allocated.
    pub calls: u64,
    pub bytes: u64,
    /// Those that allocated most bytes, first.
    pub rows: Vec<ChurnRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChurnRow {
    /// Index among the stacks of `residue dump`.
    pub stack: u32,
    pub calls: u64,
    pub bytes: u64,
    /// Null without events.
    pub calls_per_event: Option<f64>,
    pub bytes_per_event: Option<f64>,
    /// Blocks freed by the thread that allocated them before it allocated again; null where that
    /// was not recorded.
    pub temporaries: Option<u64>,
    /// Blocks freed before the next event began; null where that is not known, as in parts of a
    /// recording.
    pub freed_in_event: Option<u64>,
    /// Root first.
    pub path: Vec<String>,
}

/// So many rows; `None` where it was not recorded what was allocated.
pub fn churn(source: &Source<'_>, rows: usize) -> Option<Churn> {
    if !source.has(Counter::Total) {
        return None;
    }
    let profile = source.profile;
    // Threads are told apart in the whole recording only.
    let in_events = match source.has(Counter::Temporaries) {
        true => rates(profile, source.choice.span),
        false => None,
    };
    let (events, mut stacks) = match in_events {
        Some(EventRates { events, stacks }) => (Some(events), stacks),
        None => (None, whole(source)),
    };
    stacks.retain(|rate| source.admits(rate.stack as usize));
    stacks.sort_by_key(|rate| (Reverse((rate.bytes, rate.calls)), rate.stack));
    let sum = |of: fn(&StackRate) -> u64| stacks.iter().map(of).fold(0, u64::saturating_add);
    let (calls, bytes) = (sum(|rate| rate.calls), sum(|rate| rate.bytes));
    let per_event = |number: u64| events.map(|events| number as f64 / events as f64);
    let mut paths = source.paths();
    let row = |rate: &StackRate| ChurnRow {
        stack: rate.stack,
        calls: rate.calls,
        bytes: rate.bytes,
        calls_per_event: per_event(rate.calls),
        bytes_per_event: per_event(rate.bytes),
        temporaries: source.has(Counter::Temporaries).then_some(rate.temporaries),
        freed_in_event: rate.freed_in_event,
        path: names(&paths.steps(&profile.stacks[rate.stack as usize])),
    };
    Some(Churn {
        unit: profile.timeline.about.source.unit(),
        events,
        found: stacks.len(),
        calls,
        bytes,
        rows: stacks.iter().take(rows).map(row).collect(),
    })
}

/// What stacks allocated in the whole recording.
fn whole(source: &Source<'_>) -> Vec<StackRate> {
    let numbered = (0..).zip(&source.profile.stacks);
    let rate = |(stack, of): (u32, &residue_profile::Stack)| StackRate {
        stack,
        calls: of.counters.calls,
        bytes: of.counters.total_bytes,
        temporaries: of.counters.temporaries,
        freed_in_event: None,
    };
    let rates = numbered.map(rate);
    rates.filter(|rate| rate.calls > 0).collect()
}
