//! What stacks need not allocate, as far as the numbers prove it: containers that could
//! reserve their elements, blocks that could be reused.

mod words;

use residue_analysis::churn::{Action, Evidence, Limits, Saving};
use serde::Serialize;

/// Less is not worth a line.
pub const LEAST_SAVED_BYTES: u64 = 64 << 10;

/// What to do about a stack, and what that saves. Numbers that are known within limits have a
/// low and a high one, which are equal where they are exact.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Advice {
    /// What was seen, and what doing otherwise would save.
    pub words: String,
    /// Index among the stacks of `residue dump`.
    pub stack: u32,
    /// `reserve`: room for the elements of containers that reallocate as they grow. `reuse`: one
    /// block, instead of one after another of the same size.
    pub action: &'static str,
    /// What proves it: `doubling`, `hash-table`, `steps`, `reallocation` or `one-size`.
    pub evidence: &'static str,
    /// All of the stack's.
    pub allocations: u64,
    pub bytes_allocated: u64,
    /// Mean over all events; null without events.
    pub allocations_per_event: Option<f64>,
    /// How many containers grew; null where they cannot be counted.
    pub containers: Option<u64>,
    /// Most elements of all containers together; null where it is not known how large one is.
    pub elements_low: Option<u64>,
    pub elements_high: Option<u64>,
    /// Final capacities of all containers together.
    pub final_bytes_low: Option<u64>,
    pub final_bytes_high: Option<u64>,
    /// Size of the block to reuse.
    pub block_bytes: Option<u64>,
    /// By reserving the number of elements, or by reusing the block.
    pub saved_allocations: u64,
    pub saved_bytes_low: u64,
    pub saved_bytes_high: u64,
}

impl Advice {
    /// `unit` is what allocations are counted per: `event` or `tick`.
    pub fn of(saving: &Saving, unit: &str) -> Advice {
        let mut advice = Advice::without_words(saving);
        advice.words = words::sentence(&advice, unit);
        advice
    }

    fn without_words(saving: &Saving) -> Advice {
        let growing = match &saving.action {
            Action::Reserve(growing) => Some(growing),
            Action::Reuse { .. } => None,
        };
        let elements = growing.and_then(|growing| growing.elements);
        let final_bytes = growing.map(|growing| growing.final_bytes);
        let low = |limits: Option<Limits>| limits.map(|limits| limits.low);
        let high = |limits: Option<Limits>| limits.map(|limits| limits.high);
        Advice {
            words: String::new(),
            stack: saving.stack,
            action: match saving.action {
                Action::Reserve(_) => "reserve",
                Action::Reuse { .. } => "reuse",
            },
            evidence: match growing.map(|growing| growing.evidence) {
                Some(Evidence::Doubling) => "doubling",
                Some(Evidence::HashTable) => "hash-table",
                Some(Evidence::Steps) => "steps",
                Some(Evidence::Reallocation) => "reallocation",
                None => "one-size",
            },
            allocations: saving.allocations,
            bytes_allocated: saving.bytes_allocated,
            allocations_per_event: saving.allocations_per_event,
            containers: growing.and_then(|growing| growing.containers),
            elements_low: low(elements),
            elements_high: high(elements),
            final_bytes_low: low(final_bytes),
            final_bytes_high: high(final_bytes),
            block_bytes: match saving.action {
                Action::Reserve(_) => None,
                Action::Reuse { block_bytes } => Some(block_bytes),
            },
            saved_allocations: saving.saved_allocations,
            saved_bytes_low: saving.saved_bytes.low,
            saved_bytes_high: saving.saved_bytes.high,
        }
    }
}
