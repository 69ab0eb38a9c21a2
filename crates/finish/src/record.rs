//! What one record says, and the sum of those of one path.

use crate::arena_file::{ArenaFile, Error, Item};
use crate::ledger::Unlogged;
use crate::trie::TrieNode;
use residue_arena::counters::*;
use residue_arena::header;
use residue_arena::region::Region;
use residue_profile::timeline::StackId;
use residue_profile::{Counters, SizeBin, StackKind, ThreadCounters};

/// One record of a page, with the items that belong to it.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    page: Item<'a>,
    slot: usize,
    detail: Option<Item<'a>>,
    overflow: Option<Item<'a>>,
    logged: Option<Item<'a>>,
}

impl<'a> Record<'a> {
    pub fn new(page: Item<'a>, slot: usize, items: &'a RecordItems) -> Record<'a> {
        let mut record = Record {
            page,
            slot,
            detail: None,
            overflow: None,
            logged: None,
        };
        record.detail = items.detail(detail_number(record.word(EPOCH_AND_DETAIL)));
        let number = |place: usize| {
            record
                .detail
                .map_or(0, |detail| detail.half(place * 4).into())
        };
        record.overflow = items.overflow(number(DETAIL_OVERFLOW));
        record.logged = items.logged(number(DETAIL_LOGGED));
        record
    }

    fn word(self, index: usize) -> u64 {
        self.page.word(self.slot * RECORD_WORDS + index)
    }

    fn live_bytes(self) -> i64 {
        self.word(BYTES).wrapping_sub(self.word(FREED_BYTES)) as i64
    }

    fn allocations(self) -> u64 {
        allocations(self.word(ALLOCATIONS_AND_LARGEST))
    }

    fn live_blocks(self) -> i64 {
        self.allocations().wrapping_sub(self.word(FREES)) as i64
    }

    /// Whether all that is known is that there was one block: its size is that of all bytes.
    fn is_of_one(self) -> bool {
        self.detail.is_none() && self.allocations() == 1
    }

    /// The bins of its detail item, with what they carried over. A kill may have come between a carry
    /// and the bin's new beginning: then it counts what the record never had.
    fn sizes(self) -> [u64; DETAIL_BINS] {
        let Some(detail) = self.detail else {
            return [0; DETAIL_BINS];
        };
        let carry = |bin: usize| {
            let carry = |overflow: Item<'_>| u64::from(overflow.half((OVERFLOW_CARRY + bin) * 4));
            self.overflow.map_or(0, carry) << 16
        };
        let mut sizes = std::array::from_fn(|bin| carry(bin) + u64::from(detail.quarter(bin * 2)));
        let sum = sizes
            .iter()
            .fold(0_u64, |sum, bin| sum.saturating_add(*bin));
        if sum > self.allocations().saturating_add(1) {
            let torn = (0..DETAIL_BINS).find(|bin| detail.quarter(bin * 2) == u16::MAX);
            if let Some(torn) = torn {
                sizes[torn] = sizes[torn].saturating_sub(1 << 16);
            }
        }
        sizes
    }

    /// By the last 32 bits.
    fn temporaries(self) -> u32 {
        match self.detail {
            Some(detail) => detail.half(DETAIL_TEMPORARIES * 4),
            None => u32::from(self.word(EPOCH_AND_DETAIL) >> DETAIL_SHIFT == ONE_TEMPORARY),
        }
    }

    /// Its largest block. A kill may have come between the block and its bytes, and what a
    /// record holds is the program's to overwrite: no block is larger than all together.
    fn largest_bytes(self) -> u64 {
        if self.is_of_one() {
            return self.word(BYTES);
        }
        let own = largest_bytes(self.word(ALLOCATIONS_AND_LARGEST));
        let beyond = self
            .overflow
            .map(|overflow| overflow.word(OVERFLOW_LARGEST));
        own.max(beyond.unwrap_or(0)).min(self.word(BYTES))
    }

    /// What changed in the interval of its last touch, if it is not in the log.
    pub fn unlogged(self, stack: StackId) -> Option<Unlogged> {
        let logged = |place: usize| self.logged.map_or(0, |logged| logged.word(place));
        let packed = logged(LOGGED_BLOCKS_AND_TEMPORARIES);
        let blocks = (self.live_blocks() as u32).wrapping_sub(packed as u32);
        let temporaries = self.temporaries().wrapping_sub((packed >> 32) as u32);
        let change = Unlogged {
            stack,
            interval: self.word(AT_PEAK_BLOCKS_AND_INTERVAL) >> 32,
            bytes: (self.live_bytes() as u64).wrapping_sub(logged(LOGGED_BYTES)) as i64,
            blocks: i64::from(blocks as i32),
            made_bytes: self.word(BYTES).wrapping_sub(logged(LOGGED_MADE_BYTES)),
            made_blocks: self.allocations().wrapping_sub(logged(LOGGED_MADE_BLOCKS)),
            temporaries: temporaries.into(),
        };
        let is_changed = change.bytes != 0 || change.blocks != 0;
        let is_made = change.made_bytes != 0 || change.made_blocks != 0 || temporaries != 0;
        (is_changed || is_made).then_some(change)
    }

    /// What its thread did, if it did anything.
    pub fn counters(self, thread: u32, kind: StackKind) -> Option<ThreadCounters> {
        if kind == StackKind::Cpu {
            let cpu_ns = self.word(BYTES);
            return (cpu_ns != 0).then_some(ThreadCounters {
                thread,
                cpu_ns,
                ..ThreadCounters::default()
            });
        }
        let counters = ThreadCounters {
            thread,
            calls: self.allocations(),
            total_bytes: self.word(BYTES),
            frees: self.word(FREES),
            net_bytes: self.live_bytes(),
            cpu_ns: 0,
            largest_bytes: self.largest_bytes(),
        };
        let is_used = counters.calls != 0 || counters.frees != 0 || counters.net_bytes != 0;
        is_used.then_some(counters)
    }
}

