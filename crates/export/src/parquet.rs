//! Parquet tables: the whole profile for tools that query columns.
//!
//! ```text
//!   stacks ──path──► frames        deltas ──stack──► stacks
//!      │              ▲               └────event───► events
//!      └──node──► nodes
//! ```
//!
//! `stacks` has the stacks that were chosen, each under the name that rules give its
//! innermost function; `deltas` has their changes. `frames` and `nodes` are the tree of
//! calls as recorded: a function that was inlined is a frame of its own.

mod calls;
mod column;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::{self, Write};

use residue_names::{NameStyle, Rules};

use crate::Source;
use crate::bounds::{PathSizes, expect_few_cells};
use calls::Calls;
use tables::EventRow;

/// Steps of paths that are in memory at once.
const STEPS_IN_GROUP: usize = 16 << 20;

/// One file each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Stacks,
    Frames,
    Nodes,
    Events,
    Deltas,
}

impl Table {
    pub const ALL: [Table; 5] = [
        Table::Stacks,
        Table::Frames,
        Table::Nodes,
        Table::Events,
        Table::Deltas,
    ];

    pub fn file_name(self) -> &'static str {
        match self {
            Table::Stacks => "stacks.parquet",
            Table::Frames => "frames.parquet",
            Table::Nodes => "nodes.parquet",
            Table::Events => "events.parquet",
            Table::Deltas => "deltas.parquet",
        }
    }
}

/// All tables of a profile, ready to be written.
pub struct Tables<'a> {
    source: Source<'a>,
    calls: Calls<'a>,
    stacks: Vec<u32>,
    changes: Vec<u32>,
    events: Vec<EventRow<'a>>,
}

impl<'a> Tables<'a> {
    /// Rules and style make the names of frames.
    pub fn of(source: Source<'a>, rules: &Rules, style: NameStyle) -> Tables<'a> {
        Tables {
            source,
            calls: Calls::of(source.profile, rules, style),
            stacks: tables::shown_stacks(&source),
            changes: tables::shown_changes(&source),
            events: tables::event_rows(source.profile),
        }
    }

    pub fn write(&self, table: Table, out: &mut dyn Write) -> io::Result<()> {
        let (calls, profile) = (&self.calls, self.source.profile);
        let mut rows_in_group = column::ROWS_IN_GROUP;
        let (rows, columns) = match table {
            Table::Stacks => {
                let sizes = PathSizes::of(self.source.tree, |_| 3).expect_few()?;
                // Paths without what rules leave out, which are a little shorter.
                let longest = usize::try_from(sizes.longest_steps).unwrap_or(usize::MAX);
                let of_longest = STEPS_IN_GROUP / longest.max(1);
                rows_in_group = of_longest.clamp(1, column::ROWS_IN_GROUP);
                let columns = tables::stacks(&self.source, calls, &self.stacks);
                (self.stacks.len(), columns)
            }
            Table::Frames => (calls.frames.len(), tables::frames(calls)),
            Table::Nodes => (calls.nodes.len(), tables::nodes(calls)),
            Table::Events => {
                let counters: BTreeSet<_> =
                    profile.timeline.counts.iter().map(|it| it.name).collect();
                expect_few_cells(self.events.len(), counters.len())?;
                (self.events.len(), tables::events(profile, &self.events))
            }
            Table::Deltas => (self.changes.len(), tables::deltas(profile, &self.changes)),
        };
        column::write(rows, rows_in_group, &columns?, out)
    }
}
