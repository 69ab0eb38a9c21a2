//! What readings and births say about the pace of growth.

use super::{Reason, Shape, ShapeVerdict, StackHistory, by_births};
use crate::counters::Counters;
use crate::growth::{Growth, Method};
use crate::lost;
use crate::pace::{self, Amounts, End, Pace, Parts, Slowdown, Witness};
use crate::series::Series;

/// Where blocks outlive their event, those of the last events may yet be freed.
const FEW_EVENTS: f64 = 8.0;
/// Of the events, that may be too young for their births to tell.
const MOST_YOUNG: f64 = 1.0 / 3.0;
/// Of what the readings rose by for certain, that births must account for.
const LEAST_BORN: f64 = 0.5;
/// Readings from which on one more or less does not count.
const ENOUGH_READINGS: usize = 20;

/// What a shape that grows is called by its pace, with its growth. What is lost is a leak at any.
pub(super) fn judge(
    history: &StackHistory,
    counters: &Counters,
    shape: Shape,
    mut reasons: Vec<Reason>,
    growth: Growth,
) -> (Shape, Vec<Reason>, Growth) {
    if !matches!(shape, Shape::Leak | Shape::ExitFreed | Shape::Undetermined) {
        return (shape, reasons, growth);
    }
    if let Some(lost) = lost::evidence(history, &growth) {
        reasons.push(lost);
        return (Shape::Leak, reasons, growth);
    }
    match pace(history, &growth, counters) {
        Pace::Slows(slowdown) => {
            let course = SlowCourse::of(&history.live, &slowdown);
            let (shape, reason) = course.shape();
            (shape, vec![reason], course.growth(growth))
        }
        Pace::Open { needs_events } if shape == Shape::Leak => {
            reasons.push(Reason::SteadyOrFilling { needs_events });
            (Shape::Undetermined, reasons, growth)
        }
        Pace::Open { .. } | Pace::Steady | Pace::Unknown => (shape, reasons, growth),
    }
}

/// A slowdown in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlowCourse {
    pub live_bytes: f64,
    /// Per event at the end of the run, the 95 % interval of that, and at its begin.
    pub rate: f64,
    pub low: f64,
    pub high: f64,
    pub first_rate: f64,
    /// What it will hold.
    pub end: Option<End>,
}

impl SlowCourse {
    pub fn of(series: &Series, slowdown: &Slowdown) -> SlowCourse {
        let (start, then) = (at(series, slowdown.from), at(series, slowdown.to));
        let live_bytes = series.values().last().copied().unwrap_or(0.0);
        let added = then - start;
        let rate = |of_mean: f64| of_mean * added / (slowdown.to - slowdown.from);
        let held = |of_added: f64| (start + of_added * added).max(live_bytes);
        SlowCourse {
            live_bytes,
            rate: rate(slowdown.rate),
            low: rate(slowdown.rate_low),
            high: rate(slowdown.rate_high),
            first_rate: rate(slowdown.first_rate),
            end: slowdown.end.map(|end| End {
                added: held(end.added),
                low: held(end.low),
                high: held(end.high),
            }),
        }
    }

    fn shape(&self) -> (Shape, Reason) {
        let bytes_per_event = self.rate;
        let first_bytes_per_event = self.first_rate;
        match self.end {
            Some(end) => {
                let reason = Reason::Fills {
                    live_bytes: self.live_bytes,
                    end_bytes: end.added,
                    end_low: end.low,
                    end_high: end.high,
                    bytes_per_event,
                    first_bytes_per_event,
                };
                (Shape::Filling, reason)
            }
            None => {
                let reason = Reason::SlowsDown {
                    bytes_per_event,
                    first_bytes_per_event,
                };
                (Shape::Slowing, reason)
            }
        }
    }

    pub fn growth(&self, of_series: Growth) -> Growth {
        of_series.slowed_to(self.rate, self.low, self.high)
    }
}

