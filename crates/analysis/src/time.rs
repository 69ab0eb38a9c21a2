//! Time: does a program slow down from event to event, which events are slow, and why?
//!
//! ```text
//!   moments ── events ──► wall, CPU, waited per event ── trend ──► slows down, steady, undetermined
//!   counts  ── counter ─► what each hit costs ──────────┐
//!   samples, stamps, allocations ───────────────────────┴─ slow ──► slow events, and what they did
//!   samples ── growing ─────────────────────────────────► functions that take ever longer
//! ```
//!
//! Wall and CPU time of events are exact. Samples are a few a hundred milliseconds, so that what
//! they say of functions is counted, tested, and named only where chance cannot have made it.

mod bulk;
mod chance;
mod counter;
mod events;
mod growing;
mod in_step;
mod paths;
mod samples;
mod slow;
mod stages;
mod trend;

use crate::counters::Followed;
use crate::growth::Outcome;
use crate::history::EventRange;
pub use events::{EventTime, OtherThreads};
pub use growing::GrowingPath;
use growing::Way;
use residue_profile::Profile;
use samples::Samples;
use serde::Serialize;
pub use slow::{Allocations, MoreAllocated, SlowEvent, SlowEvents, SlowPath};
pub use stages::SlowStage;
pub use trend::Trend;

/// How probable it may be that something is named by chance; each question has its own.
const CHANCE: f64 = 0.001;
/// Share of the CPU time of a process from which on other threads are told of.
const NOTABLE_OTHERS: f64 = 0.1;

/// What is measured of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimeMeasure"))]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// CPU time of the thread that marks it.
    Cpu,
    /// From its begin to its end.
    Wall,
    /// What of it the thread did not run.
    Waited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimeHeadline"))]
#[serde(rename_all = "kebab-case")]
pub enum Headline {
    /// Events take ever longer.
    SlowsDown,
    /// They take ever less.
    SpeedsUp,
    Steady,
    Undetermined,
}

/// Why nothing is said of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The program has ticks, which are all of one length.
    TicksOnly,
    NoEvents,
    /// So few events of the range have a begin and an end.
    TooFew {
        events: usize,
    },
    /// No clock was read.
    NoTimes,
    LateLines {
        late_events: u64,
        events: u64,
    },
}

/// What cannot be known of these times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimeLimit"))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Limit {
    /// No clock of CPU time was read.
    NoCpuTimes,
    /// Events that end on another thread than they begin on have no CPU time.
    HandedOver {
        events: usize,
        of_events: usize,
    },
    /// Other threads used CPU time, which is no event's.
    OtherThreads {
        others_ns: u64,
        process_ns: u64,
        share: f64,
    },
    /// Samples of events that overlap cannot be told apart.
    Overlap {
        streams: u32,
    },
    NoSamples,
    /// Each event is sampled at nearly the place where the one before was.
    InStep,
    /// Some functions take ever longer, others ever less.
    ChangesHands,
}

#[derive(Debug, Clone)]
pub struct TimeVerdict {
    pub headline: Headline,
    /// Events of the range with times, the first and the last of them.
    pub events: usize,
    pub first_event: u32,
    pub last_event: u32,
    /// What the headline is about, then the others.
    pub trends: Vec<Trend>,
    pub rate: Rate,
    /// The counter that times follow, in nanoseconds; trends and slow events are judged without
    /// what it explains.
    pub counter: Option<Followed>,
    pub growing: Vec<GrowingPath>,
    pub slow: Vec<SlowEvents>,
    pub limits: Vec<Limit>,
}

/// By how much the time of events grows, in nanoseconds per event, each event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub rate: f64,
    /// The 95 % interval; infinite where it has no bound.
    pub low: f64,
    pub high: f64,
    /// Whether it is the sum of the functions that grow, where the whole cannot tell.
    pub is_of_functions: bool,
}

impl TimeVerdict {
    /// What the headline is about.
    pub fn trend(&self) -> &Trend {
        &self.trends[0]
    }

    pub fn of(&self, measure: Measure) -> Option<&Trend> {
        self.trends.iter().find(|trend| trend.measure == measure)
    }
}

/// Whether the program slows down beyond doubt, and nothing else: cheap enough for every verdict.
pub fn slows_down(profile: &Profile, range: EventRange) -> Option<Trend> {
    let series = EventSeries::of(profile, range).ok()?;
    let trend = series.trends().into_iter().next()?;
    // Where CPU time is known, wall time alone may be the machine's.
    let is_own = trend.measure == Measure::Cpu || !series.has_cpu;
    (trend.is_slowing() && is_own).then_some(trend)
}

