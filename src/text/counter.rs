//! What can be asked of a stack: one of its counters, and which stacks are meant.

use clap::ValueEnum;
use residue_profile::{Profile, Stack, StackKind};

use super::units;

/// One number of every stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Counter {
    /// Number of allocations
    Calls,
    /// Bytes ever allocated
    Total,
    /// Bytes live at the end
    #[default]
    Live,
    /// Blocks live at the end
    LiveBlocks,
    /// Highest live bytes the stack alone reached
    Peak,
    /// Live bytes when the whole heap was highest
    AtPeak,
    /// Live blocks when the whole heap was highest
    AtPeakBlocks,
    /// Number of blocks freed
    Frees,
    /// Blocks freed before their thread allocated again
    Temporaries,
    /// Reallocations, in place or moved
    Reallocs,
}

impl Counter {
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

    /// The name it has on the command line.
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

    pub fn is_bytes(self) -> bool {
        matches!(
            self,
            Counter::Total | Counter::Live | Counter::Peak | Counter::AtPeak
        )
    }

    /// A value with its unit.
    pub fn amount(self, value: u64) -> String {
        if self.is_bytes() {
            units::exact_bytes(value)
        } else {
            units::count(value)
        }
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
        profile
            .stacks
            .iter()
            .filter(|stack| kind.holds(stack.kind))
            .fold(0, |sum, stack| sum.saturating_add(self.value(stack)))
    }
}

/// Which stacks are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Blocks of malloc, new and the like
    #[default]
    Heap,
    /// Memory from mmap, mremap and sbrk
    Mapping,
    /// Blocks that a pool or allocator of the program's own reported
    Reported,
    /// All of them
    All,
}

impl Kind {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;

    #[test]
    fn names_are_those_of_the_command_line() {
        for counter in Counter::value_variants() {
            let value = counter.to_possible_value().unwrap();
            assert_eq!(counter.name(), value.get_name());
        }
        for kind in Kind::value_variants() {
            let value = kind.to_possible_value().unwrap();
            assert_eq!(kind.name(), value.get_name());
        }
    }

    #[test]
    fn every_counter_has_its_own_value() {
        let stack = sample::profile().stacks[0];
        let values: Vec<u64> = Counter::value_variants()
            .iter()
            .map(|counter| counter.value(&stack))
            .collect();
        assert_eq!(values, [100, 6400, 1920, 30, 3200, 2560, 40, 70, 5, 3]);
    }

    #[test]
    fn amounts_have_the_unit_of_the_counter() {
        assert_eq!(Counter::Live.amount(2048), "2.00 KiB (2 048 bytes)");
        assert_eq!(Counter::Calls.amount(2048), "2 048");
    }

    #[test]
    fn shares_are_of_the_sum_but_peaks_are_of_the_peak() {
        let profile = sample::profile();
        assert_eq!(Counter::Live.whole(&profile, Kind::Heap), 1920 + 1000 + 16);
        assert_eq!(Counter::Live.whole(&profile, Kind::Mapping), 8192);
        assert_eq!(Counter::Live.whole(&profile, Kind::All), 11_128);
        assert_eq!(Counter::Peak.whole(&profile, Kind::Heap), 5000);
        assert_eq!(Counter::Peak.whole(&profile, Kind::All), 5000 + 8192);
    }
}
