//! What could be done better, as far as the numbers prove it: containers that grew by
//! making themselves anew.

use residue_analysis::churn::{Evidence, Growing, growing};
use serde::Serialize;

use crate::paths::names;
use crate::report::source::Source;

/// Less is not worth a line.
const LEAST_SAVED_BYTES: u64 = 64 << 10;
const MOST_ADVICE: usize = 5;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// Index among the stacks of the profile.
    pub stack: usize,
    pub evidence: &'static str,
    /// Absent where they cannot be counted.
    pub containers: Option<u64>,
    pub allocations: u64,
    pub bytes_allocated: u64,
    pub saved_allocations: u64,
    pub saved_bytes_low: u64,
    pub saved_bytes_high: u64,
    /// Reserving what is really needed saves less than this.
    pub saved_bytes_below: u64,
    /// Root first.
    pub path: Vec<String>,
}

/// Those that could save most, first.
pub fn advice(source: &Source<'_>) -> Vec<Advice> {
    let mut paths = source.paths();
    let mut found = growing(source.profile);
    found.retain(|one| {
        one.saved_bytes.low >= LEAST_SAVED_BYTES && source.admits(one.stack as usize)
    });
    found.truncate(MOST_ADVICE);
    let advice = |one: &Growing| {
        let path = paths.steps(&source.profile.stacks[one.stack as usize]);
        Advice {
            stack: one.stack as usize,
            evidence: match one.evidence {
                Evidence::Doubling => "doubling",
                Evidence::Steps => "steps",
                Evidence::Reallocation => "reallocation",
            },
            containers: one.containers,
            allocations: one.allocations,
            bytes_allocated: one.bytes_allocated,
            saved_allocations: one.saved_allocations,
            saved_bytes_low: one.saved_bytes.low,
            saved_bytes_high: one.saved_bytes.high,
            saved_bytes_below: one.saved_bytes_below,
            path: names(&path),
        }
    };
    found.iter().map(advice).collect()
}
