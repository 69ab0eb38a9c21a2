//! What each table has.

use std::collections::BTreeMap;

use parquet::errors::Result;
use residue_calltree::NOT_SHOWN;
use residue_profile::timeline::{EventNumber, Moment, MomentKind, NameId};
use residue_profile::units::Unit;
use residue_profile::{Counter, Profile};
use rustc_hash::FxHashMap;

use super::calls::Calls;
use super::column::Column;
use crate::Source;
use crate::plain::visible;

/// The stacks that are part of the tree.
pub(super) fn shown_stacks(source: &Source<'_>) -> Vec<u32> {
    let ends = source.tree.node_of_stack.iter().enumerate();
    ends.filter(|(_, node)| **node != NOT_SHOWN)
        .map(|(stack, _)| stack as u32)
        .collect()
}

pub(super) fn stacks<'a>(
    source: &'a Source<'_>,
    calls: &'a Calls<'_>,
    shown: &'a [u32],
) -> Result<Vec<Column<'a>>> {
    let (profile, tree) = (source.profile, source.tree);
    let stack = |row: usize| &profile.stacks[shown[row] as usize];
    let mut columns = vec![
        Column::of("stack", |row| shown[row])?,
        Column::of("kind", move |row| stack(row).kind.name())?,
        Column::maybe("node", move |row| calls.innermost(stack(row).node))?,
        Column::of("function", |row| {
            &*tree.label(tree.node_of_stack[shown[row] as usize]).name
        })?,
    ];
    for &counter in source.counters {
        columns.push(Column::of(&column_name(counter), move |row| {
            counter.value(stack(row))
        })?);
    }
    columns.push(Column::list("path", move |row, path| {
        calls.append_path(stack(row).node, path);
    })?);
    Ok(columns)
}

/// With the unit: `live_bytes`, `live_blocks`, `calls`.
fn column_name(counter: Counter) -> String {
    let name = counter.name().replace('-', "_");
    match counter.unit() {
        Unit::Count => name,
        unit => format!("{name}_{}", unit.name()),
    }
}

pub(super) fn frames<'a>(calls: &'a Calls<'_>) -> Result<Vec<Column<'a>>> {
    let frame = |row: usize| &calls.frames[row];
    Ok(vec![
        Column::of("frame", |row| row as u32)?,
        Column::maybe("function", |row| calls.name(row))?,
        Column::maybe("linkage_name", move |row| frame(row).linkage)?,
        Column::maybe("module", move |row| frame(row).module)?,
        Column::maybe("file", move |row| frame(row).file)?,
        Column::maybe("line", move |row| frame(row).line)?,
        Column::maybe("address", move |row| frame(row).address)?,
        Column::of("inlined", move |row| frame(row).is_inlined)?,
    ])
}

pub(super) fn nodes<'a>(calls: &'a Calls<'_>) -> Result<Vec<Column<'a>>> {
    Ok(vec![
        Column::of("node", |row| row as u32)?,
        Column::maybe("parent", |row| calls.nodes[row].parent)?,
        Column::of("frame", |row| calls.nodes[row].frame)?,
        Column::of("caller_by_frame_pointer", |row| {
            calls.nodes[row].caller_by_frame_pointer
        })?,
    ])
}

/// An event or tick, and when it ended.
pub(super) struct EventRow<'a> {
    begin: &'a Moment,
    end_ns: Option<u64>,
}

pub(super) fn event_rows(profile: &Profile) -> Vec<EventRow<'_>> {
    let of_kind = |kind: MomentKind| {
        let moments = profile.timeline.moments.iter();
        moments.filter(move |moment| moment.kind == kind)
    };
    let ends: FxHashMap<EventNumber, u64> = of_kind(MomentKind::End)
        .map(|moment| (moment.event, moment.time_ns))
        .collect();
    let begins = of_kind(MomentKind::Begin).map(|begin| EventRow {
        begin,
        end_ns: ends.get(&begin.event).copied(),
    });
    let ticks = of_kind(MomentKind::Tick).map(|begin| EventRow {
        begin,
        end_ns: None,
    });
    begins.chain(ticks).collect()
}

/// A column for each of the program's own counters, `count_NAME`.
pub(super) fn events<'a>(
    profile: &'a Profile,
    events: &'a [EventRow<'_>],
) -> Result<Vec<Column<'a>>> {
    let begin = |row: usize| events[row].begin;
    let mut columns = vec![
        Column::of("event", move |row| begin(row).event)?,
        Column::of("id", move |row| begin(row).id)?,
        Column::of("stream", move |row| begin(row).stream)?,
        Column::of("begin_ns", move |row| begin(row).time_ns)?,
        Column::maybe("end_ns", |row| events[row].end_ns)?,
        Column::maybe("vm_bytes", move |row| begin(row).vm_bytes)?,
        Column::maybe("rss_bytes", move |row| begin(row).rss_bytes)?,
        Column::maybe("live_bytes", move |row| begin(row).live_bytes)?,
        Column::maybe("mapped_bytes", move |row| begin(row).mapped_bytes)?,
    ];
    let timeline = &profile.timeline;
    let mut counts: BTreeMap<NameId, FxHashMap<EventNumber, f64>> = BTreeMap::new();
    for count in &timeline.counts {
        let of_name = counts.entry(count.name).or_default();
        of_name.insert(count.event, count.value);
    }
    for (name, values) in counts {
        let name = timeline.names.get(name as usize);
        let name = format!("count_{}", visible(name.map_or("?", String::as_str)));
        columns.push(Column::maybe(&name, move |row| {
            values.get(&begin(row).event).copied()
        })?);
    }
    Ok(columns)
}

/// The changes of stacks that are part of the tree.
pub(super) fn shown_changes(source: &Source<'_>) -> Vec<u32> {
    let node_of_stack = &source.tree.node_of_stack;
    let is_shown = |stack: u32| {
        let node = node_of_stack.get(stack as usize);
        node.is_some_and(|&node| node != NOT_SHOWN)
    };
    let changes = source.profile.timeline.changes.iter().enumerate();
    changes
        .filter(|(_, change)| is_shown(change.stack))
        .map(|(index, _)| index as u32)
        .collect()
}

/// What each stack left between the moment before and this one.
pub(super) fn deltas<'a>(profile: &'a Profile, shown: &'a [u32]) -> Result<Vec<Column<'a>>> {
    let timeline = &profile.timeline;
    let change = |row: usize| &timeline.changes[shown[row] as usize];
    let moment = move |row: usize| timeline.moments.get(change(row).moment as usize);
    Ok(vec![
        Column::of("moment", move |row| change(row).moment)?,
        Column::maybe("at", move |row| moment(row).map(|it| moment_name(it.kind)))?,
        Column::maybe("event", move |row| moment(row).map(|moment| moment.event))?,
        Column::maybe("time_ns", move |row| moment(row).map(|it| it.time_ns))?,
        Column::of("stack", move |row| change(row).stack)?,
        Column::of("bytes", move |row| change(row).bytes)?,
        Column::of("blocks", move |row| change(row).blocks)?,
    ])
}

fn moment_name(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Begin => "begin",
        MomentKind::End => "end",
        MomentKind::Tick => "tick",
        MomentKind::Snapshot => "snapshot",
        MomentKind::Last => "last",
    }
}
