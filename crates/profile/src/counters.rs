//! What is counted: of each stack, of all stacks of a kind, of the recorder.
//!
//! The lists here are the only ones. From them come the structs, the columns of
//! `CNTR` in their order, the names in JSON, the sums, and what [`Counter`] knows. The
//! unit of a number is the end of its name: `_bytes`, `_ns`, or a plain count.

use crate::counter::MemoryKind;
use crate::merge::Merge;
use crate::model::Stack;
use serde::{Deserialize, Serialize};

/// Structs of numbers that are stored, named and added up alike.
macro_rules! numbers {
    (
        $(#[$attribute:meta])* $Name:ident { $($(#[$doc:meta])* $field:ident,)* }
        $(the largest of { $($(#[$doc_of_largest:meta])* $largest:ident,)* })?
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(default)]
        pub struct $Name {
            $($(#[$doc])* pub $field: u64,)*
            $($($(#[$doc_of_largest])* pub $largest: u64,)*)?
        }

        impl $Name {
            pub const NAMES: &'static [&'static str] = &[
                $(stringify!($field),)*
                $($(stringify!($largest),)*)?
            ];
            pub const COUNT: usize = Self::NAMES.len();

            /// In the order of the names.
            pub fn values(&self) -> [u64; Self::COUNT] {
                [$(self.$field,)* $($(self.$largest,)*)?]
            }

            pub fn from_values(values: [u64; Self::COUNT]) -> Self {
                let [$($field,)* $($($largest,)*)?] = values;
                $Name { $($field,)* $($($largest,)*)? }
            }

            /// Joins what others did, each number in its own way.
            pub fn add(&mut self, more: &Self) {
                $(Merge::Sum.include(&mut self.$field, more.$field);)*
                $($(Merge::Max.include(&mut self.$largest, more.$largest);)*)?
            }

            /// How two numbers of a name become one.
            pub fn merge_of(name: &str) -> Merge {
                const LARGEST: &[&str] = &[$($(stringify!($largest),)*)?];
                match LARGEST.contains(&name) {
                    true => Merge::Max,
                    false => Merge::Sum,
                }
            }
        }
    };
}

/// The counters of a stack, in the order of their columns; some of them have no meaning
/// for all stacks together.
macro_rules! counters {
    (
        { $($(#[$doc:meta])* $field:ident,)* }
        of one stack only { $($(#[$doc_of_one:meta])* $of_one:ident,)* }
        { $($(#[$later_doc:meta])* $later:ident,)* }
        of one stack only { $($(#[$doc_of_latest:meta])* $latest:ident,)* }
        the largest of { $($(#[$doc_of_largest:meta])* $largest:ident,)* }
    ) => {
        numbers! {
            /// What one stack did.
            Counters {
                $($(#[$doc])* $field,)*
                $($(#[$doc_of_one])* $of_one,)*
                $($(#[$later_doc])* $later,)*
                $($(#[$doc_of_latest])* $latest,)*
            }
            the largest of {
                $($(#[$doc_of_largest])* $largest,)*
            }
        }

        numbers! {
            /// Sums over all stacks of one kind.
            Totals {
                $($(#[$doc])* $field,)*
                $($(#[$later_doc])* $later,)*
            }
        }

        impl From<Counters> for Totals {
            fn from(sum: Counters) -> Totals {
                Totals {
                    $($field: sum.$field,)*
                    $($later: sum.$later,)*
                }
            }
        }
    };
}

counters! {
    {
        calls,
        frees,
        total_bytes,
        live_bytes,
        live_blocks,
        /// Highest live bytes of this stack alone, or of all stacks together.
        peak_bytes,
    }
    of one stack only {
        /// Live when the whole heap was highest.
        at_peak_bytes,
        at_peak_blocks,
    }
    {
        reallocs_in_place,
        reallocs_moved,
        /// Freed by the thread that made them before it allocated again.
        temporaries,
    }
    of one stack only {
        /// CPU time of the threads there, by samples; of [`crate::StackKind::Cpu`] alone, which
        /// have no other counters.
        cpu_ns,
    }
    the largest of {
        /// The largest single block; zero where [`crate::Profile::has_largest`] is not set.
        largest_bytes,
    }
}

/// Columns that every file has; later ones are zero where there are none.
pub(crate) const FIRST_COUNTERS: usize = 11;
/// With that of CPU time.
pub(crate) const COUNTERS_WITHOUT_LARGEST: usize = 12;

impl Counters {
    pub fn reallocs(&self) -> u64 {
        self.reallocs_in_place.saturating_add(self.reallocs_moved)
    }

    /// Of the stacks of a kind; own peaks fall on different moments, so that the sum of
    /// them is no peak. The largest block is that of all.
    pub fn sum(stacks: &[Stack], kind: MemoryKind) -> Counters {
        let mut sum = Counters::default();
        for stack in stacks.iter().filter(|stack| kind.holds(stack.kind)) {
            sum.add(&stack.counters);
        }
        sum
    }
}

impl Totals {
    /// Of the stacks of a kind. Their peak is the one thing that stacks do not say: what
    /// they held at the heap's peak is the closest to it.
    pub fn of(stacks: &[Stack], kind: MemoryKind) -> Totals {
        let sum = Counters::sum(stacks, kind);
        Totals {
            peak_bytes: sum.at_peak_bytes,
            ..Totals::from(sum)
        }
    }
}

numbers! {
    /// What the recorder says about itself.
    RecorderStats {
        /// Shared memory in use at the end.
        arena_bytes,
        /// Private memory of the recorder inside the program.
        private_bytes,
        /// Estimated from a sample of the hooks' own time.
        time_ns,
        threads,
        /// Stacks taken; those that were not the thread's last one; frames unwound for
        /// them. Everything else was verified.
        captures,
        stacks_unwound,
        frames_unwound,
        rule_misses,
        rules,
        trie_nodes,
        /// Stacks longer than the depth limit, kept with their root and leaf sides.
        cut_stacks,
        /// Stacks, of those unwound, that did not reach the root: code without an unwind
        /// table whose frame pointer leads nowhere, or memory that is not there.
        early_stacks,
        /// Stacks, of those unwound, in which frames above code without an unwind table were
        /// found by its frame pointer: these frames are less certain than the others.
        guessed_stacks,
        /// Allocations that could not be recorded (no memory left for it).
        dropped,
        dropped_bytes,
        /// Frees that could not be recorded: their blocks count as live.
        dropped_frees,
        /// Frees of blocks the recorder never saw made.
        unknown_frees,
        /// The same in a forked child: blocks that its parent made.
        inherited_frees,
        /// Blocks handed out again at an address never seen freed.
        missed_frees,
        /// Allocations made while recording was paused.
        paused_calls,
        verified_stacks,
        verify_differences,
        frames_unresolved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other programs read these names, and files have the columns in this order.
    #[test]
    fn the_lists_are_those_of_the_format() {
        let names = [
            "calls",
            "frees",
            "total_bytes",
            "live_bytes",
            "live_blocks",
            "peak_bytes",
            "at_peak_bytes",
            "at_peak_blocks",
            "reallocs_in_place",
            "reallocs_moved",
            "temporaries",
            "cpu_ns",
            "largest_bytes",
        ];
        assert_eq!(Counters::NAMES, names);
        let of_all: Vec<&str> = names
            .into_iter()
            .filter(|name| !name.starts_with("at_peak"))
            .filter(|name| !["cpu_ns", "largest_bytes"].contains(name))
            .collect();
        assert_eq!(Totals::NAMES, of_all);
    }

    #[test]
    fn values_come_back_in_order_and_add_up() {
        let values = std::array::from_fn(|place| 10 + place as u64);
        let mut counters = Counters::from_values(values);
        assert_eq!((counters.calls, counters.temporaries), (10, 20));
        counters.frees = u64::MAX;
        counters.add(&Counters::from_values(values));
        assert_eq!(counters.frees, u64::MAX);
        let mut doubled = values.map(|value| 2 * value);
        doubled[1] = u64::MAX;
        // All but the last, which is a maximum.
        doubled[Counters::COUNT - 1] /= 2;
        assert_eq!(counters.values(), doubled);
        assert_eq!(counters.largest_bytes, 22);
    }

    #[test]
    fn only_the_largest_block_is_a_maximum() {
        let maxima = Counters::NAMES
            .iter()
            .filter(|name| Counters::merge_of(name) == Merge::Max);
        assert_eq!(maxima.collect::<Vec<_>>(), [&"largest_bytes"]);
    }
}
