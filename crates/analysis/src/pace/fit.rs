//! How well constant, stepped and slowing rates explain what was added.
//!
//! What a part adds is a sum of many blocks, so its variance goes with its mean; how much more or
//! less than for single independent blocks is measured from the residuals (quasi-likelihood).
//! Only the shares of the parts matter: the total is whatever it was. Twice the difference of two
//! log-likelihoods, over that measure, compares with the square of a Student's t.

use super::amounts::Amounts;
use super::family::Slowing;
use crate::growth::student::Student;

/// Log-likelihoods of models of one set of amounts.
#[derive(Debug)]
pub struct Fit<'a> {
    amounts: &'a Amounts,
    pub constant: f64,
    /// The best of two rates, and the share of the clock at which they change.
    pub step: Step,
    /// All members of the family, and the best.
    pub slowing: Vec<(Slowing, f64)>,
    pub best: (Slowing, f64),
}

#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub likelihood: f64,
    pub at: f64,
    /// Rates before and after it.
    pub before: f64,
    pub after: f64,
}

/// Least share of the total that is expected of a part, so that no part weighs without bound.
const LEAST_EXPECTED: f64 = 1e-4;
/// The same of what is likely, where next to nothing is.
const LEAST_SHARE: f64 = 1e-6;
/// Speeds that are tried on either side of the best of a tail.
const SCANNED: i32 = 16;

impl<'a> Fit<'a> {
    /// `None` where nothing was added.
    pub fn of(amounts: &'a Amounts) -> Option<Fit<'a>> {
        let total = amounts.total();
        if !(total.is_finite() && total > 0.0) {
            return None;
        }
        let mut slowing: Vec<(Slowing, f64)> = Slowing::grid()
            .map(|it| (it, of_member(amounts, it)))
            .collect();
        for member in best_of_each_tail(&slowing) {
            slowing.extend(member.neighbours().map(|it| (it, of_member(amounts, it))));
        }
        let best = slowing.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Fit {
            constant: likelihood_of(amounts, amounts.widths()),
            step: best_step(amounts)?,
            slowing,
            best,
            amounts,
        })
    }

    /// Members whose likelihood is at most `depth` below the best, tried as closely as their
    /// likelihood asks for: with many blocks it is narrow, and where growth ends depends on the
    /// tail more than anything else. The best comes first.
    pub fn region(&self, depth: f64) -> Vec<(Slowing, f64)> {
        let mut tried = Vec::new();
        for tail in Slowing::fine_tails() {
            let of_speed = |log_speed: f64| {
                let member = Slowing {
                    speed: log_speed.exp(),
                    tail,
                };
                (member, of_member(self.amounts, member))
            };
            let coarse = self.slowing.iter();
            let nearest = coarse.min_by(|one, other| {
                let away = |known: &(Slowing, f64)| (known.0.tail - tail).abs();
                away(one)
                    .total_cmp(&away(other))
                    .then(other.1.total_cmp(&one.1))
            });
            let start = nearest.map_or(0.0, |(member, _)| member.speed.ln());
            let top = highest(start - 1.0, start + 1.0, |at| of_speed(at).1);
            let best = of_speed(top).1;
            // Near its top the likelihood is a parabola.
            let drop = best - of_speed(top + 0.05).1.min(of_speed(top - 0.05).1);
            let reach =
                (0.05 * (1.5 * depth / drop.max(f64::MIN_POSITIVE)).sqrt()).clamp(1e-3, 1.5);
            let points = (-SCANNED..=SCANNED)
                .map(|point| top + reach * f64::from(point) / f64::from(SCANNED));
            tried.extend(points.map(of_speed));
        }
        let best = tried
            .iter()
            .map(|tried| tried.1)
            .fold(f64::NEG_INFINITY, f64::max);
        tried.retain(|(_, likelihood)| *likelihood >= best - depth);
        tried.sort_by(|one, other| other.1.total_cmp(&one.1));
        tried
    }

