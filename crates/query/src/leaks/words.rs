//! What is said below the headline of a verdict.

use residue_analysis::follow::Dependence;
use residue_analysis::growth::Growth;
use residue_analysis::sentences;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Basis, Followed, Headline, LiveOf, StackVerdict, Verdict};
use residue_profile::Profile;
use residue_profile::timeline::Misuse;
use residue_profile::units::{counted, fractional_bytes, fractional_count};

use super::name_of;

/// A rate with its unit: `2.20 MiB/event`.
pub fn rate_text(rate: f64, unit: &str) -> String {
    if !rate.is_finite() {
        return format!("any rate/{unit}");
    }
    format!("{}/{unit}", fractional_bytes(rate))
}

/// Why, in lines below the headline.
pub fn reasons(verdict: &Verdict) -> Vec<String> {
    let is_plain = verdict.headline == Headline::Leak && verdict.basis == Basis::Stacks;
    let shown = match is_plain {
        true => sentences::of_headline(verdict),
        false => sentences::of_verdict(verdict),
    };
    // What the headline says is not said again.
    let in_headline = sentences::why_undetermined(verdict);
    let shown = shown.iter().filter(|it| Some(*it) != in_headline.as_ref());
    let mut lines: Vec<String> = shown.map(|reason| format!("  {reason}")).collect();
    lines.extend(vm_against_rss(verdict));
    lines.extend(rss_beyond_leak(verdict));
    lines
}

/// The process may grow by more than its leaks.
fn rss_beyond_leak(verdict: &Verdict) -> Option<String> {
    let beyond = verdict.rss_beyond_leak()?;
    let unit = verdict.source.unit();
    let why = match verdict.live_of {
        LiveOf::Mapped => "and no allocations were recorded",
        LiveOf::Heap | LiveOf::HeapAndMapped => "which no leak of the heap explains",
    };
    Some(format!(
        "  RSS grows by {} more than that, {why}",
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

/// What the growth of the whole process follows, where no stack stands for it.
pub fn follows(profile: &Profile, verdict: &Verdict) -> Option<String> {
    let followed = verdict.counter.as_ref()?;
    let is_whole = matches!(verdict.basis, Basis::Live | Basis::Rss | Basis::Vm);
    is_whole.then(|| counter(profile, followed, verdict.source.unit()))
}

/// What the growth follows: so much per hit, so much per event.
pub fn counter(profile: &Profile, followed: &Followed, unit: &str) -> String {
    let follow = &followed.follow;
    let name = name_of(profile, followed);
    let per = |value: f64| format!("{} per {}", fractional_bytes(value), singular(name));
    let fit = format!(
        "(counter \"{name}\", r² = {:.2}; accounts for {:.0} % of the rate)",
        follow.r_squared,
        follow.explained_share * 100.0
    );
    match follow.dependence {
        Dependence::Proportional => format!("{} {fit}", per(follow.bytes_per_unit)),
        Dependence::Both => format!(
            "{} + {} {fit}",
            per(follow.bytes_per_unit),
            rate_text(follow.constant_bytes, unit),
        ),
        Dependence::PerEvent | Dependence::Unclear => {
            format!("no counter: the same in every {unit}")
        }
    }
}

/// One of what a counter counts: `hit` for `hits`.
pub(crate) fn singular(name: &str) -> &str {
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
        Shape::Filling => "filling",
        Shape::Slowing => "slowing",
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
    let number = fractional_count(stack.blocks_per_event);
    let blocks = if number == "1" { "block" } else { "blocks" };
    format!("; {number} {blocks}/{unit} of {}", fractional_bytes(size))
}

/// Why a stack is what it is, and what each event leaves of it.
pub fn why(stack: &StackVerdict, unit: &str) -> String {
    let reason = sentences::of_shape(&stack.verdict, unit);
    format!("{reason}{}", blocks_text(stack, unit))
}

/// What stands for stacks that are not shown one by one; `None` where there are none.
pub fn and_more(rest: &[&StackVerdict], unit: &str) -> Option<String> {
    let rate: f64 = rest.iter().map(|stack| stack.verdict.growth.rate).sum();
    let stacks = counted(rest.len() as u64, "more stack", "more stacks");
    (!rest.is_empty()).then(|| format!("and {stacks}, {} together", rate_text(rate, unit)))
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
    let calls = |number, call: &str, how: &str| {
        let calls = counted(number, &format!("{call} call"), &format!("{call} calls"));
        format!("ignored {calls} {how}")
    };
    let open = counted(begin_inside_event, "open event", "open events");
    [
        (
            end_without_begin,
            calls(end_without_begin, "event_end", "without event_begin"),
        ),
        (
            begin_inside_event,
            format!("ended {open} at the next event_begin of the same stream"),
        ),
        (
            end_of_another,
            calls(end_of_another, "event_end", "with a mismatched id"),
        ),
        (
            scope_end_without_begin,
            calls(scope_end_without_begin, "scope_end", "without scope_begin"),
        ),
        (
            no_room,
            calls(no_room, "mark", "beyond the limit of names or streams"),
        ),
    ]
    .into_iter()
    .filter(|(number, _)| *number != 0)
    .map(|(_, text)| format!("  warning: {text}"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_marks_are_told_by_the_calls_that_made_them() {
        let wrong = Misuse {
            end_without_begin: 1,
            begin_inside_event: 5,
            end_of_another: 2,
            ..Misuse::default()
        };
        assert_eq!(
            misuse(&wrong),
            [
                "  warning: ignored 1 event_end call without event_begin",
                "  warning: ended 5 open events at the next event_begin of the same stream",
                "  warning: ignored 2 event_end calls with a mismatched id",
            ]
        );
        assert!(misuse(&Misuse::default()).is_empty());
    }
}
