//! Stages: what grows between which stamps.
//!
//! ```text
//!   stamps ── turns ──► events ── matrix ──► rows x columns ── series ──► start to start
//!             which stamp         relative to each             intervals  start to end
//!             is whose            event's first stamp                     who is guilty
//! ```
//!
//! An event's stamps cut its turn into intervals; the last one, from its last
//! stamp to the first stamp of the next event, is outside all of them. The
//! intervals of a turn add up to its start-to-start difference, always.

mod by_turn;
mod intervals;
mod jumps;
mod matrix;
mod reason;
mod resident;
mod series;
mod source;
mod tags;
mod turns;

pub use intervals::{Guilty, Interval, Trust};
pub use jumps::Jump;
pub use matrix::StageRow;
pub use reason::Reason;
pub use resident::Resident;
pub use series::{Drift, Series};
pub use source::stamps_of;
pub use turns::{Turns, find as find_turns};

use crate::history::EventRange;
use residue_profile::Timeline;
use residue_profile::timeline::Stamp;
use serde::Serialize;

/// What of a stamp is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StagesValue"))]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    Rss,
    Vm,
    /// The exact live heap, where it was recorded.
    Live,
    Time,
}

impl Value {
    /// Bytes, or nanoseconds for the time; `None` where it was not read.
    fn of(self, stamp: &Stamp) -> Option<i64> {
        let value = match self {
            Value::Rss => stamp.rss_bytes?,
            Value::Vm => stamp.vm_bytes?,
            Value::Live => stamp.live_bytes?,
            Value::Time => stamp.time_ns,
        };
        i64::try_from(value).ok()
    }
}

/// The stage matrix, and what it says. Values are in bytes, or in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stages {
    pub value: Value,
    /// Names of the stamps, in the order of an event.
    pub columns: Vec<String>,
    /// One an event that has a stamp with this value.
    pub rows: Vec<StageRow>,
    /// Rows at the start that are unlike the others; no mean contains them.
    pub warm_up_rows: usize,
    /// Stamps before the first event.
    pub set_up_stamps: usize,
    /// Names that only one event has; they are no column.
    pub left_out: Vec<String>,
    /// Of each column, over the rows after warm-up that have it.
    pub column_means: Vec<Option<f64>>,
    /// From an event's first stamp to the next one's.
    pub start_to_start: Series,
    /// From an event's first stamp to its last.
    pub start_to_end: Series,
    /// In the order of the columns; the one outside every event comes last.
    pub intervals: Vec<Interval>,
    pub trust: Trust,
    /// The interval of which most survives, where there is growth.
    pub guilty: Option<Guilty>,
    /// The turns that grew most.
    pub jumps: Vec<Jump>,
    #[serde(rename = "reason_codes")]
    pub reasons: Vec<Reason>,
    /// Beside the live heap: what became of the resident size, where that was read.
    pub resident: Option<Resident>,
}

/// Why there is no stage matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    Stamps,
    /// No stamp carries an event number and no name comes back.
    Events,
    /// No stamp of an event has the value asked for.
    Values,
    /// Some have it, but no stamp has it in every event.
    NotAlwaysRead(Vec<Reason>),
}

/// The stages of some events. Without a choice of value the live heap, which is exact; where
/// stamps do not have it, as in files of other tools, the resident or else the virtual size.
pub fn of_events(
    timeline: &Timeline,
    range: EventRange,
    chosen: Option<Value>,
) -> Result<Stages, Missing> {
    let (names, stamps) = stamps_of(timeline);
    let events = range.from..=range.to;
    let mut stamps = stamps.into_owned();
    if range != EventRange::ALL {
        stamps.retain(|stamp| events.contains(&stamp.event));
    }
    let mut stages = match chosen {
        Some(value) => analyse(&names, &stamps, value)?,
        None => analyse(&names, &stamps, Value::Live)
            .and_then(|stages| match stages.reasons.is_empty() {
                true => Ok(stages),
                false => Err(Missing::NotAlwaysRead(stages.reasons)),
            })
            .or_else(|_| analyse(&names, &stamps, Value::Rss))
            .or_else(|_| analyse(&names, &stamps, Value::Vm))?,
    };
    if stages.value == Value::Live {
        stages.resident = Resident::beside(&stages, &names, &stamps);
    }
    Ok(stages)
}

/// Finds the events, lays out the matrix and sums it up.
pub fn analyse(names: &[String], stamps: &[Stamp], value: Value) -> Result<Stages, Missing> {
    if stamps.is_empty() {
        return Err(Missing::Stamps);
    }
    let turns = find_turns(names, stamps).ok_or(Missing::Events)?;
    let matrix = matrix::lay_out(names, stamps, &turns, value);
    if matrix.rows.is_empty() {
        let is_read =
            |reason: &Reason| matches!(reason, Reason::NotAlwaysRead { readings: 1.., .. });
        return Err(match matrix.reasons.iter().any(is_read) {
            true => Missing::NotAlwaysRead(matrix.reasons),
            false => Missing::Values,
        });
    }
    let starts: Vec<i64> = matrix.rows.iter().map(|row| row.first).collect();
    let turn_growths: Vec<i64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let within: Vec<i64> = matrix.rows.iter().map(|row| row.last - row.first).collect();
    let warm_up_rows = match value {
        Value::Time => 0,
        Value::Rss | Value::Vm | Value::Live => series::warm_up(&turn_growths),
    };
    let start_to_start = Series::new(turn_growths, warm_up_rows);
    let start_to_end = Series::new(within, warm_up_rows);
    let intervals = intervals::of(&matrix, warm_up_rows);
    let trust = intervals::trust(&intervals, &start_to_start);
    let guilty = match value {
        Value::Time => None,
        Value::Rss | Value::Vm | Value::Live => intervals::guilty(&intervals, &start_to_start),
    };
    Ok(Stages {
        value,
        column_means: matrix.column_means(warm_up_rows),
        jumps: jumps::of(&matrix),
        columns: matrix.columns,
        rows: matrix.rows,
        warm_up_rows,
        set_up_stamps: turns.set_up_stamps(),
        left_out: matrix.left_out,
        start_to_start,
        start_to_end,
        intervals,
        trust,
        guilty,
        reasons: matrix.reasons,
        resident: None,
    })
}
