//! Does growth keep its pace, or does it slow down as that of a cache that fills up?
//!
//! What is added in equal parts of the run is compared with a constant rate. Two errors are
//! possible, and each has its own test:
//!
//! ```text
//!   a constant rate shows so steep a fall by chance    < 1 %   ──► it slows
//!   a rate that fell by half looks so constant         < 1 %   ──► it is steady
//!   neither is that improbable                                 ──► open: so many events decide
//! ```
//!
//! A rate that slows must also look smoother than one change of rate would, and go on to fall
//! after the warm-up: a leak after an expensive start, or one that came to rest at once, does
//! not fill up. Whether what slows will end is a third question: it does where growth without an
//! end is outside the 95 % region of the fit, which then also says where the end is.
//!
//! Two witnesses are heard: the readings, and the births of what is left. The readings carry the
//! noise of all that comes and goes; births do not, and they count blocks, whose sizes are noise
//! too. But where blocks are freed late, births thin out toward the past whatever the pace.

mod amounts;
mod family;
mod fit;

use crate::growth::student::Student;
pub use amounts::{Amounts, Parts};
use family::Slowing;
use fit::{Fit, chance_of_fall};

/// Chance that a constant rate, or one that is constant after the longest warm-up, is said to slow
/// down; and that a rate which fell by half is said to be steady. Over all witnesses of a stack.
const ALARM: f64 = 0.01;
/// What warm-up takes of a run at most. What slows for longer slows down.
const MOST_WARM_UP: f64 = 1.0 / 3.0;
/// The longest that a run may wait for the rate that it then has.
const MOST_WAIT: f64 = 0.5;
/// A rate at the end of the run, in units of that at its begin, from which on it has fallen.
const FALLEN: f64 = 0.5;
/// Normal quantiles of the two errors of a run that decides: of being wrong (1 %), and of not
/// deciding (10 %).
const WRONG: f64 = 2.33;
const SILENT: f64 = 1.28;

/// What one witness says was added in the parts of the run that it saw.
#[derive(Debug, Clone)]
pub struct Witness {
    pub amounts: Amounts,
    /// First event, and the one at whose begin it ends.
    pub from: f64,
    pub to: f64,
    pub is_in_bytes: bool,
}

/// How the pace of growth goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// Constant, after warm-up; that it fell by half is excluded.
    Steady,
    Slows(Slowdown),
    /// Constant or slowing: about how many events would decide.
    Open {
        needs_events: u64,
    },
    /// Nothing was added, or there are too few readings.
    Unknown,
}

/// A pace that falls. Shares are of what was added from event `from` to the begin of event `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowdown {
    pub from: f64,
    pub to: f64,
    /// The rate at the end in units of the mean rate, and its 95 % interval.
    pub rate: f64,
    pub rate_low: f64,
    pub rate_high: f64,
    /// The rate at the begin in the same units.
    pub first_rate: f64,
    /// None where growth without an end is not excluded.
    pub end: Option<End>,
}

/// What will have been added in the end, in units of what has been, and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct End {
    pub added: f64,
    pub low: f64,
    pub high: f64,
}

/// Judges what all witnesses say of a run of so many events, of which the first `warm_up` are known
/// to differ from the rest.
pub fn judge(witnesses: &[Witness], events: f64, warm_up: f64) -> Pace {
    let fits: Vec<(&Witness, Fit)> = witnesses
        .iter()
        .filter_map(|witness| Some((witness, Fit::of(&witness.amounts)?)))
        .collect();
    let alarm = ALARM / fits.len().max(1) as f64;
    let slowing = fits
        .iter()
        .map(|known| (chance_of_fall(&known.0.amounts), known))
        .filter(|(chance, (witness, fit))| {
            *chance < alarm && slows_smoothly(fit, warm_up / (witness.to - witness.from))
        })
        .min_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((_, (witness, fit))) = slowing {
        // Blocks say best how the rate goes, and bytes how much chance is in their sizes.
        let is_like = |other: &Witness| {
            other.is_in_bytes && other.from == witness.from && other.to == witness.to
        };
        let in_bytes = fits.iter().rfind(|(other, _)| is_like(other));
        return Pace::Slows(slowdown(witness, fit, in_bytes.map_or(fit, |(_, fit)| fit)));
    }
    // The witness with the least noise decides.
    let noise = |(_, fit): &&(&Witness, Fit)| fit.constant_dispersion() / fit.amounts().total();
    let clearest = fits
        .iter()
        .min_by(|one, other| noise(one).total_cmp(&noise(other)));
    let Some(known) = clearest else {
        return Pace::Unknown;
    };
    let (witness, fit) = known;
    let span = witness.to - witness.from;
    if excludes_fall(fit, (span / events).min(1.0), warm_up / span) {
        return Pace::Steady;
    }
    Pace::Open {
        needs_events: events_to_decide(noise(&known), events),
    }
}

