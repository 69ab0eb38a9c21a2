//! The verdict of time for programs to read; the schema is docs/schemas/slow.schema.json.

use residue_analysis::growth::Outcome;
use residue_analysis::sentences::time;
use residue_analysis::time::{
    self as analysis, Allocations, GrowingPath, Headline, Limit, Measure, SlowEvents, SlowPath,
    TimeVerdict, Trend,
};
use residue_calltree::{Filter, PathReader};
use residue_profile::{NodeId, Profile};
use serde::Serialize;

use super::words;
use crate::choice::Names;
use crate::leaks::{ShownPath, name_of, shown_path};

/// The document of `residue slow --json`. Times are in nanoseconds; numbers that are not known
/// or have no bound are null.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimeVerdict"))]
pub struct Document<'a> {
    pub format: &'static str,
    pub version: u32,
    /// Name of the program; empty where another tool measured it.
    pub program: &'a str,
    /// Events with a begin and an end, the first and the last of them.
    pub events: usize,
    pub first_event: u32,
    pub last_event: u32,
    pub verdict: Headline,
    /// The first line of `residue slow`.
    pub headline: String,
    /// What the verdict is about.
    pub basis: Measure,
    /// By how much each event takes longer than the one before, with the 95 % interval.
    pub rate_ns_per_event: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Whether the rate is the sum of the functions that grow, where the whole cannot tell.
    pub rate_is_of_functions: bool,
    /// The same from the first event that was used to the last, as a part of the first: 0.05.
    pub change_over_run: Option<f64>,
    /// The smallest slowdown that this run could have detected.
    pub smallest_visible_ns_per_event: Option<f64>,
    /// About how many events would decide, if undetermined.
    pub needs_events: Option<u64>,
    pub reasons: Vec<String>,
    pub measures: Vec<MeasureTimes>,
    /// The counter that times follow; trends and slow events are judged without what it explains.
    pub counter: Option<TimeCounter<'a>>,
    /// Functions that take ever longer, by samples.
    pub growing: Vec<Growing>,
    /// Slow events, by measure, and what they do that others do not.
    pub slow: Vec<Slow>,
    /// What is said where no event is slow.
    pub no_slow_events: Option<&'static str>,
    /// What cannot be known of these times, in sentences, and the same as codes with their numbers.
    pub limits: Vec<String>,
    pub limit_codes: &'a [Limit],
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeasureTimes {
    pub measure: Measure,
    /// As a row of the table of `residue slow` is named.
    pub name: &'static str,
    pub mean_ns: f64,
    pub median_ns: f64,
    /// One event in twenty takes longer.
    pub quantile_95_ns: f64,
    pub longest_ns: f64,
    pub outcome: Outcome,
    pub rate_ns_per_event: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub change_over_run: Option<f64>,
    pub smallest_visible_ns_per_event: Option<f64>,
    /// Events that were used, both included, and those excluded as warm-up before them.
    pub first_event: u64,
    pub last_event: u64,
    pub warm_up_events: u64,
    pub reasons: Vec<String>,
    /// How it goes from event to event, in words.
    pub course: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeCounter<'a> {
    pub name: &'a str,
    pub ns_per_unit: f64,
    pub ns_per_unit_low: f64,
    pub ns_per_unit_high: f64,
    /// Per event, whatever was counted.
    pub constant_ns: f64,
    pub constant_ns_low: f64,
    pub constant_ns_high: f64,
    pub r_squared: f64,
    pub words: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "GrowingFunction")
)]
pub struct Growing {
    pub rate_ns_per_event: f64,
    pub low: f64,
    pub high: f64,
    /// In the first and in the last half of the events.
    pub early_samples: u64,
    pub late_samples: u64,
    /// Probability of it by chance, with all functions that were asked.
    pub chance: f64,
    pub words: String,
    #[serde(flatten)]
    pub path: ShownPath,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SlowEvents"))]
pub struct Slow {
    pub measure: Measure,
    /// How many events are slow, and of how many.
    pub found: usize,
    pub of_events: usize,
    /// Mean time beyond what was expected.
    pub excess_ns: f64,
    /// The slowest first.
    pub events: Vec<Event>,
    pub functions: Vec<SlowFunction>,
    pub stages: Vec<Stage>,
    pub allocations: Vec<MoreAllocated>,
    pub words: String,
    /// What is said where nothing is named that they do and others do not.
    pub no_cause: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SlowEvent"))]
pub struct Event {
    pub event: u32,
    /// What the program calls it.
    pub id: u64,
    pub value_ns: f64,
    pub expected_ns: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SlowFunction {
    /// CPU time by which a slow event has more of it than another.
    pub excess_ns: f64,
    pub slow_samples: u64,
    pub slow_all_samples: u64,
    pub other_samples: u64,
    pub other_all_samples: u64,
    pub chance: f64,
    pub words: String,
    #[serde(flatten)]
    pub path: ShownPath,
}

/// From one stamp to the next, `begin` and `end` of the event included.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SlowStage"))]
pub struct Stage {
    pub from: String,
    pub to: String,
    pub excess_ns: f64,
    pub slow_mean_ns: f64,
    pub other_mean_ns: f64,
    pub chance: f64,
    pub words: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MoreAllocated {
    pub what: Allocations,
    pub slow_mean: f64,
    pub other_mean: f64,
    pub chance: f64,
    pub words: String,
}

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Slow events of each measure.
    pub events: usize,
    /// Functions that are named for the same.
    pub functions: usize,
    /// Functions of a path, and characters of each.
    pub steps: usize,
    pub name_characters: usize,
}

impl Limits {
    pub const NONE: Limits = Limits {
        events: usize::MAX,
        functions: usize::MAX,
        steps: usize::MAX,
        name_characters: usize::MAX,
    };
}

/// Paths of functions, as long as they may be.
struct Paths<'a> {
    reader: PathReader<'a>,
    most: Limits,
}

impl Paths<'_> {
    fn shown(&mut self, node: NodeId) -> ShownPath {
        let shown = shown_path(&mut self.reader, node);
        shown.cut(self.most.steps, self.most.name_characters)
    }
}

pub fn document<'a>(
    profile: &'a Profile,
    verdict: &'a TimeVerdict,
    names: &Names,
    most: Limits,
) -> Document<'a> {
    let filter = Filter::default();
    let reader = names.paths(profile, &filter);
    let paths = &mut Paths { reader, most };
    let (trend, rate) = (verdict.trend(), &verdict.rate);
    let growing = verdict
        .growing
        .iter()
        .take(most.functions)
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
            words: words::counter(profile, verdict, followed),
        }),
        growing,
        no_slow_events: verdict.slow.is_empty().then_some(words::NO_SLOW_EVENTS),
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
        name: time::measure(trend.measure),
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
        course: words::course(trend),
    }
}

