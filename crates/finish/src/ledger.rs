//! The ledger: the records of all threads, summed by path.
//!
//! A path may have several ids, of nodes that are the same or that were made for the
//! same thing. From here on it has one number, that of its row, which is the number of
//! the profile's stack.

use crate::arena_file::{ArenaFile, Error, Item};
use crate::record::{PeakMoment, Record, RecordItems, StackTotals};
use crate::trie::{Trie, TrieNode};
use crate::{Progress, Step};
use residue_arena::counters::{PAGE_BYTES, PAGE_RECORDS, page_of_key};
use residue_arena::region::Region;
use residue_profile::timeline::StackId;
use residue_profile::{StackKind, ThreadCounters};
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
    let (mut rows, mut ids) = rows_of_paths(trie);
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
                let row = &mut rows[stack as usize];
                row.add(record, &peak);
                unlogged.extend(record.unlogged(stack));
                let counters = record.counters(state, row.kind);
                by_state.extend(counters.map(|counters| (stack, counters)));
            }
        }
    })?;

    let mut numbers = Vec::with_capacity(rows.len());
    let mut next = 0;
    rows.retain_mut(|row| {
        row.settle();
        row.late.freed_at = trie.first(row.late.freed_at);
        numbers.push(row.is_used().then_some(next));
        next += StackId::from(row.is_used());
        row.is_used()
    });
    let number = |stack: StackId| numbers[stack as usize];
    for id in &mut ids.0 {
        *id = id.and_then(number);
    }
    let renumber = |stack: &mut StackId| number(*stack).map(|new| *stack = new).is_some();
    unlogged.retain_mut(|change: &mut Unlogged| renumber(&mut change.stack));
    by_state.retain_mut(|(stack, _): &mut (StackId, ThreadCounters)| renumber(stack));
    let ledger = Ledger {
        rows,
        ids,
        unlogged,
    };
    Ok((ledger, by_state))
}

/// One row for each path and kind, whatever ids the path was given.
fn rows_of_paths(trie: &Trie) -> (Vec<StackTotals>, StackIds) {
    let mut rows = Vec::with_capacity(trie.stacks.len());
    // Nearly all are of the heap: those have a place for each node.
    let mut of_heap = vec![None; trie.end()];
    let mut others: FxHashMap<(TrieNode, u32), Option<StackId>> = FxHashMap::default();
    let mut number = |&(node, kind): &(TrieNode, StackKind)| {
        let place = match of_heap.get_mut(node as usize) {
            Some(place) if kind == StackKind::Heap => place,
            _ => others.entry((node, kind as u32)).or_default(),
        };
        *place.get_or_insert_with(|| {
            rows.push(StackTotals::of(node, kind));
            (rows.len() - 1) as StackId
        })
    };
    let ids = trie.stacks.iter();
    let ids = ids.map(|path| path.as_ref().map(&mut number)).collect();
    (rows, StackIds(ids))
}