/// When the heap was highest.
pub struct PeakMoment {
    /// It still rises.
    is_now: bool,
    epoch: u32,
}

impl PeakMoment {
    pub fn of(arena: &ArenaFile) -> PeakMoment {
        PeakMoment {
            is_now: arena.word(header::RISING) != 0,
            epoch: arena.word(header::PEAK_EPOCH) as u32,
        }
    }
}

/// What belongs to records and not all of them need.
pub struct RecordItems {
    details: Vec<u8>,
    overflows: Vec<u8>,
    logged: Vec<u8>,
}

impl RecordItems {
    pub fn read(arena: &ArenaFile) -> Result<RecordItems, Error> {
        // Those that were made since the header was read, too.
        let all_of = |region: Region| arena.items(region, 0, arena.committed(region));
        Ok(RecordItems {
            details: all_of(Region::RecordDetails)?,
            overflows: all_of(Region::RecordOverflow)?,
            logged: all_of(Region::RecordsLogged)?,
        })
    }

    fn detail(&self, number: u64) -> Option<Item<'_>> {
        item(&self.details, number, DETAIL_BYTES)
    }

    fn logged(&self, number: u64) -> Option<Item<'_>> {
        item(&self.logged, number, LOGGED_ITEM_BYTES)
    }

    fn overflow(&self, number: u64) -> Option<Item<'_>> {
        item(&self.overflows, number, OVERFLOW_BYTES)
    }
}

/// The item with this number, which counts from one.
fn item(items: &[u8], number: u64, bytes: u64) -> Option<Item<'_>> {
    let bytes = bytes as usize;
    let start = (number as usize).checked_sub(1)?.checked_mul(bytes)?;
    Some(Item::new(items.get(start..)?.get(..bytes)?))
}

/// Frees in later events than the births.
#[derive(Debug, Clone, Copy, Default)]
pub struct LateFrees {
    pub frees: u64,
    pub events: u64,
    pub longest_events: u32,
    /// Zero, which is the root, where none was taken.
    pub freed_at: TrieNode,
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// What threads free that others made is signed until all are added up.
fn add_signed(sum: &mut u64, more: i64) {
    *sum = (*sum as i64).saturating_add(more) as u64;
}

/// One path with everything counted under it.
pub struct StackTotals {
    pub node: TrieNode,
    pub kind: StackKind,
    pub counters: Counters,
    pub sizes: Vec<SizeBin>,
    pub late: LateFrees,
}

impl StackTotals {
    pub fn of(node: TrieNode, kind: StackKind) -> StackTotals {
        StackTotals {
            node,
            kind,
            counters: Counters::default(),
            sizes: Vec::new(),
            late: LateFrees::default(),
        }
    }

