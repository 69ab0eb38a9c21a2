//! The process over time: sizes at moments, what was counted between them, and what has
//! a name.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::timeline::{
    EventNumber, Moment, MomentId, MomentKind, NameId, Stamp, Timeline as Recorded,
};
use residue_profile::units::Unit;
use residue_profile::{EventCost, Span};
use serde::Serialize;

use super::thin::{chosen, evenly};
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;

const USUAL_POINTS: usize = 1500;
/// Fewer are no picture.
const FEWEST_POINTS: usize = 12;
const MOST_POINTS: usize = 20_000;
const MOST_COUNTERS: usize = 100;
const MOST_STAMPS: usize = 2000;
const MOST_SNAPSHOTS: usize = 2000;

/// Answers `api/timeline`. Parameters: side, events (what to show; absent: all), points
/// (most, default 1500).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Timeline<'a> {
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit"))]
    unit: &'static str,
    /// Moments are real readings; where there are more than `points`, the lowest and the
    /// highest of each group are kept, and this says so.
    thinned: bool,
    /// All lists have one entry per moment, in the order of time.
    event: Vec<EventNumber>,
    time_ns: Vec<u64>,
    kind: Vec<MomentKind>,
    series: Series,
    counters: Vec<Counted<'a>>,
    /// What the events cost that begin there.
    costs: Vec<Cost>,
    /// Over how many events each value of a counter is a sum.
    counted_events: Vec<Option<u64>>,
    snapshots: Vec<Named<'a>>,
    /// Named times inside events, at most 2000, evenly left out.
    stamps: Vec<Named<'a>>,
}

/// Bytes by moment; null where they were not read.
#[derive(Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "TimelineSeries")
)]
struct Series {
    rss: Vec<Option<u64>>,
    vm: Vec<Option<u64>>,
    live: Vec<Option<u64>>,
    mapped: Vec<Option<u64>>,
    recorder: Vec<Option<u64>>,
    /// Free memory that the allocator keeps, where it says so: at accounts.
    retained: Vec<Option<u64>>,
}

#[derive(Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "TimelineCounter")
)]
struct Counted<'a> {
    name: &'a str,
    /// What it counted from one begin to the next, at begins; null elsewhere.
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimelineCost"))]
struct Cost {
    name: &'static str,
    unit: Unit,
    /// At begins, from there to the end of the event; null elsewhere, and where it is not known.
    values: Vec<Option<u64>>,
}

/// Something with a name at one time.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimelineName"))]
struct Named<'a> {
    name: &'a str,
    event: EventNumber,
    time_ns: u64,
}

pub fn timeline<'a>(profiles: &'a OpenProfiles, question: &Question) -> Result<Timeline<'a>> {
    let recorded = &profiles.side(question)?.profile.timeline;
    let points = question.limit("points", USUAL_POINTS, MOST_POINTS)?;
    let points = points.max(FEWEST_POINTS);
    let events = question.events("events")?;
    let range = match events {
        Some(events) => moments_of(recorded, events)?,
        None => 0..recorded.moments.len(),
    };
    let moments = chosen(recorded, range.clone(), points);
    let is_in = |event: EventNumber| events.is_none_or(|it| (it.from..=it.to).contains(&event));
    let of = |size: fn(&Moment) -> Option<u64>| -> Vec<Option<u64>> {
        let moments = moments.iter();
        moments.map(|&at| size(&recorded.moments[at])).collect()
    };
    let here = || moments.iter().map(|&at| &recorded.moments[at]);
    Ok(Timeline {
        unit: recorded.about.source.unit(),
        thinned: moments.len() < range.len(),
        event: here().map(|moment| moment.event).collect(),
        time_ns: here().map(|moment| moment.time_ns).collect(),
        kind: here().map(|moment| moment.kind).collect(),
        series: Series {
            rss: of(|moment| moment.rss_bytes),
            vm: of(|moment| moment.vm_bytes),
            live: of(|moment| moment.live_bytes),
            mapped: of(|moment| moment.mapped_bytes),
            // It was read where the resident size was.
            recorder: of(|moment| moment.rss_bytes.map(|_| moment.recorder_bytes)),
            retained: retained(recorded, &moments),
        },
        counters: counters(recorded, &moments),
        costs: costs(recorded, &moments, is_in),
        counted_events: counted_events(recorded, &moments),
        snapshots: snapshots(recorded, is_in),
        stamps: stamps(recorded, is_in),
    })
}

/// From the first moment of the first event to the begin of the event after the last, or
/// to the end.
fn moments_of(recorded: &Recorded, events: EventRange) -> Result<Range<usize>> {
    let mut moments = recorded.moments.iter();
    let Some(start) = moments.position(|moment| moment.event >= events.from) else {
        let last = recorded.about.events;
        bail!("there is no event {}; the last is {last}", events.from);
    };
    let is_after = |moment: &Moment| moment.kind.is_begin() && moment.event > events.to;
    let after = recorded.moments[start..].iter().position(is_after);
    let end = after.map_or(recorded.moments.len(), |after| start + after + 1);
    Ok(start..end)
}