    pub fn amounts(&self) -> &'a Amounts {
        self.amounts
    }

    /// Variance over mean of what a part adds, around some shares of the total; `parameters` were
    /// fitted.
    fn dispersion(&self, shares: impl Iterator<Item = f64>, parameters: usize) -> f64 {
        let total = self.amounts.total();
        let squares = self.amounts.added.iter().zip(shares).map(|(added, share)| {
            let expected = total * share.max(LEAST_EXPECTED);
            (added - expected) * (added - expected) / expected
        });
        let degrees = self.amounts.count().saturating_sub(parameters).max(1);
        // Never nothing: rounding alone differs by more.
        (squares.sum::<f64>() / degrees as f64).max(1e-12 * total)
    }

    pub fn constant_dispersion(&self) -> f64 {
        self.dispersion(self.amounts.widths(), 1)
    }

    /// The same around a member of the family.
    pub fn dispersion_of(&self, member: Slowing) -> f64 {
        let whole = member.added(1.0);
        let edges = self.amounts.clock.windows(2);
        let shares = edges.map(|edge| (member.added(edge[1]) - member.added(edge[0])) / whole);
        self.dispersion(shares, 3)
    }

    /// The highest likelihood of members that satisfy a condition.
    pub fn best_where(&self, holds: impl Fn(Slowing) -> bool) -> f64 {
        let held = self.slowing.iter().filter(|(member, _)| holds(*member));
        held.map(|(_, likelihood)| *likelihood)
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

fn best_of_each_tail(slowing: &[(Slowing, f64)]) -> Vec<Slowing> {
    let mut best: Vec<(Slowing, f64)> = Vec::new();
    for &(member, likelihood) in slowing {
        match best.iter_mut().find(|(known, _)| known.tail == member.tail) {
            None => best.push((member, likelihood)),
            Some(known) if likelihood > known.1 => *known = (member, likelihood),
            Some(_) => {}
        }
    }
    best.into_iter().map(|(member, _)| member).collect()
}

/// Log-likelihood of shares of the total.
fn likelihood_of(amounts: &Amounts, shares: impl Iterator<Item = f64>) -> f64 {
    let terms = amounts.added.iter().zip(shares);
    terms
        .map(|(added, share)| added * share.max(LEAST_SHARE).ln())
        .sum()
}

fn of_member(amounts: &Amounts, member: Slowing) -> f64 {
    let whole = member.added(1.0);
    let mut before = 0.0;
    let shares = amounts.clock[1..].iter().map(|at| {
        let upto = member.added(*at);
        let share = (upto - before) / whole;
        before = upto;
        share
    });
    likelihood_of(amounts, shares)
}

/// Where a function of one maximum is highest between two points (golden section).
fn highest(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let inner = |low: f64, high: f64| (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (value(left), value(right));
    while high - low > 1e-5 {
        if at_left < at_right {
            low = left;
            (left, at_left) = (right, at_right);
            right = inner(low, high).1;
            at_right = value(right);
        } else {
            high = right;
            (right, at_right) = (left, at_left);
            left = inner(low, high).0;
            at_left = value(left);
        }
    }
    0.5 * (low + high)
}

fn best_step(amounts: &Amounts) -> Option<Step> {
    let total = amounts.total();
    let mut sum = 0.0;
    let mut best: Option<Step> = None;
    for part in 1..amounts.count() {
        sum += amounts.added[part - 1];
        let at = amounts.clock[part];
        let before = (sum / total).clamp(0.0, 1.0) / at;
        let after = (1.0 - sum / total).clamp(0.0, 1.0) / (1.0 - at);
        let shares = amounts
            .widths()
            .enumerate()
            .map(|(place, width)| width * if place < part { before } else { after });
        let step = Step {
            likelihood: likelihood_of(amounts, shares),
            at,
            before,
            after,
        };
        if best.is_none_or(|best| step.likelihood > best.likelihood) {
            best = Some(step);
        }
    }
    best
}

/// Probability that a constant rate shows a trend that falls as much by chance: the regression of
/// rates on the clock, each part weighing by how much of the clock it holds.
pub fn chance_of_fall(amounts: &Amounts) -> f64 {
    let n = amounts.count();
    if n < 4 {
        return 1.0;
    }
    let middles = amounts
        .clock
        .windows(2)
        .map(|edge| 0.5 * (edge[0] + edge[1]));
    let points: Vec<(f64, f64, f64)> = middles
        .zip(amounts.widths())
        .zip(&amounts.added)
        .map(|((at, width), added)| (at, width, added / width))
        .collect();
    let mean =
        |value: fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| p.1 * value(p)).sum::<f64>();
    let (mean_at, mean_rate) = (mean(|p| p.0), mean(|p| p.2));
    let (mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0);
    for (at, width, rate) in &points {
        sxx += width * (at - mean_at) * (at - mean_at);
        sxy += width * (at - mean_at) * (rate - mean_rate);
        syy += width * (rate - mean_rate) * (rate - mean_rate);
    }
    // Rounding of equal rates is no fall.
    let rounding = f64::EPSILON * mean_rate.abs() * n as f64;
    if sxx <= 0.0 || sxy >= -rounding * sxx.sqrt() {
        return 1.0;
    }
    let slope = sxy / sxx;
    let rest = (syy - slope * sxy).max(1e-12 * syy);
    let degrees = (n - 2) as f64;
    let error = (rest / degrees / sxx).sqrt();
    Student::new(degrees).below(slope / error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(added: Vec<f64>) -> Amounts {
        let count = added.len();
        Amounts {
            clock: (0..=count).map(|at| at as f64 / count as f64).collect(),
            added,
        }
    }

    #[test]
    fn each_model_is_the_best_of_what_it_is_of() {
        let even = amounts(vec![100.0; 20]);
        let fit = Fit::of(&even).unwrap();
        assert!(fit.constant >= fit.best.1 && fit.constant >= fit.step.likelihood - 1e-6);
        assert_eq!(chance_of_fall(&even), 1.0);

        let stepped = amounts((0..20).map(|i| if i < 5 { 300.0 } else { 100.0 }).collect());
        let fit = Fit::of(&stepped).unwrap();
        assert!(fit.step.likelihood > fit.best.1 && fit.step.at == 0.25);
        assert!((fit.step.before / fit.step.after - 3.0).abs() < 1e-9);

        let truth = Slowing {
            speed: 2.0,
            tail: 0.0,
        };
        let at = |i: i32| 1e4 * truth.added(f64::from(i) / 20.0);
        let falling = amounts((0..20).map(|i| at(i + 1) - at(i)).collect());
        let fit = Fit::of(&falling).unwrap();
        assert!(fit.best.1 > fit.step.likelihood && fit.best.1 > fit.constant);
        assert!(
            (fit.best.0.full() - truth.full()).abs() < 0.03,
            "{:?}",
            fit.best
        );
        assert!(chance_of_fall(&falling) < 1e-6);
    }

    #[test]
    fn nothing_added_has_no_fit() {
        assert!(Fit::of(&amounts(vec![0.0; 20])).is_none());
        assert!(Fit::of(&amounts(vec![-1.0; 20])).is_none());
    }
}
