//! What changed at each stack from moment to moment.
//!
//! The log, what the records had not logged yet, and what neither knew because the
//! program was killed or still runs: together they give what is live.

use super::moments::Numbers;
use crate::arena_file::{ArenaFile, Error};
use crate::ledger::Ledger;
use residue_arena::moments::*;
use residue_arena::node;
use residue_arena::region::Region;
use residue_profile::timeline::{Change, MomentId, StackId};
use rustc_hash::FxHashMap;

/// Bytes and blocks.
type Amount = (i64, i64);

fn add(sum: &mut Amount, (bytes, blocks): Amount) {
    sum.0 = sum.0.wrapping_add(bytes);
    sum.1 = sum.1.wrapping_add(blocks);
}

pub fn read(arena: &ArenaFile, ledger: &Ledger, numbers: &Numbers) -> Result<Vec<Change>, Error> {
    let mut sums: FxHashMap<(MomentId, StackId), Amount> = FxHashMap::default();
    let mut known: Vec<Amount> = vec![(0, 0); ledger.rows.len()];
    let mut learn = |stack: StackId, interval: u64, amount: Amount| {
        if let Some(moment) = numbers.end_of(interval) {
            add(sums.entry((moment, stack)).or_default(), amount);
            add(&mut known[stack as usize], amount);
        }
    };
    arena.each_item(Region::Changes, |item| {
        let head = item.word(CHANGE_STACK_AND_INTERVAL);
        let id = (head & u64::from(node::STACK_LIMIT - 1)) as u32;
        if let Some(stack) = ledger.ids.stack(id) {
            let amount = unpack_change(item.word(CHANGE_AMOUNTS));
            learn(stack, head >> node::STACK_BITS, amount);
        }
    })?;
    for change in &ledger.unlogged {
        learn(change.stack, change.interval, (change.bytes, change.blocks));
    }
    if let Some(last) = numbers.last() {
        let stacks = ledger.rows.iter().zip(known).zip(0..);
        for ((row, (known_bytes, known_blocks)), stack) in stacks {
            let bytes = (row.counters.live_bytes as i64).wrapping_sub(known_bytes);
            let blocks = (row.counters.live_blocks as i64).wrapping_sub(known_blocks);
            add(sums.entry((last, stack)).or_default(), (bytes, blocks));
        }
    }
    let mut changes: Vec<Change> = sums
        .into_iter()
        .filter(|(_, amount)| *amount != (0, 0))
        .map(|((moment, stack), (bytes, blocks))| Change {
            moment,
            stack,
            bytes,
            blocks,
        })
        .collect();
    changes.sort_unstable_by_key(|change| (change.moment, change.stack));
    Ok(changes)
}
