//! Containers that grow by making themselves anew, and blocks that live for a moment.
//!
//! A container without a reservation leaves a mark in the sizes of its stack: it asks
//! for 96 bytes, 192, 384, ..., copies itself each time and frees what it had. Sizes
//! are known by power of two (bins), calls and bytes exactly. From these alone:
//!
//! - *Doubling* is proven where the exact sum of bytes is that of a series which
//!   doubles from one first size, in the numbers of the bins. The first size, every
//!   capacity and every saving are then exact, also where containers end at
//!   different sizes.
//! - *Steps*: as many blocks in each of the bins, one in each for one container, but
//!   growing by other factors (hash tables grow by primes). The final capacity is
//!   exact where all the containers are still live, else it lies within limits.
//! - *Reallocation* is counted by the recorder, whatever the sizes; a block that is
//!   reallocated once was only adjusted.
//!
//! Where the peak of a stack is used, it is as exact as the recorder's: with several
//! threads on one stack it is an upper bound.
//!
//! What cannot be known is how full a container was. Reserving the final capacity
//! saves the difference to it. Reserving what was really needed saves more, but less
//! than the difference to the capacity before, which had been too small.

use residue_profile::timeline::StackId;
use residue_profile::{Counters, Profile, SizeBin, StackKind};

/// Sizes in fewer bins happen by chance.
const FEWEST_STEPS: usize = 4;
/// Fewer reallocations of a container are an adjustment, not growth.
const FEWEST_REALLOCATIONS: u64 = 2;

/// A stack on which containers grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growing {
    pub stack: StackId,
    pub evidence: Evidence,
    /// All of this stack's. A container that is reallocated may have begun on another.
    pub allocations: u64,
    pub bytes_allocated: u64,
    /// `None` where they began on another stack and cannot be counted.
    pub containers: Option<u64>,
    /// Final capacities of all containers together.
    pub final_bytes: Limits,
    /// By reserving the final capacity.
    pub saved_allocations: u64,
    pub saved_bytes: Limits,
    /// What knowing the need would save stays below this.
    pub saved_bytes_below: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    Doubling,
    Steps,
    Reallocation,
}

/// A number of bytes that is known exactly, or to lie between two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub low: u64,
    pub high: u64,
}

/// Blocks of a stack that were freed by the thread that made them before it made
/// another one: a buffer that could have been kept, or have been on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temporary {
    pub stack: StackId,
    pub allocations: u64,
    pub temporaries: u64,
    pub share: f64,
}

