//! The headline of a verdict: what, how much, how sure. The same words on every surface.

use std::fmt;

use residue_analysis::growth::Growth;
use residue_analysis::sentences;
use residue_analysis::verdict::{Basis, Headline, LiveOf, Reason, Verdict};
use residue_profile::units::{count, fractional_bytes};
use serde::Serialize;

use super::words::rate_text;

/// Words around one number of bytes per event, which a surface may show with all its digits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeadlineText {
    /// `LEAK`, `NO GROWTH`.
    pub name: &'static str,
    pub before: String,
    /// The rate, or the detection limit where nothing grows; null where there is none.
    pub bytes_per_event: Option<f64>,
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit"))]
    pub unit: &'static str,
    /// With the space that separates it.
    pub after: String,
}

impl fmt::Display for HeadlineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  ", self.name)?;
        if !self.before.is_empty() {
            write!(f, "{} ", self.before)?;
        }
        match self.bytes_per_event {
            Some(rate) => f.write_str(&rate_text(rate, self.unit))?,
            None => f.write_str("unknown")?,
        }
        f.write_str(&self.after)
    }
}

pub fn headline(verdict: &Verdict) -> HeadlineText {
    let growth = &verdict.growth;
    let unit = verdict.source.unit();
    let events = events_text(growth, unit);
    let measured = format!("  (95 %: {}, {events})", interval(growth));
    let size = sentences::size(verdict.basis, verdict);
    let rate = Some(growth.rate).filter(|rate| rate.is_finite());
    let (before, bytes_per_event, after) = match verdict.headline {
        Headline::Leak => (String::new(), rate, measured),
        Headline::FreedAtExit => {
            let after = format!("{measured}, freed after the last {unit}");
            (String::new(), rate, after)
        }
        Headline::Fragmentation => {
            let live = verdict.live.as_ref();
            let live = live.map_or("not recorded".to_string(), |live| {
                sentences::course(live, unit)
            });
            let live_size = sentences::size(Basis::Live, verdict);
            let after = format!("{measured}; {live_size} {live}");
            (size.to_string(), rate, after)
        }
        Headline::Growth => (size.to_string(), rate, measured),
        Headline::Filling => {
            let end = verdict.reasons.iter().find_map(|reason| match *reason {
                Reason::Fills {
                    live_bytes,
                    end_bytes,
                    end_low,
                    end_high,
                    ..
                } => Some(sentences::end_of_filling(
                    live_bytes, end_bytes, end_low, end_high,
                )),
                _ => None,
            });
            let before = format!("{};", end.unwrap_or_default());
            (before, rate, format!(" now  ({events})"))
        }
        Headline::Slowing => {
            let before = "no end in sight;".to_string();
            (before, rate, format!(" now{measured}"))
        }
        Headline::NoGrowth => {
            let before = format!("{size} {} (detection limit", at_rest(verdict));
            let limit = Some(growth.smallest_visible).filter(|limit| limit.is_finite());
            let after = format!("); {}  ({events})", other_size(verdict));
            (before, limit, after)
        }
        Headline::Undetermined => {
            let what = match (verdict.live_of, verdict.basis) {
                (LiveOf::Mapped, Basis::Stacks | Basis::Live) => " mapped memory",
                _ => "",
            };
            let before = format!("{};{what} so far", needed(verdict));
            (before, rate, measured)
        }
    };
    HeadlineText {
        name: sentences::name(verdict.headline),
        before,
        bytes_per_event,
        unit,
        after,
    }
}

/// How what does not grow went.
fn at_rest(verdict: &Verdict) -> String {
    let growth = &verdict.growth;
    match verdict.reasons.contains(&Reason::AllStacksComeToRest) {
        true => format!(
            "{} in all, no stack still grows",
            sentences::signed_bytes(growth.change_bytes())
        ),
        false => sentences::course(growth, verdict.source.unit()),
    }
}

/// What the resident size did beside the live heap, or that only one of the two is known.
fn other_size(verdict: &Verdict) -> String {
    use Basis::*;
    let unit = verdict.source.unit();
    let rss = match (verdict.basis, &verdict.rss) {
        (Rss | Vm, _) => return "no heap data".to_string(),
        (Stacks | Live, Some(rss)) => format!("RSS {}", sentences::course(rss, unit)),
        (Stacks | Live, None) => "RSS not measured".to_string(),
    };
    match verdict.live_of {
        LiveOf::Mapped => format!("no allocations recorded; {rss}"),
        LiveOf::Heap | LiveOf::HeapAndMapped => rss,
    }
}

/// How many events would decide, how many there are, and why these do not.
fn needed(verdict: &Verdict) -> String {
    let growth = &verdict.growth;
    let unit = verdict.source.unit();
    let first = growth.first_event - growth.warm_up_events;
    let events = growth.last_event.saturating_sub(first) + 1;
    let needs = match growth.needs_events {
        Some(needs) => format!(
            "needs about {} {unit}s, has {}",
            count(needs),
            count(events)
        ),
        None => format!("{} {unit}s cannot tell", count(events)),
    };
    match sentences::why_undetermined(verdict) {
        Some(why) => format!("{needs}: {why}"),
        None => needs,
    }
}

/// `events 2..1000, warm-up 1`.
fn events_text(growth: &Growth, unit: &str) -> String {
    let warm_up = match growth.warm_up_events {
        0 => String::new(),
        events => format!(", warm-up {}", count(events)),
    };
    let Growth {
        first_event,
        last_event,
        ..
    } = growth;
    format!("{unit}s {first_event}..{last_event}{warm_up}")
}

fn interval(growth: &Growth) -> String {
    if !growth.low.is_finite() || !growth.high.is_finite() {
        return "unknown".to_string();
    }
    if growth.low == growth.high {
        return "exact".to_string();
    }
    format!(
        "{} .. {}",
        fractional_bytes(growth.low),
        fractional_bytes(growth.high)
    )
}
