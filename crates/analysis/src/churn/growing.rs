//! Containers that reallocate as they grow.
//!
//! A container without a reservation leaves a mark in the sizes of its stack: it asks
//! for 96 bytes, 192, 384, ..., copies itself each time and frees what it had. Sizes
//! are known by power of two (bins), calls and bytes exactly. From these alone:
//!
//! - *Doubling* is proven where the exact sum of bytes is that of a series which
//!   doubles from one first size, in the numbers of the bins. The first size and every
//!   capacity are then exact, also where containers end at different sizes.
//! - *Hash tables* of libstdc++ grow from one known number of buckets to the next. Their
//!   capacities are proven in the same way, and their elements can be counted
//!   ([`super::hash_table`]).
//! - *Steps*: as many blocks in each of the bins, one in each for one container, but
//!   growing by other factors. The final capacity is exact where all the containers are
//!   still live, else it lies within limits.
//! - *Reallocation* is counted by the recorder, whatever the sizes; a block that is
//!   reallocated once was only adjusted.
//!
//! Where the peak of a stack is used, it is as exact as the recorder's: with several
//! threads on one stack it is an upper bound.
//!
//! Sizes do not tell how full an array was. It needed more than the capacity before its
//! last, which had been too small, and no more than its last. What reserving just its
//! elements would have saved lies within these limits.

use super::hash_table::{self, Tables};
use super::{Action, Blocks, Limits, Saving};
use residue_profile::{Counters, Profile, SizeBin};

/// Sizes in fewer bins happen by chance.
pub const FEWEST_STEPS: usize = 4;
/// Fewer reallocations of a container are an adjustment, not growth.
const FEWEST_REALLOCATIONS: u64 = 2;

/// Containers that grow on one stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growing {
    pub evidence: Evidence,
    /// `None` where they began on another stack and cannot be counted.
    pub containers: Option<u64>,
    /// Final capacities of all containers together.
    pub final_bytes: Limits,
    /// Most elements of all containers together; `None` where it is not known how large one is.
    pub elements: Option<Limits>,
    /// What all of them allocate where each reserves just its elements.
    pub reserved_bytes: Limits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    Doubling,
    HashTable,
    Steps,
    Reallocation,
}

