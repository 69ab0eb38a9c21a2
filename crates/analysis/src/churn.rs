//! Who allocates most, per event, and could stop.
//!
//! - [`rates`]: what each stack allocates in an event, and how much of that is freed again
//!   before the next.
//! - [`savings`]: what of it need not be, as far as exact sums prove it. Containers that
//!   reallocate as they grow could *reserve* their elements ([`growing`], [`hash_table`]); a
//!   block that is made and freed again and again could be kept and *reused* ([`reuse`]).

mod bucket_counts;
mod growing;
mod hash_table;
mod rates;
mod reuse;

pub use growing::{Evidence, Growing};
pub use rates::{EventRates, StackRate, rates};

use residue_profile::timeline::StackId;
use residue_profile::{Counters, Profile, SizeBin, Span, StackKind};

/// What a stack would not have allocated.
#[derive(Debug, Clone, PartialEq)]
pub struct Saving {
    pub stack: StackId,
    pub action: Action,
    /// All of this stack's. A container that is reallocated may have begun on another.
    pub allocations: u64,
    pub bytes_allocated: u64,
    pub saved_allocations: u64,
    pub saved_bytes: Limits,
    /// Allocations of the stack in an event, on average; `None` without events.
    pub allocations_per_event: Option<f64>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Reserve room for as many elements as there will be.
    Reserve(Growing),
    /// Keep one block of this size, instead of one after another.
    Reuse { block_bytes: u64 },
}

/// A number that is known exactly, or to lie between two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub low: u64,
    pub high: u64,
}

impl Limits {
    pub fn exactly(number: u64) -> Limits {
        Limits {
            low: number,
            high: number,
        }
    }

    pub fn exact(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    fn subtracted_from(self, whole: u64) -> Limits {
        Limits {
            low: whole.saturating_sub(self.high),
            high: whole.saturating_sub(self.low),
        }
    }
}

/// What could be saved, the most first.
pub fn savings(profile: &Profile) -> Vec<Saving> {
    let stacks = Vec::from_iter(heap_stacks(profile));
    let mut found = growing::savings(profile, &stacks);
    found.extend(stacks.iter().filter_map(reuse::saving));
    if let Some(rates) = rates(profile, Span::WHOLE) {
        for saving in &mut found {
            saving.allocations_per_event = Some(rates.calls_per_event(saving.stack));
        }
    }
    found.sort_by_key(|saving| {
        let Limits { low, high } = saving.saved_bytes;
        std::cmp::Reverse((low, high, saving.saved_allocations))
    });
    found
}

/// What is known of the blocks of one stack.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    stack: StackId,
    counters: Counters,
    /// Sizes; ascending, no bin is empty.
    total: &'a [SizeBin],
    live: &'a [SizeBin],
}

fn heap_stacks(profile: &Profile) -> impl Iterator<Item = Blocks<'_>> {
    let numbered = (0..).zip(&profile.stacks);
    numbered
        .filter(|(_, stack)| stack.kind == StackKind::Heap)
        .map(|(id, stack)| Blocks {
            stack: id,
            counters: stack.counters,
            total: profile.sizes_total.row(id as usize),
            live: profile.sizes_live.row(id as usize),
        })
}

impl Blocks<'_> {
    fn reallocations(&self) -> u64 {
        self.counters.reallocs()
    }

    /// The size that all blocks would have, if they have one.
    fn mean_bytes(&self) -> Option<u64> {
        let Counters {
            calls, total_bytes, ..
        } = self.counters;
        let mean = total_bytes.checked_div(calls)?;
        let is_whole = mean.checked_mul(calls) == Some(total_bytes);
        let is_in_one_bin = matches!(self.total, [only] if only.bits == growing::bits(mean));
        (is_whole && is_in_one_bin && mean > 0).then_some(mean)
    }
}

#[cfg(test)]
mod tests;
