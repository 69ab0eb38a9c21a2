//! Between which stamps memory grows, as `residue stages` finds it.

use anyhow::Result;
use residue_analysis::history::EventRange;
use residue_analysis::stages::{self, Stages, Value};
use residue_profile::timeline::EventNumber;
use serde::Serialize;

use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::stages::{interval_name, reason, words};

const MOST_ROWS: usize = 400;
/// Of more, those that change least are not sent.
const MOST_INTERVALS: usize = 200;

/// Answers `api/stages`. Parameters: side, value (rss, vm, live, time).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StagesAnswer {
    /// Why there are no stages, where there are none.
    missing: Option<String>,
    value: Value,
    unit: StagesUnit,
    intervals: Vec<Interval>,
    /// At most 400 rows; where there are more events, each row stands for so many and holds
    /// sums.
    events_per_row: u32,
    rows: Vec<StageRow>,
    start_to_start: Vec<Option<i64>>,
    /// In words: which interval rises most, how sure that is.
    words: Vec<String>,
    jumps: Vec<Jump>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
enum StagesUnit {
    Bytes,
    Nanoseconds,
}

#[derive(Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "StagesInterval")
)]
struct Interval {
    name: String,
    mean: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    share: Option<f64>,
    guilty: bool,
}

/// One event, or several together.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StagesRow"))]
struct StageRow {
    event: EventNumber,
    values: Vec<Option<i64>>,
    #[serde(skip)]
    start_to_start: Option<i64>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StagesJump"))]
struct Jump {
    event: EventNumber,
    interval: String,
    value: i64,
}

pub fn stages(profiles: &OpenProfiles, question: &Question) -> Result<StagesAnswer> {
    let profile = &profiles.side(question)?.profile;
    let timeline = &profile.timeline;
    let chosen = match question.word("value", &["", "rss", "vm", "live", "time"])? {
        "rss" => Some(Value::Rss),
        "vm" => Some(Value::Vm),
        "live" => Some(Value::Live),
        "time" => Some(Value::Time),
        _ => None,
    };
    let per = timeline.about.source.unit();
    Ok(
        match stages::of_events(timeline, EventRange::recorded(profile), chosen) {
            Ok(stages) => answer(&stages, per),
            Err(missing) => nothing(chosen.unwrap_or(Value::Live), reason(&missing)),
        },
    )
}

fn unit(value: Value) -> StagesUnit {
    match value {
        Value::Rss | Value::Vm | Value::Live => StagesUnit::Bytes,
        Value::Time => StagesUnit::Nanoseconds,
    }
}

fn nothing(value: Value, why: String) -> StagesAnswer {
    StagesAnswer {
        missing: Some(why),
        value,
        unit: unit(value),
        intervals: Vec::new(),
        events_per_row: 1,
        rows: Vec::new(),
        start_to_start: Vec::new(),
        words: Vec::new(),
        jumps: Vec::new(),
    }
}

fn answer(stages: &Stages, per: &str) -> StagesAnswer {
    let sent = sent_intervals(stages);
    let bounds = stages.mean_bounds();
    let guilty = stages.guilty.as_ref().map(|guilty| guilty.interval);
    let interval = |&index: &usize| {
        let one = &stages.intervals[index];
        Interval {
            name: interval_name(&one.from, &one.to, one.outside, per),
            mean: Some(one.mean),
            low: bounds[index].map(|(low, _)| low),
            high: bounds[index].map(|(_, high)| high),
            share: one.share,
            guilty: guilty == Some(index),
        }
    };
    let events_per_row = events_per_row(stages);
    let rows = rows(stages, &sent, events_per_row);
    let jumps = stages.jumps.iter().map(|jump| Jump {
        event: jump.event,
        interval: interval_name(&jump.from, &jump.to, jump.outside, per),
        value: jump.part,
    });
    StagesAnswer {
        missing: None,
        value: stages.value,
        unit: unit(stages.value),
        intervals: sent.iter().map(interval).collect(),
        events_per_row,
        start_to_start: rows.iter().map(|row| row.start_to_start).collect(),
        rows,
        words: words(stages, per),
        jumps: match stages.value {
            Value::Time => Vec::new(),
            Value::Rss | Value::Vm | Value::Live => jumps.collect(),
        },
    }
}

/// Numbers of the intervals that are sent, in their order.
fn sent_intervals(stages: &Stages) -> Vec<usize> {
    let mut sent: Vec<usize> = (0..stages.intervals.len()).collect();
    if sent.len() > MOST_INTERVALS {
        sent.sort_by_key(|&index| std::cmp::Reverse(stages.intervals[index].growth.unsigned_abs()));
        sent.truncate(MOST_INTERVALS);
        sent.sort_unstable();
    }
    sent
}

fn events_per_row(stages: &Stages) -> u32 {
    if stages.rows.len() <= MOST_ROWS {
        return 1;
    }
    let events = || stages.rows.iter().map(|row| row.event);
    let (first, last) = (events().min().unwrap_or(0), events().max().unwrap_or(0));
    let span = u64::from(last - first) + 1;
    u32::try_from(span.div_ceil(MOST_ROWS as u64)).unwrap_or(u32::MAX)
}

/// A row an event; or one for as many events as it takes, by their numbers.
fn rows(stages: &Stages, sent: &[usize], events_per_row: u32) -> Vec<StageRow> {
    let first = stages.rows.iter().map(|row| row.event).min().unwrap_or(0);
    let mut rows: Vec<StageRow> = Vec::new();
    for (index, (row, values)) in stages.rows.iter().zip(stages.by_turn()).enumerate() {
        let values: Vec<Option<i64>> = sent.iter().map(|&interval| values[interval]).collect();
        let start_to_start = stages.start_to_start.values.get(index).copied();
        let event = match events_per_row {
            1 => row.event,
            width => first + (row.event - first) / width * width,
        };
        match rows.last_mut() {
            Some(last) if events_per_row > 1 && last.event >= event => {
                for (sum, value) in last.values.iter_mut().zip(values) {
                    add(sum, value);
                }
                add(&mut last.start_to_start, start_to_start);
            }
            _ => rows.push(StageRow {
                event,
                values,
                start_to_start,
            }),
        }
    }
    rows
}

fn add(sum: &mut Option<i64>, value: Option<i64>) {
    if let Some(value) = value {
        *sum = Some(sum.unwrap_or(0).saturating_add(value));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles, refusal};
    use residue_profile::Profile;
    use serde_json::{Value, json};

    #[test]
    fn events_are_rows_and_stretches_between_stamps_columns() {
        let profiles = open_profiles(events(5), None);
        let answer = ask(&profiles, "stages", "value=live");
        assert_eq!([&answer["value"], &answer["unit"]], ["live", "bytes"]);
        assert_eq!(answer["events_per_row"], 1);
        let names = [
            "begin -> mid",
            "mid -> end",
            "outside: end -> begin of the next event",
        ];
        let shown = answer["intervals"].as_array().unwrap().iter();
        let shown: Vec<&str> = shown.map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(shown, names);
        let mean = json!({
            "name": names[0], "mean": 64.0, "low": 64.0, "high": 64.0, "share": 1.0, "guilty": true
        });
        assert_eq!(answer["intervals"][0], mean);
        assert_eq!(
            answer["rows"][1],
            json!({"event": 2, "values": [64, 10, -10]})
        );
        assert_eq!(
            answer["rows"][4],
            json!({"event": 5, "values": [64, 10, null]})
        );
        assert_eq!(answer["start_to_start"], json!([64, 64, 64, 64, null]));
        assert_eq!(
            answer["jumps"][0],
            json!({"event": 1, "interval": names[0], "value": 64})
        );
        let words = answer["words"][0].as_str().unwrap();
        assert_eq!(
            words,
            "largest rise: begin -> mid, +64 B/event, of which 64 B survive: 100.0 % of the growth"
        );
        // Without a choice the live heap, where it was recorded.
        assert_eq!(ask(&profiles, "stages", "")["value"], "live");
        assert_eq!(ask(&profiles, "stages", "value=time")["jumps"], json!([]));
    }

    #[test]
    fn many_events_are_summed_in_rows_and_nothing_is_lost() {
        let answer = ask(&open_profiles(events(1001), None), "stages", "value=live");
        assert_eq!(answer["events_per_row"], 3);
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 334);
        assert_eq!(rows[1], json!({"event": 4, "values": [192, 30, -30]}));
        assert_eq!(rows[333], json!({"event": 1000, "values": [128, 20, -10]}));
        let sums = answer["start_to_start"].as_array().unwrap();
        let sum: i64 = sums.iter().filter_map(Value::as_i64).sum();
        assert_eq!(sum, 64 * 1000);
    }

    #[test]
    fn what_is_missing_is_said() {
        let profiles = open_profiles(Profile::default(), Some(events(3)));
        let answer = ask(&profiles, "stages", "");
        let why = answer["missing"].as_str().unwrap();
        assert!(why.starts_with("there are no stamps"), "{why}");
        assert_eq!(answer["rows"], json!([]));
        let answer = ask(&profiles, "stages", "side=b&value=vm");
        assert_eq!(
            answer["missing"],
            "no stamp has this value; choose another with --value"
        );
        assert!(refusal(&profiles, "stages", "value=weight").contains("`weight` is not one of"));
    }
}
