//! The timeline of a profile as text: how events were found, and a line for each
//! moment, stamp, number, account and snapshot. The changes of stacks have a line
//! for each moment that has any.

use std::io::{self, Write};

use residue_profile::timeline::*;

use crate::text::dump::{Rows, section};
use residue_profile::units::{bytes, count, counted, duration};
use residue_query::visible::visible;

pub fn write(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let Timeline {
        about: how,
        names,
        moments,
        stamps,
        counts,
        totals,
        changes,
        accounts,
        snapshots,
        deferrals,
    } = timeline;
    let names = Names(names);
    writeln!(out)?;
    section(out, "timeline", about(how))?;
    let lines = moments.iter().enumerate();
    table(out, "moments", lines, |(id, it)| {
        format!("{id}  {}", moment(it, names))
    })?;
    table(out, "stamps", stamps, |it| stamp(it, names))?;
    table(out, "counts", counts, |it| {
        format!("event {}: {} {}", it.event, names.get(it.name), it.value)
    })?;
    table(out, "totals", totals, |it| {
        format!("moment {}: {} {}", it.moment, names.get(it.name), it.total)
    })?;
    writeln!(out, "[changes] {}", changes.len())?;
    for of_moment in changes.chunk_by(|a, b| a.moment == b.moment) {
        writeln!(out, "  {}", changes_of_moment(of_moment))?;
    }
    writeln!(out)?;
    table(out, "accounts", accounts, account)?;
    table(out, "snapshots", snapshots, |it| snapshot(it, names))?;
    table(out, "deferrals", deferrals, deferral)
}

#[derive(Clone, Copy)]
struct Names<'a>(&'a [String]);

impl Names<'_> {
    fn get(self, id: NameId) -> String {
        self.0
            .get(id as usize)
            .map_or("[lost name]".to_string(), |name| visible(name))
    }
}

fn table<T>(
    out: &mut dyn Write,
    name: &str,
    rows: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    line: impl Fn(T) -> String,
) -> io::Result<()> {
    let rows = rows.into_iter();
    writeln!(out, "[{name}] {}", rows.len())?;
    for row in rows {
        writeln!(out, "  {}", line(row))?;
    }
    writeln!(out)
}

fn about(about: &About) -> Rows {
    let About {
        source,
        events,
        streams,
        stride,
        birth_bin_events,
        tick_ns,
        late_lines,
        misuse,
    } = about;
    let Misuse {
        end_without_begin,
        begin_inside_event,
        end_of_another,
        scope_end_without_begin,
        no_room,
    } = misuse;
    let tick = match *tick_ns {
        0 => "none".to_string(),
        length => duration(length),
    };
    vec![
        ("events from", source_word(*source).to_string()),
        ("events", count(*events)),
        (
            "open at once",
            counted((*streams).into(), "event", "events"),
        ),
        (
            "kept at the end",
            format!("one event in {}", (*stride).max(1)),
        ),
        (
            "births by",
            counted((*birth_bin_events).max(1).into(), "event", "events"),
        ),
        ("tick", tick),
        ("lines read late", count(*late_lines)),
        ("ends without begin", count(*end_without_begin)),
        ("begins in an event", count(*begin_inside_event)),
        ("ends of another", count(*end_of_another)),
        ("scope ends too many", count(*scope_end_without_begin)),
        ("without room", count(*no_room)),
    ]
}

fn source_word(source: Source) -> &'static str {
    match source {
        Source::Marks => "marks",
        Source::Function => "a function",
        Source::Lines => "lines of output",
        Source::Ticks => "the clock",
        Source::Imported => "another tool",
        Source::None => "nowhere",
    }
}

