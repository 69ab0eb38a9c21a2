//! The rate of a noisy series, when it is not known of what kind the noise is.
//!
//! Memory readings have two kinds of noise. Noise on the *level* (pages come and go, churn caught
//! half-way) stays where it is: a line fit is best and its error falls as n^-3/2. Noise on the
//! *increments* (every event leaves a random amount) adds up: the ends decide, and the error falls
//! as n^-1/2 only. A line fit with the usual error of the slope is wildly overconfident for the
//! second kind, and both kinds occur together and with short memory on top.
//!
//! The cosine transform (DCT-II) makes all of them diagonal. White noise has a flat spectrum; a
//! random walk has exactly the spectrum 1/sin², because the cosines are the eigenvectors of the
//! difference operator; a line has known coefficients. Only the lowest [`MOST_FREQUENCIES`]
//! coefficients are used: what happens within a few events (short memory, a flush every seventh
//! event, rounding to pages) lies above them and cannot disturb, and the slope loses next to
//! nothing, as nearly all of what is known about it sits in the first few coefficients.
//!
//! The remaining unknown is the form of the spectrum: white, white that turns into a walk below
//! some frequency, a walk, or a walk that is held back below some frequency (AR(1)). A grid of
//! such forms is weighed by its marginal likelihood (flat prior for the rate, 1/scale for the
//! noise), and each contributes a Student distribution of the rate. The mixture carries the doubt
//! about the form into the interval, which a plug-in estimate would not; its coverage is measured
//! by the simulation tests.

use super::student::{Component, Mixture, Student};
use crate::series::Series;

/// Values that the series is reduced to before it is transformed.
const MOST_VALUES: usize = 256;
/// Cosine coefficients that are used.
const MOST_FREQUENCIES: usize = 32;
/// Forms with less than this share of the weight of the best one change no digit.
const NEGLIGIBLE_WEIGHT: f64 = 1e-4;

/// A form of the noise spectrum; `corner` is the frequency index at which it bends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Flat above the corner, a random walk below it; corner 0 is white noise.
    WhiteOverWalk {
        corner: f64,
    },
    Walk,
    /// A walk above the corner, flat below it: noise with a memory of n / (π corner) events.
    HeldWalk {
        corner: f64,
    },
}

/// The forms, each with its prior weight. The weights are tuned once, by simulation, so that the
/// 95 % interval covers for each kind of noise; a held walk with a memory as long as the run is
/// nearly ruled out, since it would lend a random walk the precision of level noise.
const FORMS: [(Form, f64); 12] = [
    (Form::WhiteOverWalk { corner: 0.0 }, 16.0),
    (Form::WhiteOverWalk { corner: 1.0 }, 0.3),
    (Form::WhiteOverWalk { corner: 2.0 }, 0.7),
    (Form::WhiteOverWalk { corner: 4.0 }, 2.0),
    (Form::WhiteOverWalk { corner: 8.0 }, 2.0),
    (Form::WhiteOverWalk { corner: 16.0 }, 1.0),
    (Form::WhiteOverWalk { corner: 32.0 }, 1.0),
    (Form::Walk, 8.0),
    (Form::HeldWalk { corner: 3.0 }, 0.05),
    (Form::HeldWalk { corner: 6.0 }, 0.3),
    (Form::HeldWalk { corner: 12.0 }, 1.5),
    (Form::HeldWalk { corner: 24.0 }, 3.0),
];

impl Form {
    /// Inverse of the noise power at relative frequency `r` (1 for the lowest).
    fn precision(self, r: f64) -> f64 {
        match self {
            Self::WhiteOverWalk { corner } => r * r / (r * r + corner * corner),
            Self::Walk => r * r,
            Self::HeldWalk { corner } => 1.0 + (r / corner) * (r / corner),
        }
    }

    /// Whether a random walk reaches into the lowest frequency, where the rate is read.
    fn walks(self) -> bool {
        match self {
            Self::WhiteOverWalk { corner } => corner >= 1.0,
            Self::Walk => true,
            Self::HeldWalk { .. } => false,
        }
    }
}

/// What a series says about its rate.
#[derive(Debug, Clone)]
pub(super) struct Drift {
    pub belief: Mixture,
    /// Probability that noise adds up from event to event (a random walk).
    pub walk: f64,
    /// Probability that noise has a memory, of either kind.
    pub memory: f64,
}

