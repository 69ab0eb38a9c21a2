//! What the stage matrix says: which interval keeps memory, and which difference to
//! believe.

use residue_analysis::sentences;
use residue_analysis::stages::{Missing, Stages, Trust, Value};
use residue_profile::units::fractional_bytes;
use serde::Serialize;

use crate::visible::visible;

/// The stage matrix for programs to read; the schema is docs/schemas/stages.schema.json.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Of every value: `bytes` or `nanoseconds`.
    unit: &'static str,
    /// What a mean is per.
    per: &'a str,
    /// The stage matrix.
    stages: &'a Stages,
}

pub fn document<'a>(stages: &'a Stages, per: &'a str) -> Document<'a> {
    Document {
        format: "residue-stages",
        version: 1,
        unit: match stages.value {
            Value::Rss | Value::Vm | Value::Live => "bytes",
            Value::Time => "nanoseconds",
        },
        per,
        stages,
    }
}

/// Why there is no matrix.
pub fn reason(missing: &Missing) -> String {
    let reason = match missing {
        Missing::NotAlwaysRead(reasons) => return sentences::of_stages(reasons).join("; "),
        Missing::Stamps => {
            "there are no stamps and no events; a program sets them with residue_stamp, \
             and `residue import` reads those of other tools"
        }
        Missing::Events => {
            "the stamps belong to no events: none has an event number, and no name repeats"
        }
        Missing::Values => "no stamp has this value; choose another with --value",
    };
    reason.to_string()
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

/// The resident size beside the live heap, or why it is not known; and what was left out.
pub fn resident(stages: &Stages, per: &str) -> Vec<String> {
    let mut lines = sentences::of_stages(&stages.reasons);
    if let Some(resident) = &stages.resident {
        let mean = resident.mean.map(fractional_bytes);
        lines.extend(mean.map(|mean| {
            format!("RSS {mean}/{per} from start to start, without the recorder's own memory")
        }));
        lines.extend(sentences::of_stages(&resident.reasons));
    }
    lines
}

/// What to take home: who is guilty, and which difference to believe.
pub fn words(stages: &Stages, per: &str) -> Vec<String> {
    let mut words = verdict(stages, per);
    words.extend(trust(stages, per, &Scale::of(stages)));
    words.extend(resident(stages, per));
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
            "every {per} has a single stamp: only start to start is meaningful"
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
    let amount = format!(
        "+{}/{per}, of which {} survive: {} of the growth",
        fractional_bytes(guilty.rise_mean),
        fractional_bytes(guilty.surviving_mean),
        percent(guilty.share)
    );
    let mut lines = vec![match (guilty.add_a_stamp, stages.columns.len()) {
        (true, 1) => format!(
            "largest rise: {amount}, from one {from} to the next; add stamps inside the {per} to \
             see where"
        ),
        (true, _) => format!(
            "largest rise: {amount}, outside every stamped interval: between {from} of one {per} \
             and {to} of the next; add a stamp there"
        ),
        (false, _) => format!("largest rise: {from} -> {to}, {amount}"),
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
    let amount = fractional_bytes(idle.mean);
    Some(format!(
        "{from} -> {to} gives nothing back: it adds {amount}/{per}"
    ))
}
