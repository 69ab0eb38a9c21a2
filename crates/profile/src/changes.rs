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
use crate::error::Reason;
use crate::timeline::{Change, MomentId, StackId};

/// Bytes that each row takes at least.
const ROW_BYTES: usize = 3;

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
    let series = read_series(cursor)?;
    let rows = series.iter().map(|(_, rows)| rows).sum();
    let moments = read_moments(&series, cursor.column(rows)?)?;
    let mut blocks = cursor.column(rows)?;
    let mut extra_bytes = cursor.column(rows)?;
    let is_by_stack = series.is_sorted_by_key(|(stack, _)| *stack);
    let mut places = Places::new(&moments);
    let mut changes = vec![NO_CHANGE; rows];
    let mut row = 0;
    for (stack, rows) in series {
        let mut block = BlockSize::default();
        for &moment in &moments[row..row + rows] {
            let blocks = unzigzag(blocks.u64()?) as i64;
            let extra = unzigzag(extra_bytes.u64()?) as i64;
            let change = Change {
                moment,
                stack,
                bytes: block.expected_bytes(blocks).wrapping_add(extra),
                blocks,
            };
            block.learn(&change);
            changes[places.next(row, moment)] = change;
            row += 1;
        }
    }
    // Series that are in order have been dealt out in order.
    if !is_by_stack || matches!(places, Places::AsTheyCome) {
        changes.sort_by_key(|change| (change.moment, change.stack));
    }
    Ok(changes)
}

const NO_CHANGE: Change = Change {
    moment: 0,
    stack: 0,
    bytes: 0,
    blocks: 0,
};

/// Stack and number of rows of each series. All rows fit in the bytes that follow.
fn read_series(cursor: &mut Cursor<'_>) -> Result<Vec<(StackId, usize)>, Reason> {
    let count = cursor.count(2)?;
    let mut stacks = Delta::new(cursor.column(count)?);
    let mut lengths = cursor.column(count)?;
    let mut series = Vec::with_capacity(count);
    let mut rows = 0usize;
    for _ in 0..count {
        let length = usize::try_from(lengths.u64()?).unwrap_or(usize::MAX);
        rows = rows.saturating_add(length);
        series.push((stacks.u32()?, length));
    }
    if rows > cursor.left() / ROW_BYTES {
        return Err(Reason::bad(format!("{rows} changes do not fit in it")));
    }
    Ok(series)
}

fn read_moments(
    series: &[(StackId, usize)],
    mut steps: Cursor<'_>,
) -> Result<Vec<MomentId>, Reason> {
    let mut moments = Vec::with_capacity(series.iter().map(|(_, rows)| rows).sum());
    for (_, rows) in series {
        let mut moment = 0u64;
        for _ in 0..*rows {
            moment = moment.wrapping_add(steps.u64()?);
            moments.push(to_u32(moment)?);
        }
    }
    Ok(moments)
}

/// Where each change is put. Rows come by stack, and there are mostly far fewer
/// moments than rows, so that they can be dealt out instead of sorted.
enum Places {
    /// The next place of each moment from `first` on.
    ByMoment {
        first: MomentId,
        next: Vec<usize>,
    },
    AsTheyCome,
}

impl Places {
    fn new(moments: &[MomentId]) -> Self {
        let range = moments.iter().min().zip(moments.iter().max());
        let Some((&first, &last)) = range else {
            return Places::AsTheyCome;
        };
        let span = (last - first) as usize;
        if span >= moments.len() {
            return Places::AsTheyCome;
        }
        let mut next = vec![0; span + 2];
        for moment in moments {
            next[(moment - first) as usize + 1] += 1;
        }
        for moment in 1..next.len() {
            next[moment] += next[moment - 1];
        }
        Places::ByMoment { first, next }
    }

    fn next(&mut self, row: usize, moment: MomentId) -> usize {
        match self {
            Places::AsTheyCome => row,
            Places::ByMoment { first, next } => {
                let next = &mut next[(moment - *first) as usize];
                *next += 1;
                *next - 1
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn change(moment: u32, stack: u32, blocks: i64) -> Change {
        Change {
            moment,
            stack,
            bytes: 8 * blocks,
            blocks,
        }
    }

    /// What is read of changes in this order.
    fn decoded(changes: &[Change]) -> Vec<Change> {
        let mut out = Columns::default();
        encode(changes, &mut out);
        let bytes = out.finish();
        let mut cursor = Cursor::new(&bytes);
        let changes = decode(&mut cursor).unwrap();
        assert_eq!(cursor.left(), 0);
        changes
    }

    #[test]
    fn changes_come_back_by_moment_whether_dealt_out_or_sorted() {
        let by_place = |change: &Change| (change.moment, change.stack);
        let mut few_moments: Vec<Change> = (0..300)
            .map(|row| change(7 + row * 31 % 11, row / 9, i64::from(row) - 50))
            .collect();
        few_moments.sort_by_key(by_place);
        assert!(matches!(
            Places::new(&few_moments.iter().map(|c| c.moment).collect::<Vec<_>>()),
            Places::ByMoment { first: 7, .. }
        ));
        assert_eq!(decoded(&few_moments), few_moments);
        let far_apart = [change(0, 1, 2), change(u32::MAX, 0, 1)];
        assert!(matches!(Places::new(&[0, u32::MAX]), Places::AsTheyCome));
        assert_eq!(decoded(&far_apart), far_apart);
        assert_eq!(decoded(&[]), []);
    }

    /// No writer does this, but a reader must put them in order all the same.
    #[test]
    fn series_out_of_order_are_sorted() {
        // Two series: stack 5 then stack 4, one row each, all at moment 1.
        let mut out = Columns::default();
        out.put(2);
        out.deltas([5, 4]);
        out.plain([1, 1, 1, 1]);
        out.plain([2, 2].map(zigzag));
        out.plain([16, 16].map(zigzag));
        let bytes = out.finish();
        let changes = decode(&mut Cursor::new(&bytes)).unwrap();
        assert_eq!(changes, [change(1, 4, 2), change(1, 5, 2)]);
    }
}
