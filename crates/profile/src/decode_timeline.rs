//! Reads a [`Timeline`]; the twin of [`crate::encode_timeline`], where the
//! tables are drawn. Each of its sections may be missing. What follows the last
//! column of a table is of a newer writer and passed over.

use serde::Deserialize;

use crate::changes;
use crate::codes::{
    FIRST_SPENT_BIT, FLAG_HAS_CHANGES, FLAG_HAS_THREAD_CPU, FLAG_HAS_TOTALS, moment_kind_from_code,
    value_from_code,
};
use crate::columns::{Cursor, Delta, to_u32};
use crate::decode::json;
use crate::error::{Damage, Reason};
use crate::jobs::{Jobs, Wrong};
use crate::layout::Tag;
use crate::needs::Needs;
use crate::parts::Parts;
use crate::timeline::*;

/// The content of every section of the timeline that could be read.
#[derive(Debug, Default)]
pub(crate) struct TimelineTables {
    time: Option<TimeTable>,
    moments: Option<Vec<Moment>>,
    stamps: Option<Vec<Stamp>>,
    counts: Option<Vec<Count>>,
    totals: Option<Vec<CounterTotal>>,
    changes: Parts<Change>,
    cpu: Option<Vec<CpuTime>>,
    allocated: Option<Vec<Allocated>>,
    accounts: Option<Vec<Account>>,
    snapshots: Parts<Snapshot>,
    deferrals: Option<Vec<Deferral>>,
}

impl TimelineTables {
    pub fn add_jobs<'a>(&'a mut self, jobs: &mut Jobs<'a>, needs: Needs) {
        jobs.table(Tag::TIME, &mut self.time, json);
        jobs.table(Tag::MOMT, &mut self.moments, moments);
        jobs.table(Tag::STMP, &mut self.stamps, stamps);
        jobs.table(Tag::CNTS, &mut self.counts, counts);
        jobs.table(Tag::CTOT, &mut self.totals, totals);
        if needs.changes {
            jobs.parts(Tag::CHNG, &mut self.changes, changes::decode);
            jobs.table(Tag::CPUT, &mut self.cpu, cpu);
        }
        if needs.allocated {
            jobs.table(Tag::ALOC, &mut self.allocated, allocated);
        }
        jobs.table(Tag::ACCT, &mut self.accounts, json);
        let snapshots = match needs.proc_maps {
            true => snapshots_with_proc_maps,
            false => snapshots,
        };
        jobs.parts(Tag::SNAP, &mut self.snapshots, snapshots);
        jobs.table(Tag::DEFR, &mut self.deferrals, deferrals);
    }

    /// To be called when all jobs are done.
    pub fn join_parts(&mut self) -> Vec<Wrong> {
        let mut wrong = self.changes.join();
        wrong.extend(self.snapshots.join());
        wrong
    }

    pub fn into_timeline(self, damages: &mut Vec<Damage>) -> Timeline {
        let time = self.time.unwrap_or_default();
        Timeline {
            about: time.about,
            names: time.names,
            moments: self.moments.unwrap_or_default(),
            stamps: self.stamps.unwrap_or_default(),
            counts: self.counts.unwrap_or_default(),
            totals: self.totals.unwrap_or_default(),
            changes: self.changes.finish(Tag::CHNG, damages),
            cpu: self.cpu.unwrap_or_default(),
            allocated: self.allocated.unwrap_or_default(),
            accounts: self.accounts.unwrap_or_default(),
            snapshots: self.snapshots.finish(Tag::SNAP, damages),
            deferrals: self.deferrals.unwrap_or_default(),
        }
    }
}

/// The content of TIME; the twin of `TimeRef` in [`crate::encode_timeline`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TimeTable {
    about: About,
    names: Vec<String>,
}

