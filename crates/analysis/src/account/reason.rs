//! What was concluded from what about the resident size, and what could not be known.

use residue_profile::timeline::EventNumber;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "AccountReason")
)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    LastMinusFirst {
        accounts: usize,
        from_event: EventNumber,
        to_event: EventNumber,
    },
    LineFit {
        accounts: usize,
        from_event: EventNumber,
        to_event: EventNumber,
    },
    /// The kernel's own sum was not read at every account.
    RssIsSumOfKinds,
    AllocatorKeepsMore {
        slack_bytes_per_event: f64,
        live_bytes_per_event: f64,
    },
    NeverWritten {
        untouched_bytes_per_event: f64,
        live_bytes_per_event: f64,
    },
    /// Free memory was used up, or new memory not touched.
    LiveOutgrowsResidentHeap,
    NoAllocatorStatistics,
    AllocatorStatisticsTooLow,
}
