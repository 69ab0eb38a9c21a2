//! The numbers that decided what shape a stack has.

use super::Shape;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ShapeReason"))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    Grows {
        bytes_per_event: f64,
        low: f64,
        high: f64,
    },
    /// Part of what the last event left is gone when the process ends.
    FreedAfterLastEvent {
        freed_bytes: u64,
        left_bytes: u64,
    },
    FewReadings {
        readings: usize,
    },
    FellBackOnce,
    FallsBackAgainAndAgain {
        times: usize,
    },
    FreedInLaterEvents {
        blocks: u64,
        mean_events: f64,
        longest_events: f64,
    },
    StaysAt {
        bytes: f64,
    },
    MovesWithoutDirection {
        range_bytes: f64,
    },
    Rises {
        bytes: f64,
        rises: usize,
        /// The reading by which 95 % of it were reached.
        most_by_reading: usize,
        readings: usize,
    },
    GrowthUndetermined {
        bytes_per_event: f64,
        low: f64,
        high: f64,
    },
    /// Growth slows down and will end.
    Fills {
        live_bytes: f64,
        /// What it will hold, and the 95 % interval of that.
        end_bytes: f64,
        end_low: f64,
        end_high: f64,
        /// At the end of the run, and at its begin.
        bytes_per_event: f64,
        first_bytes_per_event: f64,
    },
    /// Growth slows down, and may go on without an end.
    SlowsDown {
        /// At the end of the run, and at its begin.
        bytes_per_event: f64,
        first_bytes_per_event: f64,
    },
    /// So far the rate may be constant, or that of a cache that fills up.
    SteadyOrFilling {
        needs_events: u64,
    },
    /// Nothing points to what the stack left, so it is a leak at any pace.
    Lost {
        /// Of the bytes that were left, without those of the last events.
        lost_bytes: u64,
        left_bytes: u64,
        from_events: u64,
    },
    NoSurvivors,
    SurvivorsOfLastEvents {
        events: u64,
        of_events: u64,
    },
    SurvivorsOfFirstEvents {
        events: u64,
        of_events: u64,
    },
    Survivors {
        from_events: u64,
        of_events: u64,
        mean_bytes: f64,
    },
    /// Other stacks lose what this one gains.
    Exchange,
    /// Of all that survive together the sum may not grow.
    SumMayBeAtRest,
    /// Lines that begin events were read too late.
    LateLines,
    /// It grows by less than the stacks that the verdict was made from.
    NotInVerdict,
    /// In the whole run it has another shape.
    OnlyInThisRange {
        run: Shape,
    },
}