fn moments(raw: &[u8]) -> Result<Vec<Moment>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(9)?;
    let mut kinds = cursor.column(rows)?;
    let flags = flags(&mut cursor, rows)?;
    let mut events = Delta::new(cursor.column(rows)?);
    let mut ids = Delta::new(cursor.column(rows)?);
    let mut streams = cursor.column(rows)?;
    let mut names = cursor.column(rows)?;
    let mut times = Delta::new(cursor.column(rows)?);
    let mut sizes = Sizes::<5>::new(&mut cursor, &flags, 0)?;
    let mut recorder_bytes = Delta::new(cursor.column(rows)?);
    let mut threads = cursor.column(rows)?;
    let mut spent = SpentColumns::new(&mut cursor, &flags)?;
    let mut moments = Vec::with_capacity(rows);
    for flags in flags {
        let code = kinds.u64()?;
        let kind = moment_kind_from_code(code)
            .ok_or_else(|| Reason::bad(format!("unknown moment kind {code}")))?;
        let [vm_bytes, rss_bytes, shared_bytes, live_bytes, mapped_bytes] = sizes.row(flags)?;
        moments.push(Moment {
            kind,
            event: events.u32()?,
            id: ids.u64()?,
            stream: streams.u32()?,
            name: one_less(names.u64()?)?,
            time_ns: times.u64()?,
            vm_bytes,
            rss_bytes,
            shared_bytes,
            live_bytes,
            mapped_bytes,
            recorder_bytes: recorder_bytes.u64()?,
            threads: threads.u32()?,
            has_changes: flags & FLAG_HAS_CHANGES != 0,
            has_totals: flags & FLAG_HAS_TOTALS != 0,
            spent: spent.row(flags)?,
        });
    }
    Ok(moments)
}

/// What was spent, of the rows that have flags for it; older files have none.
struct SpentColumns<'a> {
    sizes: Sizes<'a, 4>,
    threads: Cursor<'a>,
}

impl<'a> SpentColumns<'a> {
    fn new(cursor: &mut Cursor<'a>, flags: &[u64]) -> Result<Self, Reason> {
        let sizes = Sizes::new(cursor, flags, FIRST_SPENT_BIT)?;
        let has_thread = |flags: &&u64| **flags & FLAG_HAS_THREAD_CPU != 0;
        let threads = cursor.column(flags.iter().filter(has_thread).count())?;
        Ok(SpentColumns { sizes, threads })
    }

    fn row(&mut self, flags: u64) -> Result<Spent, Reason> {
        let [calls, total_bytes, thread_cpu_ns, process_cpu_ns] = self.sizes.row(flags)?;
        Ok(Spent {
            calls,
            total_bytes,
            thread_cpu_ns,
            tid: match thread_cpu_ns {
                Some(_) => self.threads.u32()?,
                None => 0,
            },
            process_cpu_ns,
        })
    }
}

fn allocated(raw: &[u8]) -> Result<Vec<Allocated>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(5)?;
    let mut moments = Delta::new(cursor.column(rows)?);
    let mut stacks = Delta::new(cursor.column(rows)?);
    let mut calls = cursor.column(rows)?;
    let mut bytes = cursor.column(rows)?;
    let mut temporaries = cursor.column(rows)?;
    let mut allocated = Vec::with_capacity(rows);
    for _ in 0..rows {
        allocated.push(Allocated {
            moment: moments.u32()?,
            stack: stacks.u32()?,
            calls: calls.u64()?,
            bytes: bytes.u64()?,
            temporaries: temporaries.u64()?,
        });
    }
    Ok(allocated)
}

fn cpu(raw: &[u8]) -> Result<Vec<CpuTime>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(3)?;
    let mut moments = Delta::new(cursor.column(rows)?);
    let mut stacks = Delta::new(cursor.column(rows)?);
    let mut times = cursor.column(rows)?;
    let mut cpu = Vec::with_capacity(rows);
    for _ in 0..rows {
        cpu.push(CpuTime {
            moment: moments.u32()?,
            stack: stacks.u32()?,
            ns: times.u64()?,
        });
    }
    Ok(cpu)
}

fn stamps(raw: &[u8]) -> Result<Vec<Stamp>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(4)?;
    let mut names = cursor.column(rows)?;
    let mut events = Delta::new(cursor.column(rows)?);
    let mut times = Delta::new(cursor.column(rows)?);
    let flags = flags(&mut cursor, rows)?;
    let mut sizes = Sizes::<3>::new(&mut cursor, &flags, 0)?;
    let mut spent = SpentColumns::new(&mut cursor, &flags)?;
    let mut stamps = Vec::with_capacity(rows);
    for flags in flags {
        let [vm_bytes, rss_bytes, live_bytes] = sizes.row(flags)?;
        stamps.push(Stamp {
            name: names.u32()?,
            event: events.u32()?,
            time_ns: times.u64()?,
            vm_bytes,
            rss_bytes,
            live_bytes,
            spent: spent.row(flags)?,
        });
    }
    Ok(stamps)
}

