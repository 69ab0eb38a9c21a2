//! The counters: records of all threads, summed by path.

use crate::arena_file::{ArenaFile, Error, half, to_words, word};
use crate::tree::{ABSENT, FastMap, Tree};
use crate::{Progress, Step};
use residue_arena::counters::*;
use residue_arena::node::{OVERFLOW_STACK, POOLED_STACK};
use residue_arena::region::Region;
use residue_arena::{header, node};
use residue_profile::{Counters, SizeBin, StackKind, ThreadCounters};

/// One path with everything counted under it.
pub struct Ledger {
    pub rows: Vec<Row>,
    /// From a stack id to its row.
    row_of_stack: Vec<u32>,
    /// What the records had not logged yet.
    pub pending: Vec<RowChange>,
    /// Each record by itself, as far as it is kept.
    pub by_thread: Vec<ThreadRecord>,
    /// From a row to its place among the profile's stacks, once it has one.
    pub stack_of_row: Vec<u32>,
}

/// By how much a row's live memory changed in an interval.
#[derive(Debug, Clone, Copy)]
pub struct RowChange {
    pub row: u32,
    pub interval: u64,
    pub bytes: i64,
    pub blocks: i64,
}

/// What one thread did at one row. Threads have the recorder's numbers here.
#[derive(Debug, Clone, Copy)]
pub struct ThreadRecord {
    pub row: u32,
    pub counters: ThreadCounters,
}

/// Frees in later events than the births.
#[derive(Debug, Clone, Copy, Default)]
pub struct Late {
    pub frees: u64,
    pub events: u64,
    pub longest_events: u32,
    /// The arena's number of a node; zero where none was taken.
    pub freed_at: u32,
}

pub struct Row {
    pub node: u32,
    pub kind: StackKind,
    pub counters: Counters,
    /// Signed while records of several threads are being added up.
    live_bytes: i64,
    live_blocks: i64,
    at_peak_bytes: i64,
    at_peak_blocks: i64,
    own_peak: i64,
    pub sizes: Vec<SizeBin>,
    pub late: Late,
}

impl Ledger {
    pub fn row_of(&self, stack: u32) -> Option<usize> {
        let row = *self.row_of_stack.get(stack as usize)?;
        (row != ABSENT).then_some(row as usize)
    }
}

pub fn read(arena: &ArenaFile, tree: &Tree, progress: Progress<'_>) -> Result<Ledger, Error> {
    let mut ledger = rows_for_stacks(tree);
    let pages = arena.used(Region::CounterPages);
    let keys = arena.keys(Region::CounterKeys, pages)?;
    let extras = Extras::read(arena)?;
    let peak = PeakMoment {
        is_rising: arena.word(header::RISING) != 0,
        epoch: arena.word(header::PEAK_EPOCH) as u32,
    };
    arena.each_chunk(Region::CounterPages, keys.len() as u64, |first, bytes| {
        progress(Step::Stacks, first, pages);
        for (index, page) in bytes.chunks_exact(PAGE_BYTES as usize).enumerate() {
            let Some((thread, first_stack)) = page_of_key(keys[first as usize + index]) else {
                continue;
            };
            let words = to_words(page);
            let (records, logged) = words.split_at(PAGE_RECORD_WORDS);
            for (slot, record) in records.chunks_exact(RECORD_WORDS).enumerate() {
                let Some(row) = ledger.row_of(first_stack + slot as u32) else {
                    continue;
                };
                add_record(&mut ledger.rows[row], record, &extras, &peak);
                let logged = &logged[slot * LOGGED_WORDS..][..LOGGED_WORDS];
                ledger.pending.extend(unlogged(row as u32, record, logged));
                ledger
                    .by_thread
                    .extend(by_thread(row as u32, thread, record));
            }
        }
    })?;
    for row in &mut ledger.rows {
        settle(row);
    }
    Ok(ledger)
}