/// What reserving would save, in no order.
pub fn savings(profile: &Profile, stacks: &[Blocks<'_>]) -> Vec<Saving> {
    let stacks_with_containers = stacks
        .iter()
        .filter_map(|blocks| Some((*blocks, blocks.growing()?)));
    let mut found = Vec::from_iter(stacks_with_containers);
    hash_table::count_elements(profile, stacks, &mut found);
    found.into_iter().map(saving).collect()
}

fn saving((blocks, growing): (Blocks<'_>, Growing)) -> Saving {
    let Counters {
        calls, total_bytes, ..
    } = blocks.counters;
    Saving {
        stack: blocks.stack,
        allocations: calls,
        bytes_allocated: total_bytes,
        // Of a container that is reallocated the first allocation stays.
        saved_allocations: match blocks.reallocations() {
            0 => calls.saturating_sub(growing.containers.unwrap_or(0)),
            reallocations => reallocations,
        },
        saved_bytes: growing.reserved_bytes.subtracted_from(total_bytes),
        action: Action::Reserve(growing),
        allocations_per_event: None,
    }
}

impl Growing {
    /// Containers of whose elements nothing is known but what their capacities say.
    fn by_capacity(
        evidence: Evidence,
        containers: Option<u64>,
        final_bytes: Limits,
        previous_bytes: u64,
    ) -> Growing {
        // Each needed at least a byte more than it had before its last growth.
        let needed = previous_bytes.saturating_add(containers.unwrap_or(0));
        Growing {
            evidence,
            containers,
            final_bytes,
            elements: None,
            reserved_bytes: Limits {
                low: needed.min(final_bytes.high),
                high: final_bytes.high,
            },
        }
    }
}

impl Blocks<'_> {
    fn growing(&self) -> Option<Growing> {
        self.doubling()
            .or_else(|| Tables::of(self).map(|tables| tables.growing()))
            .or_else(|| self.steps())
            .or_else(|| self.reallocation())
    }

    /// Allocations that were not reallocations of a known block.
    fn begun(&self) -> u64 {
        self.counters.calls.saturating_sub(self.reallocations())
    }

    /// Whether so many containers can have made these blocks: each holds one at a
    /// time, and only its last can be freed before another one is made.
    pub fn can_be(&self, containers: u64) -> bool {
        self.counters.live_blocks <= containers && self.counters.temporaries <= containers
    }

    /// Blocks that were all live at once did not replace each other.
    pub fn is_held(&self, containers: u64) -> bool {
        let Counters {
            peak_bytes,
            total_bytes,
            ..
        } = self.counters;
        let each = total_bytes / containers.max(1);
        peak_bytes >= total_bytes || (each * containers == total_bytes && peak_bytes % each == 0)
    }

    /// A first size that doubles, in the numbers of the bins, to the exact sum.
    fn doubling(&self) -> Option<Growing> {
        let (first, rest) = self.total.split_first()?;
        let second = rest.first()?;
        let is_ladder = self.total.is_sorted_by(|small, large| {
            small.bits.checked_add(1) == Some(large.bits) && small.blocks >= large.blocks
        });
        if self.total.len() < FEWEST_STEPS
            || !is_ladder
            || !self.can_be(first.blocks)
            || self.is_held(first.blocks)
        {
            return None;
        }
        let first_sizes = in_first_sizes(self.total.iter().map(|bin| bin.blocks))?;
        let first_bytes = self.counters.total_bytes.checked_div(first_sizes)?;
        let is_exact = first_bytes * first_sizes == self.counters.total_bytes;
        if !is_exact || bits(first_bytes) != first.bits {
            return None;
        }
        // Containers that went no further than a bin: its blocks less those of the next.
        let next = rest.iter().map(|bin| bin.blocks).chain([0]);
        let ended = self
            .total
            .iter()
            .zip(next)
            .map(|(bin, next)| bin.blocks - next);
        let final_bytes = in_first_sizes(ended)?.checked_mul(first_bytes)?;
        let did_not_grow = match self.begun() {
            0 => 0,
            _ => (first.blocks - second.blocks).checked_mul(first_bytes)?,
        };
        Some(Growing::by_capacity(
            Evidence::Doubling,
            Some(first.blocks),
            Limits::exactly(final_bytes),
            (final_bytes - did_not_grow) / 2,
        ))
    }

    /// As many blocks in each bin, and hardly a bin left out between them.
    fn steps(&self) -> Option<Growing> {
        let [first, .., before, last] = self.total else {
            return None;
        };
        let containers = last.blocks;
        let span = usize::from(last.bits.checked_sub(first.bits)?) + 1;
        let is_even = self.total.iter().all(|bin| bin.blocks == containers);
        let is_dense = self.total.len() * 4 >= span * 3;
        // Reallocation tells how many there are; growth by small factors also fills bins.
        let is_counted = self.reallocations() == 0 || containers == self.begun().max(1);
        if self.total.len() < FEWEST_STEPS
            || !is_even
            || !is_dense
            || !is_counted
            || !self.can_be(containers)
            || self.is_held(containers)
        {
            return None;
        }
        let final_bytes = self.final_limits(containers, last)?;
        let smallest_before = smallest(before.bits).checked_mul(containers)?;
        let previous_bytes = match (self.is_one_copied(containers), final_bytes.exact()) {
            (true, Some(exact)) => self.counters.peak_bytes.checked_sub(exact)?,
            _ => smallest_before,
        };
        Some(Growing::by_capacity(
            Evidence::Steps,
            Some(containers),
            final_bytes,
            previous_bytes,
        ))
    }

    /// A single container that copies itself holds its last two capacities for a
    /// moment, and that is the peak of its stack.
    fn is_one_copied(&self, containers: u64) -> bool {
        containers == 1 && self.reallocations() == 0
    }

    /// A single container that is reallocated never holds two, so the peak of its stack
    /// is its largest capacity.
    fn is_one_reallocated(&self, containers: u64) -> bool {
        containers == 1 && self.begun() <= 1
    }

    fn final_limits(&self, containers: u64, last: &SizeBin) -> Option<Limits> {
        if self.live == [*last] {
            return Some(Limits::exactly(self.counters.live_bytes));
        }
        let Counters {
            peak_bytes,
            total_bytes,
            ..
        } = self.counters;
        if self.is_one_reallocated(containers) {
            return Some(Limits::exactly(peak_bytes));
        }
        let (_, others) = self.total.split_last()?;
        let sum = |size: fn(u8) -> u64| {
            let of_bins = others
                .iter()
                .map(|bin| size(bin.bits).saturating_mul(bin.blocks));
            of_bins.fold(0, u64::saturating_add)
        };
        let mut low = smallest(last.bits).saturating_mul(containers);
        let mut high = largest(last.bits).saturating_mul(containers);
        low = low.max(total_bytes.saturating_sub(sum(largest)));
        high = high.min(total_bytes.saturating_sub(sum(smallest)));
        if let (true, Some(before)) = (self.is_one_copied(containers), others.last()) {
            low = low.max(peak_bytes.saturating_sub(largest(before.bits)));
            high = high.min(peak_bytes.saturating_sub(smallest(before.bits)));
        }
        (low <= high).then_some(Limits { low, high })
    }

    /// Blocks that were reallocated again and again.
    fn reallocation(&self) -> Option<Growing> {
        let last = self.total.last()?;
        let containers = Some(self.begun()).filter(|&begun| begun > 0);
        let is_growth = match containers {
            Some(begun) => self.reallocations() >= begun.saturating_mul(FEWEST_REALLOCATIONS),
            None => self.total.len() >= FEWEST_STEPS,
        };
        if !is_growth {
            return None;
        }
        let Counters {
            live_bytes,
            live_blocks,
            peak_bytes,
            total_bytes,
            ..
        } = self.counters;
        let final_bytes = if containers == Some(live_blocks) {
            Limits::exactly(live_bytes)
        } else {
            let most = containers.map_or(total_bytes, |count| peak_bytes.saturating_mul(count));
            let high = most.min(total_bytes);
            Limits {
                low: live_bytes.max(smallest(last.bits)).min(high),
                high,
            }
        };
        Some(Growing::by_capacity(
            Evidence::Reallocation,
            containers,
            final_bytes,
            0,
        ))
    }
}

/// The sum of blocks whose sizes double from bin to bin, in units of the first size.
fn in_first_sizes(blocks: impl Iterator<Item = u64>) -> Option<u64> {
    (0u32..).zip(blocks).try_fold(0u64, |sum, (step, blocks)| {
        sum.checked_add(blocks.checked_mul(1u64.checked_shl(step)?)?)
    })
}

/// Binary digits of a size.
pub fn bits(bytes: u64) -> u8 {
    (u64::BITS - bytes.leading_zeros()) as u8
}

/// Smallest size with so many binary digits.
fn smallest(bits: u8) -> u64 {
    match bits {
        0 => 0,
        1..=64 => 1 << (bits - 1),
        _ => u64::MAX,
    }
}

/// Largest size with so many binary digits.
fn largest(bits: u8) -> u64 {
    match bits {
        0..=63 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}
