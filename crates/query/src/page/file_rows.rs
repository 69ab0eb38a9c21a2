//! The rows of a self-contained file: those that matter most by any measure, and for each
//! kind of memory one for all the others.
//!
//! ```text
//!   choice     groups of stacks that rank highest ──► one row each, as long as they fit
//!   histories  changes of stacks by place ──► parts of a row, by the path they end in
//!   rest       what has no row
//! ```

mod choice;
mod histories;
mod labels;
mod parts;
mod rest;
pub mod script_json;

#[cfg(test)]
mod tests;

use anyhow::Result;
use residue_analysis::groups::GroupId;
use residue_calltree::Detail;
use residue_profile::timeline::EventNumber;
use serde::Serialize;

use super::answers::stack_row::{self, StackRow};
use super::opened::Opened;
use histories::{Ends, NO_HISTORY, Places, histories};
use labels::{FileLabel, FileLabels};
use parts::FilePart;
use script_json::to_script_json;

/// How much of a profile a file holds at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub rows: usize,
    /// That rows and the names on their paths take in the file.
    pub row_bytes: usize,
    /// Begins at which it is known what stacks hold.
    pub begins: usize,
    /// That what stacks allocated from place to place takes in the file, and as much for CPU time:
    /// in all, and more for each row.
    pub spent_bytes: usize,
    pub spent_bytes_per_row: usize,
    /// Rows of churn, of each kind of memory.
    pub churn_rows: usize,
    /// Stacks whose holders are in the file, and what their chains take.
    pub held_rows: usize,
    pub held_bytes: usize,
    /// Stacks of one row whose changes stand apart because they fall.
    pub falling: usize,
    /// Rows whose frames, sizes and births are in the file, and what they take.
    pub details: usize,
    pub detail_bytes: usize,
}

