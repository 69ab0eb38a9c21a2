//! Which counters a reading of a profile knows. "Not recorded" is an answer; zero is a
//! measurement.

use crate::Counter;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Measured {
    /// A whole recording: every counter.
    #[default]
    Everything,
    /// A moment, or what lies between two: what was live, not what had been allocated.
    LiveOnly,
    /// Some of the threads: what they allocated and freed. What is live of that is not
    /// known, since another thread may have freed it.
    ByThread,
}

impl Measured {
    pub fn has(self, counter: Counter) -> bool {
        match self {
            Measured::Everything => true,
            Measured::LiveOnly => {
                matches!(counter, Counter::Live | Counter::LiveBlocks | Counter::Cpu)
            }
            Measured::ByThread => matches!(
                counter,
                Counter::Calls | Counter::Total | Counter::Frees | Counter::Cpu
            ),
        }
    }

    /// The same of a field of [`crate::Counters`].
    pub fn has_field(self, name: &str) -> bool {
        match self {
            Measured::Everything => true,
            Measured::LiveOnly => ["live_bytes", "live_blocks", "cpu_ns"].contains(&name),
            Measured::ByThread => ["calls", "total_bytes", "frees", "cpu_ns"].contains(&name),
        }
    }

    /// Of the sum of two readings only what both know.
    pub fn and(self, other: Measured) -> Measured {
        match (self, other) {
            (Measured::Everything, other) => other,
            (this, _) => this,
        }
    }

    /// Why a counter is not known, to follow its name: `was not recorded ...`.
    pub fn why_not(self) -> &'static str {
        match self {
            Measured::Everything => "was recorded",
            Measured::LiveOnly => {
                "was not recorded for moments, only what was live, and CPU time: use --counter \
                 live, live-blocks or cpu, or leave out the moment"
            }
            Measured::ByThread => {
                "was not recorded by thread: use --counter calls, total, frees \
                 or cpu"
            }
        }
    }
}
