//! Reads a [`Timeline`]; the twin of [`crate::encode_timeline`], where the
//! tables are drawn. Each of its sections may be missing. What follows the last
//! column of a table is of a newer writer and passed over.

use serde::Deserialize;

use crate::changes;
use crate::codes::{FLAG_HAS_CHANGES, moment_kind_from_code, value_from_code};
use crate::columns::{Cursor, Delta, to_u32};
use crate::decode::{fill, json, lengths, unpack};
use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::parts::Parts;
use crate::scan::Section;
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
    accounts: Option<Vec<Account>>,
    snapshots: Parts<Snapshot>,
    deferrals: Option<Vec<Deferral>>,
}

impl TimelineTables {
    pub fn read_section(&mut self, section: &Section<'_>) -> Result<(), Reason> {
        match section.tag {
            Tag::TIME => fill(&mut self.time, section, json),
            Tag::MOMT => fill(&mut self.moments, section, moments),
            Tag::STMP => fill(&mut self.stamps, section, stamps),
            Tag::CNTS => fill(&mut self.counts, section, counts),
            Tag::CTOT => fill(&mut self.totals, section, totals),
            Tag::CHNG => self.changes.add(&unpack(section)?, changes::decode),
            Tag::ACCT => fill(&mut self.accounts, section, json),
            Tag::SNAP => self.snapshots.add(&unpack(section)?, snapshots),
            Tag::DEFR => fill(&mut self.deferrals, section, deferrals),
            other => Err(Reason::bad(format!("{other} is not of the timeline"))),
        }
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
    const SIZES: [fn(&mut Moment) -> &mut Option<u64>; 5] = [
        |m| &mut m.vm_bytes,
        |m| &mut m.rss_bytes,
        |m| &mut m.shared_bytes,
        |m| &mut m.live_bytes,
        |m| &mut m.mapped_bytes,
    ];
    let mut cursor = Cursor::new(raw);
    let mut moments = vec![BLANK_MOMENT; cursor.count(9)?];
    for moment in &mut moments {
        let code = cursor.u64()?;
        moment.kind = moment_kind_from_code(code)
            .ok_or_else(|| Reason::bad(format!("{code} is no kind of moment")))?;
    }
    let flags = column(&mut cursor, moments.len())?;
    for (moment, flags) in moments.iter_mut().zip(&flags) {
        moment.has_changes = flags & FLAG_HAS_CHANGES != 0;
    }
    let mut event = Delta::default();
    for moment in &mut moments {
        moment.event = event.u32(&mut cursor)?;
    }
    let mut id = Delta::default();
    for moment in &mut moments {
        moment.id = id.u64(&mut cursor)?;
    }
    for moment in &mut moments {
        moment.stream = cursor.u32()?;
    }
    for moment in &mut moments {
        moment.name = one_less(cursor.u64()?)?;
    }
    let mut time_ns = Delta::default();
    for moment in &mut moments {
        moment.time_ns = time_ns.u64(&mut cursor)?;
    }
    sizes(&mut cursor, &SIZES, &flags, &mut moments)?;
    let mut recorder_bytes = Delta::default();
    for moment in &mut moments {
        moment.recorder_bytes = recorder_bytes.u64(&mut cursor)?;
    }
    for moment in &mut moments {
        moment.threads = cursor.u32()?;
    }
    Ok(moments)
}

/// Filled column by column.
const BLANK_MOMENT: Moment = Moment {
    kind: MomentKind::Last,
    event: 0,
    id: 0,
    stream: 0,
    name: None,
    time_ns: 0,
    vm_bytes: None,
    rss_bytes: None,
    shared_bytes: None,
    live_bytes: None,
    mapped_bytes: None,
    recorder_bytes: 0,
    threads: 0,
    has_changes: false,
};

fn stamps(raw: &[u8]) -> Result<Vec<Stamp>, Reason> {
    const SIZES: [fn(&mut Stamp) -> &mut Option<u64>; 3] = [
        |s| &mut s.vm_bytes,
        |s| &mut s.rss_bytes,
        |s| &mut s.live_bytes,
    ];
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(4)?;
    let mut stamps = Vec::with_capacity(rows);
    for _ in 0..rows {
        stamps.push(Stamp {
            name: cursor.u32()?,
            event: 0,
            time_ns: 0,
            vm_bytes: None,
            rss_bytes: None,
            live_bytes: None,
        });
    }
    let mut event = Delta::default();
    for stamp in &mut stamps {
        stamp.event = event.u32(&mut cursor)?;
    }
    let mut time_ns = Delta::default();
    for stamp in &mut stamps {
        stamp.time_ns = time_ns.u64(&mut cursor)?;
    }
    let flags = column(&mut cursor, rows)?;
    sizes(&mut cursor, &SIZES, &flags, &mut stamps)?;
    Ok(stamps)
}

fn column(cursor: &mut Cursor<'_>, rows: usize) -> Result<Vec<u64>, Reason> {
    (0..rows).map(|_| cursor.u64()).collect()
}

fn sizes<T>(
    cursor: &mut Cursor<'_>,
    sizes: &[fn(&mut T) -> &mut Option<u64>],
    flags: &[u64],
    rows: &mut [T],
) -> Result<(), Reason> {
    for (bit, size) in sizes.iter().enumerate() {
        let mut bytes = Delta::default();
        for (row, flags) in rows.iter_mut().zip(flags) {
            if flags & (1 << bit) != 0 {
                *size(row) = Some(bytes.u64(cursor)?);
            }
        }
    }
    Ok(())
}

fn one_less(code: u64) -> Result<Option<u32>, Reason> {
    code.checked_sub(1).map(to_u32).transpose()
}

fn counts(raw: &[u8]) -> Result<Vec<Count>, Reason> {
    let values = values(raw)?.into_iter();
    let counts = values.map(|(event, name, value)| Count { event, name, value });
    Ok(counts.collect())
}

fn totals(raw: &[u8]) -> Result<Vec<CounterTotal>, Reason> {
    let values = values(raw)?.into_iter();
    let totals = values.map(|(moment, name, total)| CounterTotal {
        moment,
        name,
        total,
    });
    Ok(totals.collect())
}

/// Values of names at events or moments.
fn values(raw: &[u8]) -> Result<Vec<(u32, NameId, f64)>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(3)?;
    let mut values = Vec::with_capacity(rows);
    let mut at = Delta::default();
    for _ in 0..rows {
        values.push((at.u32(&mut cursor)?, 0, 0.0));
    }
    for (_, name, _) in &mut values {
        *name = cursor.u32()?;
    }
    for (_, _, value) in &mut values {
        *value = value_from_code(cursor.u64()?);
    }
    Ok(values)
}