impl Limits {
    pub fn exactly(bytes: u64) -> Limits {
        Limits {
            low: bytes,
            high: bytes,
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

impl Growing {
    /// What would have been saved by reserving so many bytes in all, known from
    /// elsewhere (the number of items, say).
    pub fn saved_by_reserving(&self, bytes: u64) -> u64 {
        self.bytes_allocated.saturating_sub(bytes)
    }
}

/// Stacks on which containers grow, those first that could save most.
pub fn growing(profile: &Profile) -> Vec<Growing> {
    let mut found: Vec<Growing> = heap_stacks(profile)
        .filter_map(|(stack, counters)| {
            let sizes = Sizes {
                counters,
                total: profile.sizes_total.row(stack as usize),
                live: profile.sizes_live.row(stack as usize),
            };
            sizes.growing(stack)
        })
        .collect();
    found.sort_by_key(|growing| {
        std::cmp::Reverse((growing.saved_bytes.low, growing.saved_bytes.high))
    });
    found
}

/// Stacks that made temporary blocks, those with most of them first.
pub fn temporaries(profile: &Profile) -> Vec<Temporary> {
    let mut found: Vec<Temporary> = heap_stacks(profile)
        .filter(|(_, counters)| counters.temporaries > 0)
        .map(|(stack, counters)| Temporary {
            stack,
            allocations: counters.calls,
            temporaries: counters.temporaries,
            share: counters.temporaries as f64 / counters.calls.max(1) as f64,
        })
        .collect();
    found.sort_by_key(|temporary| std::cmp::Reverse(temporary.temporaries));
    found
}

fn heap_stacks(profile: &Profile) -> impl Iterator<Item = (StackId, Counters)> + '_ {
    let numbered = (0..).zip(&profile.stacks);
    numbered
        .filter(|(_, stack)| stack.kind == StackKind::Heap)
        .map(|(id, stack)| (id, stack.counters))
}

/// What is known of the sizes of one stack.
struct Sizes<'a> {
    counters: Counters,
    /// Ascending; no bin is empty.
    total: &'a [SizeBin],
    live: &'a [SizeBin],
}

/// What a way of growing says of its containers.
struct Finding {
    evidence: Evidence,
    containers: Option<u64>,
    final_bytes: Limits,
    /// Capacities before the last growth, at least.
    previous_bytes: u64,
}

impl Sizes<'_> {
    fn growing(&self, stack: StackId) -> Option<Growing> {
        let finding = self
            .doubling()
            .or_else(|| self.steps())
            .or_else(|| self.reallocation())?;
        let Counters {
            calls, total_bytes, ..
        } = self.counters;
        // Of a container that is reallocated the first allocation stays.
        let saved_allocations = match self.reallocations() {
            0 => calls.saturating_sub(finding.containers.unwrap_or(0)),
            reallocations => reallocations,
        };
        Some(Growing {
            stack,
            evidence: finding.evidence,
            allocations: calls,
            bytes_allocated: total_bytes,
            containers: finding.containers,
            final_bytes: finding.final_bytes,
            saved_allocations,
            saved_bytes: finding.final_bytes.subtracted_from(total_bytes),
            saved_bytes_below: total_bytes.saturating_sub(finding.previous_bytes),
        })
    }

    fn reallocations(&self) -> u64 {
        self.counters.reallocs()
    }

    /// Allocations that were not reallocations of a known block.
    fn begun(&self) -> u64 {
        self.counters.calls.saturating_sub(self.reallocations())
    }

    /// Whether so many containers can have made these blocks: each holds one at a
    /// time, and only its last can be freed before another one is made.
    fn can_be(&self, containers: u64) -> bool {
        self.counters.live_blocks <= containers && self.counters.temporaries <= containers
    }

    /// Blocks that were all live at once did not replace each other.
    fn is_held(&self, containers: u64) -> bool {
        let Counters {
            peak_bytes,
            total_bytes,
            ..
        } = self.counters;
        let each = total_bytes / containers.max(1);
        peak_bytes >= total_bytes || (each * containers == total_bytes && peak_bytes % each == 0)
    }

    /// A first size that doubles, in the numbers of the bins, to the exact sum.
    fn doubling(&self) -> Option<Finding> {
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
        Some(Finding {
            evidence: Evidence::Doubling,
            containers: Some(first.blocks),
            final_bytes: Limits::exactly(final_bytes),
            previous_bytes: (final_bytes - did_not_grow) / 2,
        })
    }

    /// As many blocks in each bin, and hardly a bin left out between them.
    fn steps(&self) -> Option<Finding> {
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
        Some(Finding {
            evidence: Evidence::Steps,
            containers: Some(containers),
            final_bytes,
            previous_bytes,
        })
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
    fn reallocation(&self) -> Option<Finding> {
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
        Some(Finding {
            evidence: Evidence::Reallocation,
            containers,
            final_bytes,
            previous_bytes: 0,
        })
    }
}

/// The sum of blocks whose sizes double from bin to bin, in units of the first size.
fn in_first_sizes(blocks: impl Iterator<Item = u64>) -> Option<u64> {
    (0u32..).zip(blocks).try_fold(0u64, |sum, (step, blocks)| {
        sum.checked_add(blocks.checked_mul(1u64.checked_shl(step)?)?)
    })
}

/// Binary digits of a size.
fn bits(bytes: u64) -> u8 {
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

#[cfg(test)]
mod tests;
