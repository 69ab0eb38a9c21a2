//! The verdict of time in words: what, how much, how sure.

use residue_analysis::counters::Followed;
use residue_analysis::follow::Dependence;
use residue_analysis::growth::Outcome;
use residue_analysis::sentences::time::{measure, rate, signed_duration, why_undetermined};
use residue_analysis::time::{
    Allocations, GrowingPath, Headline, Measure, MoreAllocated, SlowEvents, SlowPath, SlowStage,
    TimeVerdict, Trend,
};
use residue_profile::Profile;
use residue_profile::timeline::NameId;
use residue_profile::units::{count, counted, fractional_bytes, fractional_duration, three_digits};

use crate::leaks::name_of;
use crate::leaks::words::singular;
use crate::visible::visible;

/// As it is written in capitals.
pub fn name(headline: Headline) -> &'static str {
    match headline {
        Headline::SlowsDown => "SLOWS DOWN",
        Headline::SpeedsUp => "SPEEDS UP",
        Headline::Steady => "STEADY",
        Headline::Undetermined => "UNDETERMINED",
    }
}

/// The first line of `residue slow`.
pub fn headline(verdict: &TimeVerdict) -> String {
    let trend = verdict.trend();
    let growth = &trend.growth;
    let what = measure(trend.measure);
    let events = events_text(trend);
    let level = format!("{what} {}/event", fractional_duration(trend.mean_ns));
    let text = match verdict.headline {
        Headline::SlowsDown if verdict.rate.is_of_functions => format!(
            "{}  (95 %: {}; by samples of {}, the whole is too noisy){}",
            rate(verdict.rate.rate),
            interval(verdict.rate.low, verdict.rate.high),
            counted(verdict.growing.len() as u64, "function", "functions"),
            over_run(trend, verdict.rate.rate),
        ),
        Headline::SlowsDown | Headline::SpeedsUp => slowing(trend),
        Headline::Steady => format!("{level} (detection limit {})  ({events})", limit(trend)),
        Headline::Undetermined => {
            let needs = growth.needs_events.map(|needs| {
                let has = growth.last_event + growth.warm_up_events + 1;
                let has = count(has.saturating_sub(growth.first_event));
                format!("needs about {} events, has {has}: ", count(needs))
            });
            let why = why_undetermined(growth).unwrap_or("these events do not decide".to_string());
            format!(
                "{}{why}; {what} so far {}  (95 %: {}, {events})",
                needs.unwrap_or_default(),
                rate(growth.rate),
                interval(growth.low, growth.high),
            )
        }
    };
    format!("{}  {text}", name(verdict.headline))
}

/// How a measure goes up or down: `+1.20 µs/event each event  (95 %: …, events …): CPU time +5.1 %
/// over the run`.
pub fn slowing(trend: &Trend) -> String {
    let growth = &trend.growth;
    format!(
        "{}  (95 %: {}, {}){}",
        rate(growth.rate),
        interval(growth.low, growth.high),
        events_text(trend),
        over_run(trend, growth.rate),
    )
}

fn over_run(trend: &Trend, rate: f64) -> String {
    let change = trend.over_run(rate);
    let change = change.map(|change| format!(": {} {}", measure(trend.measure), percent(change)));
    change.map_or(String::new(), |change| format!("{change} over the run"))
}

/// The smallest slowdown that would have been seen.
pub fn limit(trend: &Trend) -> String {
    let visible = trend.growth.smallest_visible;
    match trend.over_run(visible) {
        Some(change) => format!("{}, {} over the run", rate(visible), percent(change)),
        None => rate(visible),
    }
}

/// `+5.1 %`.
pub fn percent(part: f64) -> String {
    format!("{:+.1} %", 100.0 * part)
}

fn interval(low: f64, high: f64) -> String {
    match low.is_finite() && high.is_finite() {
        true => format!("{} .. {}", signed_duration(low), signed_duration(high)),
        false => "unknown".to_string(),
    }
}

fn events_text(trend: &Trend) -> String {
    let growth = &trend.growth;
    let warm_up = match growth.warm_up_events {
        0 => String::new(),
        events => format!(", warm-up {}", count(events)),
    };
    format!(
        "events {}..{}{warm_up}",
        growth.first_event, growth.last_event
    )
}

/// How a measure goes from event to event: `+1.20 µs/event each event`, `steady`.
pub fn course(trend: &Trend) -> String {
    match trend.growth.outcome {
        Outcome::Growing | Outcome::Shrinking => rate(trend.growth.rate),
        Outcome::NoGrowth => "steady".to_string(),
        Outcome::Undetermined => format!("{} (uncertain)", rate(trend.growth.rate)),
    }
}