/// Whether it is more like a smooth fall than like one change of rate, and goes on falling after
/// the warm-up, whose share of the run is known where it could be told from the rest.
fn slows_smoothly(fit: &Fit, warm_up: f64) -> bool {
    let settled = match warm_up > 0.0 {
        true => warm_up.min(MOST_WARM_UP),
        false => MOST_WARM_UP,
    };
    fit.best.1 > fit.step.likelihood
        && fit.best.1 > fit.constant
        && chance_of_fall(&fit.amounts().after(settled)) < ALARM
}

/// Whether a fall of the rate by half explains what was added so much worse than a constant rate
/// that chance is no excuse. The rate may be that after a warm-up, or after a wait, where the run
/// is more like two rates than like a smooth fall, or where warm-up was told from the rest. `seen`
/// is the share of the run that is known.
fn excludes_fall(fit: &Fit, seen: f64, warm_up: f64) -> bool {
    // A smooth fall by half in the whole run is a smaller one in a part of it.
    let excludes = |fit: &Fit, seen: f64, alarm: f64| {
        let fallen = FALLEN.powf(seen);
        let fallen = fit.best_where(|member| member.rate(1.0) <= fallen);
        let excess = 2.0 * (fit.constant - fallen) / fit.constant_dispersion();
        excess >= bound(fit.amounts(), 2, 1.0 - alarm)
    };
    let excludes_after = |at: f64| {
        let later = fit.amounts().after(at);
        Fit::of(&later).is_some_and(|fit| excludes(&fit, seen * (1.0 - at), 0.25 * ALARM))
    };
    let step = &fit.step;
    let longest = match step.before > step.after {
        true => MOST_WARM_UP,
        false => MOST_WAIT,
    };
    let is_two = step.likelihood > fit.best.1 && step.at <= longest;
    excludes(fit, seen, 0.5 * ALARM)
        || (is_two && excludes_after(step.at))
        || (0.0 < warm_up && warm_up <= longest && excludes_after(warm_up))
}

/// The square of Student's quantile for so many parameters.
fn bound(amounts: &Amounts, parameters: usize, probability: f64) -> f64 {
    let degrees = amounts.count().saturating_sub(parameters).max(1);
    let quantile = Student::new(degrees as f64).quantile(probability);
    quantile * quantile
}

/// Events after which a constant rate and one that fell by half are told apart, nine times in ten.
/// The slope of the rate over the run, in units of its mean, has the variance 12 noise, and that
/// of a rate that fell by half is 2/3; noise falls as events become more.
fn events_to_decide(noise: f64, events: f64) -> u64 {
    let slope = 2.0 * (1.0 - FALLEN) / (1.0 + FALLEN);
    let factor = 12.0 * noise * ((WRONG + SILENT) / slope).powi(2);
    (events * factor.max(1.5)).min(1e9).ceil() as u64
}

fn slowdown(witness: &Witness, fit: &Fit, in_bytes: &Fit) -> Slowdown {
    let dispersion = fit.dispersion_of(fit.best.0);
    // By how much a member may fit worse than the best, in squares of Student's t.
    let allowed = bound(fit.amounts(), 3, 0.975);
    let region = fit.region(0.5 * allowed * dispersion);
    let (best, highest) = region.first().copied().unwrap_or(fit.best);
    let region: Vec<(Slowing, f64)> = region
        .into_iter()
        .map(|(member, likelihood)| (member, 2.0 * (highest - likelihood) / dispersion))
        .collect();
    let rate = |member: Slowing| member.rate(1.0) / member.added(1.0);
    let rates = region.iter().map(|(member, _)| rate(*member));
    let (rate_low, rate_high) = range_of(rates);
    let without_end = fit.best_where(|member| member.tail >= 1.0);
    let is_bounded = 2.0 * (highest - without_end)
        >= bound(fit.amounts(), 3, 1.0 - ALARM) * dispersion
        && region.iter().all(|(member, _)| member.full() > 0.0);
    // How many blocks came in this run is subject to chance too, and the sizes of those to come.
    let noise = in_bytes.dispersion_of(best) / in_bytes.amounts().total();
    let ends = region.iter().flat_map(|(member, misfit)| {
        let added = 1.0 / member.full();
        let chance = ((allowed - misfit).max(0.0) * noise * added * (added - 1.0)).sqrt();
        [added - chance, added + chance]
    });
    let end = is_bounded.then(|| {
        let (low, high) = range_of(ends);
        End {
            added: 1.0 / best.full(),
            low: low.max(1.0),
            high,
        }
    });
    Slowdown {
        from: witness.from,
        to: witness.to,
        rate: rate(best),
        rate_low,
        rate_high,
        first_rate: 1.0 / best.added(1.0),
        end,
    }
}

fn range_of(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests;
