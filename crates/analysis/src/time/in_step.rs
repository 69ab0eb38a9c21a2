//! Whether samples walk in step with events.
//!
//! Samples come at equal distances of a thread's CPU time. Where an event takes about as long as
//! one such distance, or a few, each event is sampled at nearly the place where the one before was.
//! The place moves slowly through the event, and functions come and go with it as if they took ever
//! longer: nothing in the samples tells that from a trend. The clock of the thread does: it says at
//! which part of the distance every event began.

use super::EventTime;
use super::chance::worth_one;
use crate::series::mean;
use residue_profile::Profile;
use std::f64::consts::TAU;

/// Fewest places that were drawn one by one from which samples of functions are believed.
const FEWEST_PLACES: f64 = 50.0;

/// Also where no clock was read, as nothing is known then.
pub(super) fn in_step(profile: &Profile, times: &[EventTime]) -> bool {
    let period = profile.meta.options.cpu_period_ns;
    let place = |time: &EventTime| {
        let begin = profile.timeline.moments.get(time.begin as usize)?;
        let into = begin.spent.thread_cpu_ns?.checked_rem(period)?;
        Some(TAU * into as f64 / period as f64)
    };
    let places: Vec<f64> = times.iter().filter_map(place).collect();
    let worth = |of: fn(f64) -> f64| {
        let values: Vec<f64> = places.iter().map(|place| of(*place)).collect();
        let centre = mean(&values);
        // A place that never moves is one place.
        let spread = values.iter().map(|value| value - centre);
        let still = values.iter().all(|value| (value - centre).abs() < 0.1);
        match still {
            true => f64::INFINITY,
            false => worth_one(&spread.collect::<Vec<_>>()),
        }
    };
    let worth = worth(f64::sin).max(worth(f64::cos));
    (places.len() as f64) < FEWEST_PLACES * worth
}
