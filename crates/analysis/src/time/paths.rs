//! Paths of functions that slow events are in for a larger share of their time than others.

use super::CHANCE;
use super::chance::{at_least, memory, normal_above};
use super::samples::{PathId, Samples};
use residue_profile::NodeId;

#[derive(Debug, Clone, PartialEq)]
pub struct SlowPath {
    pub node: NodeId,
    /// Samples of the path in slow events, and all samples in them; the same of the others.
    pub slow_samples: u64,
    pub slow_all: u64,
    pub other_samples: u64,
    pub other_all: u64,
    /// CPU time by which a slow event has more of it than another, in the mean.
    pub excess_ns: f64,
    /// Probability of it by chance in any of the paths that were asked.
    pub chance: f64,
}

/// Slow events in which a path must have been seen.
const FEWEST_EVENTS: usize = 3;

pub(super) fn slow_paths(samples: &Samples, is_slow: &[bool]) -> Vec<SlowPath> {
    let slow_sums = samples.sums(|at| f64::from(u8::from(is_slow[at])));
    let sums = samples.sums(|_| 1.0);
    let events = |slow: bool| {
        let known = samples.is_known.iter().zip(is_slow);
        known
            .filter(|(known, it)| **known && **it == slow)
            .count()
            .max(1) as f64
    };
    let (slow_events, other_events) = (events(true), events(false));
    let counted = |ns: f64| (ns / samples.unit_ns).round() as u64;
    let (all, slow_all) = (counted(sums[0]), counted(slow_sums[0]));
    let asked = samples.asked(&sums);
    let tries = asked.len() as f64;
    let mut named = Vec::new();
    for path in asked {
        let at = path as usize;
        let (slow_ns, other_ns) = (slow_sums[at], sums[at] - slow_sums[at]);
        let (found, marked) = (counted(slow_ns), counted(sums[at]));
        let mut chance = tries * at_least(found, slow_all, marked, all);
        let excess_ns = slow_ns / slow_events - other_ns / other_events;
        if chance >= CHANCE || excess_ns <= 0.0 {
            continue;
        }
        chance = chance.max(tries * by_events(samples, path, is_slow));
        if chance < CHANCE {
            let slow_path = SlowPath {
                node: 0,
                slow_samples: found,
                slow_all,
                other_samples: marked - found.min(marked),
                other_all: all - slow_all.min(all),
                excess_ns,
                chance,
            };
            named.push((path, slow_path));
        }
    }
    let evidence: Vec<(PathId, f64)> = named.iter().map(|(path, it)| (*path, ratio(it))).collect();
    let told = samples.most_telling(&evidence);
    let mut slow: Vec<SlowPath> = named
        .into_iter()
        .filter(|(path, _)| told.contains(path))
        .map(|(path, it)| SlowPath {
            node: samples.node(samples.only_child(path, &sums)),
            ..it
        })
        .collect();
    slow.sort_by(|a, b| b.excess_ns.total_cmp(&a.excess_ns));
    slow
}

/// What speaks for a path: the logarithm of how much more probable its samples are with two shares
/// than with one.
fn ratio(path: &SlowPath) -> f64 {
    let all = (path.slow_all + path.other_all) as f64;
    let marked = (path.slow_samples + path.other_samples) as f64;
    let term = |found: u64, of: u64, share: f64| match found {
        0 => 0.0,
        _ => found as f64 * (found as f64 / (of as f64 * share)).ln(),
    };
    let of = |found: u64, of: u64| {
        term(found, of, marked / all) + term(of - found.min(of), of, 1.0 - marked / all)
    };
    of(path.slow_samples, path.slow_all) + of(path.other_samples, path.other_all)
}

/// The same with events as they come: samples of one event are not drawn one by one. One if it
/// was seen in fewer events than count.
fn by_events(samples: &Samples, path: PathId, is_slow: &[bool]) -> f64 {
    let (of_path, of_all) = (samples.by_event(path), samples.by_event(0));
    let sum = |values: &[f64], slow: bool| -> f64 {
        let chosen = values.iter().zip(is_slow).filter(|(_, it)| **it == slow);
        chosen.map(|(value, _)| value / samples.unit_ns).sum()
    };
    let seen = of_path
        .iter()
        .zip(is_slow)
        .filter(|(ns, slow)| **slow && **ns > 0.0);
    if seen.count() < FEWEST_EVENTS {
        return 1.0;
    }
    let (found, slow_all) = (sum(&of_path, true), sum(&of_all, true));
    let (others, other_all) = (sum(&of_path, false), sum(&of_all, false));
    let (share, other_share) = (found / slow_all, others / other_all.max(1.0));
    let residual = |((path, all), slow): ((&f64, &f64), &bool)| {
        let share = if *slow { share } else { other_share };
        (path - share * all) / samples.unit_ns
    };
    let residuals = of_path.iter().zip(&of_all).zip(is_slow).map(residual);
    let residuals: Vec<f64> = residuals.collect();
    let slow: Vec<usize> = (0..is_slow.len()).filter(|&at| is_slow[at]).collect();
    let mut squares: f64 = slow.iter().map(|&at| residuals[at] * residuals[at]).sum();
    // Slow events near each other may have been sampled at the same place.
    let memory = memory(&residuals);
    for (place, &at) in slow.iter().enumerate() {
        let later = slow[place + 1..].iter().map(|&later| later - at);
        let near = later.take_while(|distance| *distance < memory.len());
        squares += 2.0 * near.map(|distance| memory[distance].max(0.0)).sum::<f64>();
    }
    // No less than independent samples have, were they of the others' share or of this one.
    let pooled = (found + others) / (slow_all + other_all);
    let variance = squares.max(pooled * (1.0 - pooled) * slow_all);
    normal_above((found - other_share * slow_all) / variance.sqrt())
}