fn moment(moment: &Moment, names: Names<'_>) -> String {
    let Moment {
        kind,
        event,
        id,
        stream,
        name,
        time_ns,
        vm_bytes,
        rss_bytes,
        shared_bytes,
        live_bytes,
        mapped_bytes,
        recorder_bytes,
        threads,
        has_changes,
    } = moment;
    let what = match kind {
        MomentKind::Begin => "begin of",
        MomentKind::End => "end of",
        MomentKind::Tick => "tick,",
        MomentKind::Snapshot => "snapshot,",
        MomentKind::Last => "last,",
    };
    let name = name.map_or(String::new(), |name| format!(" `{}`", names.get(name)));
    let changes = if *has_changes { "" } else { "; changes later" };
    let sizes = sizes(&[
        ("vm", *vm_bytes),
        ("rss", *rss_bytes),
        ("shared", *shared_bytes),
        ("live", *live_bytes),
        ("mapped", *mapped_bytes),
        ("recorder", Some(*recorder_bytes)),
    ]);
    format!(
        "{} ns  {what} event {event}{name} (id {id}, stream {stream}): {sizes}; {}{changes}",
        count(*time_ns),
        counted((*threads).into(), "thread", "threads")
    )
}

/// Exact, as differences between lines are what one looks for.
fn sizes(sizes: &[(&str, Option<u64>)]) -> String {
    let known = sizes
        .iter()
        .filter_map(|(what, size)| Some(format!("{what} {}", count((*size)?))));
    let list = known.collect::<Vec<_>>().join(", ");
    match list.as_str() {
        "" => "no sizes".to_string(),
        _ => format!("{list} B"),
    }
}

fn stamp(stamp: &Stamp, names: Names<'_>) -> String {
    let Stamp {
        name,
        event,
        time_ns,
        vm_bytes,
        rss_bytes,
        live_bytes,
    } = stamp;
    let sizes = sizes(&[
        ("vm", *vm_bytes),
        ("rss", *rss_bytes),
        ("live", *live_bytes),
    ]);
    format!(
        "{} ns  {} in event {event}: {sizes}",
        count(*time_ns),
        names.get(*name)
    )
}

fn changes_of_moment(changes: &[Change]) -> String {
    let moment = changes.first().map_or(0, |change| change.moment);
    let parts: Vec<String> = changes
        .iter()
        .map(|change| {
            let Change {
                moment: _,
                stack,
                bytes,
                blocks,
            } = change;
            format!(
                "stack {stack} {} B in {} blocks",
                signed(*bytes),
                signed(*blocks)
            )
        })
        .collect();
    format!("moment {moment}: {}", parts.join("; "))
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { '-' } else { '+' };
    format!("{sign}{}", count(number.unsigned_abs()))
}

fn account(account: &Account) -> String {
    let Account {
        moment,
        heap_bytes,
        mapped_bytes,
        stacks_bytes,
        files_bytes,
        recorder_bytes,
        other_bytes,
        pss_bytes,
        live_bytes,
        allocator,
    } = account;
    let resident = sizes(&[
        ("heap", Some(*heap_bytes)),
        ("mapped", Some(*mapped_bytes)),
        ("stacks", Some(*stacks_bytes)),
        ("files", Some(*files_bytes)),
        ("recorder", Some(*recorder_bytes)),
        ("other", Some(*other_bytes)),
        ("proportional", Some(*pss_bytes)),
    ]);
    let allocator = allocator.map_or(String::new(), |state| {
        let AllocatorState {
            in_use_bytes,
            free_bytes,
            system_bytes,
        } = state;
        let own = sizes(&[
            ("in use", Some(in_use_bytes)),
            ("free", Some(free_bytes)),
            ("system", Some(system_bytes)),
        ]);
        format!("; allocator: {own}")
    });
    let live = count(*live_bytes);
    format!("moment {moment}: resident {resident}; live {live} B{allocator}")
}

fn snapshot(snapshot: &Snapshot, names: Names<'_>) -> String {
    let Snapshot {
        name,
        moment,
        maps,
        smaps,
        numa_maps,
    } = snapshot;
    let length = |paper: &[u8]| bytes(paper.len() as u64);
    format!(
        "{} at moment {moment}: maps {}, smaps {}, numa_maps {}",
        names.get(*name),
        length(maps),
        length(smaps),
        length(numa_maps)
    )
}

fn deferral(deferral: &Deferral) -> String {
    let Deferral {
        stack,
        frees,
        events,
        longest_events,
        freed_at,
    } = deferral;
    let place = freed_at.map_or(String::new(), |node| {
        format!(", one of them at node {node}")
    });
    format!(
        "stack {stack}: {} in a later event, {} later in all, {longest_events} at most{place}",
        counted(*frees, "free", "frees"),
        counted(*events, "event", "events")
    )
}

#[cfg(test)]
pub mod tests;
