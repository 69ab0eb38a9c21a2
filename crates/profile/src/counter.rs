//! What can be asked of a stack: one of its counters, and which stacks are meant.

use crate::counters::Counters;
use crate::merge::Merge;
use crate::model::{Profile, Stack, StackKind};
use crate::units::Unit;

/// The list of counters: the fields that a counter is the sum of, and what it is called.
macro_rules! counter {
    ($($(#[$attribute:meta])* $Counter:ident: $($field:ident)and+, $name:literal,
        $subject:literal, $meaning:literal;)*) => {
        /// One number of every stack.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub enum Counter {
            $($(#[$attribute])* $Counter,)*
        }

        impl Counter {
            pub const ALL: [Counter; [$($name),*].len()] = [$(Counter::$Counter),*];

            pub fn of(self, counters: &Counters) -> u64 {
                match self {
                    $(Counter::$Counter => 0_u64$(.saturating_add(counters.$field))+,)*
                }
            }

            /// The name it has on the command line and in files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Counter::$Counter => $name,)*
                }
            }

            /// What it counts, to follow "by": `live bytes`.
            pub fn subject(self) -> &'static str {
                match self {
                    $(Counter::$Counter => $subject,)*
                }
            }

            /// What it is, in a help text.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Counter::$Counter => $meaning,)*
                }
            }

            /// What it counts, which is the end of its fields' names.
            pub fn unit(self) -> Unit {
                match self.fields()[0] {
                    bytes if bytes.ends_with("_bytes") => Unit::Bytes,
                    time if time.ends_with("_ns") => Unit::Ns,
                    _ => Unit::Count,
                }
            }

            /// How its values of two stacks become one, which its fields say.
            pub fn merge(self) -> Merge {
                Counters::merge_of(self.fields()[0])
            }

            pub(crate) fn fields(self) -> &'static [&'static str] {
                match self {
                    $(Counter::$Counter => &[$(stringify!($field)),+],)*
                }
            }
        }
    };
}

counter! {
    Calls: calls,
        "calls", "allocations", "Number of allocations";
    Total: total_bytes,
        "total", "bytes allocated", "Bytes ever allocated";
    #[default]
    Live: live_bytes,
        "live", "live bytes", "Bytes live at the end";
    LiveBlocks: live_blocks,
        "live-blocks", "live blocks", "Blocks live at the end";
    Peak: peak_bytes,
        "peak", "own peak", "Highest live bytes the stack alone reached";
    AtPeak: at_peak_bytes,
        "at-peak", "live bytes at the heap's peak", "Live bytes when the whole heap was highest";
    AtPeakBlocks: at_peak_blocks,
        "at-peak-blocks", "live blocks at the heap's peak",
        "Live blocks when the whole heap was highest";
    Frees: frees,
        "frees", "frees", "Number of blocks freed";
    Temporaries: temporaries,
        "temporaries", "temporary allocations", "Blocks freed before their thread allocated again";
    Reallocs: reallocs_in_place and reallocs_moved,
        "reallocs", "reallocations", "Reallocations, in place or moved";
    Cpu: cpu_ns,
        "cpu", "CPU time", "CPU time of the threads, by samples (residue run --cpu)";
    Largest: largest_bytes,
        "largest", "largest block", "Largest single block; a maximum, which does not add up";
}

impl Counter {
    /// Those that add up, which are all but the largest block.
    pub const SUMS: [Counter; Counter::ALL.len() - 1] = Counter::first();
    /// Those of memory that add up.
    pub const MEMORY: [Counter; Counter::ALL.len() - 2] = Counter::first();

    const fn first<const N: usize>() -> [Counter; N] {
        let mut found = [Counter::Calls; N];
        let mut at = 0;
        while at < N {
            found[at] = Counter::ALL[at];
            at += 1;
        }
        found
    }

    /// Whether its values add up, so that each is a share of the whole.
    pub fn adds_up(self) -> bool {
        self.merge() == Merge::Sum
    }

    pub fn value(self, stack: &Stack) -> u64 {
        self.of(&stack.counters)
    }

    /// What values are shares of: the sum over all stacks of the kind. Peaks fall
    /// on different moments and have no sum; theirs is the peak of the whole. Of largest blocks
    /// it is the largest, of which others are no share.
    pub fn whole(self, profile: &Profile, kind: MemoryKind) -> u64 {
        if self == Counter::Peak {
            let (heap, mappings) = (profile.heap.peak_bytes, profile.mappings.peak_bytes);
            return match kind {
                MemoryKind::Heap => heap,
                MemoryKind::Mapping => mappings,
                // Peaks of what lies inside other memory have no whole.
                MemoryKind::Reported | MemoryKind::Cpu => 0,
                MemoryKind::All => heap.saturating_add(mappings),
            };
        }
        self.of(&Counters::sum(&profile.stacks, kind))
    }
}

