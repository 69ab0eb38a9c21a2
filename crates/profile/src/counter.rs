//! What can be asked of a stack: one of its counters, and which stacks are meant.

use crate::model::{Profile, Stack, StackKind};

/// One number of every stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Counter {
    Calls,
    Total,
    #[default]
    Live,
    LiveBlocks,
    Peak,
    AtPeak,
    AtPeakBlocks,
    Frees,
    Temporaries,
    Reallocs,
}

impl Counter {
    pub const ALL: [Counter; 10] = [
        Counter::Calls,
        Counter::Total,
        Counter::Live,
        Counter::LiveBlocks,
        Counter::Peak,
        Counter::AtPeak,
        Counter::AtPeakBlocks,
        Counter::Frees,
        Counter::Temporaries,
        Counter::Reallocs,
    ];

    pub fn value(self, stack: &Stack) -> u64 {
        let counters = &stack.counters;
        match self {
            Counter::Calls => counters.calls,
            Counter::Total => counters.total_bytes,
            Counter::Live => counters.live_bytes,
            Counter::LiveBlocks => counters.live_blocks,
            Counter::Peak => counters.peak_bytes,
            Counter::AtPeak => counters.at_peak_bytes,
            Counter::AtPeakBlocks => counters.at_peak_blocks,
            Counter::Frees => counters.frees,
            Counter::Temporaries => counters.temporaries,
            Counter::Reallocs => counters
                .reallocs_in_place
                .saturating_add(counters.reallocs_moved),
        }
    }

    /// The name it has on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Counter::Calls => "calls",
            Counter::Total => "total",
            Counter::Live => "live",
            Counter::LiveBlocks => "live-blocks",
            Counter::Peak => "peak",
            Counter::AtPeak => "at-peak",
            Counter::AtPeakBlocks => "at-peak-blocks",
            Counter::Frees => "frees",
            Counter::Temporaries => "temporaries",
            Counter::Reallocs => "reallocs",
        }
    }

    /// What it counts, to follow "by": `live bytes`.
    pub fn subject(self) -> &'static str {
        match self {
            Counter::Calls => "allocations",
            Counter::Total => "bytes allocated",
            Counter::Live => "live bytes",
            Counter::LiveBlocks => "live blocks",
            Counter::Peak => "own peak",
            Counter::AtPeak => "live bytes at the heap's peak",
            Counter::AtPeakBlocks => "live blocks at the heap's peak",
            Counter::Frees => "frees",
            Counter::Temporaries => "temporary allocations",
            Counter::Reallocs => "reallocations",
        }
    }

    /// What it is, in a help text.
    pub fn meaning(self) -> &'static str {
        match self {
            Counter::Calls => "Number of allocations",
            Counter::Total => "Bytes ever allocated",
            Counter::Live => "Bytes live at the end",
            Counter::LiveBlocks => "Blocks live at the end",
            Counter::Peak => "Highest live bytes the stack alone reached",
            Counter::AtPeak => "Live bytes when the whole heap was highest",
            Counter::AtPeakBlocks => "Live blocks when the whole heap was highest",
            Counter::Frees => "Number of blocks freed",
            Counter::Temporaries => "Blocks freed before their thread allocated again",
            Counter::Reallocs => "Reallocations, in place or moved",
        }
    }

    pub fn is_bytes(self) -> bool {
        matches!(
            self,
            Counter::Total | Counter::Live | Counter::Peak | Counter::AtPeak
        )
    }

    /// What values are shares of: the sum over all stacks of the kind. Peaks fall
    /// on different moments and have no sum; theirs is the peak of the whole.
    pub fn whole(self, profile: &Profile, kind: Kind) -> u64 {
        if self == Counter::Peak {
            let (heap, mappings) = (profile.heap.peak_bytes, profile.mappings.peak_bytes);
            return match kind {
                Kind::Heap => heap,
                Kind::Mapping => mappings,
                // Peaks of what lies inside other memory have no whole.
                Kind::Reported => 0,
                Kind::All => heap.saturating_add(mappings),
            };
        }
        let stacks = profile.stacks.iter().filter(|stack| kind.holds(stack.kind));
        stacks.fold(0, |sum: u64, stack| sum.saturating_add(self.value(stack)))
    }
}