impl Limits {
    pub const USUAL: Limits = Limits {
        rows: 1500,
        row_bytes: 5 << 20,
        begins: 500,
        spent_bytes: 64 << 10,
        spent_bytes_per_row: 64,
        churn_rows: 10,
        held_rows: 200,
        held_bytes: 512 << 10,
        falling: 8,
        details: 100,
        detail_bytes: 2 << 20,
    };
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileRows {
    /// Functions that paths refer to; two of them never have the same name and library
    /// unless their names were cut.
    labels: Vec<FileLabel>,
    /// What paths by library refer to.
    libraries: Vec<FileLabel>,
    /// Events at whose begins it is known what stacks hold, ascending; of very many, some.
    /// Place p stands for all that happened from the begin of `begins[p]` to that of
    /// `begins[p + 1]`; the last place ends with the last event.
    begins: Vec<EventNumber>,
    /// Places at whose begins it is known what had been allocated, ascending; `begins.length` is
    /// the end of the last event. Ranges that begin and end there have it.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<i64>"))]
    allocated_at: Ends,
    /// The same of CPU time.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<i64>"))]
    cpu_at: Ends,
    /// In the order of groups: among rows that are equal in what they are sorted by, the
    /// earlier comes first, as the server has it.
    rows: Vec<FileRow>,
    #[serde(skip)]
    begins_known: usize,
    /// Places that `allocated_at` and `cpu_at` could have.
    #[serde(skip)]
    ends_known: [usize; 2],
    /// Stacks that name rows, those that matter most first.
    #[serde(skip)]
    stacks: Vec<i64>,
    #[serde(skip)]
    groups: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct FileRow {
    /// Of the whole recording, as in `api/stacks`; `path` is empty, `parts` have it.
    row: StackRow,
    /// The stacks of the row by the path they end in; the row's own is that of the first.
    /// Stacks that fall at times have parts of their own, as long as they are few.
    parts: Vec<FilePart>,
    /// All of one kind that is not in this file, as one row of one part; its `stack` is -1
    /// of the heap, -2 of mappings, -3 of reported blocks, -4 of CPU time.
    is_rest: bool,
}

impl FileRows {
    pub fn of(opened: &Opened, limits: &Limits) -> Result<FileRows> {
        let groups = opened.groups();
        let timeline = &opened.profile.timeline;
        let mut places = Places::of(timeline, limits.begins);
        let ends_known = [&places.allocated, &places.cpu].map(|ends| ends.places.len());
        let mut chosen = choice::choose(opened, limits.rows)?;
        keep_short_paths(opened, &mut chosen, limits.row_bytes);
        let (number_of_stack, count) = numbers_of_members(opened, &chosen);
        let for_rows = limits.spent_bytes_per_row.saturating_mul(chosen.len());
        let spent_bytes = limits.spent_bytes.saturating_add(for_rows);
        places.thin(timeline, &number_of_stack, spent_bytes);
        let mut histories = histories(timeline, &places, &number_of_stack, count).into_iter();
        let mut labels = FileLabels::of(&opened.tree(Detail::Function).tree);
        let mut libraries = FileLabels::of(&opened.tree(Detail::Library).tree);
        let mut stacks = Vec::new();
        let mut rows: Vec<(GroupId, FileRow)> = Vec::new();
        let mut bytes = 0;
        let shown = stack_row::rows(opened, &chosen, None, None, &|_| true);
        for (&group, row) in chosen.iter().zip(shown) {
            let members = groups.members(group);
            let before = [labels.count(), libraries.count()];
            let moved = histories.by_ref().take(members.len()).collect();
            let parts = parts::parts(opened, members, moved, limits.falling);
            let parts = parts.into_iter();
            let stack = row.stack;
            let row = FileRow {
                row: row.without_path(),
                parts: parts
                    .map(|part| part.written(&mut labels, &mut libraries))
                    .collect(),
                is_rest: false,
            };
            bytes += to_script_json(&row)?.len();
            bytes += labels.written_bytes(before[0])? + libraries.written_bytes(before[1])?;
            if bytes > limits.row_bytes {
                labels.truncate(before[0]);
                libraries.truncate(before[1]);
                break;
            }
            stacks.push(stack);
            rows.push((group, row));
        }
        rows.sort_unstable_by_key(|(group, _)| *group);
        let has_row: Vec<GroupId> = rows.iter().map(|(group, _)| *group).collect();
        let mut rows: Vec<FileRow> = rows.into_iter().map(|(_, row)| row).collect();
        for rest in rest::rest(opened, &has_row, &places) {
            rows.push(rest.row(&mut labels, &mut libraries));
        }
        Ok(FileRows {
            begins: places.events(),
            begins_known: places.known,
            ends_known,
            allocated_at: places.allocated,
            cpu_at: places.cpu,
            labels: labels.labels,
            libraries: libraries.labels,
            rows,
            stacks,
            groups: groups.count(),
        })
    }

    /// What the file does not hold, in sentences.
    pub fn left_out(&self) -> Vec<String> {
        let shown = self.stacks.len();
        let mut said = Vec::new();
        if shown < self.groups {
            said.push(format!(
                "This file holds the {shown} call paths of {} that matter most by growth, live, \
                 total, calls and peaks; the others are one row for each kind of memory.",
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
        for (what, ends, known) in [
            ("What was allocated", &self.allocated_at, self.ends_known[0]),
            ("CPU time", &self.cpu_at, self.ends_known[1]),
        ] {
            if ends.places.len() < known {
                said.push(format!(
                    "{what} from event to event is in it at {} of {known} begins of events: it is \
                     known of ranges between these.",
                    ends.places.len(),
                ));
            }
        }
        said.push(
            "Source lines, threads, and the verdict and churn of single ranges are not in this \
             file: `residue view` shows them."
                .to_string(),
        );
        said
    }

    /// The stacks that name the rows, those that matter most first.
    pub fn stacks(&self) -> impl Iterator<Item = i64> + '_ {
        self.stacks.iter().copied()
    }
}

/// Leaves out the last of those whose paths cannot fit, before any is made: each function of
/// a path takes some bytes.
fn keep_short_paths(opened: &Opened, chosen: &mut Vec<GroupId>, row_bytes: usize) {
    const FEWEST_STEP_BYTES: usize = 2;
    let shown = opened.tree(Detail::Function);
    let depths = shown.tree.depths();
    let mut steps = 0_usize;
    let fits = |group: &&GroupId| {
        let ends = opened.groups().members(**group).iter();
        let ends = ends.map(|&stack| shown.tree.node_of_stack[stack as usize]);
        let longest = ends.filter_map(|end| depths.get(end as usize)).max();
        steps = steps.saturating_add(longest.map_or(0, |&depth| depth as usize));
        steps <= row_bytes / FEWEST_STEP_BYTES
    };
    let kept = chosen.iter().take_while(fits).count();
    chosen.truncate(kept);
}

/// A number for each stack of the chosen groups, group by group, and how many there are.
fn numbers_of_members(opened: &Opened, chosen: &[GroupId]) -> (Vec<u32>, u32) {
    let mut number_of_stack = vec![NO_HISTORY; opened.profile.stacks.len()];
    let members = chosen.iter().flat_map(|&it| opened.groups().members(it));
    let mut count = 0;
    for &stack in members {
        number_of_stack[stack as usize] = count;
        count += 1;
    }
    (number_of_stack, count)
}
