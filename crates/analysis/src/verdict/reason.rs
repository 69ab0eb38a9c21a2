//! Why a run or a range has its headline.

use super::{Basis, Headline};
use residue_profile::timeline::EventNumber;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "VerdictReason")
)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    /// Lines of output that were read only when the next had come.
    LateLines {
        late_events: u64,
        events: u64,
    },
    /// Blocks survive, but what they add up to may not grow.
    SumMayBeAtRest,
    /// No single stack stands out; all together grow.
    ManyPaths,
    /// `live_is_flat` is false where the live heap moved, and where nothing is known of it.
    SizeMayGrow {
        basis: Basis,
        live_is_flat: bool,
    },
    AllStacksComeToRest,
    /// Growth slows down and will end.
    Fills {
        live_bytes: f64,
        /// What is held in the end, and the 95 % interval of that.
        end_bytes: f64,
        end_low: f64,
        end_high: f64,
        first_bytes_per_event: f64,
    },
    /// Growth slows down, and may go on without an end.
    SlowsDown {
        first_bytes_per_event: f64,
    },
    /// So far the rate may be constant, or that of a cache that fills up.
    SteadyOrFilling {
        needs_events: u64,
    },
    /// What these stacks gain others lose.
    Exchange {
        stacks: usize,
        bytes_per_event: f64,
    },
    /// Recording was paused before the first event and after the last of these.
    PartlyRecorded {
        from: EventNumber,
        to: EventNumber,
        events: u64,
    },
    /// The whole run says less.
    OnlyInThisRange {
        run: Headline,
    },
}
