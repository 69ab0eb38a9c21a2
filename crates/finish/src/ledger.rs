//! The ledger: the records of all threads, summed by path.
//!
//! A path may have several ids, of nodes that are the same or that were made for the
//! same thing. From here on it has one number, that of its row, which is the number of
//! the profile's stack.

use crate::arena_file::{ArenaFile, Error, Item};
use crate::record::{LateFrees, PeakMoment, Record, RecordItems, Sums};
use crate::trie::{Trie, TrieNode};
use crate::{Progress, Step};
use residue_arena::counters::{PAGE_BYTES, PAGE_RECORDS, page_of_key};
use residue_arena::region::Region;
use residue_profile::timeline::StackId;
use residue_profile::{Counters, SizeBin, StackKind, ThreadCounters};
use rustc_hash::FxHashMap;

pub struct Ledger {
    /// The paths under which something was counted.
    pub rows: Vec<StackTotals>,
    pub ids: StackIds,
    /// What the records had not logged yet.
    pub unlogged: Vec<Unlogged>,
}

/// What each record says by itself. In place of the thread it has the number of the
/// recorder's state that it belongs to.
pub type ByState = Vec<(StackId, ThreadCounters)>;

/// One path with everything counted under it.
pub struct StackTotals {
    pub node: TrieNode,
    pub kind: StackKind,
    pub counters: Counters,
    pub sizes: Vec<SizeBin>,
    pub late: LateFrees,
}

/// What changed at a stack and is not in the log: in the interval of the last touch what is live,
/// and what was allocated since the last moment with totals before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlogged {
    pub stack: StackId,
    pub interval: u64,
    pub bytes: i64,
    pub blocks: i64,
    pub made_bytes: u64,
    pub made_blocks: u64,
    pub temporaries: u64,
}

/// From the recorder's ids to numbers of stacks.
pub struct StackIds(Vec<Option<StackId>>);

impl StackIds {
    pub fn stack(&self, id: u32) -> Option<StackId> {
        self.0.get(id as usize).copied().flatten()
    }
}

pub fn read(
    arena: &ArenaFile,
    trie: &Trie,
    progress: Progress<'_>,
) -> Result<(Ledger, ByState), Error> {
    let (paths, mut ids) = number_paths(trie);
    let mut sums: Vec<Sums> = paths.iter().map(|_| Sums::default()).collect();
    let mut unlogged = Vec::new();
    let mut by_state = Vec::new();
    let pages = arena.used(Region::CounterPages);
    let keys = arena.keys(Region::CounterKeys, pages)?;
    let items = RecordItems::read(arena)?;
    let peak = PeakMoment::of(arena);
    arena.each_chunk(Region::CounterPages, keys.len() as u64, |first, bytes| {
        progress(Step::Stacks, first, pages);
        let pages = bytes.chunks_exact(PAGE_BYTES as usize);
        for (page, &key) in pages.zip(&keys[first as usize..]) {
            let Some((state, first_id)) = page_of_key(key) else {
                continue;
            };
            for slot in 0..PAGE_RECORDS {
                let Some(stack) = ids.stack(first_id + slot as u32) else {
                    continue;
                };
                let record = Record::new(Item::new(page), slot, &items);
                sums[stack as usize].add(record, &peak);
                unlogged.extend(record.unlogged(stack));
                let counters = record.counters(state, paths[stack as usize].1);
                by_state.extend(counters.map(|counters| (stack, counters)));
            }
        }
    })?;

    let mut rows = Vec::new();
    let mut numbers = Vec::with_capacity(sums.len());
    for ((node, kind), sums) in paths.into_iter().zip(sums) {
        let mut row = sums.into_row(node, kind);
        row.late.freed_at = trie.first(row.late.freed_at);
        let Counters {
            calls,
            frees,
            cpu_ns,
            ..
        } = row.counters;
        let is_used = calls != 0 || frees != 0 || cpu_ns != 0;
        numbers.push(is_used.then_some(rows.len() as StackId));
        if is_used {
            rows.push(row);
        }
    }
    let number = |stack: StackId| numbers[stack as usize];
    for id in &mut ids.0 {
        *id = id.and_then(number);
    }
    let unlogged = unlogged.into_iter().filter_map(|change: Unlogged| {
        let stack = number(change.stack)?;
        Some(Unlogged { stack, ..change })
    });
    let ledger = Ledger {
        rows,
        ids,
        unlogged: unlogged.collect(),
    };
    let by_state = by_state.into_iter();
    let by_state = by_state.filter_map(|(stack, counters)| Some((number(stack)?, counters)));
    Ok((ledger, by_state.collect()))
}

/// One number for each path and kind, whatever ids the path was given.
fn number_paths(trie: &Trie) -> (Vec<(TrieNode, StackKind)>, StackIds) {
    let mut paths = Vec::new();
    // Nearly all are of the heap: those have a place for each node.
    let mut of_heap = vec![None; trie.end()];
    let mut others: FxHashMap<(TrieNode, u32), Option<StackId>> = FxHashMap::default();
    let mut number = |&(node, kind): &(TrieNode, StackKind)| {
        let place = match of_heap.get_mut(node as usize) {
            Some(place) if kind == StackKind::Heap => place,
            _ => others.entry((node, kind as u32)).or_default(),
        };
        *place.get_or_insert_with(|| {
            paths.push((node, kind));
            (paths.len() - 1) as StackId
        })
    };
    let ids = trie.stacks.iter();
    let ids = ids.map(|path| path.as_ref().map(&mut number)).collect();
    (paths, StackIds(ids))
}
