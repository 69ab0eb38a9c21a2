//! What changed at each stack from moment to moment: what is live, what was allocated, CPU time.
//!
//! The log, what the records had not logged yet, and what neither knew because the
//! program was killed or still runs: together they give what the records say in the end.

use super::moments::Numbers;
use crate::arena_file::{ArenaFile, Error};
use crate::ledger::{Ledger, Unlogged};
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_profile::StackKind;
use residue_profile::timeline::{Allocated, Change, CpuTime, MomentId, StackId};
use rustc_hash::FxHashMap;

/// Bytes and blocks.
type Amount = (i64, i64);

fn add(sum: &mut Amount, (bytes, blocks): Amount) {
    sum.0 = sum.0.wrapping_add(bytes);
    sum.1 = sum.1.wrapping_add(blocks);
}

pub struct Changes {
    /// Of the live memory of stacks.
    pub memory: Vec<Change>,
    /// CPU time, which is logged as if it were live.
    pub cpu: Vec<CpuTime>,
    pub allocated: Vec<Allocated>,
}

/// One kind of change, summed by moment and stack.
struct Sums<'a> {
    numbers: &'a Numbers,
    /// In parts, as they were learned: nearly in order, so that sorting them is faster than a table.
    parts: Vec<Part>,
    known: Vec<Amount>,
}

type Part = (MomentId, StackId, Amount);

