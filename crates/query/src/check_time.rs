//! Whether the time of events stays within its limits.

use residue_analysis::sentences::time;
use residue_analysis::time::{Headline, Measure, Missing, TimeVerdict, Trend};
use residue_profile::units::fractional_duration;

use crate::check::CheckEntry;
use crate::gate::{Decision, decide};
use crate::slow::headline;
use crate::slow::words::percent;

/// How much longer than the one before an event may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeLimit {
    NsPerEvent(f64),
    /// From the first event to the last, as a part of the first.
    OverRun(f64),
}

impl TimeLimit {
    /// In nanoseconds per event, each event.
    fn rate(self, trend: &Trend) -> Option<f64> {
        match self {
            TimeLimit::NsPerEvent(rate) => Some(rate),
            TimeLimit::OverRun(part) => {
                Some(part / trend.over_run(1.0)?).filter(|it| it.is_finite())
            }
        }
    }

    fn text(self) -> String {
        match self {
            TimeLimit::NsPerEvent(rate) => {
                format!("{}/event each event", fractional_duration(rate))
            }
            TimeLimit::OverRun(part) => format!("{} over the run", percent(part)),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            TimeLimit::NsPerEvent(_) => "ns/event each event",
            TimeLimit::OverRun(_) => "part over the run",
        }
    }

    fn value(self) -> f64 {
        match self {
            TimeLimit::NsPerEvent(value) | TimeLimit::OverRun(value) => value,
        }
    }
}

/// Slowing down against its limit.
pub fn time_growth<'a>(judged: Result<&TimeVerdict, &Missing>, limit: TimeLimit) -> CheckEntry<'a> {
    let verdict = match judged {
        Ok(verdict) => verdict,
        Err(missing) => {
            let entry = entry("time-growth", limit.unit(), limit.value());
            return CheckEntry {
                summary: time::of_missing(missing),
                ..entry
            };
        }
    };
    let trend = verdict.trend();
    let mut notes = Vec::new();
    let decision = match limit.rate(trend) {
        Some(rate) => {
            let growth = &trend.growth;
            let visible = growth.smallest_visible;
            match verdict.headline {
                Headline::SpeedsUp => Decision::Within,
                Headline::SlowsDown => decide(verdict.rate.low, verdict.rate.high, rate),
                Headline::Undetermined => match growth.high <= rate {
                    true => Decision::Within,
                    false => Decision::CannotTell,
                },
                Headline::Steady if visible <= rate => Decision::Within,
                Headline::Steady => {
                    notes.push(format!(
                        "a slowdown below the detection limit of {} is possible",
                        time::rate(visible)
                    ));
                    // Not seen with a limit of nothing is the best that any run can say.
                    match rate > 0.0 {
                        true => Decision::CannotTell,
                        false => Decision::Within,
                    }
                }
            }
        }
        None => Decision::CannotTell,
    };
    let measured = match limit {
        TimeLimit::NsPerEvent(_) => Some(verdict.rate.rate),
        TimeLimit::OverRun(_) => trend.over_run(verdict.rate.rate),
    };
    CheckEntry {
        decision,
        measured: measured.filter(|rate| rate.is_finite()),
        summary: format!("{}, limit {}", headline(verdict), limit.text()),
        notes,
        ..entry("time-growth", limit.unit(), limit.value())
    }
}

/// Standard errors of a 95 % interval of a mean, of which the error has about 31 degrees of freedom.
const ERRORS: f64 = 2.04;

/// The mean CPU time of an event against its limit.
pub fn cpu<'a>(judged: Result<&TimeVerdict, &Missing>, limit_ns: f64) -> CheckEntry<'a> {
    let unknown = entry("cpu", "ns/event", limit_ns);
    let limit = format!("limit {}/event", fractional_duration(limit_ns));
    let trend = match judged.map(|verdict| verdict.of(Measure::Cpu)) {
        Ok(Some(trend)) => trend,
        Ok(None) => {
            return CheckEntry {
                summary: format!("CPU time per event not recorded, {limit}"),
                ..unknown
            };
        }
        Err(missing) => {
            return CheckEntry {
                summary: time::of_missing(missing),
                ..unknown
            };
        }
    };
    let reach = ERRORS * trend.mean_error_ns;
    let (low, high) = (trend.mean_ns - reach, trend.mean_ns + reach);
    let text = fractional_duration;
    CheckEntry {
        decision: decide(low, high, limit_ns),
        measured: Some(trend.mean_ns),
        summary: format!(
            "CPU time {}/event (95 %: {} .. {}), {limit}",
            text(trend.mean_ns),
            text(low),
            text(high)
        ),
        ..unknown
    }
}

/// A limit of which nothing is known yet.
fn entry<'a>(check: &'static str, unit: &'static str, limit: f64) -> CheckEntry<'a> {
    CheckEntry {
        check,
        decision: Decision::CannotTell,
        unit,
        limit,
        measured: None,
        summary: String::new(),
        notes: Vec::new(),
        ignored: None,
        verdict: None,
    }
}