fn flags(cursor: &mut Cursor<'_>, rows: usize) -> Result<Vec<u64>, Reason> {
    let mut flags = cursor.column(rows)?;
    (0..rows).map(|_| flags.u64()).collect()
}

/// Columns of sizes, each with a bit in the flags of the rows that have it.
struct Sizes<'a, const N: usize> {
    columns: Vec<Delta<'a>>,
    first_bit: u32,
}

impl<'a, const N: usize> Sizes<'a, N> {
    fn new(cursor: &mut Cursor<'a>, flags: &[u64], first_bit: u32) -> Result<Self, Reason> {
        let column = |bit| {
            let rows = flags.iter().filter(|&flags| flags & (1u64 << bit) != 0);
            cursor.column(rows.count()).map(Delta::new)
        };
        let bits = first_bit..first_bit + N as u32;
        let columns = bits.map(column).collect::<Result<_, _>>()?;
        Ok(Sizes { columns, first_bit })
    }

    fn row(&mut self, flags: u64) -> Result<[Option<u64>; N], Reason> {
        let mut row = [None; N];
        for (bit, (size, column)) in row.iter_mut().zip(&mut self.columns).enumerate() {
            if flags & (1 << (self.first_bit as usize + bit)) != 0 {
                *size = Some(column.u64()?);
            }
        }
        Ok(row)
    }
}

fn one_less(code: u64) -> Result<Option<u32>, Reason> {
    code.checked_sub(1).map(to_u32).transpose()
}

fn counts(raw: &[u8]) -> Result<Vec<Count>, Reason> {
    values(raw, |event, name, value| Count { event, name, value })
}

fn totals(raw: &[u8]) -> Result<Vec<CounterTotal>, Reason> {
    values(raw, |moment, name, total| CounterTotal {
        moment,
        name,
        total,
    })
}

/// Values of names at events or moments.
fn values<T>(raw: &[u8], row: fn(u32, NameId, f64) -> T) -> Result<Vec<T>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(3)?;
    let mut places = Delta::new(cursor.column(rows)?);
    let mut names = cursor.column(rows)?;
    let mut codes = cursor.column(rows)?;
    let mut values = Vec::with_capacity(rows);
    for _ in 0..rows {
        let value = value_from_code(codes.u64()?);
        values.push(row(places.u32()?, names.u32()?, value));
    }
    Ok(values)
}

/// Names and moments alone.
fn snapshots(cursor: &mut Cursor<'_>) -> Result<Vec<Snapshot>, Reason> {
    let rows = cursor.count(5)?;
    let mut names = cursor.column(rows)?;
    let mut moments = Delta::new(cursor.column(rows)?);
    let mut snapshots = Vec::with_capacity(rows);
    for _ in 0..rows {
        snapshots.push(Snapshot {
            name: names.u32()?,
            moment: moments.u32()?,
            ..Snapshot::default()
        });
    }
    Ok(snapshots)
}

fn snapshots_with_proc_maps(cursor: &mut Cursor<'_>) -> Result<Vec<Snapshot>, Reason> {
    const PROC_MAPS: [fn(&mut Snapshot) -> &mut Vec<u8>; 3] =
        [|s| &mut s.maps, |s| &mut s.smaps, |s| &mut s.numa_maps];
    let mut snapshots = snapshots(cursor)?;
    let mut lengths = Vec::with_capacity(PROC_MAPS.len());
    for _ in PROC_MAPS {
        lengths.push(cursor.column(snapshots.len())?);
    }
    for (text, mut lengths) in PROC_MAPS.iter().zip(lengths) {
        for snapshot in &mut snapshots {
            let length = usize::try_from(lengths.u64()?).unwrap_or(usize::MAX);
            *text(snapshot) = cursor.bytes(length)?.to_vec();
        }
    }
    Ok(snapshots)
}

fn deferrals(raw: &[u8]) -> Result<Vec<Deferral>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(5)?;
    let mut stacks = Delta::new(cursor.column(rows)?);
    let mut frees = cursor.column(rows)?;
    let mut events = cursor.column(rows)?;
    let mut longest_events = cursor.column(rows)?;
    let mut freed_at = Delta::new(cursor.column(rows)?);
    let mut deferrals = Vec::with_capacity(rows);
    for _ in 0..rows {
        deferrals.push(Deferral {
            stack: stacks.u32()?,
            frees: frees.u64()?,
            events: events.u64()?,
            longest_events: longest_events.u32()?,
            freed_at: one_less(freed_at.u64()?)?,
        });
    }
    Ok(deferrals)
}