/// One row per (path, kind), whatever ids the path was given.
fn rows_for_stacks(tree: &Tree) -> Ledger {
    let mut row_of_stack = vec![ABSENT; tree.heap_stacks.len()];
    let mut rows = Vec::new();
    let mut known: FastMap<(u32, u32), u32> = FastMap::default();
    let mut enter = |stack: usize, node: u32, kind: StackKind| {
        if let Some(place) = row_of_stack.get_mut(stack) {
            *place = *known.entry((node, kind as u32)).or_insert_with(|| {
                rows.push(Row::new(node, kind));
                (rows.len() - 1) as u32
            });
        }
    };
    // Below the path of a reported block stands a node that is no frame.
    let heap_kind = |node: u32| match tree.nodes[node as usize] {
        (parent, node::REPORTED_KEY) => (parent, StackKind::Reported),
        _ => (node, StackKind::Heap),
    };
    enter(POOLED_STACK as usize, node::ROOT, StackKind::Pooled);
    enter(OVERFLOW_STACK as usize, node::ROOT, StackKind::Overflow);
    for (stack, &node) in tree.heap_stacks.iter().enumerate() {
        if node != ABSENT {
            let (node, kind) = heap_kind(node);
            enter(stack, node, kind);
        }
    }
    for (stack, &node) in tree.map_stacks.iter().enumerate() {
        if node != ABSENT {
            enter(stack, node, StackKind::Mapping);
        }
    }
    Ledger {
        rows,
        row_of_stack,
        pending: Vec::new(),
        by_thread: Vec::new(),
        stack_of_row: Vec::new(),
    }
}

impl Row {
    fn new(node: u32, kind: StackKind) -> Row {
        Row {
            node,
            kind,
            counters: Counters::default(),
            live_bytes: 0,
            live_blocks: 0,
            at_peak_bytes: 0,
            at_peak_blocks: 0,
            own_peak: 0,
            sizes: Vec::new(),
            late: Late::default(),
        }
    }

    fn add_size(&mut self, bin: usize, blocks: u64) {
        if blocks == 0 {
            return;
        }
        match self
            .sizes
            .iter_mut()
            .find(|size| usize::from(size.bits) == bin)
        {
            Some(size) => size.blocks += blocks,
            None => self.sizes.push(SizeBin {
                bits: bin as u8,
                blocks,
            }),
        }
    }
}

struct PeakMoment {
    is_rising: bool,
    epoch: u32,
}

struct Extras(Vec<u8>);

/// One extra's bytes.
struct Extra<'a>(&'a [u8]);

impl Extras {
    fn read(arena: &ArenaFile) -> Result<Extras, Error> {
        let mut all = Vec::new();
        let count = arena.used(Region::Extras);
        arena.each_chunk(Region::Extras, count, |_, bytes| all.extend(bytes))?;
        Ok(Extras(all))
    }

    /// The extra with this number, which counts from one.
    fn get(&self, number: u64) -> Option<Extra<'_>> {
        let start = (number as usize).checked_sub(1)? * EXTRA_BYTES as usize;
        let bytes = self.0.get(start..start + EXTRA_BYTES as usize)?;
        Some(Extra(bytes))
    }
}

impl Extra<'_> {
    fn word(&self, place: usize) -> u64 {
        word(self.0, place)
    }

    fn half(&self, place: usize) -> u64 {
        u64::from(half(self.0, place * 4))
    }
}

