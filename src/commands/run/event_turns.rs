//! One process's events as lines of a log: how each turn of its loop changed the process.
//!
//! A turn is from the begin of an event to the begin of the next. Sizes are not read at every
//! begin of short events; what they grew by is then told at the next reading, with the events
//! that it is about.

use residue_profile::units;
use residue_recording::event_rows::{EventRow, Kind, Sizes};
use std::fmt;

/// The sizes that are told, in their order.
pub const MEASURES: [&str; 3] = ["VM", "RSS", "live"];

#[derive(Debug, Default)]
pub struct Turns {
    /// The event that runs.
    open: Option<EventRow>,
    /// Its end, where that has been told.
    ended: Option<EventRow>,
    /// The last event that has a line.
    last: u32,
    known: [Option<Known>; MEASURES.len()],
}

#[derive(Debug, Clone, Copy)]
struct Known {
    bytes: u64,
    /// The first event after the reading.
    next: u32,
}

/// One event, or several that nobody saw apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub unit: &'static str,
    pub first: u32,
    pub last: u32,
    id: u64,
    time_ns: Option<u64>,
    pub sizes: [Option<u64>; MEASURES.len()],
    pub growths: [Option<Growth>; MEASURES.len()],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    pub bytes: i64,
    /// The first event that it is about; the turn's last is the last.
    pub first: u32,
}

impl Turns {
    /// Takes the next row; returns the turn that it ends.
    pub fn take(&mut self, row: EventRow) -> Option<Turn> {
        match (row.kind, self.open) {
            (Kind::EventEnds, Some(open)) => {
                // Streams may overlap: the end of an earlier event is not this one's.
                if open.number == row.number {
                    self.ended = Some(row);
                }
                None
            }
            // Its line is the first to tell of it.
            (Kind::EventEnds, None) => {
                let first = self.last + 1;
                Some(self.turn(row, first, row.number, Some(row.time_ns), row.sizes))
            }
            (_, Some(open)) => {
                // The first event ends the ticks, whose numbers are others.
                let last = match open.kind == row.kind {
                    true => row.number.saturating_sub(1),
                    false => open.number,
                };
                let turn = self.turn(open, open.number, last, Some(row.time_ns), row.sizes);
                if open.kind != row.kind {
                    self.begin(&row);
                }
                (self.open, self.ended) = (Some(row), None);
                Some(turn)
            }
            (_, None) => {
                self.begin(&row);
                self.open = Some(row);
                None
            }
        }
    }

    /// The process has ended; what it had live then counts where the last event has no end.
    pub fn end(&mut self, live_bytes: Option<u64>) -> Option<Turn> {
        let open = self.open.take()?;
        let (time_ns, sizes) = match self.ended {
            Some(ended) => (Some(ended.time_ns), ended.sizes),
            None => {
                let sizes = Sizes {
                    live_bytes,
                    ..Sizes::default()
                };
                (None, sizes)
            }
        };
        Some(self.turn(open, open.number, open.number, time_ns, sizes))
    }

    /// What later sizes are compared with.
    fn begin(&mut self, row: &EventRow) {
        let next = row.number;
        self.known = in_order(row.sizes).map(|bytes| bytes.map(|bytes| Known { bytes, next }));
    }

    fn turn(
        &mut self,
        of: EventRow,
        first: u32,
        last: u32,
        time_ns: Option<u64>,
        sizes: Sizes,
    ) -> Turn {
        let sizes = in_order(sizes);
        let mut growths = [None; MEASURES.len()];
        for ((known, growth), bytes) in self.known.iter_mut().zip(&mut growths).zip(sizes) {
            let Some(bytes) = bytes else { continue };
            *growth = known.map(|known| Growth {
                bytes: bytes as i64 - known.bytes as i64,
                first: known.next,
            });
            let next = last.saturating_add(1);
            *known = Some(Known { bytes, next });
        }
        self.last = last;
        Turn {
            unit: match of.kind {
                Kind::TickBegins => "tick",
                _ => "event",
            },
            first,
            last,
            id: of.id,
            time_ns,
            sizes,
            growths,
        }
    }
}

impl Turn {
    pub fn events(&self) -> u64 {
        u64::from(self.last.saturating_sub(self.first)) + 1
    }

    /// The two as one; `None` where they do not follow one another.
    fn joined(&self, next: &Turn) -> Option<Turn> {
        if self.unit != next.unit || self.last.checked_add(1) != Some(next.first) {
            return None;
        }
        let growth = |index: usize| match (self.growths[index], next.growths[index]) {
            (Some(before), Some(after)) => Some(Growth {
                bytes: before.bytes + after.bytes,
                ..before
            }),
            (before, after) => before.or(after),
        };
        Some(Turn {
            last: next.last,
            time_ns: next.time_ns,
            sizes: std::array::from_fn(|index| next.sizes[index].or(self.sizes[index])),
            growths: std::array::from_fn(growth),
            ..self.clone()
        })
    }
}

/// At most so many lines: where there are more, some that follow one another are one.
pub fn thinned(turns: Vec<Turn>, most: usize) -> Vec<Turn> {
    let per_line = turns.len().div_ceil(most.max(1));
    if per_line <= 1 {
        return turns;
    }
    let mut thinned: Vec<Turn> = Vec::new();
    for (index, turn) in turns.into_iter().enumerate() {
        let joined = match index % per_line {
            0 => None,
            _ => thinned.last().and_then(|last| last.joined(&turn)),
        };
        match (joined, thinned.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => thinned.push(turn),
        }
    }
    thinned
}

fn in_order(sizes: Sizes) -> [Option<u64>; MEASURES.len()] {
    [sizes.vm_bytes, sizes.rss_bytes, sizes.live_bytes]
}