/// What the allocator keeps, at the moments at which it was asked.
fn retained(recorded: &Recorded, moments: &[usize]) -> Vec<Option<u64>> {
    let mut retained = vec![None; moments.len()];
    for account in &recorded.accounts {
        if let Ok(place) = moments.binary_search(&(account.moment as usize)) {
            retained[place] = account.allocator.map(|state| state.free_bytes);
        }
    }
    retained
}

fn counters<'a>(recorded: &'a Recorded, moments: &[usize]) -> Vec<Counted<'a>> {
    let names: BTreeSet<NameId> = recorded.totals.iter().map(|total| total.name).collect();
    let named = names.into_iter().filter_map(|id| {
        let name = recorded.names.get(id as usize)?;
        Some((id, name.as_str()))
    });
    named
        .take(MOST_COUNTERS)
        .map(|(id, name)| Counted {
            name,
            values: counts(recorded, moments, id),
        })
        .collect()
}

/// Costs of which something is known.
fn costs(recorded: &Recorded, moments: &[usize], is_in: impl Fn(EventNumber) -> bool) -> Vec<Cost> {
    let by_event: HashMap<EventNumber, EventCost> = recorded
        .event_costs()
        .into_iter()
        .map(|cost| (cost.event, cost))
        .collect();
    let at = |&moment: &usize| {
        let moment = &recorded.moments[moment];
        let cost = by_event.get(&moment.event);
        cost.filter(|_| moment.kind.is_begin() && is_in(moment.event))
    };
    let cost = |name, unit, value: fn(&EventCost) -> Option<u64>| Cost {
        name,
        unit,
        values: moments
            .iter()
            .map(|moment| at(moment).and_then(value))
            .collect(),
    };
    let all = [
        cost("CPU time", Unit::Ns, |cost| cost.cpu_ns),
        cost("waited", Unit::Ns, EventCost::waited_ns),
        cost("allocations", Unit::Count, |cost| cost.calls),
        cost("bytes allocated", Unit::Bytes, |cost| cost.total_bytes),
    ];
    let is_known = |cost: &Cost| cost.values.iter().any(Option::is_some);
    all.into_iter().filter(is_known).collect()
}

/// Of each begin that is shown, how many events lie between it and the next one, or the
/// end of what is shown.
fn counted_events(recorded: &Recorded, moments: &[usize]) -> Vec<Option<u64>> {
    let mut events = vec![None; moments.len()];
    let mut from: Option<(usize, MomentId)> = None;
    for (place, &moment) in moments.iter().enumerate() {
        let is_begin = recorded.moments[moment].kind.is_begin();
        if !is_begin && place + 1 < moments.len() {
            continue;
        }
        let here = moment as MomentId;
        if let Some((begin, moment)) = from {
            let span = Span {
                from: Some(moment),
                to: Some(here),
            };
            events[begin] = Some(recorded.events_in(span));
        }
        from = is_begin.then_some((place, here));
    }
    events
}

/// What a counter counted from each begin to the next one of those that are shown, from
/// the last to the end of what is shown.
fn counts(recorded: &Recorded, moments: &[usize], name: NameId) -> Vec<Option<f64>> {
    let mut totals = recorded
        .totals
        .iter()
        .filter(|total| total.name == name)
        .peekable();
    let mut now = 0.0;
    let mut values = vec![None; moments.len()];
    // The begin that is counted from, and the total there.
    let mut from: Option<(usize, f64)> = None;
    for (place, &moment) in moments.iter().enumerate() {
        while let Some(total) = totals.next_if(|total| total.moment as usize <= moment) {
            now = total.total;
        }
        let is_begin = recorded.moments[moment].kind.is_begin();
        if !is_begin && place + 1 < moments.len() {
            continue;
        }
        if let Some((begin, total)) = from {
            values[begin] = Some(now - total);
        }
        from = is_begin.then_some((place, now));
    }
    values
}

fn snapshots(recorded: &Recorded, is_in: impl Fn(EventNumber) -> bool) -> Vec<Named<'_>> {
    let named = recorded.snapshots.iter().filter_map(|snapshot| {
        let moment = recorded.moments.get(snapshot.moment as usize)?;
        Some(Named {
            name: recorded.names.get(snapshot.name as usize)?,
            event: moment.event,
            time_ns: moment.time_ns,
        })
    });
    named
        .filter(|named| is_in(named.event))
        .take(MOST_SNAPSHOTS)
        .collect()
}