/// Estimates the rate; `None` for fewer than four readings, from which noise cannot be seen.
pub(super) fn estimate(series: &Series) -> Option<Drift> {
    let (values, spacing) = series.evenly(MOST_VALUES);
    let n = values.len();
    if n < 4 {
        return None;
    }
    let count = MOST_FREQUENCIES.min(n - 1);
    // A provisional line keeps the sums small against the level.
    let provisional = (values[n - 1] - values[0]) / (n - 1) as f64;
    let residuals: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, v)| v - values[0] - provisional * i as f64)
        .collect();
    let coefficients = cosine_transform(&residuals, count);
    let ramp_coefficients: Vec<f64> = (1..=count).map(|j| ramp_coefficient(n, j)).collect();

    let lowest = (std::f64::consts::PI / (2 * n) as f64).sin();
    let frequencies: Vec<f64> = (1..=count)
        .map(|j| (std::f64::consts::PI * j as f64 / (2 * n) as f64).sin() / lowest)
        .collect();
    let scale_floor = f64::EPSILON * values.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
    let degrees = (count - 1) as f64;
    let fits = FORMS.map(|(form, prior)| {
        let (mut information, mut cross, mut square, mut log_precision) = (0.0, 0.0, 0.0, 0.0);
        for ((y, x), r) in coefficients
            .iter()
            .zip(&ramp_coefficients)
            .zip(&frequencies)
        {
            let precision = form.precision(*r);
            information += precision * x * x;
            cross += precision * x * y;
            square += precision * y * y;
            log_precision += precision.ln();
        }
        let slope = cross / information;
        let floor = scale_floor * scale_floor * count as f64;
        let rest = (square - slope * cross).max(0.0) + floor;
        let log_weight =
            f64::ln(prior) + 0.5 * (log_precision - information.ln() - degrees * rest.ln());
        let scale = (rest / degrees / information).sqrt();
        (form, slope, scale, log_weight)
    });
    let best = fits.iter().map(|f| f.3).fold(f64::NEG_INFINITY, f64::max);
    let weight = |f: &(Form, f64, f64, f64)| (f.3 - best).exp();
    let kept = || fits.iter().filter(|f| weight(f) > NEGLIGIBLE_WEIGHT);
    let total: f64 = kept().map(weight).sum();
    let share = |chosen: &dyn Fn(Form) -> bool| {
        kept().filter(|f| chosen(f.0)).map(weight).sum::<f64>() / total
    };
    let belief = kept().map(|f| Component {
        weight: weight(f) / total,
        centre: (provisional + f.1) / spacing,
        scale: f.2 / spacing,
    });
    Some(Drift {
        belief: Mixture {
            student: Student::new(degrees),
            components: belief.collect(),
        },
        walk: share(&Form::walks),
        memory: share(&|form| form != Form::WhiteOverWalk { corner: 0.0 }),
    })
}

/// Coefficient `j` of the readings 0, 1, 2, … n - 1, in the scaling of [`cosine_transform`].
fn ramp_coefficient(n: usize, j: usize) -> f64 {
    if j.is_multiple_of(2) {
        return 0.0;
    }
    let (sin, cos) = (std::f64::consts::PI * j as f64 / (2 * n) as f64).sin_cos();
    -(2.0 / n as f64).sqrt() * cos / (2.0 * sin * sin)
}

/// The coefficients 1..=count of the DCT-II with orthonormal scaling, each by a rotating phase.
fn cosine_transform(values: &[f64], count: usize) -> Vec<f64> {
    let n = values.len() as f64;
    let scale = (2.0 / n).sqrt();
    let coefficient = |j: usize| {
        let angle = std::f64::consts::PI * j as f64 / n;
        let (turn_sin, turn_cos) = angle.sin_cos();
        let (mut sin, mut cos) = (0.5 * angle).sin_cos();
        let mut sum = 0.0;
        for value in values {
            sum += value * cos;
            (sin, cos) = (
                sin * turn_cos + cos * turn_sin,
                cos * turn_cos - sin * turn_sin,
            );
        }
        scale * sum
    };
    (1..=count).map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::random::Random;

    #[test]
    fn the_ramp_has_its_closed_form() {
        for n in [4, 5, 30, 255] {
            let ramp: Vec<f64> = (0..n).map(|i| i as f64).collect();
            for (index, coefficient) in cosine_transform(&ramp, n - 1).iter().enumerate() {
                let closed = ramp_coefficient(n, index + 1);
                assert!(
                    (coefficient - closed).abs() < 1e-8 * n as f64,
                    "{n} {index}"
                );
            }
        }
    }

    #[test]
    fn a_walk_is_told_from_noise() {
        let mut random = Random::new(1);
        let level: Vec<f64> = (0..500).map(|_| random.uniform() - 0.5).collect();
        let mut sum = 0.0;
        let walk = level.iter().map(|step| {
            sum += step;
            sum
        });
        let walk = Series::consecutive(0, walk.collect());
        assert!(estimate(&walk).unwrap().walk > 0.9);
        assert!(estimate(&Series::consecutive(0, level)).unwrap().walk < 0.3);
        assert!(estimate(&Series::consecutive(0, vec![1.0, 2.0, 1.0])).is_none());
    }
}
