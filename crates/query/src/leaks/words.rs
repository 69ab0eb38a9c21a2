//! The verdict in words: what, how much, how sure, and why.

use std::fmt;

use residue_analysis::growth::Growth;
use residue_analysis::sentences;
use residue_analysis::verdict::{Basis, Headline, Verdict};
use residue_profile::units::{count, fractional_bytes};
use serde::Serialize;

/// Why nothing is judged, and what to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoVerdict {
    pub reason: String,
    pub advice: &'static str,
}

impl NoVerdict {
    pub fn too_few(unit: &str) -> NoVerdict {
        NoVerdict {
            reason: format!("no verdict: fewer than two {unit}s were recorded there"),
            advice: "mark events (docs/MARKS.md), or use --event-function, --event-line or a \
                     shorter --tick",
        }
    }
}

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, self.advice)
    }
}

/// The headline: what, how much, how sure.
pub fn head(verdict: &Verdict, unit: &str) -> String {
    let growth = &verdict.growth;
    let events = format!(
        "{unit}s {}..{}{}",
        growth.first_event,
        growth.last_event,
        warm_up(growth)
    );
    let rate = rate_text(growth.rate, unit);
    let interval = interval(growth);
    match verdict.headline {
        Headline::Leak => format!("LEAK  {rate}  (95 %: {interval}, {events})"),
        Headline::FreedAtExit => format!(
            "FREED AT EXIT  {rate}  (95 %: {interval}, {events}): held until the last {unit} was over"
        ),
        Headline::Fragmentation => format!(
            "FRAGMENTATION  RSS grows {rate}  (95 %: {interval}, {events}) while the live heap does not"
        ),
        Headline::Growth => format!(
            "GROWS  {} {rate}  (95 %: {interval}, {events})",
            basis(verdict.basis)
        ),
        Headline::NoGrowth => format!(
            "NO GROWTH  this run would have seen {} ({events})",
            rate_text(growth.smallest_visible, unit)
        ),
        Headline::Undetermined => {
            let needs = match growth.needs_events {
                Some(needs) => format!("needs about {} {unit}s", count(needs)),
                None => format!("this run of {} {unit}s cannot tell", count(verdict.events)),
            };
            format!("UNDETERMINED  {needs}  ({rate}, 95 %: {interval}, {events})")
        }
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Stacks | Basis::Live => "the live heap",
        Basis::Rss => "RSS",
        Basis::Vm => "VM",
    }
}

fn warm_up(growth: &Growth) -> String {
    match growth.warm_up_events {
        0 => String::new(),
        events => format!(", warm-up {}", count(events)),
    }
}

/// A rate with its unit: `2.20 MiB/event`.
pub fn rate_text(rate: f64, unit: &str) -> String {
    if !rate.is_finite() {
        return format!("any rate/{unit}");
    }
    format!("{}/{unit}", fractional_bytes(rate))
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

/// Why, in lines below the headline.
pub fn reasons(verdict: &Verdict) -> Vec<String> {
    let is_plain = verdict.headline == Headline::Leak && verdict.basis == Basis::Stacks;
    let shown = match is_plain {
        true => sentences::of_headline(verdict),
        false => sentences::of_verdict(verdict),
    };
    let mut lines: Vec<String> = shown.iter().map(|reason| format!("  {reason}")).collect();
    lines.extend(vm_against_rss(verdict));
    lines.extend(rss_beyond_leak(verdict));
    lines
}

/// The process may grow by more than its leaks.
fn rss_beyond_leak(verdict: &Verdict) -> Option<String> {
    let beyond = verdict.rss_beyond_leak()?;
    let unit = verdict.source.unit();
    Some(format!(
        "  RSS grows by {} more than that, which no leak of the heap explains",
        rate_text(beyond, unit)
    ))
}

/// Address space and resident memory may go different ways; the resident one is
/// what the machine runs out of.
fn vm_against_rss(verdict: &Verdict) -> Option<String> {
    let (vm, rss) = (verdict.vm.as_ref()?, verdict.rss.as_ref()?);
    let change = |growth: &Growth| growth.end_to_end_rate;
    (change(vm) * change(rss) < 0.0 && verdict.headline != Headline::Leak).then(|| {
        format!(
            "  VM changed by {} and RSS by {}: RSS counts, as it is what the machine runs out of",
            rate_text(change(vm), verdict.source.unit()),
            rate_text(change(rss), verdict.source.unit()),
        )
    })
}
