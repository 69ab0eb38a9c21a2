//! What is said of time: why a run cannot be judged, what a verdict rests on, what is not known.

use super::{is_doubt, series};
use crate::growth::{Growth, Outcome, Reason};
use crate::time::{Limit, Measure, Missing};
use residue_profile::units::{count, counted_units, duration, fractional_duration};

/// A change with its sign: `+1.20 µs`.
pub fn signed_duration(nanoseconds: f64) -> String {
    let text = fractional_duration(nanoseconds);
    let is_above_zero = nanoseconds > 0.0 && !text.starts_with('~');
    format!("{}{text}", if is_above_zero { "+" } else { "" })
}

/// A rate of times: `+1.20 µs/event each event`.
pub fn rate(nanoseconds: f64) -> String {
    match nanoseconds.is_finite() {
        true => format!("{}/event each event", signed_duration(nanoseconds)),
        false => "any rate".to_string(),
    }
}

pub fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::Cpu => "CPU time",
        Measure::Wall => "wall time",
        Measure::Waited => "waiting",
    }
}

/// What a series of times was found from. What speaks of sizes, or of the ends of a series that
/// no event is like, is left out.
pub fn of_growth(growth: &Growth) -> Vec<String> {
    let reasons = growth.reasons.iter().filter(|reason| is_told(reason));
    reasons.map(sentence).collect()
}

/// Why events do not decide; `None` where they do.
pub fn why_undetermined(growth: &Growth) -> Option<String> {
    let mut reasons = growth.reasons.iter();
    let doubt = reasons.find(|reason| is_doubt(reason))?;
    (growth.outcome == Outcome::Undetermined).then(|| sentence(doubt))
}

fn is_told(reason: &Reason) -> bool {
    use Reason::*;
    !matches!(
        reason,
        EndsAndFitDiffer { .. } | RisesInSteps { .. } | BelowNegligible { .. }
    )
}

fn sentence(reason: &Reason) -> String {
    match reason {
        Reason::MayBeFillingUp => "the change is levelling off".to_string(),
        Reason::GrewThenStopped { stopped_at_event } => {
            format!("slowed down up to event {stopped_at_event}, not since")
        }
        Reason::ShrankThenStopped { stopped_at_event } => {
            format!("sped up until event {stopped_at_event}, not since")
        }
        other => series(other, "event"),
    }
}

/// Why nothing is said of time.
pub fn of_missing(missing: &Missing) -> String {
    match missing {
        Missing::TicksOnly => {
            "no event times: the recording has ticks only, and all ticks are of one length; \
             mark events or use --event-function (docs/EVENTS.md)"
                .to_string()
        }
        Missing::NoEvents => {
            "no event times: the recording has no events; mark events or use --event-function \
             (docs/EVENTS.md)"
                .to_string()
        }
        Missing::TooFew { events } => format!(
            "no event times: {} with a begin and an end in this range, and a verdict needs two",
            counted_units(*events as u64, "event")
        ),
        Missing::NoTimes => "no event times: no clock was read".to_string(),
        Missing::LateLines {
            late_events,
            events,
        } => format!(
            "no event times: {} of {} were over before their lines were read; use --event-function",
            count(*late_events),
            counted_units(*events, "event")
        ),
    }
}

/// What cannot be known of these times.
pub fn of_limit(limit: &Limit) -> String {
    match limit {
        Limit::NoCpuTimes => "CPU time per event: not recorded".to_string(),
        Limit::HandedOver { events, of_events } => format!(
            "CPU time unknown for {} of {}, which ended on another thread than they began on",
            count(*events as u64),
            counted_units(*of_events as u64, "event")
        ),
        Limit::OtherThreads {
            others_ns,
            process_ns,
            share,
        } => format!(
            "other threads used {} of {} CPU time ({:.0} %): CPU time per event is that of the \
             thread that marks it",
            duration(*others_ns),
            duration(*process_ns),
            100.0 * share
        ),
        Limit::Overlap { streams } => format!(
            "events of {streams} streams overlap: samples cannot be told apart by event, so no \
             functions are compared"
        ),
        Limit::NoSamples => {
            "no CPU samples: record with --cpu to see which functions take the time".to_string()
        }
        Limit::InStep => {
            "each event is sampled at nearly the same place as the one before: too few places to tell \
             which functions take ever longer; record more events, or with another rate (--cpu=67)"
                .to_string()
        }
        Limit::ChangesHands => {
            "some functions take ever longer, others ever less: the work changes hands".to_string()
        }
    }
}
