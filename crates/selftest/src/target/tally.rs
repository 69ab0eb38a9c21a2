//! What was done by way of one function, counted by the caller.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TalliedKind {
    Heap,
    Mapping,
}

/// Blocks (or mappings) made while one function was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Linkage name of the function.
    pub function: String,
    pub kind: TalliedKind,
    /// Calls that made something.
    pub calls: u64,
    pub total_bytes: u64,
    pub frees: u64,
    pub live_bytes: u64,
    /// Calls of all kinds.
    pub all_calls: u64,
}

impl Tally {
    pub(crate) fn new(function: &str, kind: TalliedKind) -> Tally {
        Tally {
            function: function.to_string(),
            kind,
            calls: 0,
            total_bytes: 0,
            frees: 0,
            live_bytes: 0,
            all_calls: 0,
        }
    }

    pub(crate) fn made(&mut self, bytes: usize) {
        self.calls += 1;
        self.all_calls += 1;
        self.total_bytes += bytes as u64;
        self.live_bytes += bytes as u64;
    }

    /// A call took a whole block back.
    pub(crate) fn freed(&mut self, bytes: usize) {
        self.all_calls += 1;
        self.replaced(bytes);
    }

    /// A call that made another block gave this one up.
    pub(crate) fn replaced(&mut self, bytes: usize) {
        self.frees += 1;
        self.live_bytes -= bytes as u64;
    }

    /// A call took part of a mapping back.
    pub(crate) fn shortened(&mut self, bytes: usize) {
        self.all_calls += 1;
        self.live_bytes -= bytes as u64;
    }
}

/// The scope in which a function is tested: names of stacks in the profile that need
/// no symbols, which an executable may have been stripped of.
pub fn scope_name(function: &str) -> String {
    format!("selftest {function}")
}
