//! Which counters a reading of a profile knows. "Not recorded" is an answer; zero is a
//! measurement.

use crate::Counter;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Measured {
    /// A whole recording: every counter.
    #[default]
    Everything,
    /// A moment, or what lies between two, that have totals: what was allocated and freed, and what
    /// was live; not the highest that was.
    WithTotals,
    /// A moment, or what lies between two: what was live, not what had been allocated.
    LiveOnly,
    /// Some of the threads: what they allocated and freed. What is live of that is not
    /// known, since another thread may have freed it.
    ByThread,
}

impl Measured {
    pub fn has(self, counter: Counter) -> bool {
        let is_live = matches!(counter, Counter::Live | Counter::LiveBlocks | Counter::Cpu);
        let is_made = matches!(counter, Counter::Calls | Counter::Total | Counter::Frees);
        match self {
            Measured::Everything => true,
            Measured::WithTotals => is_live || is_made || counter == Counter::Temporaries,
            Measured::LiveOnly => is_live,
            Measured::ByThread => is_made || counter == Counter::Cpu,
        }
    }

    /// The same of a field of [`crate::Counters`].
    pub fn has_field(self, name: &str) -> bool {
        let is_live = ["live_bytes", "live_blocks", "cpu_ns"].contains(&name);
        let is_made = ["calls", "total_bytes", "frees"].contains(&name);
        match self {
            Measured::Everything => true,
            Measured::WithTotals => is_live || is_made || name == "temporaries",
            Measured::LiveOnly => is_live,
            Measured::ByThread => is_made || name == "cpu_ns",
        }
    }

    /// Whether it is of moments.
    pub fn is_of_moments(self) -> bool {
        matches!(self, Measured::WithTotals | Measured::LiveOnly)
    }

    /// Of the sum of two readings only what both know.
    pub fn and(self, other: Measured) -> Measured {
        match (self, other) {
            (Measured::Everything, other) => other,
            (Measured::WithTotals, other @ (Measured::LiveOnly | Measured::ByThread)) => other,
            (this, _) => this,
        }
    }

    /// Why a counter is not known, to follow its name: `was not recorded ...`.
    pub fn why_not(self) -> &'static str {
        match self {
            Measured::Everything => "was recorded",
            Measured::WithTotals => {
                "was not recorded for moments: use --counter live, live-blocks, calls, total, \
                 frees, temporaries or cpu, or leave out the moment"
            }
            Measured::LiveOnly => {
                "was not recorded for these moments, only what was live, and CPU time: use \
                 --counter live, live-blocks or cpu, or moments with totals (residue dump FILE)"
            }
            Measured::ByThread => {
                "was not recorded by thread: use --counter calls, total, frees \
                 or cpu"
            }
        }
    }
}