impl ShapeVerdict {
    /// How a shape that slows down does.
    pub(crate) fn slow_course(&self) -> Option<SlowCourse> {
        let growth = &self.growth;
        let (live_bytes, first_rate, end) =
            self.reasons.iter().find_map(|reason| match *reason {
                Reason::Fills {
                    live_bytes,
                    end_bytes,
                    end_low,
                    end_high,
                    first_bytes_per_event,
                    ..
                } => {
                    let end = End {
                        added: end_bytes,
                        low: end_low,
                        high: end_high,
                    };
                    Some((live_bytes, first_bytes_per_event, Some(end)))
                }
                Reason::SlowsDown {
                    first_bytes_per_event,
                    ..
                } => Some((0.0, first_bytes_per_event, None)),
                _ => None,
            })?;
        Some(SlowCourse {
            live_bytes,
            rate: growth.rate,
            low: growth.low,
            high: growth.high,
            first_rate,
            end,
        })
    }
}

/// The first event sets up, where there are enough to leave it out.
fn first_used(series: &Series) -> usize {
    usize::from(series.len() >= ENOUGH_READINGS)
}

pub(super) fn pace(history: &StackHistory, growth: &Growth, counters: &Counters) -> Pace {
    let is_exact = matches!(growth.method, Method::Exact | Method::Periodic) && growth.rate > 0.0;
    if is_exact || (history.births_known && repeats(history)) {
        return Pace::Steady;
    }
    let followed = counters.pace_of(&history.live, growth);
    let clock = |event: f64| match &followed {
        Some(expected) => at(expected, event),
        None => event,
    };
    let series = &history.live;
    let first = first_used(series);
    let Some(parts) = Parts::of(series, first, &clock) else {
        return Pace::Unknown;
    };
    let mut witnesses = vec![witness(&parts, parts.rises(series), true)];
    witnesses.extend(births(history, growth, first, &clock));
    pace::judge(&witnesses, series.span(), growth.warm_up_events as f64)
}

/// Whether every event, or every k-th, left as many blocks as the one before.
fn repeats(history: &StackHistory) -> bool {
    let births = &history.births;
    let mut pairs = births.windows(2);
    by_births::evenly_spaced(history) && pairs.all(|pair| pair[0].blocks == pair[1].blocks)
}

/// The pace of a sum, of which no births are known.
pub(crate) fn pace_of_sum(series: &Series, growth: &Growth, counters: &Counters) -> Pace {
    let history = StackHistory {
        live: series.clone(),
        ..StackHistory::default()
    };
    pace(&history, growth, counters)
}

/// Survivors in blocks and in bytes, of events that are old enough to have no unfinished work.
fn births(
    history: &StackHistory,
    growth: &Growth,
    first: usize,
    clock: &dyn Fn(f64) -> f64,
) -> Vec<Witness> {
    let series = &history.live;
    let span = series.span();
    let young = match history.deferral {
        Some(deferral) => FEW_EVENTS.min(span / 4.0).max(deferral.longest_events),
        None => 0.0,
    };
    if !history.births_known || young > MOST_YOUNG * span {
        return Vec::new();
    }
    let end = series.events().last().copied().unwrap_or(0.0) - young;
    let old = series.events().partition_point(|event| *event <= end);
    let old = Series::new(
        series.events()[..old].to_vec(),
        series.values()[..old].to_vec(),
    );
    let Some(parts) = Parts::of(&old, first, clock) else {
        return Vec::new();
    };
    let bytes = parts.survivors(&history.births, |birth| birth.bytes);
    let (from, to) = parts.span();
    if bytes.total() < LEAST_BORN * growth.low * (to - from) {
        return Vec::new();
    }
    let blocks = parts.survivors(&history.births, |birth| birth.blocks);
    vec![witness(&parts, blocks, false), witness(&parts, bytes, true)]
}

fn witness(parts: &Parts, amounts: Amounts, is_in_bytes: bool) -> Witness {
    let (from, to) = parts.span();
    Witness {
        amounts,
        from,
        to,
        is_in_bytes,
    }
}

/// What a series is at an event, on straight lines between those that are known.
fn at(totals: &Series, event: f64) -> f64 {
    let (events, values) = (totals.events(), totals.values());
    let later = events.partition_point(|known| *known <= event);
    match (later.checked_sub(1), events.get(later)) {
        (Some(place), Some(next)) => {
            let share = (event - events[place]) / (next - events[place]);
            values[place] + share * (values[later] - values[place])
        }
        (Some(place), None) => values[place],
        (None, _) => values.first().copied().unwrap_or(0.0),
    }
}
