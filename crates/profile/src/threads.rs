//! `THST`: what each thread did with the blocks of each stack.
//!
//! ```text
//!   stacks | threads in row ... | thread - thread before in the row ... | calls ...
//!          | zigzag (calls - frees) ... | total bytes ... | zigzag net bytes ...
//!          | CPU nanoseconds ..., unless all are zero and nothing follows
//!          | largest block ..., where it is known
//! ```
//!
//! Calls and frees of a thread are mostly nearly as many; a thread that frees
//! what others made has more frees. The threads themselves are in `THRD`.

use crate::columns::{Cursor, to_u32, unzigzag, zigzag};
use crate::decode::{items_before, row_ends};
use crate::encode::ragged;
use crate::error::Reason;
use crate::model::{Ragged, ThreadCounters};

pub(crate) fn encode(rows: &Ragged<ThreadCounters>, has_largest: bool) -> Vec<u8> {
    let mut out = ragged(rows);
    for index in 0..rows.rows() {
        let mut last = 0;
        for counters in rows.row(index) {
            let thread = u64::from(counters.thread);
            out.put(thread.wrapping_sub(last));
            last = thread;
        }
    }
    let items = rows.items();
    out.plain(items.iter().map(|c| c.calls));
    out.plain(items.iter().map(|c| zigzag(c.calls.wrapping_sub(c.frees))));
    out.plain(items.iter().map(|c| c.total_bytes));
    out.plain(items.iter().map(|c| zigzag(c.net_bytes as u64)));
    if has_largest || items.iter().any(|c| c.cpu_ns != 0) {
        out.plain(items.iter().map(|c| c.cpu_ns));
    }
    if has_largest {
        out.plain(items.iter().map(|c| c.largest_bytes));
    }
    out.finish()
}

pub(crate) fn decode(raw: &[u8]) -> Result<Ragged<ThreadCounters>, Reason> {
    let mut cursor = Cursor::new(raw);
    let ends = row_ends(&mut cursor, 5)?;
    let items = items_before(&ends);
    let mut threads = cursor.column(items)?;
    let mut calls = cursor.column(items)?;
    let mut outstanding = cursor.column(items)?;
    let mut total_bytes = cursor.column(items)?;
    let mut net_bytes = cursor.column(items)?;
    let mut later = || match cursor.left() == 0 {
        true => Ok(None),
        false => cursor.column(items).map(Some),
    };
    let (mut cpu_ns, mut largest_bytes) = (later()?, later()?);
    let mut counters = Vec::with_capacity(items);
    for &end in &ends {
        let mut thread = 0u64;
        while counters.len() < end as usize {
            thread = thread.wrapping_add(threads.u64()?);
            let calls = calls.u64()?;
            counters.push(ThreadCounters {
                thread: to_u32(thread)?,
                calls,
                total_bytes: total_bytes.u64()?,
                frees: calls.wrapping_sub(unzigzag(outstanding.u64()?)),
                net_bytes: unzigzag(net_bytes.u64()?) as i64,
                cpu_ns: cpu_ns.as_mut().map_or(Ok(0), |column| column.u64())?,
                largest_bytes: largest_bytes
                    .as_mut()
                    .map_or(Ok(0), |column| column.u64())?,
            });
        }
    }
    Ok(Ragged::from_ends(ends, counters))
}
