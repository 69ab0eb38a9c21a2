//! The rows of a self-contained file: those that matter most by any measure, and one for
//! all the others.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use residue_analysis::groups::GroupId;
use residue_calltree::Label;
use residue_names::cut_middle;
use residue_profile::timeline::{Moment, MomentId, MomentKind};
use residue_profile::{Counter, Kind};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::answers::stack_row::{self, MOST_NAME, StackRow};
use super::answers::stacks::{Sort, StackNumbers, find};
use super::opened::Opened;
use super::range;
use super::selection::Selection;

/// Rows of a file, and bytes that their histories and paths may take.
const MOST_ROWS: usize = 1500;
const MOST_BYTES: usize = 6 << 20;
/// Begins at which it is known what stacks hold.
const MOST_BEGINS: usize = 500;

pub struct FileRows {
    /// Events, and the moments at which they begin.
    begins: Vec<(u32, MomentId)>,
    begins_known: usize,
    labels: Vec<FileLabel>,
    rows: Vec<FileRow>,
    groups: usize,
}

#[derive(Serialize)]
struct FileLabel {
    name: String,
    library: String,
    framework: bool,
}

#[derive(Serialize)]
struct FileRow {
    row: StackRow,
    path: Vec<u32>,
    counters: [u64; Counter::ALL.len()],
    changes: Vec<i64>,
    is_rest: bool,
}

/// Changes of one row so far: place, bytes, blocks.
type History = Vec<(i64, i64, i64)>;

impl FileRows {
    pub fn of(opened: &Opened) -> Result<FileRows> {
        let timeline = &opened.profile.timeline;
        let all = range::event_begins(timeline);
        let begins_known = all.len();
        let begins = evenly(all, MOST_BEGINS);
        let chosen = choose(opened)?;
        let (histories, rest_history) = histories(opened, &chosen, &begins);
        let rows = stack_row::rows(opened, &chosen, None, None);
        let mut file = FileRows {
            begins,
            begins_known,
            labels: Vec::new(),
            rows: Vec::new(),
            groups: opened.groups().count(),
        };
        let mut known: FxHashMap<Label, u32> = FxHashMap::default();
        let mut paths = opened.paths();
        let mut rest = Rest::of(opened, rest_history);
        let mut bytes = 0;
        for ((group, row), history) in chosen.into_iter().zip(rows).zip(histories) {
            let members = opened.groups().members(group);
            let stack = &opened.profile.stacks[members[0] as usize];
            let path: Vec<Label> = paths
                .steps(stack)
                .into_iter()
                .map(|step| Label {
                    line: 0,
                    file: "".into(),
                    ..step.label
                })
                .collect();
            bytes += 400 + 20 * history.len() + 8 * path.len();
            if bytes > MOST_BYTES {
                rest.histories.extend(history);
                continue;
            }
            let path = path.into_iter().map(|label| {
                *known.entry(label).or_insert_with_key(|label| {
                    file.labels.push(FileLabel {
                        name: cut_middle(&label.name, MOST_NAME),
                        library: label.module.to_string(),
                        framework: label.is_framework,
                    });
                    (file.labels.len() - 1) as u32
                })
            });
            let counters = Counter::ALL.map(|counter| {
                let values = members
                    .iter()
                    .map(|&stack| counter.value(&opened.profile.stacks[stack as usize]));
                values.fold(0_u64, u64::saturating_add)
            });
            let path = path.collect();
            rest.take_off(opened, members);
            file.rows.push(FileRow {
                row: row.without_path(),
                path,
                counters,
                changes: flat(history),
                is_rest: false,
            });
        }
        file.rows.extend(rest.row(&mut file.labels));
        Ok(file)
    }

    /// What the file does not hold, in sentences.
    pub fn left_out(&self) -> Vec<String> {
        let shown = self.rows.iter().filter(|row| !row.is_rest).count();
        let mut said = Vec::new();
        if shown < self.groups {
            said.push(format!(
                "This file holds the {shown} call paths of {} that matter most by growth, live, \
                 total, calls and peak; the others are one row.",
                self.groups
            ));
        }
        if self.begins.len() < self.begins_known {
            said.push(format!(
                "What stacks hold is in it at {} of {} begins of events: ranges end at these.",
                self.begins.len(),
                self.begins_known
            ));
        }
        said.push(
            "Source lines, threads and the verdict of single ranges are not in it: \
             `residue view` shows them."
                .to_string(),
        );
        said
    }

    /// The stacks that name the rows.
    pub fn stacks(&self) -> impl Iterator<Item = i64> + '_ {
        let rows = self.rows.iter().filter(|row| !row.is_rest);
        rows.map(|row| row.row.stack)
    }

    /// Writes its members of the document, each with a comma in front.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let begins: Vec<u32> = self.begins.iter().map(|(event, _)| *event).collect();
        write!(out, ",\"labels\":")?;
        serde_json::to_writer(&mut *out, &self.labels)?;
        write!(out, ",\"begins\":")?;
        serde_json::to_writer(&mut *out, &begins)?;
        write!(out, ",\"rows\":")?;
        Ok(serde_json::to_writer(&mut *out, &self.rows)?)
    }
}

/// Some of a list at equal distances, with the first.
fn evenly<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

