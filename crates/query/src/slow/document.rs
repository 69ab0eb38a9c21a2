//! The verdict of time for programs to read; the schema is docs/schemas/slow.schema.json.

use residue_analysis::growth::Outcome;
use residue_analysis::sentences::time;
use residue_analysis::time::{
    Allocations, GrowingPath, Headline, Limit, Measure, SlowEvents, SlowPath, TimeVerdict, Trend,
};
use residue_calltree::{Filter, PathReader};
use residue_profile::Profile;
use serde::Serialize;

use super::words;
use crate::choice::Names;
use crate::leaks::{ShownPath, name_of, shown_path};

/// The document of `residue slow --json`. Times are in nanoseconds; numbers that are not known
/// or have no bound are null.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Name of the program; empty where another tool measured it.
    program: &'a str,
    /// Events with a begin and an end, the first and the last of them.
    events: usize,
    first_event: u32,
    last_event: u32,
    verdict: Headline,
    /// The first line of `residue slow`.
    headline: String,
    /// What the verdict is about.
    basis: Measure,
    /// By how much each event takes longer than the one before, with the 95 % interval.
    rate_ns_per_event: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// Whether the rate is the sum of the functions that grow, where the whole cannot tell.
    rate_is_of_functions: bool,
    /// The same from the first event that was used to the last, as a part of the first: 0.05.
    change_over_run: Option<f64>,
    /// The smallest slowdown that this run could have detected.
    smallest_visible_ns_per_event: Option<f64>,
    /// About how many events would decide, if undetermined.
    needs_events: Option<u64>,
    reasons: Vec<String>,
    measures: Vec<MeasureTimes>,
    /// The counter that times follow; trends and slow events are judged without what it explains.
    counter: Option<TimeCounter<'a>>,
    /// Functions that take ever longer, by samples.
    growing: Vec<Growing>,
    /// Slow events, by measure, and what they do that others do not.
    slow: Vec<Slow>,
    /// What cannot be known of these times, in sentences, and the same as codes with their numbers.
    limits: Vec<String>,
    limit_codes: &'a [Limit],
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MeasureTimes {
    measure: Measure,
    mean_ns: f64,
    median_ns: f64,
    /// One event in twenty takes longer.
    quantile_95_ns: f64,
    longest_ns: f64,
    outcome: Outcome,
    rate_ns_per_event: f64,
    low: Option<f64>,
    high: Option<f64>,
    change_over_run: Option<f64>,
    smallest_visible_ns_per_event: Option<f64>,
    /// Events that were used, both included, and those excluded as warm-up before them.
    first_event: u64,
    last_event: u64,
    warm_up_events: u64,
    reasons: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TimeCounter<'a> {
    name: &'a str,
    ns_per_unit: f64,
    ns_per_unit_low: f64,
    ns_per_unit_high: f64,
    /// Per event, whatever was counted.
    constant_ns: f64,
    constant_ns_low: f64,
    constant_ns_high: f64,
    r_squared: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Growing {
    rate_ns_per_event: f64,
    low: f64,
    high: f64,
    /// In the first and in the last half of the events.
    early_samples: u64,
    late_samples: u64,
    /// Probability of it by chance, with all functions that were asked.
    chance: f64,
    #[serde(flatten)]
    path: ShownPath,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Slow {
    measure: Measure,
    of_events: usize,
    /// Mean time beyond what was expected.
    excess_ns: f64,
    /// The slowest first.
    events: Vec<Event>,
    functions: Vec<SlowFunction>,
    stages: Vec<Stage>,
    allocations: Vec<MoreAllocated>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Event {
    event: u32,
    /// What the program calls it.
    id: u64,
    value_ns: f64,
    expected_ns: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SlowFunction {
    /// CPU time by which a slow event has more of it than another.
    excess_ns: f64,
    slow_samples: u64,
    slow_all_samples: u64,
    other_samples: u64,
    other_all_samples: u64,
    chance: f64,
    #[serde(flatten)]
    path: ShownPath,
}

/// From one stamp to the next, `begin` and `end` of the event included.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Stage {
    from: String,
    to: String,
    excess_ns: f64,
    slow_mean_ns: f64,
    other_mean_ns: f64,
    chance: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MoreAllocated {
    what: Allocations,
    slow_mean: f64,
    other_mean: f64,
    chance: f64,
}

pub fn document<'a>(profile: &'a Profile, verdict: &'a TimeVerdict, names: &Names) -> Document<'a> {
    let filter = Filter::default();
    let paths = &mut names.paths(profile, &filter);
    let (trend, rate) = (verdict.trend(), &verdict.rate);
    let growing = verdict
        .growing
        .iter()
        .map(|one| growing(paths, one))
        .collect();
    let slow = verdict
        .slow
        .iter()
        .map(|one| slow(profile, paths, one))
        .collect();
    Document {
        format: "residue-slow",
        version: 1,
        program: &profile.meta.program,
        events: verdict.events,
        first_event: verdict.first_event,
        last_event: verdict.last_event,
        verdict: verdict.headline,
        headline: words::headline(verdict),
        basis: trend.measure,
        rate_ns_per_event: rate.rate,
        low: bound(rate.low),
        high: bound(rate.high),
        rate_is_of_functions: rate.is_of_functions,
        change_over_run: trend.over_run(rate.rate),
        smallest_visible_ns_per_event: bound(trend.growth.smallest_visible),
        needs_events: trend.growth.needs_events,
        reasons: time::of_growth(&trend.growth),
        measures: verdict.trends.iter().map(measure).collect(),
        counter: verdict.counter.as_ref().map(|followed| TimeCounter {
            name: name_of(profile, followed),
            ns_per_unit: followed.follow.bytes_per_unit,
            ns_per_unit_low: followed.follow.bytes_per_unit_low,
            ns_per_unit_high: followed.follow.bytes_per_unit_high,
            constant_ns: followed.follow.constant_bytes,
            constant_ns_low: followed.follow.constant_bytes_low,
            constant_ns_high: followed.follow.constant_bytes_high,
            r_squared: followed.follow.r_squared,
        }),
        growing,
        slow,
        limits: verdict.limits.iter().map(time::of_limit).collect(),
        limit_codes: &verdict.limits,
    }
}

fn bound(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn measure(trend: &Trend) -> MeasureTimes {
    let growth = &trend.growth;
    MeasureTimes {
        measure: trend.measure,
        mean_ns: trend.mean_ns,
        median_ns: trend.median_ns,
        quantile_95_ns: trend.high_ns,
        longest_ns: trend.longest_ns,
        outcome: growth.outcome,
        rate_ns_per_event: growth.rate,
        low: bound(growth.low),
        high: bound(growth.high),
        change_over_run: trend.over_run(growth.rate),
        smallest_visible_ns_per_event: bound(growth.smallest_visible),
        first_event: growth.first_event,
        last_event: growth.last_event,
        warm_up_events: growth.warm_up_events,
        reasons: time::of_growth(growth),
    }
}

fn growing(paths: &mut PathReader<'_>, one: &GrowingPath) -> Growing {
    Growing {
        rate_ns_per_event: one.rate,
        low: one.low,
        high: one.high,
        early_samples: one.early_samples,
        late_samples: one.late_samples,
        chance: one.chance,
        path: shown_path(paths, one.node),
    }
}

fn slow(profile: &Profile, paths: &mut PathReader<'_>, slow: &SlowEvents) -> Slow {
    let event = |it: &residue_analysis::time::SlowEvent| Event {
        event: it.event,
        id: it.id,
        value_ns: it.value_ns,
        expected_ns: it.expected_ns,
    };
    let mut function = |it: &SlowPath| SlowFunction {
        excess_ns: it.excess_ns,
        slow_samples: it.slow_samples,
        slow_all_samples: it.slow_all,
        other_samples: it.other_samples,
        other_all_samples: it.other_all,
        chance: it.chance,
        path: shown_path(paths, it.node),
    };
    let stage = |it: &residue_analysis::time::SlowStage| Stage {
        from: words::mark(profile, it.from, "begin"),
        to: words::mark(profile, it.to, "end"),
        excess_ns: it.excess_ns,
        slow_mean_ns: it.slow_mean_ns,
        other_mean_ns: it.other_mean_ns,
        chance: it.chance,
    };
    let more = |it: &residue_analysis::time::MoreAllocated| MoreAllocated {
        what: it.what,
        slow_mean: it.slow_mean,
        other_mean: it.other_mean,
        chance: it.chance,
    };
    Slow {
        measure: slow.measure,
        of_events: slow.of_events,
        excess_ns: slow.excess_ns,
        events: slow.events.iter().map(event).collect(),
        functions: slow.paths.iter().map(&mut function).collect(),
        stages: slow.stages.iter().map(stage).collect(),
        allocations: slow.allocations.iter().map(more).collect(),
    }
}