/// Which stacks are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    #[default]
    Heap,
    Mapping,
    Reported,
    All,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Heap, Kind::Mapping, Kind::Reported, Kind::All];

    pub fn holds(self, kind: StackKind) -> bool {
        match self {
            Kind::Heap => kind.is_heap(),
            Kind::Mapping => kind == StackKind::Mapping,
            Kind::Reported => kind == StackKind::Reported,
            Kind::All => true,
        }
    }

    /// The name it has on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Heap => "heap",
            Kind::Mapping => "mapping",
            Kind::Reported => "reported",
            Kind::All => "all",
        }
    }

    /// What it is, in a help text.
    pub fn meaning(self) -> &'static str {
        match self {
            Kind::Heap => "Blocks of malloc, new and the like",
            Kind::Mapping => "Memory from mmap, mremap and sbrk",
            Kind::Reported => "Blocks that a pool or allocator of the program's own reported",
            Kind::All => "All of them",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Counters, ROOT};

    fn stack(kind: StackKind, scale: u64) -> Stack {
        Stack {
            node: ROOT,
            kind,
            counters: Counters {
                calls: scale,
                frees: 2 * scale,
                total_bytes: 3 * scale,
                live_bytes: 4 * scale,
                live_blocks: 5 * scale,
                peak_bytes: 6 * scale,
                at_peak_bytes: 7 * scale,
                at_peak_blocks: 8 * scale,
                reallocs_in_place: 9 * scale,
                reallocs_moved: 10 * scale,
                temporaries: 11 * scale,
            },
        }
    }

    fn profile() -> Profile {
        let mut profile = Profile {
            stacks: vec![
                stack(StackKind::Heap, 1),
                stack(StackKind::Pooled, 10),
                stack(StackKind::Overflow, 100),
                stack(StackKind::Mapping, 1000),
                stack(StackKind::Reported, 10_000),
            ],
            ..Profile::default()
        };
        profile.heap.peak_bytes = 50;
        profile.mappings.peak_bytes = 7;
        profile
    }

    #[test]
    fn every_counter_has_its_own_value_and_name() {
        let values = Counter::ALL.map(|counter| counter.value(&stack(StackKind::Heap, 1)));
        assert_eq!(values, [1, 3, 4, 5, 6, 7, 8, 2, 11, 19]);
        for (index, counter) in Counter::ALL.into_iter().enumerate() {
            let later = &Counter::ALL[index + 1..];
            assert!(later.iter().all(|other| other.name() != counter.name()));
        }
        let bytes = Counter::ALL
            .into_iter()
            .filter(|counter| counter.is_bytes());
        let bytes: Vec<&str> = bytes.map(Counter::name).collect();
        assert_eq!(bytes, ["total", "live", "peak", "at-peak"]);
    }

    #[test]
    fn shares_are_of_the_sum_but_peaks_are_of_the_peak() {
        let profile = profile();
        let whole = |counter: Counter| Kind::ALL.map(|kind| counter.whole(&profile, kind));
        assert_eq!(whole(Counter::Calls), [111, 1000, 10_000, 11_111]);
        assert_eq!(whole(Counter::Live), [444, 4000, 40_000, 44_444]);
        assert_eq!(whole(Counter::Reallocs), [2109, 19_000, 190_000, 211_109]);
        assert_eq!(whole(Counter::Peak), [50, 7, 0, 57]);
    }

    #[test]
    fn sums_beyond_64_bits_stay_at_the_highest() {
        let mut profile = profile();
        profile.stacks[0].counters.reallocs_moved = u64::MAX;
        profile.stacks[1].counters.reallocs_moved = u64::MAX;
        assert_eq!(Counter::Reallocs.whole(&profile, Kind::Heap), u64::MAX);
    }
}
