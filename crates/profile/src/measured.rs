//! Which counters a reading of a profile knows. "Not recorded" is an answer; zero is a
//! measurement.

use crate::{Counter, Profile};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Measured {
    /// A whole recording: every counter that its file has.
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
    /// Whether this reading of a profile knows a counter.
    pub fn has(self, profile: &Profile, counter: Counter) -> bool {
        let is_live = matches!(counter, Counter::Live | Counter::LiveBlocks | Counter::Cpu);
        let is_made = matches!(counter, Counter::Calls | Counter::Total | Counter::Frees);
        if counter == Counter::Largest && !profile.has_largest {
            return false;
        }
        match self {
            Measured::Everything => true,
            Measured::WithTotals => is_live || is_made || counter == Counter::Temporaries,
            Measured::LiveOnly => is_live,
            Measured::ByThread => is_made || matches!(counter, Counter::Cpu | Counter::Largest),
        }
    }

    /// The same of a field of [`crate::Counters`].
    pub fn has_field(self, profile: &Profile, name: &str) -> bool {
        let of_field = |counter: &Counter| counter.fields().contains(&name);
        let counter = Counter::ALL.into_iter().find(of_field);
        counter.is_some_and(|counter| self.has(profile, counter))
    }

    /// Whether it knows every counter there is.
    pub fn has_all(self, profile: &Profile) -> bool {
        Counter::ALL.into_iter().all(|it| self.has(profile, it))
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
    pub fn why_not(self, profile: &Profile, counter: Counter) -> &'static str {
        if counter == Counter::Largest && !profile.has_largest && !self.is_of_moments() {
            return "was not recorded: the file is from an earlier version of residue or from \
                    another tool";
        }
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
                "was not recorded by thread: use --counter calls, total, frees, cpu \
                 or largest"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counters;

    const READINGS: [Measured; 4] = [
        Measured::Everything,
        Measured::WithTotals,
        Measured::LiveOnly,
        Measured::ByThread,
    ];

    /// Every field belongs to a counter, so none is left out unnoticed.
    #[test]
    fn a_whole_recording_has_every_field() {
        let profile = Profile {
            has_largest: true,
            ..Profile::default()
        };
        assert!(Measured::Everything.has_all(&profile));
        for name in Counters::NAMES {
            assert!(Measured::Everything.has_field(&profile, name), "{name}");
        }
        let by_thread = |name: &&&str| Measured::ByThread.has_field(&profile, name);
        let of_thread: Vec<_> = Counters::NAMES.iter().filter(by_thread).collect();
        assert_eq!(
            of_thread,
            [
                &"calls",
                &"frees",
                &"total_bytes",
                &"cpu_ns",
                &"largest_bytes"
            ]
        );
    }

    #[test]
    fn the_largest_block_is_known_of_whole_recordings_and_of_threads() {
        let known = |has_largest: bool| {
            let profile = Profile {
                has_largest,
                ..Profile::default()
            };
            READINGS.map(|it| it.has(&profile, Counter::Largest))
        };
        assert_eq!(known(true), [true, false, false, true]);
        assert_eq!(known(false), [false; 4]);
        let older = Profile::default();
        let why = Measured::Everything.why_not(&older, Counter::Largest);
        assert!(why.contains("an earlier version of residue"));
        let why = Measured::WithTotals.why_not(&older, Counter::Largest);
        assert!(why.starts_with("was not recorded for moments"));
    }
}