/// What the times of a range say.
pub fn verdict(profile: &Profile, range: EventRange) -> Result<TimeVerdict, Missing> {
    let series = EventSeries::of(profile, range)?;
    let trends = series.trends();
    let times = &series.times;
    let timeline = &profile.timeline;
    let mut limits = series.limits.clone();
    if let Some(others) = events::other_threads(timeline, times)
        && others.share() > NOTABLE_OTHERS
    {
        limits.push(Limit::OtherThreads {
            others_ns: others.others_ns,
            process_ns: others.process_ns,
            share: others.share(),
        });
    }
    let streams = timeline.about.streams;
    let samples = Samples::of(profile, times);
    if samples.is_none() {
        limits.push(Limit::NoSamples);
    } else if streams > 1 {
        limits.push(Limit::Overlap { streams });
    }
    let samples = samples.filter(|_| streams <= 1);
    let stages = stages::Stages::of(timeline, times);
    let wall = trends.iter().find(|trend| trend.measure == Measure::Wall);
    let wall_median_ns = wall.map_or(0.0, |wall| wall.median_ns);
    let slow = trends.iter().filter_map(|trend| {
        let is_whole = trend.measure == Measure::Wall && series.has_cpu;
        let question = slow::Question {
            times,
            trend,
            values: series.values(trend.measure),
            wall_median_ns,
            explained: series
                .explained
                .as_ref()
                .filter(|_| trend.measure != Measure::Waited),
            samples: samples.as_ref(),
            stages: stages.as_ref(),
        };
        // Wall time is CPU time and waiting, each of which is asked.
        (!is_whole).then(|| question.answer())?
    });
    let slow = slow.collect();
    let is_in_step = samples.is_some() && in_step::in_step(profile, times);
    if is_in_step {
        limits.push(Limit::InStep);
    }
    let paths = |way| {
        let samples = samples.as_ref().filter(|_| !is_in_step);
        samples.map_or(Vec::new(), |it| growing::trending_paths(it, times, way))
    };
    let growing = paths(Way::Up);
    let mut headline = headline(&trends);
    let whole = &trends[0].growth;
    let mut rate = Rate {
        rate: whole.rate,
        low: whole.low,
        high: whole.high,
        is_of_functions: false,
    };
    if headline != Headline::SlowsDown && are_heard(&growing, &trends[0]) {
        // What some functions lose others may have taken over.
        match paths(Way::Down).is_empty() {
            true => {
                headline = Headline::SlowsDown;
                let sum = |of: fn(&GrowingPath) -> f64| growing.iter().map(of).sum();
                rate = Rate {
                    rate: sum(|path| path.rate),
                    low: sum(|path| path.low),
                    high: sum(|path| path.high),
                    is_of_functions: true,
                };
            }
            false => limits.push(Limit::ChangesHands),
        }
    }
    Ok(TimeVerdict {
        headline,
        events: times.len(),
        first_event: times.first().map_or(0, |time| time.event),
        last_event: times.last().map_or(0, |time| time.event),
        growing,
        rate,
        trends,
        counter: series.explained.map(|explained| explained.followed),
        slow,
        limits,
    })
}

/// Whether functions that take ever longer decide where the whole cannot: each was judged alone,
/// where the noise of the others does not hide it. Not against what the whole says.
fn are_heard(growing: &[GrowingPath], whole: &Trend) -> bool {
    let low: f64 = growing.iter().map(|path| path.low).sum();
    let is_open = whole.growth.outcome != Outcome::Shrinking && whole.growth.high >= low;
    !growing.is_empty() && is_open
}

/// Times of events by measure, and what a counter explains of them.
struct EventSeries {
    times: Vec<EventTime>,
    has_cpu: bool,
    wall: Vec<f64>,
    cpu: Vec<f64>,
    waited: Vec<f64>,
    explained: Option<counter::Explained>,
    limits: Vec<Limit>,
}

impl EventSeries {
    fn of(profile: &Profile, range: EventRange) -> Result<EventSeries, Missing> {
        let timeline = &profile.timeline;
        let mut times = events::event_times(timeline, range)?;
        let all = times.len();
        let with_cpu = times.iter().filter(|time| time.cpu_ns.is_some()).count();
        let mut limits = Vec::new();
        let has_cpu = 2 * with_cpu > all;
        if with_cpu < all {
            limits.push(match with_cpu {
                0 if times.iter().all(|time| !is_clock_read(profile, time)) => Limit::NoCpuTimes,
                _ => Limit::HandedOver {
                    events: all - with_cpu,
                    of_events: all,
                },
            });
        }
        if has_cpu {
            times.retain(|time| time.cpu_ns.is_some());
        }
        let of = |value: fn(&EventTime) -> Option<f64>| -> Vec<f64> {
            times.iter().filter_map(value).collect()
        };
        let (wall, cpu, waited) = match has_cpu {
            true => (
                of(|it| Some(it.wall_ns)),
                of(|it| it.cpu_ns),
                of(EventTime::waited_ns),
            ),
            false => (of(|it| Some(it.wall_ns)), Vec::new(), Vec::new()),
        };
        let explained = counter::explain(timeline, &times, if has_cpu { &cpu } else { &wall });
        Ok(EventSeries {
            times,
            has_cpu,
            wall,
            cpu,
            waited,
            explained,
            limits,
        })
    }

    fn values(&self, measure: Measure) -> &[f64] {
        match measure {
            Measure::Cpu => &self.cpu,
            Measure::Wall => &self.wall,
            Measure::Waited => &self.waited,
        }
    }

    /// Of every measure that is known, first the one that the headline is about: CPU time, or
    /// wall time where that alone is known, or alone goes up.
    fn trends(&self) -> Vec<Trend> {
        let explained = self.explained.as_ref().map(counter::Explained::beyond_mean);
        let trend = |measure| {
            let explained = explained.as_deref().filter(|_| measure != Measure::Waited);
            trend::trend(measure, &self.times, self.values(measure), explained)
        };
        let mut trends = match self.has_cpu {
            true => vec![
                trend(Measure::Cpu),
                trend(Measure::Wall),
                trend(Measure::Waited),
            ],
            false => vec![trend(Measure::Wall)],
        };
        if trends.len() > 1 && !trends[0].is_slowing() && trends[1].is_slowing() {
            trends.swap(0, 1);
        }
        trends
    }
}

fn is_clock_read(profile: &Profile, time: &EventTime) -> bool {
    let begin = &profile.timeline.moments[time.begin as usize];
    begin.spent.thread_cpu_ns.is_some()
}

fn headline(trends: &[Trend]) -> Headline {
    match trends[0].growth.outcome {
        Outcome::Growing => Headline::SlowsDown,
        Outcome::Shrinking => Headline::SpeedsUp,
        Outcome::NoGrowth => Headline::Steady,
        Outcome::Undetermined => Headline::Undetermined,
    }
}