/// `event 7`, `events 7..9`.
pub fn named(unit: &str, first: u32, last: u32) -> String {
    match first == last {
        true => format!("{unit} {first}"),
        false => format!("{unit}s {first}..{last}"),
    }
}

pub fn signed(bytes: i64) -> String {
    let sign = if bytes < 0 { "" } else { "+" };
    format!("{sign}{}", units::fractional_bytes(bytes as f64))
}

impl fmt::Display for Turn {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", named(self.unit, self.first, self.last))?;
        if self.unit == "event" {
            write!(out, " id {}", self.id)?;
        }
        if let Some(time_ns) = self.time_ns {
            write!(out, " at {}", units::duration(time_ns))?;
        }
        let measures = MEASURES.iter().zip(self.sizes).zip(self.growths);
        for (index, ((name, bytes), growth)) in measures.enumerate() {
            let separator = if index == 0 { ":" } else { "," };
            write!(out, "{separator} {name} ")?;
            match bytes {
                Some(bytes) => write!(out, "{}", units::bytes(bytes))?,
                None => write!(out, "not read")?,
            }
            let Some(growth) = growth else { continue };
            write!(out, " {}", signed(growth.bytes))?;
            if growth.first < self.first {
                write!(out, " ({})", named(self.unit, growth.first, self.last))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: Kind, number: u32, rss_bytes: Option<u64>, live_bytes: u64) -> EventRow {
        EventRow {
            kind,
            number,
            id: 100 + u64::from(number),
            time_ns: u64::from(number) * 1_000_000_000,
            sizes: Sizes {
                vm_bytes: rss_bytes.map(|bytes| 2 * bytes),
                rss_bytes,
                live_bytes: Some(live_bytes),
            },
        }
    }

    fn lines(rows: &[EventRow], live_at_end: Option<u64>) -> Vec<String> {
        let mut turns = Turns::default();
        let mut lines: Vec<String> = rows
            .iter()
            .filter_map(|row| turns.take(*row))
            .map(|turn| turn.to_string())
            .collect();
        lines.extend(turns.end(live_at_end).map(|turn| turn.to_string()));
        lines
    }

    #[test]
    fn an_event_is_told_when_the_next_begins() {
        use Kind::{EventBegins, EventEnds};
        let rows = [
            row(EventBegins, 1, Some(1024), 10),
            row(EventEnds, 1, None, 90),
            row(EventBegins, 2, Some(3072), 110),
            row(EventBegins, 3, Some(2048), 100),
            row(EventEnds, 3, None, 164),
        ];
        assert_eq!(
            lines(&rows, Some(0)),
            [
                "event 1 id 101 at 2.00 s: VM 6.00 KiB +4.00 KiB, RSS 3.00 KiB +2.00 KiB, live 110 B +100 B",
                "event 2 id 102 at 3.00 s: VM 4.00 KiB -2.00 KiB, RSS 2.00 KiB -1.00 KiB, live 100 B -10 B",
                "event 3 id 103 at 3.00 s: VM not read, RSS not read, live 164 B +64 B",
            ]
        );
    }

    #[test]
    fn what_was_not_read_is_told_with_the_next_reading() {
        let begins = |number, rss, live| row(Kind::EventBegins, number, rss, live);
        let rows = [
            begins(1, Some(1024), 0),
            begins(2, None, 1),
            begins(3, Some(2048), 2),
            begins(6, None, 2),
        ];
        assert_eq!(
            lines(&rows, Some(5)),
            [
                "event 1 id 101 at 2.00 s: VM not read, RSS not read, live 1 B +1 B",
                "event 2 id 102 at 3.00 s: VM 4.00 KiB +2.00 KiB (events 1..2), \
                 RSS 2.00 KiB +1.00 KiB (events 1..2), live 2 B +1 B",
                "events 3..5 id 103 at 6.00 s: VM not read, RSS not read, live 2 B +0 B",
                "event 6 id 106: VM not read, RSS not read, live 5 B +3 B",
            ]
        );
    }

    #[test]
    fn too_many_lines_become_fewer() {
        let mut turns = Turns::default();
        let rows = (1..=6).map(|number| row(Kind::EventBegins, number, None, number.into()));
        let told: Vec<Turn> = rows.filter_map(|row| turns.take(row)).collect();
        let lines = |most| {
            let thinned = thinned(told.clone(), most).into_iter();
            thinned.map(|turn| turn.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(lines(5).len(), 5);
        assert_eq!(
            lines(2),
            [
                "events 1..3 id 101 at 4.00 s: VM not read, RSS not read, live 4 B +3 B",
                "events 4..5 id 104 at 6.00 s: VM not read, RSS not read, live 6 B +2 B",
            ]
        );
    }

    #[test]
    fn a_line_that_ends_its_event_tells_of_it_at_once() {
        let rows = [1, 2, 4].map(|number| row(Kind::EventEnds, number, None, number.into()));
        assert_eq!(
            lines(&rows, None),
            [
                "event 1 id 101 at 1.00 s: VM not read, RSS not read, live 1 B",
                "event 2 id 102 at 2.00 s: VM not read, RSS not read, live 2 B +1 B",
                "events 3..4 id 104 at 4.00 s: VM not read, RSS not read, live 4 B +2 B",
            ]
        );
    }

    #[test]
    fn the_first_event_ends_the_ticks() {
        let rows = [
            row(Kind::TickBegins, 7, None, 1),
            row(Kind::EventBegins, 1, None, 4),
        ];
        assert_eq!(
            lines(&rows, Some(9)),
            [
                "tick 7 at 1.00 s: VM not read, RSS not read, live 4 B +3 B",
                "event 1 id 101: VM not read, RSS not read, live 9 B +5 B",
            ]
        );
    }
}
