//! Stamps, and what was counted in events: by the program, or in its lines of output.

use super::moments::{Numbers, spent_at};
use super::names::Names;
use super::rows::read_size;
use crate::outside::Seen;
use residue_arena::moments::*;
use residue_profile::timeline::{Count, CounterTotal, EventNumber, NameId, Stamp};
use std::collections::BTreeMap;

pub fn stamps(rows: &[MomentRow]) -> Vec<Stamp> {
    let stamps = rows.iter().filter(|row| row.kind == KIND_STAMP);
    let stamp = |row: &MomentRow| {
        Some(Stamp {
            name: row.name?,
            event: row.event,
            time_ns: row.time_ns,
            vm_bytes: read_size(row.vm_bytes),
            rss_bytes: read_size(row.rss_bytes),
            live_bytes: Some(row.live_bytes),
            spent: spent_at(row),
        })
    };
    stamps.filter_map(stamp).collect()
}

/// What was counted in each event. A line of output carries the numbers of its event,
/// which has the same number as the line.
pub fn counts(rows: &[MomentRow], seen: &[Seen], names: &Names) -> Vec<Count> {
    let mut by_program: BTreeMap<(EventNumber, NameId), f64> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind == KIND_COUNT) {
        if let Some(name) = row.name {
            *by_program.entry((row.event, name)).or_default() += f64::from_bits(row.id);
        }
    }
    let by_program = by_program.into_iter();
    let mut counts: Vec<Count> = by_program
        .map(|((event, name), value)| Count { event, name, value })
        .collect();
    for seen in seen {
        let event = seen.event;
        counts.extend(seen.counts.iter().filter_map(|(name, &value)| {
            let name = names.id(name)?;
            Some(Count { event, name, value })
        }));
    }
    counts
}

/// What counters had in all at the end, where they counted on after the last moment that
/// has their total: each count carries it.
fn tails(rows: &[MomentRow], written: &[CounterTotal], numbers: &Numbers) -> Vec<CounterTotal> {
    let mut latest: BTreeMap<NameId, f64> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind == KIND_COUNT) {
        // Those of an older recorder have none.
        if let Some(name) = row.name.filter(|_| row.vm_bytes != 0) {
            latest.insert(name, f64::from_bits(row.vm_bytes));
        }
    }
    for total in written {
        // They stand in the order of time.
        if latest.get(&total.name) == Some(&total.total) {
            latest.remove(&total.name);
        }
    }
    let Some(moment) = numbers.last() else {
        return Vec::new();
    };
    let tail = |(name, total)| CounterTotal {
        moment,
        name,
        total,
    };
    latest.into_iter().map(tail).collect()
}

/// Running totals at moments.
pub fn totals(
    rows: &[MomentRow],
    seen: &[Seen],
    names: &Names,
    numbers: &Numbers,
) -> Vec<CounterTotal> {
    let by_program = rows.iter().filter(|row| row.kind == KIND_TOTAL);
    let by_program = by_program.filter_map(|row| {
        Some(CounterTotal {
            moment: numbers.at(u64::from(row.number))?,
            name: row.name?,
            total: f64::from_bits(row.id),
        })
    });
    let mut totals: Vec<CounterTotal> = by_program.collect();
    totals.extend(tails(rows, &totals, numbers));
    let mut running: BTreeMap<NameId, f64> = BTreeMap::new();
    for seen in seen {
        for (name, value) in seen.skipped_counts.iter().chain(&seen.counts) {
            if let Some(name) = names.id(name) {
                *running.entry(name).or_default() += value;
            }
        }
        let moment = numbers.at(u64::from(seen.number));
        let counted = seen.counts.keys().filter_map(|name| names.id(name));
        totals.extend(counted.filter_map(|name| {
            Some(CounterTotal {
                moment: moment?,
                name,
                total: *running.get(&name)?,
            })
        }));
    }
    totals
}