fn add_record(row: &mut Row, record: &[u64], extras: &Extras, peak: &PeakMoment) {
    let (calls, frees) = (record[ALLOCATIONS], record[FREES]);
    if calls == 0 && frees == 0 && record[FREED_BYTES] == 0 {
        return;
    }
    let live_bytes = record[BYTES].wrapping_sub(record[FREED_BYTES]) as i64;
    let live_blocks = calls.wrapping_sub(frees) as i64;
    let last = record[EPOCH_AND_EXTRA];
    let packed = record[AT_PEAK_BLOCKS_AND_INTERVAL];
    let is_saved = !peak.is_rising && last as u32 == peak.epoch;
    row.counters.calls += calls;
    row.counters.frees += frees;
    row.counters.total_bytes += record[BYTES];
    row.counters.temporaries += record_half(record, RECORD_TEMPORARIES);
    row.live_bytes += live_bytes;
    row.live_blocks += live_blocks;
    if is_saved {
        row.at_peak_bytes += record[AT_PEAK_BYTES] as i64;
        row.at_peak_blocks += i64::from(packed as u32 as i32);
    } else {
        row.at_peak_bytes += live_bytes;
        row.at_peak_blocks += live_blocks;
    }
    let mut own_peak = record[HIGHEST] as i64;
    for bin in 0..RECORD_BINS {
        row.add_size(bin, record_half(record, RECORD_BIN + bin));
    }
    if let Some(extra) = extras.get(last >> EXTRA_SHIFT) {
        for bin in 0..RECORD_BINS {
            row.add_size(bin, extra.half(EXTRA_CARRY + bin) << 32);
        }
        for bin in RECORD_BINS..BINS {
            row.add_size(bin, extra.word(EXTRA_BIN + bin - RECORD_BINS));
        }
        row.counters.reallocs_in_place += extra.word(EXTRA_IN_PLACE);
        row.counters.reallocs_moved += extra.word(EXTRA_MOVED);
        row.counters.temporaries += extra.half(EXTRA_TEMPORARIES_CARRY) << 32;
        row.late.frees += extra.word(EXTRA_DEFERRED_FREES);
        row.late.events += extra.word(EXTRA_DEFERRED_EVENTS);
        let packed = extra.word(EXTRA_FREED_AT_AND_LONGEST);
        row.late.longest_events = row.late.longest_events.max((packed >> 32) as u32);
        if packed as u32 != 0 {
            row.late.freed_at = packed as u32;
        }
        own_peak = own_peak.wrapping_sub(extra.word(EXTRA_RETURNED) as i64);
    }
    row.own_peak += own_peak.max(0);
}

/// A 32-bit place of a record.
fn record_half(record: &[u64], place: usize) -> u64 {
    record[place / 2] >> (place % 2 * 32) & u64::from(u32::MAX)
}

/// What a record changed in the interval of its last touch, if it is not in the log.
fn unlogged(row: u32, record: &[u64], logged: &[u64]) -> Option<RowChange> {
    let live_bytes = record[BYTES].wrapping_sub(record[FREED_BYTES]);
    let live_blocks = record[ALLOCATIONS].wrapping_sub(record[FREES]);
    let change = RowChange {
        row,
        interval: record[AT_PEAK_BLOCKS_AND_INTERVAL] >> 32,
        bytes: live_bytes.wrapping_sub(logged[0]) as i64,
        blocks: live_blocks.wrapping_sub(logged[1]) as i64,
    };
    (change.bytes != 0 || change.blocks != 0).then_some(change)
}

/// What a thread's record says, if it says anything.
fn by_thread(row: u32, thread: u32, record: &[u64]) -> Option<ThreadRecord> {
    let counters = ThreadCounters {
        thread,
        calls: record[ALLOCATIONS],
        total_bytes: record[BYTES],
        frees: record[FREES],
        net_bytes: record[BYTES].wrapping_sub(record[FREED_BYTES]) as i64,
    };
    let is_used = counters.calls != 0 || counters.frees != 0 || counters.net_bytes != 0;
    is_used.then_some(ThreadRecord { row, counters })
}

/// Turns the signed sums into the row's counters.
fn settle(row: &mut Row) {
    let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
    let counters = &mut row.counters;
    counters.live_bytes = unsigned(row.live_bytes);
    counters.live_blocks = unsigned(row.live_blocks);
    counters.at_peak_bytes = unsigned(row.at_peak_bytes);
    counters.at_peak_blocks = unsigned(row.at_peak_blocks);
    // Over several threads the sum of peaks is an upper bound; what was live at
    // some moment is a lower one.
    counters.peak_bytes = unsigned(row.own_peak)
        .min(counters.total_bytes)
        .max(counters.live_bytes)
        .max(counters.at_peak_bytes);
    row.sizes.sort_unstable_by_key(|size| size.bits);
}
