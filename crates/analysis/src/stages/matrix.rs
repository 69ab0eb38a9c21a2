//! The stage matrix: a row an event, a column a stamp's name, holes where an event
//! lacks a stamp.

use std::collections::{BTreeMap, HashMap, HashSet};

use residue_profile::timeline::{EventNumber, NameId, Stamp};
use serde::Serialize;

use super::turns::Turns;
use super::{Reason, Value, tags};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageRow {
    pub event: EventNumber,
    /// The value at the event's first and last stamp.
    pub first: i64,
    pub last: i64,
    /// Per column, relative to `first`.
    pub cells: Vec<Option<i64>>,
    /// The columns in the order in which this event came by them.
    #[serde(skip)]
    pub(super) path: Vec<usize>,
}

pub struct Matrix {
    pub columns: Vec<String>,
    pub rows: Vec<StageRow>,
    pub left_out: Vec<String>,
    pub reasons: Vec<Reason>,
}

/// A column: a name, and the how-manieth stamp of that name in an event.
type Key<'a> = (&'a str, u32);

pub fn lay_out(names: &[String], stamps: &[Stamp], turns: &Turns, value: Value) -> Matrix {
    let of_events = || {
        let stamps = stamps.iter().zip(&turns.of_stamp);
        stamps.filter(|&(_, &event)| event > 0)
    };
    let unread = unread_names(of_events().map(|(stamp, _)| stamp), value);
    let marks: Vec<Mark> = of_events()
        .filter(|(stamp, _)| !unread.contains_key(&stamp.name))
        .filter_map(|(stamp, &event)| {
            Some(Mark {
                event,
                name: names.get(stamp.name as usize)?,
                value: value.of(stamp)?,
            })
        })
        .collect();
    let not_read =
        |(&name, &(readings, stamps)): (&NameId, &(usize, usize))| Reason::NotAlwaysRead {
            value,
            stamp: names.get(name as usize).cloned().unwrap_or_default(),
            readings,
            stamps,
        };
    let mut events = by_event(&marks);
    let left_out = settle_rare_names(&mut events);
    events.retain(|event| !event.stamps.is_empty());
    let columns = column_order(&events);
    let column_of: HashMap<Key, usize> = columns
        .iter()
        .enumerate()
        .map(|(column, &key)| (key, column))
        .collect();
    Matrix {
        rows: events
            .iter()
            .map(|event| event.row(&column_of, columns.len()))
            .collect(),
        columns: columns.iter().map(|&key| title(key)).collect(),
        left_out,
        reasons: unread.iter().map(not_read).collect(),
    }
}

/// Names whose stamps lack the value in some events, with how many have it of how many. They
/// are no columns: an event's first column would be another stamp than the next event's.
fn unread_names<'a>(
    stamps: impl Iterator<Item = &'a Stamp>,
    value: Value,
) -> BTreeMap<NameId, (usize, usize)> {
    let mut counts: BTreeMap<NameId, (usize, usize)> = BTreeMap::new();
    for stamp in stamps {
        let (readings, stamps) = counts.entry(stamp.name).or_default();
        *readings += usize::from(value.of(stamp).is_some());
        *stamps += 1;
    }
    counts.retain(|_, (readings, stamps)| readings < stamps);
    counts
}

impl Matrix {
    pub fn column_means(&self, warm_up_rows: usize) -> Vec<Option<f64>> {
        (0..self.columns.len())
            .map(|column| {
                let cells = self.rows[warm_up_rows..].iter();
                let cells: Vec<i64> = cells.filter_map(|row| row.cells[column]).collect();
                let sum: i128 = cells.iter().map(|&cell| i128::from(cell)).sum();
                (!cells.is_empty()).then(|| sum as f64 / cells.len() as f64)
            })
            .collect()
    }
}

struct Mark<'a> {
    event: EventNumber,
    name: &'a str,
    value: i64,
}

struct Event<'a> {
    number: EventNumber,
    stamps: Vec<(Key<'a>, i64)>,
}

impl Event<'_> {
    fn row(&self, column_of: &HashMap<Key, usize>, columns: usize) -> StageRow {
        let first = self.stamps.first().map_or(0, |&(_, value)| value);
        let mut row = StageRow {
            event: self.number,
            first,
            last: self.stamps.last().map_or(first, |&(_, value)| value),
            cells: vec![None; columns],
            path: Vec::with_capacity(self.stamps.len()),
        };
        for (key, value) in &self.stamps {
            if let Some(&column) = column_of.get(key) {
                row.cells[column] = Some(value - first);
                row.path.push(column);
            }
        }
        row
    }
}

