//! The rows of a self-contained file: those that matter most by any measure, and for each
//! kind of memory one for all the others.
//!
//! ```text
//!   choice     groups of stacks that rank highest ──► one row each, as long as they fit
//!   histories  changes of stacks by place ──► parts of a row, by the path they end in
//!   rest       what has no row
//! ```
//!
//! `viewer/src/file/data.ts` says what they are in the file.

mod choice;
mod histories;
mod labels;
mod parts;
mod rest;
pub mod script_json;

#[cfg(test)]
mod tests;

use std::io::Write;

use anyhow::Result;
use residue_analysis::groups::GroupId;
use residue_calltree::Detail;
use residue_profile::timeline::EventNumber;
use serde::Serialize;

use super::answers::stack_row::{self, StackRow};
use super::opened::Opened;
use histories::{NO_HISTORY, Places, histories};
use labels::FileLabels;
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
        falling: 8,
        details: 100,
        detail_bytes: 2 << 20,
    };
}

pub struct FileRows {
    begins: Vec<EventNumber>,
    begins_known: usize,
    labels: Vec<u8>,
    libraries: Vec<u8>,
    /// In the order of groups, which is the server's among equals.
    rows: Vec<Vec<u8>>,
    /// Stacks that name rows, those that matter most first.
    stacks: Vec<i64>,
    groups: usize,
}

#[derive(Serialize)]
struct FileRow {
    row: StackRow,
    parts: Vec<FilePart>,
    is_rest: bool,
}

impl FileRows {
    pub fn of(opened: &Opened, limits: &Limits) -> Result<FileRows> {
        let groups = opened.groups();
        let places = Places::of(&opened.profile.timeline, limits.begins);
        let chosen = choice::choose(opened, limits.rows)?;
        let mut histories = histories_of_members(opened, &chosen, &places).into_iter();
        let mut labels = FileLabels::of(&opened.tree(Detail::Function).tree);
        let mut libraries = FileLabels::of(&opened.tree(Detail::Library).tree);
        let mut stacks = Vec::new();
        let mut rows: Vec<(GroupId, Vec<u8>)> = Vec::new();
        let mut bytes = 0;
        let shown = stack_row::rows(opened, &chosen, None, None, &|_| true);
        for (&group, row) in chosen.iter().zip(shown) {
            let members = groups.members(group);
            let before = [labels.count(), libraries.count()];
            let moved = histories.by_ref().take(members.len()).collect();
            let parts = parts::parts(opened, members, moved, limits.falling);
            let parts = parts.into_iter();
            let stack = row.stack;
            let row = to_script_json(&FileRow {
                row: row.without_path(),
                parts: parts
                    .map(|part| part.written(&mut labels, &mut libraries))
                    .collect(),
                is_rest: false,
            })?;
            bytes += row.len();
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
        let mut rows: Vec<Vec<u8>> = rows.into_iter().map(|(_, row)| row).collect();
        for rest in rest::rest(opened, &has_row, &places) {
            rows.push(to_script_json(&rest.row(&mut labels, &mut libraries))?);
        }
        Ok(FileRows {
            begins: places.events(),
            begins_known: places.known,
            labels: labels.to_script_json()?,
            libraries: libraries.to_script_json()?,
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
        said.push(
            "Source lines, threads and the verdict of single ranges are not in this file: \
             `residue view` shows them."
                .to_string(),
        );
        said
    }

    /// The stacks that name the rows, those that matter most first.
    pub fn stacks(&self) -> impl Iterator<Item = i64> + '_ {
        self.stacks.iter().copied()
    }

    /// Writes its members of the document, each with a comma in front.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write!(out, ",\"labels\":")?;
        out.extend(&self.labels);
        write!(out, ",\"libraries\":")?;
        out.extend(&self.libraries);
        write!(out, ",\"begins\":")?;
        serde_json::to_writer(&mut *out, &self.begins)?;
        write!(out, ",\"rows\":[")?;
        out.extend(self.rows.join(&b','));
        out.push(b']');
        Ok(())
    }
}

/// One for each stack of the chosen groups, group by group.
fn histories_of_members(
    opened: &Opened,
    chosen: &[GroupId],
    places: &Places,
) -> Vec<histories::History> {
    let mut number_of_stack = vec![NO_HISTORY; opened.profile.stacks.len()];
    let members = chosen.iter().flat_map(|&it| opened.groups().members(it));
    let mut count = 0;
    for &stack in members {
        number_of_stack[stack as usize] = count;
        count += 1;
    }
    histories(&opened.profile.timeline, places, &number_of_stack, count)
}
