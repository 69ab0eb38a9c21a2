//! Writes a [`Timeline`]; the twin of [`crate::decode_timeline`], function by
//! function. A table without rows has no section.
//!
//! ```text
//!   TIME  JSON { about, names }
//!   MOMT  rows | kind ... | flags ... | delta event ... | delta id ... | stream ...
//!              | name + 1 ... | delta time ... | five sizes ... | delta recorder ...
//!              | threads ... | spent
//!   STMP  rows | name ... | delta event ... | delta time ... | flags ... | three sizes ... | spent
//!              spent: four sizes ... | tid ...
//!   CNTS  rows | delta event ...  | name ... | value ...
//!   CTOT  rows | delta moment ... | name ... | value ...
//!   CHNG  drawn in crate::changes
//!   CPUT  rows | delta moment ... | delta stack ... | nanoseconds ...
//!   ALOC  rows | delta moment ... | delta stack ... | calls ... | bytes ... | temporaries ...
//!   ACCT  JSON [ account, ... ]
//!   SNAP  rows | name ... | delta moment ... | lengths of maps, smaps, numa_maps ...
//!              | all maps | all smaps | all numa_maps
//!   DEFR  rows | delta stack ... | frees ... | events ... | longest ... | delta node + 1 ...
//! ```
//!
//! A size that may be missing has a bit in *flags*; its column holds those
//! that are there. CHNG and SNAP may come in [`crate::parts`].

use std::io::{self, Write};

use serde::Serialize;

use crate::changes;
use crate::codes::{
    FIRST_SPENT_BIT, FLAG_HAS_CHANGES, FLAG_HAS_TOTALS, moment_kind_to_code, value_to_code,
};
use crate::columns::Columns;
use crate::encode::{FileWriter, table};
use crate::layout::{MAX_CHANGE_PARTS, MAX_SNAPSHOT_PARTS, Tag};
use crate::parts;
use crate::timeline::*;

/// A part holds as many rows as this, and more only where there would be too
/// many parts. It bounds the memory that writing and reading take beside the
/// table itself.
const ROWS_IN_CHANGE_PART: usize = 1 << 20;
/// The same for snapshots, by the length of their maps.
const BYTES_IN_SNAPSHOT_PART: usize = 64 << 20;

pub(crate) fn timeline<W: Write>(file: &mut FileWriter<W>, timeline: &Timeline) -> io::Result<()> {
    if timeline.about != About::default() || !timeline.names.is_empty() {
        file.section(Tag::TIME, &time(timeline)?)?;
    }
    rows(file, Tag::MOMT, &timeline.moments, moments)?;
    rows(file, Tag::STMP, &timeline.stamps, stamps)?;
    rows(file, Tag::CNTS, &timeline.counts, counts)?;
    rows(file, Tag::CTOT, &timeline.totals, totals)?;
    change_parts(file, &timeline.changes)?;
    rows(file, Tag::CPUT, &timeline.cpu, cpu)?;
    rows(file, Tag::ALOC, &timeline.allocated, allocated)?;
    if !timeline.accounts.is_empty() {
        file.section(Tag::ACCT, &serde_json::to_vec(&timeline.accounts)?)?;
    }
    snapshot_parts(file, &timeline.snapshots)?;
    rows(file, Tag::DEFR, &timeline.deferrals, deferrals)
}

fn rows<W: Write, T>(
    file: &mut FileWriter<W>,
    tag: Tag,
    rows: &[T],
    columns: fn(&mut Columns, &[T]),
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut out = table(rows.len());
    columns(&mut out, rows);
    file.section(tag, &out.finish())
}

/// What [`crate::decode_timeline`] reads into its `TimeTable`.
#[derive(Serialize)]
struct TimeRef<'a> {
    about: &'a About,
    names: &'a [String],
}

fn time(timeline: &Timeline) -> io::Result<Vec<u8>> {
    let time = TimeRef {
        about: &timeline.about,
        names: &timeline.names,
    };
    Ok(serde_json::to_vec(&time)?)
}

fn moments(out: &mut Columns, moments: &[Moment]) {
    const SIZES: [fn(&Moment) -> Option<u64>; 5] = [
        |m| m.vm_bytes,
        |m| m.rss_bytes,
        |m| m.shared_bytes,
        |m| m.live_bytes,
        |m| m.mapped_bytes,
    ];
    out.plain(moments.iter().map(|m| moment_kind_to_code(m.kind)));
    out.plain(moments.iter().map(|m| {
        let has_changes = if m.has_changes { FLAG_HAS_CHANGES } else { 0 };
        let has_totals = if m.has_totals { FLAG_HAS_TOTALS } else { 0 };
        present(&SIZES, m) | has_changes | has_totals | spent_flags(&m.spent)
    }));
    out.deltas(moments.iter().map(|m| u64::from(m.event)));
    out.deltas(moments.iter().map(|m| m.id));
    out.plain(moments.iter().map(|m| u64::from(m.stream)));
    out.plain(moments.iter().map(|m| one_more(m.name)));
    out.deltas(moments.iter().map(|m| m.time_ns));
    sizes(out, &SIZES, moments);
    out.deltas(moments.iter().map(|m| m.recorder_bytes));
    out.plain(moments.iter().map(|m| u64::from(m.threads)));
    spent(out, moments.iter().map(|m| &m.spent));
}

/// What was spent; the number of the thread stands where its CPU time does.
const SPENT: [fn(&Spent) -> Option<u64>; 4] = [
    |s| s.calls,
    |s| s.total_bytes,
    |s| s.thread_cpu_ns,
    |s| s.process_cpu_ns,
];

fn spent_flags(spent: &Spent) -> u64 {
    present(&SPENT, spent) << FIRST_SPENT_BIT
}

