//! What was found in a series, and why numbers differ.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GrowthReason"))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    TooFewReadings {
        readings: usize,
    },
    /// Too few for noise, which they have.
    TooFewForNoise {
        readings: usize,
    },
    /// Single readings that stick out.
    SpikesSetAside {
        readings: usize,
    },
    /// Events from `first_event` on that grew at another rate.
    WarmUpExcluded {
        first_event: u64,
        events: u64,
    },
    AllReadingsEqual,
    /// Moved at first, and not in the last readings.
    UnchangedAtTheEnd {
        readings: usize,
    },
    IncrementsEqual {
        increments: usize,
        after_warm_up: bool,
    },
    IncrementsRepeat {
        period_events: usize,
        adds_up_to_nothing: bool,
        after_warm_up: bool,
    },
    BelowNegligible {
        negligible_bytes_per_event: f64,
    },
    EndsAndFitDiffer {
        end_to_end_bytes_per_event: f64,
        line_fit_bytes_per_event: f64,
        first_above_fit_bytes: f64,
        last_above_fit_bytes: f64,
    },
    RisesInSteps {
        steps: usize,
        mean_step_bytes: f64,
    },
    /// Noise that adds up from event to event.
    RandomWalkNoise,
    /// Noise with a memory of several events.
    CorrelatedNoise,
    GrewThenStopped {
        stopped_at_event: u64,
    },
    ShrankThenStopped {
        stopped_at_event: u64,
    },
    /// Hardly anything is added against what came before.
    FilledUp,
    /// Much slower than before, but not at rest.
    MayBeFillingUp,
    NotInLastThird,
    FewJumpsExplain,
    /// Still for longer than ever before.
    StillLately,
    /// A saw may be at its next tooth.
    FellBackBefore,
    FewReadingsAfterWarmUp {
        readings: usize,
    },
    FewSteps,
    /// Zero is outside the 95 % interval and inside the 99 % one.
    NotCertainEnough,
}