/// The groups that rank highest by any measure, in turn.
fn choose(opened: &Opened) -> Result<Vec<GroupId>> {
    let selection = |events| Selection {
        opened,
        kind: Kind::All,
        focus: None,
        counter: Counter::Live,
        events,
        thread: None,
    };
    let known = range::known_events(&opened.profile.timeline);
    let events = known.map(|(from, to)| residue_analysis::history::EventRange { from, to });
    let grown = selection(events);
    let live = grown.span()?.map(|span| opened.live(span));
    let live = live.as_ref().map(|live| live.as_slice());
    let whole = selection(None);
    let mut lists: Vec<std::vec::IntoIter<GroupId>> = vec![
        find(&grown, Sort::Growth, live)
            .first(MOST_ROWS, false)
            .into_iter(),
    ];
    for sort in [Sort::Live, Sort::Total, Sort::Calls, Sort::Peak] {
        lists.push(find(&whole, sort, None).first(MOST_ROWS, false).into_iter());
    }
    let mut chosen = Vec::new();
    let mut known = HashSet::new();
    loop {
        let turn: Vec<GroupId> = lists.iter_mut().filter_map(Iterator::next).collect();
        if turn.is_empty() {
            return Ok(chosen);
        }
        for group in turn {
            if chosen.len() < MOST_ROWS && known.insert(group) {
                chosen.push(group);
            }
        }
    }
}

/// How the chosen groups changed, and all others together.
fn histories(
    opened: &Opened,
    chosen: &[GroupId],
    begins: &[(u32, MomentId)],
) -> (Vec<History>, History) {
    let timeline = &opened.profile.timeline;
    let last_end = timeline.moments.iter().rposition(|moment: &Moment| {
        moment.has_changes && !matches!(moment.kind, MomentKind::Last | MomentKind::Snapshot)
    });
    let places: Vec<i64> = (0..timeline.moments.len())
        .map(|moment| {
            if begins.is_empty() || last_end.is_some_and(|end| moment > end) {
                return begins.len() as i64;
            }
            let before = begins.partition_point(|(_, begin)| (*begin as usize) < moment);
            before as i64 - 1
        })
        .collect();
    let groups = opened.groups();
    let rest = chosen.len();
    let mut row_of_group = vec![rest as u32; groups.count()];
    for (&group, row) in chosen.iter().zip(0..) {
        row_of_group[group as usize] = row;
    }
    let mut histories: Vec<History> = vec![Vec::new(); rest + 1];
    for change in &timeline.changes {
        let (Some(&group), Some(&place)) = (
            groups.of_stack.get(change.stack as usize),
            places.get(change.moment as usize),
        ) else {
            continue;
        };
        let history = &mut histories[row_of_group[group as usize] as usize];
        match history.last_mut() {
            Some(last) if last.0 == place => {
                last.1 = last.1.saturating_add(change.bytes);
                last.2 = last.2.saturating_add(change.blocks);
            }
            _ => history.push((place, change.bytes, change.blocks)),
        }
    }
    let of_rest = histories.pop().unwrap_or_default();
    (histories, of_rest)
}

/// What is in no row of its own.
struct Rest {
    groups: usize,
    numbers: StackNumbers,
    counters: [u64; Counter::ALL.len()],
    histories: History,
}

impl Rest {
    fn of(opened: &Opened, histories: History) -> Rest {
        let mut numbers = StackNumbers::default();
        let mut counters = [0_u64; Counter::ALL.len()];
        for (index, stack) in opened.profile.stacks.iter().enumerate() {
            numbers.add(&StackNumbers::of(opened, index, None));
            for (sum, counter) in counters.iter_mut().zip(Counter::ALL) {
                *sum = sum.saturating_add(counter.value(stack));
            }
        }
        Rest {
            groups: opened.groups().count(),
            numbers,
            counters,
            histories,
        }
    }

    /// A group has a row of its own.
    fn take_off(&mut self, opened: &Opened, members: &[u32]) {
        self.groups -= 1;
        for &stack in members {
            let numbers = StackNumbers::of(opened, stack as usize, None);
            self.numbers.subtract(&numbers);
            let stack = &opened.profile.stacks[stack as usize];
            for (sum, counter) in self.counters.iter_mut().zip(Counter::ALL) {
                *sum = sum.saturating_sub(counter.value(stack));
            }
        }
    }

    fn row(self, labels: &mut Vec<FileLabel>) -> Option<FileRow> {
        if self.groups == 0 {
            return None;
        }
        labels.push(FileLabel {
            name: format!("[{} call paths that are not in this file]", self.groups),
            library: String::new(),
            framework: true,
        });
        Some(FileRow {
            row: StackRow::of_rest(self.groups, "heap", self.numbers),
            path: vec![(labels.len() - 1) as u32],
            counters: self.counters,
            changes: flat(self.histories),
            is_rest: true,
        })
    }
}

/// Triples in one list, by place.
fn flat(mut history: History) -> Vec<i64> {
    history.sort_unstable_by_key(|(place, ..)| *place);
    let triples = history.into_iter();
    triples
        .flat_map(|(place, bytes, blocks)| [place, bytes, blocks])
        .collect()
}