fn snapshots(cursor: &mut Cursor<'_>) -> Result<Vec<Snapshot>, Reason> {
    const PAPERS: [fn(&mut Snapshot) -> &mut Vec<u8>; 3] =
        [|s| &mut s.maps, |s| &mut s.smaps, |s| &mut s.numa_maps];
    let rows = cursor.count(5)?;
    let mut snapshots = Vec::with_capacity(rows);
    for _ in 0..rows {
        snapshots.push(Snapshot {
            name: cursor.u32()?,
            ..Snapshot::default()
        });
    }
    let mut moment = Delta::default();
    for snapshot in &mut snapshots {
        snapshot.moment = moment.u32(cursor)?;
    }
    let mut paper_lengths = Vec::with_capacity(PAPERS.len());
    for _ in PAPERS {
        paper_lengths.push(lengths(cursor, rows, 1)?);
    }
    for (paper, lengths) in PAPERS.iter().zip(paper_lengths) {
        for (snapshot, length) in snapshots.iter_mut().zip(lengths) {
            *paper(snapshot) = cursor.bytes(length)?.to_vec();
        }
    }
    Ok(snapshots)
}

fn deferrals(raw: &[u8]) -> Result<Vec<Deferral>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(5)?;
    let mut deferrals = Vec::with_capacity(rows);
    let mut stack = Delta::default();
    for _ in 0..rows {
        deferrals.push(Deferral {
            stack: stack.u32(&mut cursor)?,
            frees: 0,
            events: 0,
            longest_events: 0,
            freed_at: None,
        });
    }
    for deferral in &mut deferrals {
        deferral.frees = cursor.u64()?;
    }
    for deferral in &mut deferrals {
        deferral.events = cursor.u64()?;
    }
    for deferral in &mut deferrals {
        deferral.longest_events = cursor.u32()?;
    }
    let mut freed_at = Delta::default();
    for deferral in &mut deferrals {
        deferral.freed_at = one_less(freed_at.u64(&mut cursor)?)?;
    }
    Ok(deferrals)
}