fn spent<'a>(out: &mut Columns, rows: impl Iterator<Item = &'a Spent> + Clone) {
    for size in SPENT {
        out.deltas(rows.clone().filter_map(size));
    }
    let threads = rows.filter(|s| s.thread_cpu_ns.is_some());
    out.plain(threads.map(|s| u64::from(s.tid)));
}

fn allocated(out: &mut Columns, rows: &[Allocated]) {
    out.deltas(rows.iter().map(|row| u64::from(row.moment)));
    out.deltas(rows.iter().map(|row| u64::from(row.stack)));
    out.plain(rows.iter().map(|row| row.calls));
    out.plain(rows.iter().map(|row| row.bytes));
    out.plain(rows.iter().map(|row| row.temporaries));
}

fn cpu(out: &mut Columns, rows: &[CpuTime]) {
    out.deltas(rows.iter().map(|row| u64::from(row.moment)));
    out.deltas(rows.iter().map(|row| u64::from(row.stack)));
    out.plain(rows.iter().map(|row| row.ns));
}

fn stamps(out: &mut Columns, stamps: &[Stamp]) {
    const SIZES: [fn(&Stamp) -> Option<u64>; 3] =
        [|s| s.vm_bytes, |s| s.rss_bytes, |s| s.live_bytes];
    out.plain(stamps.iter().map(|s| u64::from(s.name)));
    out.deltas(stamps.iter().map(|s| u64::from(s.event)));
    out.deltas(stamps.iter().map(|s| s.time_ns));
    let flags = |s: &Stamp| present(&SIZES, s) | spent_flags(&s.spent);
    out.plain(stamps.iter().map(flags));
    sizes(out, &SIZES, stamps);
    spent(out, stamps.iter().map(|s| &s.spent));
}

/// One bit for each size that is there.
fn present<T>(sizes: &[fn(&T) -> Option<u64>], row: &T) -> u64 {
    let bits = sizes.iter().enumerate();
    bits.map(|(bit, size)| u64::from(size(row).is_some()) << bit)
        .sum()
}

fn sizes<T>(out: &mut Columns, sizes: &[fn(&T) -> Option<u64>], rows: &[T]) {
    for size in sizes {
        out.deltas(rows.iter().filter_map(size));
    }
}

fn one_more(id: Option<u32>) -> u64 {
    id.map_or(0, |id| u64::from(id) + 1)
}

fn counts(out: &mut Columns, counts: &[Count]) {
    out.deltas(counts.iter().map(|count| u64::from(count.event)));
    out.plain(counts.iter().map(|count| u64::from(count.name)));
    out.plain(counts.iter().map(|count| value_to_code(count.value)));
}

fn totals(out: &mut Columns, totals: &[CounterTotal]) {
    out.deltas(totals.iter().map(|total| u64::from(total.moment)));
    out.plain(totals.iter().map(|total| u64::from(total.name)));
    out.plain(totals.iter().map(|total| value_to_code(total.total)));
}

fn change_parts<W: Write>(file: &mut FileWriter<W>, changes: &[Change]) -> io::Result<()> {
    let part_rows = changes
        .len()
        .div_ceil(MAX_CHANGE_PARTS)
        .max(ROWS_IN_CHANGE_PART);
    for (index, part) in changes.chunks(part_rows).enumerate() {
        let mut out = parts::begin(changes.len(), index * part_rows);
        changes::encode(part, &mut out);
        file.section(Tag::CHNG, &out.finish())?;
    }
    Ok(())
}

fn snapshot_parts<W: Write>(file: &mut FileWriter<W>, snapshots: &[Snapshot]) -> io::Result<()> {
    let all_bytes: usize = snapshots.iter().map(proc_maps_bytes).sum();
    let part_bytes = all_bytes
        .div_ceil(MAX_SNAPSHOT_PARTS)
        .max(BYTES_IN_SNAPSHOT_PART);
    let mut start = 0;
    let mut bytes = 0;
    let mut part_end = part_bytes;
    for (index, snapshot) in snapshots.iter().enumerate() {
        bytes += proc_maps_bytes(snapshot);
        if bytes >= part_end || index + 1 == snapshots.len() {
            let mut out = parts::begin(snapshots.len(), start);
            proc_maps(&mut out, &snapshots[start..=index]);
            file.section(Tag::SNAP, &out.finish())?;
            start = index + 1;
            part_end = bytes + part_bytes;
        }
    }
    Ok(())
}

const PROC_MAPS: [fn(&Snapshot) -> &[u8]; 3] = [|s| &s.maps, |s| &s.smaps, |s| &s.numa_maps];

fn proc_maps_bytes(snapshot: &Snapshot) -> usize {
    PROC_MAPS.iter().map(|text| text(snapshot).len()).sum()
}

fn proc_maps(out: &mut Columns, snapshots: &[Snapshot]) {
    out.put(snapshots.len() as u64);
    out.plain(snapshots.iter().map(|s| u64::from(s.name)));
    out.deltas(snapshots.iter().map(|s| u64::from(s.moment)));
    for text in PROC_MAPS {
        out.plain(snapshots.iter().map(|s| text(s).len() as u64));
    }
    for text in PROC_MAPS {
        for snapshot in snapshots {
            out.bytes(text(snapshot));
        }
    }
}

fn deferrals(out: &mut Columns, deferrals: &[Deferral]) {
    out.deltas(deferrals.iter().map(|d| u64::from(d.stack)));
    out.plain(deferrals.iter().map(|d| d.frees));
    out.plain(deferrals.iter().map(|d| d.events));
    out.plain(deferrals.iter().map(|d| u64::from(d.longest_events)));
    out.deltas(deferrals.iter().map(|d| one_more(d.freed_at)));
}