/// Events in the order of their first stamps. Names that differ from event to event
/// by a number inside them are one name.
fn by_event<'a>(marks: &[Mark<'a>]) -> Vec<Event<'a>> {
    let recurring = recurring_names(marks.iter().map(|mark| (mark.name, mark.event)));
    let recurring_stems =
        recurring_names(marks.iter().map(|mark| (tags::stem(mark.name), mark.event)));
    let mut events: Vec<Event> = Vec::new();
    let mut index_of: HashMap<EventNumber, usize> = HashMap::new();
    let mut seen: HashMap<(EventNumber, &str), u32> = HashMap::new();
    for mark in marks {
        let stem = tags::stem(mark.name);
        let name = match recurring.contains(mark.name) || !recurring_stems.contains(stem) {
            true => mark.name,
            false => stem,
        };
        let times = seen.entry((mark.event, name)).or_default();
        *times += 1;
        let index = *index_of.entry(mark.event).or_insert_with(|| {
            events.push(Event {
                number: mark.event,
                stamps: Vec::new(),
            });
            events.len() - 1
        });
        events[index].stamps.push(((name, *times), mark.value));
    }
    events
}

/// Names that at least two events have.
fn recurring_names<'a>(pairs: impl Iterator<Item = (&'a str, EventNumber)>) -> HashSet<&'a str> {
    let mut first_event: HashMap<&str, EventNumber> = HashMap::new();
    let mut recurring = HashSet::new();
    for (name, event) in pairs {
        if *first_event.entry(name).or_insert(event) != event {
            recurring.insert(name);
        }
    }
    recurring
}

/// A stamp that only one event has is the one it lacks under a longer name, such as
/// `reset_TAIL_LAST` for `reset_TAIL`, or it is taken out; returns the names of those.
fn settle_rare_names(events: &mut [Event]) -> Vec<String> {
    if events.len() < 2 {
        return Vec::new();
    }
    let mut events_with: HashMap<Key, usize> = HashMap::new();
    for (key, _) in events.iter().flat_map(|event| &event.stamps) {
        *events_with.entry(*key).or_default() += 1;
    }
    let is_common = |key: &Key| events_with.get(key).is_some_and(|&events| events > 1);
    let mut left_out = Vec::new();
    for event in events {
        if event.stamps.iter().all(|(key, _)| is_common(key)) {
            continue;
        }
        let mut has: HashSet<Key> = event.stamps.iter().map(|&(key, _)| key).collect();
        event.stamps.retain_mut(|(key, _)| {
            if is_common(key) {
                return true;
            }
            let lacking = |key: &Key| is_common(key) && !has.contains(key);
            let renamed = shorter_names(key.0).map(|name| (name, 1)).find(lacking);
            match renamed {
                Some(renamed) => {
                    has.insert(renamed);
                    *key = renamed;
                }
                None => left_out.push(title(*key)),
            }
            renamed.is_some()
        });
    }
    left_out
}

/// What follows a name where a stamp was renamed has no more letters.
const LONGEST_ADDITION: usize = 64;

/// What is left of a name without its last letters, the longest first.
fn shorter_names(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.char_indices().rev().take(LONGEST_ADDITION);
    ends.map(|(end, _)| &name[..end])
}

/// The longest event's order; what others have besides goes behind what they have
/// it after.
fn column_order<'a>(events: &[Event<'a>]) -> Vec<Key<'a>> {
    let mut columns: Vec<Key> = Vec::new();
    let mut known: HashSet<Key> = HashSet::new();
    let longest = events
        .iter()
        .enumerate()
        .max_by_key(|(index, event)| (event.stamps.len(), std::cmp::Reverse(*index)));
    for event in longest.map(|(_, event)| event).into_iter().chain(events) {
        if event.stamps.iter().all(|(key, _)| known.contains(key)) {
            continue;
        }
        let mut place = 0;
        for &(key, _) in &event.stamps {
            if known.insert(key) {
                columns.insert(place, key);
                place += 1;
            } else if let Some(at) = columns.iter().position(|&column| column == key) {
                place = at + 1;
            }
        }
    }
    columns
}

fn title((name, times): Key) -> String {
    match times {
        1 => name.to_string(),
        _ => format!("{name} ({times})"),
    }
}
