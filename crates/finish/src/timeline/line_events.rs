//! Events whose lines carry counters. Such a line is printed when its event is over:
//! what it names and counts is the event that it ends.
//!
//! ```text
//!   lines         1         2         3
//!   recorder   0  |    1    |    2    |   3       lines so far
//!   events     1  |    2    |    3    |   3       line N names event N
//! ```
//!
//! The first event begins with the recording, and nothing begins at the last line. Lines
//! without counters begin their event: there, the recorder's numbers are the events'.

use crate::arena_file::ArenaFile;
use crate::outside::Seen;
use residue_arena::header;
use residue_arena::moments::MomentRow;
use residue_profile::timeline::{EventNumber, MomentKind};
use std::collections::BTreeMap;

/// How the recorder's numbers become events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineEvents {
    /// How many there were, where lines end them.
    ended: Option<EventNumber>,
}

impl LineEvents {
    pub fn of(arena: &ArenaFile, seen: &[Seen]) -> LineEvents {
        let is_ended = seen.iter().any(|seen| !seen.counts.is_empty());
        LineEvents {
            ended: is_ended.then(|| arena.word(header::EVENTS) as EventNumber),
        }
    }

    #[cfg(test)]
    pub fn ended(events: EventNumber) -> LineEvents {
        LineEvents {
            ended: Some(events),
        }
    }

    /// The event that the program is in when so many lines have come. What follows the
    /// last line belongs to the last event, as what follows any end does.
    pub fn event(self, lines: EventNumber) -> EventNumber {
        match self.ended {
            Some(events) => lines.saturating_add(1).min(events),
            None => lines,
        }
    }

    pub fn number_rows(self, rows: &mut [MomentRow]) {
        for row in rows {
            row.event = self.event(row.event);
        }
    }

    /// Turns lines into the begins of the events that follow them.
    pub fn number_lines(self, seen: &mut Vec<Seen>) {
        let Some(events) = self.ended else {
            return;
        };
        let lines = || seen.iter().filter(|seen| seen.kind == MomentKind::Begin);
        let ids: BTreeMap<EventNumber, u64> = lines().map(|line| (line.event, line.id)).collect();
        // Of a very long run not all lines are kept.
        let id_of = |event: EventNumber| ids.get(&event).copied().unwrap_or(event.into());
        let first = lines().next().map(|line| Seen {
            event: 1,
            id: id_of(1),
            ..start(line)
        });
        for line in seen
            .iter_mut()
            .filter(|seen| seen.kind == MomentKind::Begin)
        {
            if line.event == events {
                line.kind = MomentKind::End;
            } else {
                line.event += 1;
                line.id = id_of(line.event);
            }
        }
        seen.splice(0..0, first);
    }
}

/// The start of the recording, at which nothing is live and nothing was read.
fn start(like: &Seen) -> Seen {
    Seen {
        number: 0,
        time_ns: 0,
        vm_bytes: 0,
        rss_bytes: 0,
        shared_bytes: 0,
        live_bytes: 0,
        mapped_bytes: 0,
        recorder_bytes: 0,
        threads: 0,
        name: None,
        counts: BTreeMap::new(),
        skipped_counts: BTreeMap::new(),
        account: None,
        proc_maps: None,
        ..like.clone()
    }
}