/// What a counter costs: `CPU time follows 12.0 µs per hit + 3.00 ms/event`.
pub fn counter(profile: &Profile, verdict: &TimeVerdict, followed: &Followed) -> String {
    let basis = verdict.of(Measure::Cpu).unwrap_or(verdict.trend());
    let what = measure(basis.measure);
    let follow = &followed.follow;
    let name = name_of(profile, followed);
    let unit = fractional_duration(follow.bytes_per_unit);
    let constant = match follow.dependence {
        Dependence::Proportional => String::new(),
        _ => format!(" + {}/event", fractional_duration(follow.constant_bytes)),
    };
    let (one, name) = (visible(singular(name)), visible(name));
    format!(
        "{what} follows {unit} per {one}{constant} (counter \"{name}\", r² = {:.2})",
        follow.r_squared
    )
}

/// How a function takes ever longer.
pub fn growing(path: &GrowingPath) -> String {
    format!(
        "{}  (95 %: {}; {} in the first half of the events, {} in the last)",
        rate(path.rate),
        interval(path.low, path.high),
        counted(path.early_samples, "sample", "samples"),
        count(path.late_samples),
    )
}

/// Where no event is slow.
pub const NO_SLOW_EVENTS: &str = "no slow events: none stands out from the others";
/// Where slow events are not known to do anything that others do not.
pub const NO_CAUSE: &str = "no cause stands out: they do more of the same, or too little is known";

/// Slow events that are named.
const SHOWN_EVENTS: usize = 5;

/// How many events are slow, and by how much.
pub fn slow(slow: &SlowEvents) -> String {
    let how = match (slow.measure, slow.events.len()) {
        (Measure::Cpu, 1) => "uses more CPU time than expected",
        (Measure::Cpu, _) => "use more CPU time than expected",
        (Measure::Wall, 1) => "takes longer than expected",
        (Measure::Wall, _) => "take longer than expected",
        (Measure::Waited, 1) => "waits longer than the others",
        (Measure::Waited, _) => "wait longer than the others",
    };
    let shown = slow.events.iter().take(SHOWN_EVENTS);
    let shown: Vec<String> = shown
        .map(|it| format!("{} ({})", it.event, fractional_duration(it.value_ns)))
        .collect();
    let (events, of_events) = (slow.events.len() as u64, slow.of_events as u64);
    let more = if slow.events.len() > SHOWN_EVENTS {
        ", …"
    } else {
        ""
    };
    format!(
        "{} of {} events {how}, by {} on average: {}{more}",
        count(events),
        count(of_events),
        fractional_duration(slow.excess_ns),
        shown.join(", "),
    )
}

/// How much of slow events a function has.
pub fn slow_path(path: &SlowPath) -> String {
    let share = |part: u64, all: u64| format!("{} of {} samples", count(part), count(all));
    format!(
        "{} per slow event  ({} in slow events, {} in others)",
        signed_duration(path.excess_ns),
        share(path.slow_samples, path.slow_all),
        share(path.other_samples, path.other_all),
    )
}

pub fn slow_stage(profile: &Profile, stage: &SlowStage) -> String {
    format!(
        "{} per slow event  in stage {} -> {}  ({}, others {})",
        signed_duration(stage.excess_ns),
        mark(profile, stage.from, "begin"),
        mark(profile, stage.to, "end"),
        fractional_duration(stage.slow_mean_ns),
        fractional_duration(stage.other_mean_ns),
    )
}

/// The name of a stamp, or what stands for an end of the event.
pub fn mark(profile: &Profile, name: Option<NameId>, end: &str) -> String {
    let names = &profile.timeline.names;
    let name = name.and_then(|name| names.get(name as usize));
    name.map_or(end.to_string(), |name| visible(name).to_string())
}

pub fn more_allocated(more: &MoreAllocated) -> String {
    match more.what {
        Allocations::Calls => format!(
            "{} allocations per slow event, others {}",
            number(more.slow_mean),
            number(more.other_mean)
        ),
        Allocations::Bytes => format!(
            "{} allocated per slow event, others {}",
            fractional_bytes(more.slow_mean),
            fractional_bytes(more.other_mean)
        ),
    }
}

fn number(mean: f64) -> String {
    match mean {
        ..100.0 => three_digits(mean),
        _ => count(mean.round() as u64),
    }
}
