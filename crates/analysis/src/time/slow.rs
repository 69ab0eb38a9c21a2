//! Which events are slow, and what they did that others did not.
//!
//! ```text
//!   time ── less what counters and the trend explain ──► above the bulk (`bulk`) ──► slow
//!   slow against others:  paths of functions, by samples        Fisher's exact test
//!                         stages, by their share of the event   ranks; of waiting, binomial
//!                         allocations                           ranks
//! ```
//!
//! Each question is asked at a chance of one in a thousand, divided by how many were asked with
//! it. Slow events do more of everything, so that a path or a stage is named only where its
//! *share* is larger.

use super::chance::stand_higher;
use super::counter::Explained;
use super::samples::Samples;
use super::stages::{self, SlowStage, Stages};
use super::trend::Trend;
use super::{CHANCE, EventTime, Measure, bulk, paths};
use crate::growth::Outcome;
use crate::series::mean;
pub use paths::SlowPath;
use residue_profile::timeline::EventNumber;
use serde::Serialize;

/// Events that take longer than the others, by one measure.
#[derive(Debug, Clone)]
pub struct SlowEvents {
    pub measure: Measure,
    /// The slowest first.
    pub events: Vec<SlowEvent>,
    pub of_events: usize,
    /// Mean time beyond what was expected.
    pub excess_ns: f64,
    pub paths: Vec<SlowPath>,
    pub stages: Vec<SlowStage>,
    pub allocations: Vec<MoreAllocated>,
}

impl SlowEvents {
    pub fn has_cause(&self) -> bool {
        !(self.paths.is_empty() && self.stages.is_empty() && self.allocations.is_empty())
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowEvent {
    pub event: EventNumber,
    pub id: u64,
    pub value_ns: f64,
    /// What counters and trend let expect.
    pub expected_ns: f64,
}

/// What slow events allocate more of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoreAllocated {
    pub what: Allocations,
    /// Means of slow events and of the others.
    pub slow_mean: f64,
    pub other_mean: f64,
    pub chance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Allocations {
    Calls,
    Bytes,
}

/// Least part of a usual event by which a slow one is longer.
const LEAST_EXCESS: f64 = 0.1;
/// More than the others by less than this is not worth a word.
const LEAST_MORE: f64 = 1.1;

/// What slow events are looked for in.
pub(super) struct Question<'a> {
    pub times: &'a [EventTime],
    pub trend: &'a Trend,
    pub values: &'a [f64],
    pub wall_median_ns: f64,
    pub explained: Option<&'a Explained>,
    pub samples: Option<&'a Samples>,
    pub stages: Option<&'a Stages>,
}

impl Question<'_> {
    /// `None` where no event is slow.
    pub fn answer(&self) -> Option<SlowEvents> {
        if self.values.len() < bulk::FEWEST_VALUES {
            return None;
        }
        let mut expected = self.expected();
        self.add_accounts(&mut expected);
        let is_slow = self.slow(&expected);
        let slow: Vec<usize> = (0..self.values.len()).filter(|&at| is_slow[at]).collect();
        if slow.is_empty() {
            return None;
        }
        let of = |&at: &usize| SlowEvent {
            event: self.times[at].event,
            id: self.times[at].id,
            value_ns: self.values[at],
            expected_ns: expected[at],
        };
        let mut events: Vec<SlowEvent> = slow.iter().map(of).collect();
        let excess = |event: &SlowEvent| event.value_ns - event.expected_ns;
        events.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
        let measure = self.trend.measure;
        let excess_ns = mean(&events.iter().map(excess).collect::<Vec<_>>());
        let is_work = measure != Measure::Waited;
        let samples = self.samples.filter(|_| is_work);
        Some(SlowEvents {
            measure,
            of_events: self.values.len(),
            excess_ns,
            paths: samples.map_or(Vec::new(), |samples| paths::slow_paths(samples, &is_slow)),
            stages: self.stages.map_or(Vec::new(), |stages| {
                stages::slow_stages(stages, measure, &is_slow)
            }),
            allocations: match is_work {
                true => self.allocations(&is_slow),
                false => Vec::new(),
            },
            events,
        })
    }

