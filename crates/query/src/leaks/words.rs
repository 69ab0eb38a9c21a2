//! The verdict in words: what, how much, how sure, and why.

use residue_analysis::follow::Dependence;
use residue_analysis::growth::Growth;
use residue_analysis::sentences;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Basis, Followed, Headline, StackVerdict, Verdict};
use residue_profile::Profile;
use residue_profile::timeline::Misuse;
use residue_profile::units::{count, counted, fractional_bytes};

use super::name_of;

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

/// What the growth follows: so much per hit, so much per event.
pub fn counter(profile: &Profile, followed: &Followed, unit: &str) -> String {
    let follow = &followed.follow;
    let name = name_of(profile, followed);
    let per = |value: f64| format!("{} per {}", fractional_bytes(value), singular(name));
    match follow.dependence {
        Dependence::Proportional => format!(
            "{} (counter \"{name}\", r = {:.3}, explains {:.0} %)",
            per(follow.bytes_per_unit),
            follow.correlation,
            follow.explained_share * 100.0
        ),
        Dependence::Both => format!(
            "{} + {} (counter \"{name}\", r = {:.3}, {:.0} % of the growth)",
            per(follow.bytes_per_unit),
            rate_text(follow.constant_bytes, unit),
            follow.correlation,
            follow.explained_share * 100.0
        ),
        Dependence::PerEvent | Dependence::Unclear => {
            format!("no counter: the same in every {unit}")
        }
    }
}

/// One of what a counter counts: `hit` for `hits`.
fn singular(name: &str) -> &str {
    match name.strip_suffix('s') {
        Some(one) if one.len() > 1 && !one.ends_with('s') => one,
        _ => name,
    }
}

/// The name of a shape.
pub fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Leak => "leak",
        Shape::WarmUp => "warm-up",
        Shape::Cache => "cache",
        Shape::Plateau => "plateau",
        Shape::Sawtooth => "sawtooth",
        Shape::Step => "step",
        Shape::Deferred => "deferred free",
        Shape::ExitFreed => "freed at exit",
        Shape::Stopped => "stopped",
        Shape::Flat => "flat",
        Shape::Undetermined => "undetermined",
    }
}

/// Blocks an event, and their size; nothing where there are none.
pub fn blocks_text(stack: &StackVerdict, unit: &str) -> String {
    if stack.blocks_per_event <= 0.0 {
        return String::new();
    }
    let size = stack.verdict.growth.rate / stack.blocks_per_event;
    let number = match stack.blocks_per_event {
        rate if (rate - rate.round()).abs() < 1e-9 => count(rate.round() as u64),
        rate => format!("{rate:.3}"),
    };
    let blocks = if number == "1" { "block" } else { "blocks" };
    format!("; {number} {blocks}/{unit} of {}", fractional_bytes(size))
}

/// Marks that made no sense.
pub fn misuse(misuse: &Misuse) -> Vec<String> {
    let Misuse {
        end_without_begin,
        begin_inside_event,
        end_of_another,
        scope_end_without_begin,
        no_room,
    } = *misuse;
    [
        (
            end_without_begin,
            "event_end call without event_begin",
            "event_end calls without event_begin",
        ),
        (
            begin_inside_event,
            "event_begin call inside an event of the same stream",
            "event_begin calls inside an event of the same stream",
        ),
        (
            end_of_another,
            "event_end call with a mismatched id",
            "event_end calls with a mismatched id",
        ),
        (
            scope_end_without_begin,
            "scope_end call without scope_begin",
            "scope_end calls without scope_begin",
        ),
        (
            no_room,
            "call beyond the limit of names, scopes or streams",
            "calls beyond the limit of names, scopes or streams",
        ),
    ]
    .into_iter()
    .filter(|(number, ..)| *number != 0)
    .map(|(number, one, many)| format!("  warning: ignored {}", counted(number, one, many)))
    .collect()
}
