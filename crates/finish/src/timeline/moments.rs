//! The moments, from inside and outside, in the order of time.

use super::LastMoment;
use super::names::Names;
use super::rows::read_size;
use crate::outside::Seen;
use residue_arena::moments::*;
use residue_profile::timeline::{Moment, MomentId, MomentKind, Spent};

pub struct Moments {
    pub moments: Vec<Moment>,
    pub numbers: Numbers,
    /// Those that keep totals, and the last.
    pub with_totals: Numbers,
}

/// From numbers of moments to their places, ascending.
pub struct Numbers(Vec<(u32, MomentId)>);

impl Numbers {
    /// The moment that ended an interval.
    pub fn end_of(&self, interval: u64) -> Option<MomentId> {
        let is_before = |&(number, _): &(u32, MomentId)| u64::from(number) <= interval;
        let at = self.0.partition_point(is_before);
        self.0.get(at).map(|&(_, moment)| moment)
    }

    /// The moment with this number, or the next.
    pub fn at(&self, number: u64) -> Option<MomentId> {
        self.end_of(number.saturating_sub(1))
    }

    pub fn last(&self) -> Option<MomentId> {
        self.0.last().map(|&(_, moment)| moment)
    }
}

pub fn put_in_order(
    rows: &[MomentRow],
    seen: &[Seen],
    names: &Names,
    last: &LastMoment,
) -> Moments {
    let written = rows
        .iter()
        .filter_map(|row| Some((row.number, of_row(row)?)));
    let seen = seen.iter().map(|seen| (seen.number, of_seen(seen, names)));
    let mut moments: Vec<(u32, Moment)> = written.chain(seen).collect();
    // An event that ends where the next begins stands before it, also where only one
    // of them has a number.
    moments.sort_by_key(|(number, moment)| (moment.time_ns, moment.event, *number));
    let last_number = moments.iter().map(|(number, _)| *number).max().unwrap_or(0);
    let before = moments.last().map(|(_, moment)| moment);
    moments.push((last_number.saturating_add(1), last_moment(before, last)));
    let places = moments.iter().zip(0..);
    let mut numbers: Vec<(u32, MomentId)> = places
        .filter(|((number, _), _)| *number != 0)
        .map(|((number, _), place)| (*number, place))
        .collect();
    numbers.sort_unstable();
    let has_totals = |&&(_, place): &&(u32, MomentId)| moments[place as usize].1.has_totals;
    let with_totals = numbers.iter().filter(has_totals).copied().collect();
    Moments {
        with_totals: Numbers(with_totals),
        moments: moments.into_iter().map(|(_, moment)| moment).collect(),
        numbers: Numbers(numbers),
    }
}

fn of_row(row: &MomentRow) -> Option<Moment> {
    let kind = match row.kind {
        KIND_BEGIN => MomentKind::Begin,
        KIND_END => MomentKind::End,
        KIND_SNAPSHOT => MomentKind::Snapshot,
        _ => return None,
    };
    Some(Moment {
        kind,
        event: row.event,
        id: row.id,
        stream: row.stream,
        name: row.name,
        time_ns: row.time_ns,
        vm_bytes: read_size(row.vm_bytes),
        rss_bytes: read_size(row.rss_bytes),
        shared_bytes: read_size(row.shared_bytes),
        live_bytes: Some(row.live_bytes),
        mapped_bytes: Some(row.mapped_bytes),
        recorder_bytes: row.recorder_bytes,
        threads: row.threads,
        has_changes: row.number != 0,
        has_totals: row.number != 0 && row.has_totals,
        spent: spent_at(row),
    })
}

/// What the program had spent when a row was written.
pub fn spent_at(row: &MomentRow) -> Spent {
    let thread_cpu_ns = read_size(row.thread_cpu_ns);
    Spent {
        calls: Some(row.made_blocks),
        total_bytes: Some(row.made_bytes),
        thread_cpu_ns,
        tid: thread_cpu_ns.map_or(0, |_| row.tid),
        process_cpu_ns: read_size(row.process_cpu_ns),
    }
}

fn of_seen(seen: &Seen, names: &Names) -> Moment {
    Moment {
        kind: seen.kind,
        event: seen.event,
        id: seen.id,
        stream: 0,
        name: seen.name.as_ref().and_then(|name| names.id(name)),
        time_ns: seen.time_ns,
        vm_bytes: read_size(seen.vm_bytes),
        rss_bytes: read_size(seen.rss_bytes),
        shared_bytes: read_size(seen.shared_bytes),
        live_bytes: Some(seen.live_bytes),
        mapped_bytes: Some(seen.mapped_bytes),
        recorder_bytes: seen.recorder_bytes,
        threads: seen.threads,
        has_changes: true,
        has_totals: seen.has_totals,
        spent: Spent {
            calls: seen.made_blocks,
            total_bytes: seen.made_bytes,
            process_cpu_ns: seen.process_cpu_ns,
            ..Spent::default()
        },
    }
}

/// The end of the recording.
fn last_moment(before: Option<&Moment>, last: &LastMoment) -> Moment {
    let event = before.map_or(0, |moment| moment.event);
    let time_ns = before.map_or(0, |moment| moment.time_ns).max(last.time_ns);
    Moment {
        id: before.map_or(0, |moment| moment.id),
        live_bytes: Some(last.live_bytes),
        mapped_bytes: Some(last.mapped_bytes),
        has_totals: true,
        spent: Spent {
            calls: Some(last.calls),
            total_bytes: Some(last.total_bytes),
            ..Spent::default()
        },
        recorder_bytes: before.map_or(0, |moment| moment.recorder_bytes),
        ..Moment::unread(MomentKind::Last, event, time_ns)
    }
}