/// Which stacks are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    #[default]
    Heap,
    Mapping,
    Reported,
    /// Not memory: where CPU time was used.
    Cpu,
    All,
}

impl MemoryKind {
    pub const ALL: [MemoryKind; 5] = [
        MemoryKind::Heap,
        MemoryKind::Mapping,
        MemoryKind::Reported,
        MemoryKind::Cpu,
        MemoryKind::All,
    ];

    /// The stacks that have this counter, where those of this kind are asked for.
    pub fn counting(self, counter: Counter) -> MemoryKind {
        match counter {
            Counter::Cpu => MemoryKind::Cpu,
            _ => self,
        }
    }

    /// Whether its stacks have this counter.
    pub fn has(self, counter: Counter) -> bool {
        self == MemoryKind::All || (self == MemoryKind::Cpu) == (counter == Counter::Cpu)
    }

    pub fn holds(self, kind: StackKind) -> bool {
        match self {
            MemoryKind::Heap => kind.is_heap(),
            MemoryKind::Mapping => kind == StackKind::Mapping,
            MemoryKind::Reported => kind == StackKind::Reported,
            MemoryKind::Cpu => kind == StackKind::Cpu,
            MemoryKind::All => true,
        }
    }

    /// The name it has on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Heap => "heap",
            MemoryKind::Mapping => "mapping",
            MemoryKind::Reported => "reported",
            MemoryKind::Cpu => "cpu",
            MemoryKind::All => "all",
        }
    }

    /// What it is, in a help text.
    pub fn meaning(self) -> &'static str {
        match self {
            MemoryKind::Heap => "Blocks of malloc, new and the like",
            MemoryKind::Mapping => "Memory from mmap, mremap and sbrk",
            MemoryKind::Reported => "Blocks that a pool or allocator of the program's own reported",
            MemoryKind::Cpu => "Where CPU time was used (with --counter cpu)",
            MemoryKind::All => "All of them",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ROOT;

    fn stack(kind: StackKind, scale: u64) -> Stack {
        Stack {
            node: ROOT,
            kind,
            counters: Counters::from_values(std::array::from_fn(|place| {
                (1 + place as u64) * scale
            })),
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
                stack(StackKind::Cpu, 100_000),
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
        assert_eq!(values, [1, 3, 4, 5, 6, 7, 8, 2, 11, 19, 12, 13]);
        for (index, counter) in Counter::ALL.into_iter().enumerate() {
            let later = &Counter::ALL[index + 1..];
            assert!(later.iter().all(|other| other.name() != counter.name()));
        }
        let bytes = Counter::ALL
            .into_iter()
            .filter(|counter| counter.unit() == Unit::Bytes);
        let bytes: Vec<&str> = bytes.map(Counter::name).collect();
        assert_eq!(bytes, ["total", "live", "peak", "at-peak", "largest"]);
        assert_eq!(Counter::Cpu.unit(), Unit::Ns);
        assert_eq!(Counter::Reallocs.unit(), Unit::Count);
    }

    #[test]
    fn shares_are_of_the_sum_but_peaks_are_of_the_peak() {
        let profile = profile();
        let whole = |counter: Counter| MemoryKind::ALL.map(|kind| counter.whole(&profile, kind));
        assert_eq!(whole(Counter::Calls), [111, 1000, 10_000, 100_000, 111_111]);
        assert_eq!(whole(Counter::Live), [444, 4000, 40_000, 400_000, 444_444]);
        assert_eq!(
            whole(Counter::Reallocs),
            [2109, 19_000, 190_000, 1_900_000, 2_111_109]
        );
        assert_eq!(whole(Counter::Peak), [50, 7, 0, 0, 57]);
    }

    #[test]
    fn the_largest_block_of_many_stacks_is_that_of_one() {
        let profile = profile();
        let whole = MemoryKind::ALL.map(|kind| Counter::Largest.whole(&profile, kind));
        assert_eq!(whole, [1300, 13_000, 130_000, 1_300_000, 1_300_000]);
        let maxima = Counter::ALL.into_iter().filter(|it| !it.adds_up());
        assert_eq!(maxima.collect::<Vec<_>>(), [Counter::Largest]);
        assert!(Counter::SUMS.into_iter().all(Counter::adds_up));
        let of_memory = Counter::SUMS.into_iter().filter(|it| *it != Counter::Cpu);
        assert!(of_memory.eq(Counter::MEMORY));
    }

    #[test]
    fn sums_beyond_64_bits_stay_at_the_highest() {
        let mut profile = profile();
        profile.stacks[0].counters.reallocs_moved = u64::MAX;
        profile.stacks[1].counters.reallocs_moved = u64::MAX;
        assert_eq!(
            Counter::Reallocs.whole(&profile, MemoryKind::Heap),
            u64::MAX
        );
    }
}
