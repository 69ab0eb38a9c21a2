//! Which paths of functions use more CPU time from event to event.
//!
//! A path without a trend has its samples at events drawn without choosing, so that their mean
//! place is as good as normal from a few samples on. That is asked of every path, and chance has
//! as many tries. What passes must also hold with the errors that its own events show
//! (`follow`), where rows of events were sampled at the same place (`chance::memory`), and with
//! noise that adds up (`growth`).

use super::chance::{normal_above, worth_one};
use super::samples::{PathId, Samples};
use super::{CHANCE, EventTime};
use crate::follow::follow;
use crate::growth::{GrowthOptions, assess};
use crate::series::{Series, mean};
use residue_profile::NodeId;

/// CPU time of the stacks through a path of functions, as samples tell it.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingPath {
    pub node: NodeId,
    /// Nanoseconds per event, each event, with the 95 % interval.
    pub rate: f64,
    pub low: f64,
    pub high: f64,
    /// Samples in the first and in the last half of the events.
    pub early_samples: u64,
    pub late_samples: u64,
    /// Probability of such a trend by chance in any of the paths that were asked.
    pub chance: f64,
}

/// Blocks of events whose sums are judged as a series: single events have a sample or none.
const BLOCKS: usize = 256;
/// Fewest events from which a trend is read.
const FEWEST_EVENTS: usize = 20;

/// Which way a path goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
}

impl Way {
    fn sign(self) -> f64 {
        match self {
            Way::Up => 1.0,
            Way::Down => -1.0,
        }
    }
}

/// Paths that go one way, the steepest first.
pub(super) fn trending_paths(samples: &Samples, times: &[EventTime], way: Way) -> Vec<GrowingPath> {
    let known: Vec<usize> = (0..times.len())
        .filter(|&at| samples.is_known[at])
        .collect();
    if known.len() < FEWEST_EVENTS {
        return Vec::new();
    }
    let number = |at: usize| f64::from(times[at].event);
    let numbers: Vec<f64> = known.iter().map(|&at| number(at)).collect();
    let centre = mean(&numbers);
    let spread = mean(
        &numbers
            .iter()
            .map(|e| (e - centre) * (e - centre))
            .collect::<Vec<_>>(),
    );
    let sums = samples.sums(|_| 1.0);
    let moments = samples.sums(|at| number(at) - centre);
    let asked = samples.asked(&sums);
    let tries = asked.len() as f64;
    let mut named = Vec::new();
    for path in asked {
        let count = sums[path as usize] / samples.unit_ns;
        let moment = way.sign() * moments[path as usize] / samples.unit_ns;
        let z = moment / (count * spread).sqrt();
        if tries * normal_above(z) < CHANCE {
            let trend = examine(samples, path, &known, &numbers, (way, z));
            named.extend(trend.map(|it| (path, it)));
        }
    }
    // So many were asked.
    for (_, path) in &mut named {
        path.chance *= tries;
    }
    named.retain(|(_, path)| path.chance < CHANCE);
    let evidence = |(path, _): &(PathId, GrowingPath)| {
        let at = *path as usize;
        (*path, way.sign() * moments[at] / sums[at].sqrt())
    };
    let told = samples.most_telling(&named.iter().map(evidence).collect::<Vec<_>>());
    let mut growing: Vec<GrowingPath> = named
        .into_iter()
        .filter(|(path, _)| told.contains(path))
        .map(|(path, it)| GrowingPath {
            node: samples.node(samples.only_child(path, &sums)),
            ..it
        })
        .collect();
    growing.sort_by(|a, b| b.rate.abs().total_cmp(&a.rate.abs()));
    growing
}

/// The trend with the errors of its own events; its chance is the path's alone.
fn examine(
    samples: &Samples,
    path: PathId,
    known: &[usize],
    numbers: &[f64],
    (way, z): (Way, f64),
) -> Option<GrowingPath> {
    let by_event = samples.by_event(path);
    let values: Vec<f64> = known.iter().map(|&at| by_event[at]).collect();
    let slope = follow(&values, numbers, &vec![1.0; values.len()]);
    let block = values.len().div_ceil(BLOCKS);
    let blocks = Series::new(
        numbers.chunks(block).map(mean).collect(),
        values.chunks(block).map(mean).collect(),
    );
    let drift = assess(&blocks, &GrowthOptions::default());
    // Rows of events that were sampled at the same place are worth one.
    let line = Series::new(numbers.to_vec(), values.clone()).line_fit();
    let expected = |number: &f64| line.intercept + line.rate * number;
    let left = values
        .iter()
        .zip(numbers)
        .map(|(ns, number)| ns - expected(number));
    let worth_one = worth_one(&left.collect::<Vec<f64>>());
    let chance = slope.chance.max(normal_above(z / worth_one.sqrt()));
    let holds = match way {
        Way::Up => slope.bytes_per_unit > 0.0 && drift.low > 0.0,
        Way::Down => slope.bytes_per_unit < 0.0 && drift.high < 0.0,
    };
    let half = values.len() / 2;
    let samples_in = |part: &[f64]| (part.iter().sum::<f64>() / samples.unit_ns).round() as u64;
    holds.then(|| GrowingPath {
        node: 0,
        rate: slope.bytes_per_unit,
        low: slope.bytes_per_unit_low,
        high: slope.bytes_per_unit_high,
        early_samples: samples_in(&values[..half]),
        late_samples: samples_in(&values[half..]),
        chance,
    })
}