    /// Adds one record. What is live and what was at the peak are signed until [`Self::settle`].
    pub fn add(&mut self, record: Record<'_>, peak: &PeakMoment) {
        let (calls, frees) = (record.allocations(), record.word(FREES));
        if calls == 0 && frees == 0 && record.word(FREED_BYTES) == 0 {
            return;
        }
        let counters = &mut self.counters;
        add(&mut counters.calls, calls);
        add(&mut counters.frees, frees);
        add(&mut counters.total_bytes, record.word(BYTES));
        counters.largest_bytes = counters.largest_bytes.max(record.largest_bytes());
        add(&mut counters.temporaries, record.temporaries().into());
        let (live_bytes, live_blocks) = (record.live_bytes(), record.live_blocks());
        add_signed(&mut counters.live_bytes, live_bytes);
        add_signed(&mut counters.live_blocks, live_blocks);
        let epoch = record.word(EPOCH_AND_DETAIL) as u32;
        // What a record held then was saved at its first change since; one that has not
        // changed still holds it.
        let (bytes, blocks) = if !peak.is_now && epoch == peak.epoch {
            let blocks = record.word(AT_PEAK_BLOCKS_AND_INTERVAL) as u32;
            (record.word(AT_PEAK_BYTES) as i64, i64::from(blocks as i32))
        } else {
            (live_bytes, live_blocks)
        };
        add_signed(&mut counters.at_peak_bytes, bytes);
        add_signed(&mut counters.at_peak_blocks, blocks);
        let mut own_peak = record.word(HIGHEST) as i64;
        if let Some(overflow) = record.overflow {
            own_peak = own_peak.wrapping_sub(overflow.word(OVERFLOW_RETURNED) as i64);
        }
        add_signed(&mut counters.peak_bytes, own_peak.max(0));
        if record.is_of_one() {
            self.add_size(size_bin(record.word(BYTES)), 1);
        }
        for (bin, blocks) in record.sizes().into_iter().enumerate() {
            self.add_size(bin, blocks);
        }
        if let Some(overflow) = record.overflow {
            self.add_overflow(overflow);
        }
    }

    fn add_overflow(&mut self, overflow: Item<'_>) {
        let carry = |place: usize| u64::from(overflow.half(place * 4));
        for bin in DETAIL_BINS..BINS {
            self.add_size(bin, overflow.word(OVERFLOW_BIN + bin - DETAIL_BINS));
        }
        add(
            &mut self.counters.reallocs_in_place,
            overflow.word(OVERFLOW_IN_PLACE),
        );
        add(
            &mut self.counters.reallocs_moved,
            overflow.word(OVERFLOW_MOVED),
        );
        add(
            &mut self.counters.temporaries,
            carry(OVERFLOW_TEMPORARIES_CARRY) << 32,
        );
        add(&mut self.late.frees, overflow.word(OVERFLOW_DEFERRED_FREES));
        add(
            &mut self.late.events,
            overflow.word(OVERFLOW_DEFERRED_EVENTS),
        );
        let packed = overflow.word(OVERFLOW_FREED_AT_AND_LONGEST);
        self.late.longest_events = self.late.longest_events.max((packed >> 32) as u32);
        if packed as u32 != 0 {
            self.late.freed_at = packed as u32;
        }
    }

    fn add_size(&mut self, bin: usize, blocks: u64) {
        if blocks == 0 {
            return;
        }
        let bits = bin as u8;
        match self.sizes.iter_mut().find(|size| size.bits == bits) {
            Some(size) => size.blocks = size.blocks.saturating_add(blocks),
            None => {
                // Most have one size, and there may be millions.
                if self.sizes.is_empty() {
                    self.sizes.reserve_exact(1);
                }
                self.sizes.push(SizeBin { bits, blocks });
            }
        }
    }

    /// All records were added.
    pub fn settle(&mut self) {
        if self.kind == StackKind::Cpu {
            // Samples count nanoseconds where others count bytes.
            let counters = Counters {
                cpu_ns: self.counters.total_bytes,
                ..Counters::default()
            };
            *self = StackTotals {
                counters,
                ..StackTotals::of(self.node, self.kind)
            };
            return;
        }
        let counters = &mut self.counters;
        for signed in [
            &mut counters.live_bytes,
            &mut counters.live_blocks,
            &mut counters.at_peak_bytes,
            &mut counters.at_peak_blocks,
        ] {
            *signed = (*signed as i64).max(0) as u64;
        }
        // Over several threads the sum of peaks is an upper bound; what was live at
        // some moment is a lower one.
        counters.peak_bytes = counters
            .peak_bytes
            .min(counters.total_bytes)
            .max(counters.live_bytes)
            .max(counters.at_peak_bytes);
        self.sizes.sort_unstable_by_key(|size| size.bits);
    }

    pub fn is_used(&self) -> bool {
        let counters = &self.counters;
        counters.calls != 0 || counters.frees != 0 || counters.cpu_ns != 0
    }
}