fn stamps(recorded: &Recorded, is_in: impl Fn(EventNumber) -> bool) -> Vec<Named<'_>> {
    let stamps = recorded.stamps.iter();
    let meant: Vec<&Stamp> = stamps.filter(|stamp| is_in(stamp.event)).collect();
    let kept = evenly(meant.len(), MOST_STAMPS);
    kept.filter_map(|place| {
        let stamp = meant[place];
        Some(Named {
            name: recorded.names.get(stamp.name as usize)?,
            event: stamp.event,
            time_ns: stamp.time_ns,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles, refusal};
    use residue_profile::Profile;
    use residue_profile::timeline::{Account, AllocatorState, Snapshot};
    use serde_json::{Value, json};

    #[test]
    fn a_short_run_is_shown_whole() {
        let mut profile = events(3);
        let timeline = &mut profile.timeline;
        timeline.accounts.push(Account {
            moment: 2,
            allocator: Some(AllocatorState {
                free_bytes: 77,
                ..AllocatorState::default()
            }),
            ..Account::default()
        });
        timeline.names.push("late".to_string());
        timeline.snapshots.push(Snapshot {
            name: 2,
            moment: 4,
            ..Snapshot::default()
        });
        let profiles = open_profiles(profile, None);
        let answer = ask(&profiles, "timeline", "");
        assert_eq!(answer["unit"], "event");
        assert_eq!(answer["thinned"], false);
        assert_eq!(answer["event"], json!([1, 1, 2, 2, 3, 3, 3]));
        assert_eq!(
            answer["time_ns"],
            json!([100, 150, 200, 250, 300, 350, 400])
        );
        assert_eq!(answer["kind"][6], "last");
        let live = &answer["series"]["live"];
        assert_eq!(*live, json!([1000, 1074, 1064, 1138, 1128, 1202, null]));
        let retained = json!([null, null, 77, null, null, null, null]);
        assert_eq!(answer["series"]["retained"], retained);
        // The last event counts to the end.
        let values = json!([1.0, null, 2.0, null, 3.0, null, null]);
        assert_eq!(
            answer["counters"],
            json!([{"name": "hits", "values": values}])
        );
        let events = json!([1, null, 1, null, 1, null, null]);
        assert_eq!(answer["counted_events"], events);
        let late = json!([{"name": "late", "event": 3, "time_ns": 300}]);
        assert_eq!(answer["snapshots"], late);
        assert_eq!(
            answer["stamps"][1],
            json!({"name": "mid", "event": 2, "time_ns": 220})
        );
    }

    #[test]
    fn begins_have_what_their_events_cost() {
        let mut profile = events(2);
        for (moment, calls) in profile.timeline.moments.iter_mut().zip(0_u64..) {
            moment.spent.calls = Some(calls * calls);
            moment.spent.thread_cpu_ns = Some(moment.time_ns - 10 * calls);
            moment.spent.tid = 7;
        }
        let answer = ask(&open_profiles(profile, None), "timeline", "");
        let expected = json!([
            {"name": "CPU time", "unit": "ns", "values": [40, null, 40, null, null]},
            {"name": "waited", "unit": "ns", "values": [10, null, 10, null, null]},
            {"name": "allocations", "unit": "count", "values": [1, null, 5, null, null]},
        ]);
        assert_eq!(answer["costs"], expected);
    }

    #[test]
    fn a_range_ends_where_the_next_event_begins() {
        let profiles = open_profiles(events(9), None);
        let answer = ask(&profiles, "timeline", "events=2..3");
        assert_eq!(answer["event"], json!([2, 2, 3, 3, 4]));
        let values = json!([2.0, null, 3.0, null, null]);
        assert_eq!(answer["counters"][0]["values"], values);
        assert_eq!(answer["stamps"].as_array().unwrap().len(), 2);
        let why = refusal(&profiles, "timeline", "events=20..30");
        assert_eq!(why, "there is no event 20; the last is 9");
    }

    #[test]
    fn a_long_run_is_thinned_and_no_count_is_lost() {
        let mut profile = events(1000);
        profile.timeline.moments[1000].live_bytes = Some(u64::MAX);
        profile.timeline.moments[1001].live_bytes = Some(0);
        let profiles = open_profiles(profile, None);
        let answer = ask(&profiles, "timeline", "points=100");
        assert_eq!(answer["thinned"], true);
        let length = answer["event"].as_array().unwrap().len();
        assert!((50..=100).contains(&length), "{length}");
        let live = answer["series"]["live"].as_array().unwrap();
        assert!(live.contains(&json!(u64::MAX)) && live.contains(&json!(0)));
        let values = answer["counters"][0]["values"].as_array().unwrap();
        let counted: f64 = values.iter().filter_map(Value::as_f64).sum();
        assert_eq!(counted, 500_500.0);
        let events = answer["counted_events"].as_array().unwrap();
        assert_eq!(events.iter().filter_map(Value::as_u64).sum::<u64>(), 1000);
        // Event number N counts N hits: a sum over several is that of their numbers.
        for (place, value) in values.iter().enumerate() {
            let Some(events) = events[place].as_u64() else {
                assert_eq!(*value, Value::Null);
                continue;
            };
            let first = answer["event"][place].as_u64().unwrap();
            let sum: u64 = (first..first + events).sum();
            assert_eq!(value.as_f64(), Some(sum as f64));
        }
        assert_eq!(answer["kind"][length - 1], "last");
        assert_eq!(answer["event"][0], 1);
    }

    #[test]
    fn nothing_is_an_answer_too() {
        let profiles = open_profiles(Profile::default(), None);
        let answer = ask(&profiles, "timeline", "points=0");
        assert_eq!(answer["event"], json!([]));
        assert_eq!(answer["counters"], json!([]));
    }
}
