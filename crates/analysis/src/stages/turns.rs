//! Which stamp belongs to which event: by the numbers they carry, by names that
//! come back in the same order, or by numbers inside the names.

use std::cmp::Reverse;
use std::collections::HashMap;

use residue_profile::timeline::{EventNumber, NameId, Stamp};

use super::tags;

/// Every stamp's event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turns {
    /// Per stamp: its event, from one; zero before the first.
    pub of_stamp: Vec<EventNumber>,
    /// What the names call the events, by event, where they do.
    pub ids: Option<Vec<u64>>,
    /// Stamps an event, where they were found by names alone.
    pub period: Option<usize>,
}

impl Turns {
    /// Stamps before the first event.
    pub(super) fn set_up_stamps(&self) -> usize {
        self.of_stamp.iter().filter(|&&event| event == 0).count()
    }
}

/// `None` where the stamps carry no numbers and no name comes back.
pub fn find(names: &[String], stamps: &[Stamp]) -> Option<Turns> {
    if stamps.iter().any(|stamp| stamp.event > 0) {
        return Some(Turns {
            of_stamp: stamps.iter().map(|stamp| stamp.event).collect(),
            ids: None,
            period: None,
        });
    }
    let order: Vec<NameId> = stamps.iter().map(|stamp| stamp.name).collect();
    by_period(&order).or_else(|| by_tags(names, &order))
}

fn by_tags(names: &[String], order: &[NameId]) -> Option<Turns> {
    let mut ids = Vec::new();
    let mut event_of_id = HashMap::new();
    let mut tagged = 0;
    let mut current: EventNumber = 0;
    let mut of_stamp = Vec::with_capacity(order.len());
    for &name in order {
        let name = names.get(name as usize).map_or("", String::as_str);
        if let Some((id, _)) = tags::split(name) {
            tagged += 1;
            current = *event_of_id.entry(id).or_insert_with(|| {
                ids.push(id);
                ids.len() as EventNumber
            });
        }
        of_stamp.push(current);
    }
    (tagged * 2 > order.len()).then_some(Turns {
        of_stamp,
        ids: Some(ids),
        period: None,
    })
}

/// The turn's first stamp is the first in the file that belongs to it: lines of
/// set-up have other names. What does not fit in a turn stays with the event it
/// stands in.
fn by_period(order: &[NameId]) -> Option<Turns> {
    let recurring = without_single_names(order);
    // Two turns among many stamps of another kind are a coincidence.
    let run = longest_run(&recurring)
        .filter(|run| run.stamps >= 3 * run.period || 2 * run.stamps >= order.len())?;
    let mut turn = recurring[run.start..run.start + run.period].to_vec();
    let first = order.iter().position(|name| turn.contains(name))?;
    rotate_to_match(&mut turn, &order[first..]);
    let mut places: HashMap<NameId, Vec<usize>> = HashMap::new();
    for (place, &name) in turn.iter().enumerate() {
        places.entry(name).or_default().push(place);
    }
    let mut of_stamp = vec![0; first];
    let mut current: EventNumber = 0;
    // The first place in the turn that the event's next stamp may have.
    let mut next_place = turn.len();
    for name in &order[first..] {
        if let Some(places) = places.get(name) {
            let later = places.partition_point(|&place| place < next_place);
            if later == places.len() {
                current += 1;
            }
            next_place = places.get(later).unwrap_or(&places[0]) + 1;
        }
        of_stamp.push(current);
    }
    Some(Turns {
        of_stamp,
        ids: None,
        period: Some(turn.len()),
    })
}

/// A name that is there once belongs to no turn.
fn without_single_names(order: &[NameId]) -> Vec<NameId> {
    let mut times: HashMap<NameId, usize> = HashMap::new();
    for &name in order {
        *times.entry(name).or_default() += 1;
    }
    let recurs = |name: &NameId| times.get(name).is_some_and(|&times| times > 1);
    order.iter().copied().filter(recurs).collect()
}

/// Beginnings that are tried.
const MOST_ROTATIONS: usize = 64;

/// Turns it round until it begins as `order` does, for as long as possible.
fn rotate_to_match(turn: &mut [NameId], order: &[NameId]) {
    let matching = |rotation: &usize| {
        let rotated = turn.iter().cycle().skip(*rotation).take(turn.len());
        let same = rotated.zip(order).take_while(|(one, other)| one == other);
        (same.count(), Reverse(*rotation))
    };
    let begins_alike = (0..turn.len()).filter(|&rotation| turn[rotation] == order[0]);
    let best = begins_alike
        .take(MOST_ROTATIONS)
        .max_by_key(matching)
        .unwrap_or(0);
    turn.rotate_left(best);
}

/// A stretch in which every name comes back `period` stamps later.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    period: usize,
    stamps: usize,
}

/// Periods up to this are all tried; longer ones only where names suggest them.
const SHORT_PERIOD: usize = 64;
const LONG_PERIODS: usize = 64;

/// The longest stretch of at least two turns; the shortest period where several fit.
fn longest_run(order: &[NameId]) -> Option<Run> {
    let longest_period = order.len() / 2;
    let mut periods: Vec<usize> = (1..=longest_period.min(SHORT_PERIOD)).collect();
    periods.extend(common_gaps(order, longest_period));
    periods.sort_unstable();
    let mut best: Option<Run> = None;
    for period in periods {
        let run = longest_run_of(order, period);
        if run.stamps >= 2 * period && best.is_none_or(|best| run.stamps > best.stamps) {
            best = Some(run);
        }
    }
    best
}

fn longest_run_of(order: &[NameId], period: usize) -> Run {
    let mut best = Run {
        start: 0,
        period,
        stamps: 0,
    };
    let mut start = 0;
    for index in 0..order.len() - period {
        if order[index] != order[index + period] {
            start = index + 1;
        } else if index + 1 - start + period > best.stamps {
            best.start = start;
            best.stamps = index + 1 - start + period;
        }
    }
    best
}

/// Distances beyond the short ones at which names come back, the most common first.
fn common_gaps(order: &[NameId], longest: usize) -> Vec<usize> {
    let mut last_seen: HashMap<NameId, usize> = HashMap::new();
    let mut gaps: HashMap<usize, usize> = HashMap::new();
    for (index, &name) in order.iter().enumerate() {
        if let Some(last) = last_seen.insert(name, index) {
            let gap = index - last;
            if (SHORT_PERIOD + 1..=longest).contains(&gap) {
                *gaps.entry(gap).or_default() += 1;
            }
        }
    }
    let mut gaps: Vec<(usize, usize)> = gaps.into_iter().collect();
    gaps.sort_unstable_by_key(|&(gap, seen)| (Reverse(seen), gap));
    gaps.truncate(LONG_PERIODS);
    gaps.into_iter().map(|(gap, _)| gap).collect()
}
