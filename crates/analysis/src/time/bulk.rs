//! Which values lie above the bulk of a distribution of unknown form.
//!
//! Times have long tails, so that a few times the median deviation would call the largest of any
//! run slow. The upper half of the bulk tells how heavy the tail is: its quartile and its eighth
//! give the exponent κ of
//!
//! ```text
//!   quantile(p) - median  =  spread · z(p)^κ          z: normal quantile; κ = 1 for normal noise
//! ```
//!
//! The tail that follows from them says how probable each value is, and those are above that are
//! too many to be its own (Benjamini and Hochberg: of those that are called, one in twenty may be).
//!
//! What lies above would widen the bulk that it is compared with. So the bulk is read without so
//! many of the highest values, from an eighth of them down to none, until about as many as were
//! left out are found to lie above. In one distribution, however heavy its tail, they are not.

use super::chance::normal_above;

/// Normal quantiles of 3/4 and 7/8.
const Z_QUARTER: f64 = 0.674_49;
const Z_EIGHTH: f64 = 1.150_35;
/// Share of what is called above that may belong to the bulk.
const FALSE_SHARE: f64 = 0.05;
const HEAVIEST: f64 = 2.5;
/// Fewest values from which the form of a tail can be read.
pub(super) const FEWEST_VALUES: usize = 20;

/// Least spread of times, as a part of them, and in nanoseconds: what no clock tells apart.
const LEAST_SPREAD: f64 = 0.01;
const LEAST_SPREAD_NS: f64 = 1_000.0;

/// Which times exceed what was expected of them by more than the others do.
pub(super) fn above(values: &[f64], expected: &[f64]) -> Vec<bool> {
    let excess: Vec<f64> = values.iter().zip(expected).map(|(v, e)| v - e).collect();
    let limit = limit(&excess, Scale::Amounts, LEAST_SPREAD_NS);
    excess.iter().map(|excess| *excess >= limit).collect()
}

/// The same where noise may be so many milliseconds, or so many per cent of an event, and then a
/// large one varies more than a small one: what is above stands out both ways.
pub(super) fn above_both_ways(values: &[f64], expected: &[f64]) -> Vec<bool> {
    let pairs = values.iter().zip(expected);
    let ratios: Vec<f64> = pairs.map(|(v, e)| (v.max(1.0) / e.max(1.0)).ln()).collect();
    let limit = limit(&ratios, Scale::Ratios, LEAST_SPREAD);
    let above = above(values, expected);
    let both = above.iter().zip(&ratios);
    both.map(|(above, ratio)| *above && *ratio >= limit)
        .collect()
}

/// What values are, which says how their tail goes on beyond where it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// So much: the tail may be heavier further out, as that of exponential noise is.
    Amounts,
    /// Logarithms, in which such a tail is none.
    Ratios,
}

impl Scale {
    fn further_out(self) -> f64 {
        match self {
            Scale::Amounts => 1.15,
            Scale::Ratios => 1.0,
        }
    }
}

/// Highest values that are left out of the bulk, as shares of all, in the order in which they
/// are tried.
const LEFT_OUT: [f64; 11] = [
    0.125, 0.1, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01, 0.0,
];
/// Of those left out, the share that must be found above.
const FOUND_AGAIN: f64 = 0.8;

/// The value from which on values are above the bulk, infinite where none is; the bulk is
/// `least_spread` wide at least.
fn limit(values: &[f64], scale: Scale, least_spread: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    for share in LEFT_OUT {
        let left_out = (share * sorted.len() as f64) as usize;
        let tail = Tail::of(&sorted[..sorted.len() - left_out], scale, least_spread);
        let above = tail.values_above(&sorted);
        if above as f64 >= FOUND_AGAIN * left_out as f64 {
            let first = sorted.len() - above;
            return sorted.get(first).copied().unwrap_or(f64::INFINITY);
        }
    }
    f64::INFINITY
}

/// The upper tail of a distribution, as its bulk lets expect it.
struct Tail {
    middle: f64,
    spread: f64,
    weight: f64,
}

impl Tail {
    fn of(sorted: &[f64], scale: Scale, least_spread: f64) -> Tail {
        let middle = quantile(sorted, 0.5);
        let spread = ((quantile(sorted, 0.75) - middle) / Z_QUARTER).max(least_spread);
        let outer = (quantile(sorted, 0.875) - middle).max(spread * Z_EIGHTH);
        let weight = (outer / (spread * Z_QUARTER)).ln() / (Z_EIGHTH / Z_QUARTER).ln();
        Tail {
            middle,
            spread,
            weight: scale.further_out() * weight.clamp(1.0, HEAVIEST),
        }
    }

    /// How many of the highest values are too many to be its own.
    fn values_above(&self, sorted: &[f64]) -> usize {
        let each = FALSE_SHARE / sorted.len().max(1) as f64;
        let highest_first = sorted.iter().rev().zip(1_u32..);
        // Half of the values are no tail.
        let upper = highest_first.take(sorted.len() / 2);
        let above = upper.filter(|(value, rank)| self.chance(**value) <= each * f64::from(*rank));
        above.last().map_or(0, |(_, rank)| rank as usize)
    }

    /// Probability of a value that is at least as high.
    fn chance(&self, value: f64) -> f64 {
        let distance = (value - self.middle) / (self.spread * Z_QUARTER);
        normal_above(Z_QUARTER * distance.max(0.0).powf(1.0 / self.weight))
    }
}

/// A quantile of sorted values, between the two nearest.
pub(super) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = p * last as f64;
    let (below, share) = (place.floor() as usize, place.fract());
    let above = sorted[(below + 1).min(last)];
    sorted[below] + share * (above - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::random::Random;

    fn above(values: &[f64]) -> usize {
        let limit = limit(values, Scale::Amounts, 1e-6);
        values.iter().filter(|value| **value >= limit).count()
    }

    #[test]
    fn next_to_nothing_lies_above_any_one_distribution() {
        let mut random = Random::new(5);
        type Draw = fn(&mut Random) -> f64;
        for (name, draw) in [
            ("normal", Random::normal as Draw),
            ("exponential", Random::exponential),
            ("uniform", Random::uniform),
            ("log-normal", |random| (0.3 * random.normal()).exp()),
        ] {
            let runs = 200;
            let found: usize = (0..runs)
                .map(|_| above(&(0..500).map(|_| draw(&mut random)).collect::<Vec<_>>()))
                .sum();
            assert!(found <= 60, "{name}: {found} in {runs} runs");
        }
    }

    #[test]
    fn what_stands_apart_is_found_up_to_a_tenth() {
        let mut random = Random::new(6);
        for (every, apart) in [(10, 6.0), (20, 6.0), (100, 6.0)] {
            let values: Vec<f64> = (0..1000)
                .map(|i| random.normal() + if i % every == 0 { apart } else { 0.0 })
                .collect();
            let found = above(&values);
            assert!(
                found.abs_diff(1000 / every) <= 1000 / every / 5,
                "{every}: {found}"
            );
        }
    }
}
