//! The events of a running program as they come, read from its arena and the file beside it.
//!
//! ```text
//!   EVENTS = 7 ──────────┐ read first: every event before the 7th has its row by now
//!   kept rows   1 2 4 6  │ from where the last look stopped
//!   the ring      3 5    │ as a whole: rows of events that are not kept
//!   events      1 2 3 4 5 6        the 7th is handed over too where its row is there
//! ```
//!
//! Rows of the ring are overwritten by later ones. What was, before anybody looked, is missing:
//! numbers between two events that were seen.

use super::sighting::{self, Process};
use anyhow::Result;
use residue_arena::header;
use residue_arena::moments::{KIND_BEGIN, KIND_END, MomentRow};
use residue_arena::region::Region;
use residue_finish::outside::{self, Seen};
use residue_finish::{ArenaFile, Item};
use residue_profile::timeline::MomentKind;

/// What a row tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    EventBegins,
    /// Of an event that a line of output tells of when it is over, or the end that a mark tells.
    EventEnds,
    TickBegins,
}

/// An event's begin or end, with the process as it was then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRow {
    pub kind: Kind,
    pub number: u32,
    /// What the program calls it.
    pub id: u64,
    /// Since the process started.
    pub time_ns: u64,
    pub sizes: Sizes,
}

/// Of the program, without what the recorder takes. `None` where a size was not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub vm_bytes: Option<u64>,
    pub rss_bytes: Option<u64>,
    pub live_bytes: Option<u64>,
}

/// One process, from one look to the next.
pub struct EventRows {
    process: Process,
    arena: ArenaFile,
    /// By the number that it knows itself by, as in its profile.
    pub pid: u32,
    next_kept: u64,
    next_outside: u64,
    last_event: u32,
}

impl EventRows {
    pub fn of(process: Process) -> Result<EventRows> {
        let arena = ArenaFile::open(&process.arena)?;
        Ok(EventRows {
            pid: arena.word(header::PID) as u32,
            process,
            arena,
            next_kept: 0,
            next_outside: 0,
            last_event: 0,
        })
    }

    pub fn is_running(&self) -> bool {
        self.process.is_running()
    }

    /// What is live on the heap now.
    pub fn live_bytes(&mut self) -> Option<u64> {
        self.arena.refresh().ok()?;
        let [live_bytes, ..] = sighting::thread_sums(&self.arena).ok()?;
        Some(live_bytes)
    }

    /// Rows that came since the last look, in the order of time. `is_over`: no more will come.
    pub fn news(&mut self, is_over: bool) -> Result<Vec<EventRow>> {
        self.arena.refresh()?;
        let begun = self.arena.word(header::EVENTS) as u32;
        // Rows of all these events are among those that the header tells of now.
        self.arena.refresh()?;
        let mut rows = self.kept(begun, is_over)?;
        rows.extend(self.ring(begun)?);
        let (seen, next) = outside::read_from(&self.process.arena, self.next_outside);
        self.next_outside = next;
        rows.extend(seen.iter().filter_map(of_seen));
        // An event that ends where the next begins stands before it.
        rows.sort_by_key(|row| (row.time_ns, row.number));
        let events = rows.iter().filter(|row| row.kind == Kind::EventBegins);
        self.last_event = events.map(|row| row.number).fold(self.last_event, u32::max);
        Ok(rows)
    }

    /// Kept rows up to one that is not written yet, or is of a later event.
    fn kept(&mut self, begun: u32, is_over: bool) -> Result<Vec<EventRow>> {
        let mut rows = Vec::new();
        let mut taken = 0;
        let mut is_whole = true;
        self.arena
            .each_item_from(Region::Moments, self.next_kept, |item| {
                let row = read(item);
                is_whole &= is_over || row.is_some_and(|row| row.event <= begun);
                if is_whole {
                    taken += 1;
                    rows.extend(row.as_ref().and_then(of_row));
                }
            })?;
        self.next_kept += taken;
        Ok(rows)
    }

    /// New begins in the ring.
    fn ring(&self, begun: u32) -> Result<Vec<EventRow>> {
        let mut rows = Vec::new();
        self.arena.each_item(Region::LatestMoments, |item| {
            let row = read(item).filter(|row| {
                row.kind == KIND_BEGIN && row.event > self.last_event && row.event <= begun
            });
            rows.extend(row.as_ref().and_then(of_row));
        })?;
        Ok(rows)
    }
}

fn read(item: Item<'_>) -> Option<MomentRow> {
    MomentRow::from_words(item.words())
}

fn of_row(row: &MomentRow) -> Option<EventRow> {
    Some(EventRow {
        kind: match row.kind {
            KIND_BEGIN => Kind::EventBegins,
            KIND_END => Kind::EventEnds,
            _ => return None,
        },
        number: row.event,
        id: row.id,
        time_ns: row.time_ns,
        sizes: sizes(
            row.vm_bytes,
            (row.rss_bytes, row.recorder_bytes),
            row.live_bytes,
        ),
    })
}

fn of_seen(seen: &Seen) -> Option<EventRow> {
    Some(EventRow {
        kind: match seen.kind {
            MomentKind::Tick => Kind::TickBegins,
            // A line with counters is printed when its event is over.
            MomentKind::Begin if seen.counts.is_empty() => Kind::EventBegins,
            MomentKind::Begin => Kind::EventEnds,
            _ => return None,
        },
        number: seen.event,
        id: seen.id,
        time_ns: seen.time_ns,
        sizes: sizes(
            seen.vm_bytes,
            (seen.rss_bytes, seen.recorder_bytes),
            seen.live_bytes,
        ),
    })
}

fn sizes(vm_bytes: u64, (rss_bytes, own_bytes): (u64, u64), live_bytes: u64) -> Sizes {
    let if_read = |bytes: u64| (bytes != 0).then_some(bytes);
    Sizes {
        vm_bytes: if_read(vm_bytes),
        rss_bytes: if_read(rss_bytes).map(|bytes| bytes.saturating_sub(own_bytes)),
        live_bytes: Some(live_bytes),
    }
}
