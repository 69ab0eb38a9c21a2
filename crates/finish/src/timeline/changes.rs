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
use residue_profile::StackKind;
use residue_profile::timeline::{Change, CpuTime, MomentId, StackId};
use rustc_hash::FxHashMap;

/// Bytes and blocks.
type Amount = (i64, i64);

fn add(sum: &mut Amount, (bytes, blocks): Amount) {
    sum.0 = sum.0.wrapping_add(bytes);
    sum.1 = sum.1.wrapping_add(blocks);
}

/// Of the live memory of stacks; and CPU time, which is logged as if it were live.
pub struct Changes {
    pub memory: Vec<Change>,
    pub cpu: Vec<CpuTime>,
}

pub fn read(arena: &ArenaFile, ledger: &Ledger, numbers: &Numbers) -> Result<Changes, Error> {
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
            let counters = &row.counters;
            let amount = match row.kind {
                StackKind::Cpu => ((counters.cpu_ns as i64).wrapping_sub(known_bytes), 0),
                _ => (
                    (counters.live_bytes as i64).wrapping_sub(known_bytes),
                    (counters.live_blocks as i64).wrapping_sub(known_blocks),
                ),
            };
            add(sums.entry((last, stack)).or_default(), amount);
        }
    }
    let mut changes = Changes {
        memory: Vec::with_capacity(sums.len()),
        cpu: Vec::new(),
    };
    for ((moment, stack), (bytes, blocks)) in sums {
        match ledger.rows[stack as usize].kind {
            // Less than nothing only where a file says what cannot be.
            StackKind::Cpu if bytes > 0 => changes.cpu.push(CpuTime {
                moment,
                stack,
                ns: bytes.unsigned_abs(),
            }),
            StackKind::Cpu => {}
            _ if (bytes, blocks) == (0, 0) => {}
            _ => changes.memory.push(Change {
                moment,
                stack,
                bytes,
                blocks,
            }),
        }
    }
    let place = |change: &Change| (change.moment, change.stack);
    changes.memory.sort_unstable_by_key(place);
    changes
        .cpu
        .sort_unstable_by_key(|time| (time.moment, time.stack));
    Ok(changes)
}
