//! `CHNG`: the changes of stacks, the largest table of the timeline.
//!
//! The model has them by moment. In the file each stack has its changes
//! together, as a *series*, since a stack does much the same again and again:
//!
//! ```text
//!   series | delta stack ... | rows in series ...
//!          | moment - moment before in the series ...
//!          | zigzag blocks ...
//!          | zigzag (bytes - blocks * size) ...
//! ```
//!
//! *size* is the bytes a block in the row before, so the last column is all
//! zeros for a stack whose blocks are of one size, however many come and go.

use crate::columns::{Columns, Cursor, Delta, to_u32, unzigzag, zigzag};
use crate::decode::lengths;
use crate::error::Reason;
use crate::timeline::Change;

/// Bytes that each row takes at least.
const ROW_BYTES: u64 = 3;

pub(crate) fn encode(changes: &[Change], out: &mut Columns) {
    let mut by_stack = changes.to_vec();
    // Keeps the order of moments.
    by_stack.sort_by_key(|change| change.stack);
    let series = || by_stack.chunk_by(|a, b| a.stack == b.stack);

    out.put(series().count() as u64);
    out.deltas(series().map(|rows| u64::from(rows[0].stack)));
    out.plain(series().map(|rows| rows.len() as u64));
    for rows in series() {
        let mut last = 0;
        for change in rows {
            let moment = u64::from(change.moment);
            out.put(moment.wrapping_sub(last));
            last = moment;
        }
    }
    out.plain(by_stack.iter().map(|change| zigzag(change.blocks as u64)));
    for rows in series() {
        let mut block = BlockSize::default();
        for change in rows {
            let expected = block.expected_bytes(change.blocks);
            out.put(zigzag(change.bytes.wrapping_sub(expected) as u64));
            block.learn(change);
        }
    }
}

/// By moment, then stack.
pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Vec<Change>, Reason> {
    let series = cursor.count(2)?;
    let mut stacks = Vec::with_capacity(series);
    let mut stack = Delta::default();
    for _ in 0..series {
        stacks.push(stack.u32(cursor)?);
    }
    let lengths = lengths(cursor, series, ROW_BYTES)?;
    let mut changes = Vec::with_capacity(lengths.iter().sum());
    for (&stack, &length) in stacks.iter().zip(&lengths) {
        let mut moment = 0u64;
        for _ in 0..length {
            moment = moment.wrapping_add(cursor.u64()?);
            changes.push(Change {
                moment: to_u32(moment)?,
                stack,
                bytes: 0,
                blocks: 0,
            });
        }
    }
    for change in &mut changes {
        change.blocks = unzigzag(cursor.u64()?) as i64;
    }
    let mut rest = changes.as_mut_slice();
    for length in lengths {
        let (rows, behind) = rest.split_at_mut(length);
        let mut block = BlockSize::default();
        for change in rows {
            let expected = block.expected_bytes(change.blocks);
            change.bytes = expected.wrapping_add(unzigzag(cursor.u64()?) as i64);
            block.learn(change);
        }
        rest = behind;
    }
    changes.sort_by_key(|change| (change.moment, change.stack));
    Ok(changes)
}

/// What a block of this stack had, when blocks last came or went.
#[derive(Default)]
struct BlockSize {
    bytes: i64,
}

impl BlockSize {
    fn expected_bytes(&self, blocks: i64) -> i64 {
        self.bytes.wrapping_mul(blocks)
    }

    fn learn(&mut self, change: &Change) {
        if change.blocks != 0 {
            self.bytes = change.bytes.wrapping_div(change.blocks);
        }
    }
}
