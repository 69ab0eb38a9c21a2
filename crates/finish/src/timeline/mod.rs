//! The timeline: what the recorder wrote and what was seen from outside, brought into
//! the order of time and tied to the stacks.

mod accounts;
mod changes;
mod counts;
pub mod line_events;
mod moments;
mod names;
mod rows;

use crate::arena_file::{ArenaFile, Error};
use crate::births::Births;
use crate::ledger::Ledger;
use crate::outside::Seen;
use crate::paths::Paths;
use line_events::LineEvents;
use names::Names;
use residue_arena::header;
use residue_profile::ROOT;
use residue_profile::timeline::*;

/// The end of the recording, which no row tells of.
pub struct LastMoment {
    pub time_ns: u64,
    pub live_bytes: u64,
    pub mapped_bytes: u64,
    /// Allocations of the heap, and their bytes.
    pub calls: u64,
    pub total_bytes: u64,
}

pub fn read(
    arena: &ArenaFile,
    mut seen: Vec<Seen>,
    ledger: &Ledger,
    paths: &Paths,
    last: &LastMoment,
) -> Result<Timeline, Error> {
    let line_events = LineEvents::of(arena, &seen);
    let names = Names::read(arena, &seen)?;
    let mut rows = rows::read(arena)?;
    line_events.number_rows(&mut rows);
    let counts = counts::counts(&rows, &seen, &names);
    line_events.number_lines(&mut seen);
    let moments::Moments {
        moments,
        numbers,
        with_totals,
    } = moments::put_in_order(&rows, &seen, &names, last);
    let changes = changes::read(arena, ledger, &numbers, &with_totals)?;
    Ok(Timeline {
        about: about(arena, &seen),
        stamps: counts::stamps(&rows),
        counts,
        totals: counts::totals(&rows, &seen, &names, &numbers),
        changes: changes.memory,
        cpu: changes.cpu,
        allocated: changes.allocated,
        accounts: accounts::accounts(arena, &seen, &numbers)?,
        snapshots: accounts::snapshots(arena, &seen, &names, &numbers)?,
        moments,
        names: names.0,
        deferrals: deferrals(ledger, paths),
    })
}

fn about(arena: &ArenaFile, seen: &[Seen]) -> About {
    let word = |word: header::Word| arena.word(word);
    About {
        source: match word(header::SOURCE) {
            header::SOURCE_TICKS => Source::Ticks,
            header::SOURCE_MARKS => Source::Marks,
            header::SOURCE_FUNCTION => Source::Function,
            header::SOURCE_LINES => Source::Lines,
            _ => Source::None,
        },
        events: match word(header::SOURCE) {
            header::SOURCE_TICKS => word(header::BIRTH),
            _ => word(header::EVENTS),
        },
        streams: word(header::STREAMS) as u32,
        stride: word(header::STRIDE) as u32,
        birth_bin_events: Births::of(arena, LineEvents::of(arena, seen)).bin_events(),
        late_lines: word(header::LATE_LINES),
        tick_ns: word(header::TICK_NS),
        misuse: Misuse {
            end_without_begin: word(header::END_WITHOUT_BEGIN),
            begin_inside_event: word(header::BEGIN_INSIDE_EVENT),
            end_of_another: word(header::END_OF_ANOTHER),
            scope_end_without_begin: word(header::SCOPE_END_WITHOUT_BEGIN),
            no_room: word(header::NO_ROOM),
        },
        search: EventSearch::default(),
    }
}

fn deferrals(ledger: &Ledger, paths: &Paths) -> Vec<Deferral> {
    let rows = ledger.rows.iter().zip(0..);
    rows.filter(|(row, _)| row.late.frees != 0)
        .map(|(row, stack)| Deferral {
            stack,
            frees: row.late.frees,
            events: row.late.events,
            longest_events: row.late.longest_events,
            freed_at: Some(paths.number(row.late.freed_at)).filter(|&node| node != ROOT),
        })
        .collect()
}