fn growing(paths: &mut Paths<'_>, one: &GrowingPath) -> Growing {
    Growing {
        rate_ns_per_event: one.rate,
        low: one.low,
        high: one.high,
        early_samples: one.early_samples,
        late_samples: one.late_samples,
        chance: one.chance,
        words: words::growing(one),
        path: paths.shown(one.node),
    }
}

fn slow(profile: &Profile, paths: &mut Paths<'_>, slow: &SlowEvents) -> Slow {
    let event = |it: &analysis::SlowEvent| Event {
        event: it.event,
        id: it.id,
        value_ns: it.value_ns,
        expected_ns: it.expected_ns,
    };
    let most = paths.most;
    let mut function = |it: &SlowPath| SlowFunction {
        excess_ns: it.excess_ns,
        slow_samples: it.slow_samples,
        slow_all_samples: it.slow_all,
        other_samples: it.other_samples,
        other_all_samples: it.other_all,
        chance: it.chance,
        words: words::slow_path(it),
        path: paths.shown(it.node),
    };
    let stage = |it: &analysis::SlowStage| Stage {
        from: words::mark(profile, it.from, "begin"),
        to: words::mark(profile, it.to, "end"),
        excess_ns: it.excess_ns,
        slow_mean_ns: it.slow_mean_ns,
        other_mean_ns: it.other_mean_ns,
        chance: it.chance,
        words: words::slow_stage(profile, it),
    };
    let more = |it: &analysis::MoreAllocated| MoreAllocated {
        what: it.what,
        slow_mean: it.slow_mean,
        other_mean: it.other_mean,
        chance: it.chance,
        words: words::more_allocated(it),
    };
    let functions = slow.paths.iter().take(most.functions);
    Slow {
        measure: slow.measure,
        found: slow.events.len(),
        of_events: slow.of_events,
        excess_ns: slow.excess_ns,
        events: slow.events.iter().take(most.events).map(event).collect(),
        functions: functions.map(&mut function).collect(),
        stages: slow.stages.iter().map(stage).collect(),
        allocations: slow.allocations.iter().map(more).collect(),
        words: words::slow(slow),
        no_cause: (!slow.has_cause()).then_some(words::NO_CAUSE),
    }
}