    fn expected(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.values.to_vec();
        let explained = match self.explained {
            Some(explained) => explained.beyond_mean(),
            None => vec![0.0; self.values.len()],
        };
        let growth = &self.trend.growth;
        let has_trend = matches!(growth.outcome, Outcome::Growing | Outcome::Shrinking);
        let rate = if has_trend { growth.rate } else { 0.0 };
        let middle = 0.5 * (growth.first_event + growth.last_event) as f64;
        let moved = |at: usize| explained[at] + rate * (f64::from(self.times[at].event) - middle);
        for (at, value) in sorted.iter_mut().enumerate() {
            *value -= moved(at);
        }
        sorted.sort_by(f64::total_cmp);
        let usual = bulk::quantile(&sorted, 0.5);
        // Never next to nothing: what an event takes at least stands below a ratio.
        let least = (0.01 * self.trend.median_ns).max(1.0);
        (0..self.values.len())
            .map(|at| (usual + moved(at)).max(least))
            .collect()
    }

    /// What the recorder's own accounts of the memory usually take is expected where there is one.
    fn add_accounts(&self, expected: &mut [f64]) {
        let with_account: Vec<usize> = (0..self.times.len())
            .filter(|&at| self.times[at].has_account)
            .collect();
        let excess = |&at: &usize| self.values[at] - expected[at];
        let mut sorted: Vec<f64> = with_account.iter().map(excess).collect();
        sorted.sort_by(f64::total_cmp);
        let usual = bulk::quantile(&sorted, 0.5).max(0.0);
        for at in with_account {
            expected[at] += usual;
        }
    }

    fn slow(&self, expected: &[f64]) -> Vec<bool> {
        let above = match self.trend.measure {
            Measure::Waited => bulk::above(&self.waited_by_size(), expected),
            Measure::Cpu | Measure::Wall => bulk::above_both_ways(self.values, expected),
        };
        // Waiting is compared with the whole event: it may be next to nothing.
        let usual_ns = match self.trend.measure {
            Measure::Waited => self.wall_median_ns,
            Measure::Cpu | Measure::Wall => self.trend.median_ns,
        };
        let is_notable = |at: usize| self.values[at] - expected[at] >= LEAST_EXCESS * usual_ns;
        let places = above.iter().enumerate();
        places.map(|(at, above)| *above && is_notable(at)).collect()
    }

    /// What events waited, of large ones as much as of a usual one: whoever works longer is
    /// interrupted more often.
    fn waited_by_size(&self) -> Vec<f64> {
        let cpu = |time: &EventTime| time.cpu_ns.unwrap_or(0.0).max(1.0);
        let mut sorted: Vec<f64> = self.times.iter().map(cpu).collect();
        sorted.sort_by(f64::total_cmp);
        let usual = bulk::quantile(&sorted, 0.5);
        let events = self.values.iter().zip(self.times);
        let scaled = events.map(|(waited, time)| waited * (usual / cpu(time)).min(1.0));
        scaled.collect()
    }

    fn allocations(&self, is_slow: &[bool]) -> Vec<MoreAllocated> {
        let kinds = [Allocations::Calls, Allocations::Bytes];
        let tries = kinds.len() as f64;
        let more = |what: Allocations| {
            let of = |time: &EventTime| match what {
                Allocations::Calls => time.calls,
                Allocations::Bytes => time.bytes,
            };
            let values: Vec<f64> = self.times.iter().map(of).collect::<Option<_>>()?;
            let mean_of = |slow: bool| {
                let chosen = values.iter().zip(is_slow).filter(|(_, it)| **it == slow);
                mean(&chosen.map(|(value, _)| *value).collect::<Vec<_>>())
            };
            let found = MoreAllocated {
                what,
                slow_mean: mean_of(true),
                other_mean: mean_of(false),
                chance: tries * stand_higher(&values, |at| is_slow[at]),
            };
            let is_more = found.slow_mean >= LEAST_MORE * found.other_mean;
            (is_more && found.chance < CHANCE).then_some(found)
        };
        kinds.into_iter().filter_map(more).collect()
    }
}