impl<'a> Sums<'a> {
    fn new(numbers: &'a Numbers, stacks: usize) -> Sums<'a> {
        Sums {
            numbers,
            parts: Vec::new(),
            known: vec![(0, 0); stacks],
        }
    }

    fn learn(&mut self, stack: StackId, interval: u64, amount: Amount) {
        if amount != (0, 0)
            && let Some(moment) = self.numbers.end_of(interval)
        {
            self.parts.push((moment, stack, amount));
            add(&mut self.known[stack as usize], amount);
        }
    }

    /// Gives to the last moment what is missing of what each stack has in the end, and all of it
    /// in order.
    fn complete(mut self, ends: impl Iterator<Item = Amount>) -> Vec<Part> {
        if let Some(last) = self.numbers.last() {
            for ((end, known), stack) in ends.zip(self.known).zip(0..) {
                let missing = (end.0.wrapping_sub(known.0), end.1.wrapping_sub(known.1));
                if missing != (0, 0) {
                    self.parts.push((last, stack, missing));
                }
            }
        }
        let mut sums = self.parts;
        sums.sort_unstable_by_key(place);
        sums.dedup_by(|part, sum| {
            let is_of_it = place(part) == place(sum);
            if is_of_it {
                add(&mut sum.2, part.2);
            }
            is_of_it
        });
        sums.retain(|(_, _, amount)| *amount != (0, 0));
        sums
    }
}

fn place(part: &Part) -> (MomentId, StackId) {
    (part.0, part.1)
}

pub fn read(
    arena: &ArenaFile,
    ledger: &Ledger,
    numbers: &Numbers,
    with_totals: &Numbers,
) -> Result<Changes, Error> {
    let stacks = ledger.rows.len();
    let mut live = Sums::new(numbers, stacks);
    let mut made = Sums::new(with_totals, stacks);
    let mut temporaries = Sums::new(with_totals, stacks);
    arena.each_item(Region::Changes, |item| {
        let Some((of, interval, id)) = unpack_head(item.word(CHANGE_HEAD)) else {
            return;
        };
        if let Some(stack) = ledger.ids.stack(id) {
            let amount = unpack_change(item.word(CHANGE_AMOUNTS));
            match of {
                ChangeOf::Live => live.learn(stack, interval, amount),
                ChangeOf::Made => made.learn(stack, interval, amount),
                ChangeOf::Temporaries => temporaries.learn(stack, interval, amount),
            }
        }
    })?;
    for change in &ledger.unlogged {
        let Unlogged {
            stack, interval, ..
        } = *change;
        live.learn(stack, interval, (change.bytes, change.blocks));
        if ledger.rows[stack as usize].kind != StackKind::Cpu {
            let amount = (change.made_bytes as i64, change.made_blocks as i64);
            made.learn(stack, interval, amount);
            temporaries.learn(stack, interval, (0, change.temporaries as i64));
        }
    }
    let mut changes = Changes {
        memory: Vec::new(),
        cpu: Vec::new(),
        allocated: Vec::new(),
    };
    let ends = ledger.rows.iter().map(|row| match row.kind {
        StackKind::Cpu => (row.counters.cpu_ns as i64, 0),
        _ => (
            row.counters.live_bytes as i64,
            row.counters.live_blocks as i64,
        ),
    });
    // Samples are no blocks, though they are logged as such.
    for (moment, stack, (bytes, blocks)) in live.complete(ends) {
        match ledger.rows[stack as usize].kind {
            // Less than nothing only where a file says what cannot be.
            StackKind::Cpu if bytes > 0 => changes.cpu.push(CpuTime {
                moment,
                stack,
                ns: bytes.unsigned_abs(),
            }),
            StackKind::Cpu => {}
            _ => changes.memory.push(Change {
                moment,
                stack,
                bytes,
                blocks,
            }),
        }
    }
    let ends = ledger
        .rows
        .iter()
        .map(|row| (row.counters.total_bytes as i64, row.counters.calls as i64));
    let made = made.complete(ends);
    let ends = ledger.rows.iter();
    let ends = ends.map(|row| (0, row.counters.temporaries as i64));
    changes.allocated = allocated(made, temporaries.complete(ends));
    Ok(changes)
}

/// Both in one table. A block may be a temporary's in a later part than it was made in.
fn allocated(made: Vec<Part>, temporaries: Vec<Part>) -> Vec<Allocated> {
    let row = |(moment, stack): (MomentId, StackId)| Allocated {
        moment,
        stack,
        calls: 0,
        bytes: 0,
        temporaries: 0,
    };
    let mut made = settled(made).into_iter().peekable();
    let mut temporaries = settled(temporaries).into_iter().peekable();
    let mut rows = Vec::with_capacity(made.len());
    let next = |made: Option<&Part>, temporaries: Option<&Part>| {
        let places = [made, temporaries].into_iter().flatten().map(place);
        places.min()
    };
    while let Some(at) = next(made.peek(), temporaries.peek()) {
        let mut row = row(at);
        if let Some((_, _, (bytes, blocks))) = made.next_if(|part| place(part) == at) {
            row.calls = blocks.unsigned_abs();
            row.bytes = bytes.unsigned_abs();
        }
        if let Some((_, _, (_, count))) = temporaries.next_if(|part| place(part) == at) {
            row.temporaries = count.unsigned_abs();
        }
        rows.push(row);
    }
    rows
}

/// What only ever rises, without parts below nothing. A program that was killed right after it
/// wrote to the log had not noted that it did: that part is known twice, and the last moment has
/// so much less. It is taken off the latest moments before.
fn settled(mut sums: Vec<Part>) -> Vec<Part> {
    let is_below = |&(_, _, (bytes, blocks)): &Part| bytes < 0 || blocks < 0;
    if !sums.iter().any(is_below) {
        return sums;
    }
    let mut owed: FxHashMap<StackId, Amount> = FxHashMap::default();
    for (_, stack, (bytes, blocks)) in sums.iter_mut().rev() {
        let (owed_bytes, owed_blocks) = owed.entry(*stack).or_default();
        *bytes = bytes.saturating_add(*owed_bytes);
        *blocks = blocks.saturating_add(*owed_blocks);
        *owed_bytes = (*bytes).min(0);
        *owed_blocks = (*blocks).min(0);
        *bytes = (*bytes).max(0);
        *blocks = (*blocks).max(0);
    }
    sums.retain(|(_, _, amount)| *amount != (0, 0));
    sums
}
