//! What the stage matrix says: which interval keeps memory, and which difference to
//! believe.

use residue_analysis::stages::{self, Missing, Stages, Trust, Value};
use residue_profile::Timeline;
use residue_profile::units::bytes;

use crate::visible::visible;

/// The value that is asked for; without one the first of rss, vm and live that stamps have.
pub fn analyse(timeline: &Timeline, chosen: Option<Value>) -> Result<Stages, Missing> {
    let (names, stamps) = stages::stamps_of(timeline);
    let analyse = |value| stages::analyse(&names, &stamps, value);
    match chosen {
        Some(value) => analyse(value),
        None => [Value::Rss, Value::Vm, Value::Live]
            .into_iter()
            .map(analyse)
            .find(|stages| *stages != Err(Missing::Values))
            .unwrap_or(Err(Missing::Values)),
    }
}

/// Why there is no matrix.
pub fn reason(missing: Missing) -> &'static str {
    match missing {
        Missing::Stamps => {
            "there are no stamps and no events; a program sets them with residue_stamp, \
             and `residue import` reads those of other tools"
        }
        Missing::Events => {
            "the stamps belong to no events: none carries an event's number, and no name comes back"
        }
        Missing::Values => "none of the stamps has this value; choose another",
    }
}

/// The unit in which all values are shown, and the digits behind the point.
pub struct Scale {
    pub unit: &'static str,
    per_unit: f64,
    decimals: usize,
}

impl Scale {
    /// Whole numbers where all values are.
    pub fn of(stages: &Stages) -> Scale {
        let (unit, per_unit) = match stages.value {
            Value::Rss | Value::Vm | Value::Live => ("KiB", 1024),
            Value::Time => ("µs", 1000),
        };
        let cells = stages
            .rows
            .iter()
            .flat_map(|row| row.cells.iter().flatten());
        let starts = stages
            .rows
            .windows(2)
            .map(|pair| pair[1].first - pair[0].first);
        let whole = |value: i64| value % per_unit == 0;
        let all_whole = cells.copied().chain(starts).all(whole);
        Scale {
            unit,
            per_unit: per_unit as f64,
            decimals: if all_whole { 0 } else { 1 },
        }
    }

    pub fn value(&self, value: i64) -> String {
        format!("{:.*}", self.decimals, value as f64 / self.per_unit)
    }

    pub fn mean(&self, mean: f64) -> String {
        format!("{:.1}", mean / self.per_unit)
    }
}

/// A size with its sign where it is below zero: `-1.50 MiB`.
pub fn signed_bytes(mean: f64) -> String {
    let sign = if mean < -0.5 { "-" } else { "" };
    format!("{sign}{}", bytes(mean.abs().round() as u64))
}

/// What to take home: who is guilty, and which difference to believe.
pub fn words(stages: &Stages, per: &str) -> Vec<String> {
    let mut words = verdict(stages, per);
    words.extend(trust(stages, per, &Scale::of(stages)));
    words
}

/// What an interval is called.
pub fn interval_name(from: &str, to: &str, is_outside: bool, per: &str) -> String {
    let (from, to) = (visible(from), visible(to));
    match is_outside {
        true => format!("outside: {from} -> {to} of the next {per}"),
        false => format!("{from} -> {to}"),
    }
}

/// Which of the two to believe, and why.
pub fn trust(stages: &Stages, per: &str, scale: &Scale) -> Option<String> {
    let outside = stages.intervals.iter().find(|interval| interval.outside)?;
    let amount = format!("{} {}/{per}", scale.mean(outside.mean.abs()), scale.unit);
    if stages.columns.len() == 1 {
        return Some(format!(
            "every {per} has a single stamp: only start to start says anything"
        ));
    }
    if stages.value == Value::Time {
        return Some(format!(
            "start to end leaves out {amount} from the last stamp of each {per} to the next {per}"
        ));
    }
    Some(match stages.trust {
        Trust::StartToStartMore => format!(
            "trust start to start: it covers the whole turn; start to end misses {amount} that \
             appears after the last stamp of each {per}"
        ),
        Trust::StartToStartLess => format!(
            "trust start to start: it covers the whole turn; start to end counts {amount} that is \
             given back after the last stamp of each {per}"
        ),
        Trust::Both => format!(
            "both say the same, as little changes after the last stamp of each {per}; \
             start to start covers the whole turn"
        ),
        Trust::Neither => return None,
    })
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// More than half of the growth.
const MOST: f64 = 0.5;

/// The sentence to take home.
pub fn verdict(stages: &Stages, per: &str) -> Vec<String> {
    if stages.value == Value::Time || stages.intervals.is_empty() {
        return Vec::new();
    }
    let Some(guilty) = &stages.guilty else {
        return vec![format!(
            "no growth from {per} to {per} that is more than its noise"
        )];
    };
    let interval = &stages.intervals[guilty.interval];
    let (from, to) = (visible(&interval.from), visible(&interval.to));
    let amount = format!("{}/{per}", signed_bytes(interval.mean));
    let share = percent(guilty.share);
    // Where growth is spread over many intervals the largest is not yet the culprit.
    let guilty_or_largest = match guilty.share {
        MOST.. => "guilty",
        _ => "largest part",
    };
    let mut lines = vec![match (guilty.add_a_stamp, stages.columns.len()) {
        (true, 1) => format!(
            "{guilty_or_largest}: {amount} appears from one {from} to the next; add stamps inside the {per} \
             to see where"
        ),
        (true, _) => format!(
            "{guilty_or_largest}: {amount}, {share} of the growth, appears outside every stamped interval: \
             between {from} of one {per} and {to} of the next; add a stamp there"
        ),
        (false, _) => {
            format!("{guilty_or_largest}: {from} -> {to}, with {amount}, {share} of the growth")
        }
    }];
    lines.extend(given_back(stages, per));
    lines
}

/// Words for what should make memory less.
const RELEASES: [&str; 8] = [
    "reset", "clear", "release", "free", "clean", "delete", "destroy", "dispose",
];

/// Intervals that by their name should give memory back, and do not.
fn given_back(stages: &Stages, per: &str) -> Option<String> {
    let releases = |name: &str| {
        let name = name.to_lowercase();
        RELEASES.iter().any(|word| name.contains(word))
    };
    let idle = stages.intervals.iter().find(|interval| {
        !interval.outside
            && releases(&interval.from)
            && releases(&interval.to)
            && interval.growth >= 0
    })?;
    let (from, to) = (visible(&idle.from), visible(&idle.to));
    let amount = signed_bytes(idle.mean);
    Some(format!(
        "{from} -> {to} gives nothing back: it adds {amount}/{per}"
    ))
}
