//! Stacks by what they allocate in each event.

use std::cmp::Reverse;

use residue_analysis::churn::{EventRates, StackRate, rates};
use residue_calltree::PathReader;
use residue_profile::timeline::StackId;
use residue_profile::units::{count, counted_units};
use residue_profile::{Counter, Measured, Profile, Span};
use serde::Serialize;

use crate::paths::names;
use crate::report::source::Source;

/// Where no stack that is meant allocated anything.
pub const NONE: &str = "churn: none";

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EventChurn"))]
pub struct Churn {
    /// What the rows are: `8 stacks by bytes allocated per event, 20 events`.
    pub words: String,
    /// What rates are per: `event` or `tick`.
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit"))]
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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

/// What columns of numbers are called, the same on every surface.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChurnHeads {
    pub bytes: String,
    pub calls: String,
    pub freed: String,
    /// Whether the last column is of `freed_in_event`, and not of `temporaries`.
    pub is_freed_in_event: bool,
}

/// The part of a recording that is read, and which of its stacks are meant.
pub struct Part<'a> {
    pub profile: &'a Profile,
    pub measured: Measured,
    pub span: Span,
    pub admits: &'a dyn Fn(usize) -> bool,
    /// What a stack allocated in all of it, for where that is not known by event.
    pub made: &'a dyn Fn(StackId) -> StackRate,
}

/// So many rows; `None` where it was not recorded what was allocated.
pub fn churn(source: &Source<'_>, rows: usize) -> Option<Churn> {
    let part = Part {
        profile: source.profile,
        measured: source.choice.measured,
        span: source.choice.span,
        admits: &|stack| source.admits(stack),
        made: &|stack| made(source.profile, stack),
    };
    part.churn(&mut source.paths(), rows)
}

/// Why there is none, where it was not recorded what was allocated.
pub fn not_recorded(profile: &Profile, span: Span) -> String {
    let nearest = profile.timeline.nearest_totals(span).unwrap_or_default();
    format!("churn: not recorded for these moments{nearest}")
}

/// What a stack allocated in the whole recording.
pub fn made(profile: &Profile, stack: StackId) -> StackRate {
    let counters = &profile.stacks[stack as usize].counters;
    StackRate {
        stack,
        calls: counters.calls,
        bytes: counters.total_bytes,
        temporaries: counters.temporaries,
        freed_in_event: None,
    }
}

impl Part<'_> {
    fn has(&self, counter: Counter) -> bool {
        self.measured.has(self.profile, counter)
    }

    /// So many rows; `None` where it was not recorded what was allocated.
    pub fn churn(&self, paths: &mut PathReader<'_>, rows: usize) -> Option<Churn> {
        if !self.has(Counter::Total) {
            return None;
        }
        let profile = self.profile;
        let has_temporaries = self.has(Counter::Temporaries);
        // Threads are told apart in the whole recording only.
        let in_events = match has_temporaries {
            true => rates(profile, self.span),
            false => None,
        };
        let (events, mut stacks) = match in_events {
            Some(EventRates { events, stacks }) => (Some(events), stacks),
            None => (None, self.without_events()),
        };
        stacks.retain(|rate| (self.admits)(rate.stack as usize));
        stacks.sort_by_key(|rate| (Reverse((rate.bytes, rate.calls)), rate.stack));
        let sum = |of: fn(&StackRate) -> u64| stacks.iter().map(of).fold(0, u64::saturating_add);
        let (calls, bytes) = (sum(|rate| rate.calls), sum(|rate| rate.bytes));
        let per_event = |number: u64| events.map(|events| number as f64 / events as f64);
        let row = |rate: &StackRate| ChurnRow {
            stack: rate.stack,
            calls: rate.calls,
            bytes: rate.bytes,
            calls_per_event: per_event(rate.calls),
            bytes_per_event: per_event(rate.bytes),
            // One that was made before a part and freed in it is none of these allocations.
            temporaries: has_temporaries.then_some(rate.temporaries.min(rate.calls)),
            freed_in_event: rate.freed_in_event,
            path: names(&paths.steps(&profile.stacks[rate.stack as usize])),
        };
        let unit = profile.timeline.about.source.unit();
        let found = stacks.len();
        Some(Churn {
            words: words(rows.min(found), found, events, unit),
            unit,
            events,
            found,
            calls,
            bytes,
            rows: stacks.iter().take(rows).map(row).collect(),
        })
    }

    fn without_events(&self) -> Vec<StackRate> {
        let stacks = 0..self.profile.stacks.len() as StackId;
        let rates = stacks.map(self.made);
        rates.filter(|rate| rate.calls > 0).collect()
    }
}

impl Churn {
    /// What stands above the rows.
    pub fn heading(&self) -> String {
        format!("churn: {}", self.words)
    }

    pub fn heads(&self) -> ChurnHeads {
        let per_event = |what: &str| match self.events {
            Some(_) => format!("{what}/{}", self.unit),
            None => what.to_string(),
        };
        let is_freed_in_event = self.rows.iter().any(|row| row.freed_in_event.is_some());
        ChurnHeads {
            bytes: per_event("bytes"),
            calls: per_event("calls"),
            freed: match is_freed_in_event {
                true => format!("freed in {}", self.unit),
                false => "temporary".to_string(),
            },
            is_freed_in_event,
        }
    }
}

impl ChurnRow {
    /// What stands in the last column of numbers.
    pub fn freed(&self, heads: &ChurnHeads) -> Option<u64> {
        match heads.is_freed_in_event {
            true => self.freed_in_event,
            false => self.temporaries,
        }
    }
}

fn words(shown: usize, found: usize, events: Option<u64>, unit: &str) -> String {
    let number = |number: usize| count(number as u64);
    let stacks = match (shown, found) {
        (_, 1) => "1 stack".to_string(),
        (shown, found) if shown == found => format!("{} stacks", number(found)),
        (shown, found) => format!("{} of {} stacks", number(shown), number(found)),
    };
    let when = events.map_or(String::new(), |events| {
        format!(" per {unit}, {}", counted_units(events, unit))
    });
    format!("{stacks} by bytes allocated{when}")
}
