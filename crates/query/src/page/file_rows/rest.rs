//! What has no row of its own in a file: one row for each kind of memory.

use residue_analysis::groups::GroupId;
use residue_profile::MemoryKind;
use residue_profile::timeline::StackId;

use super::FileRow;
use super::histories::{History, NO_HISTORY, Places, histories};
use super::labels::FileLabels;
use residue_profile::units::counted;
use rustc_hash::FxHashSet;

use super::parts::{CounterValues, FilePart, add, counters};
use crate::page::answers::stack_row::StackRow;
use crate::page::answers::stacks::StackNumbers;
use crate::page::opened::Opened;

/// Kinds with what is said of their call paths. The number of a row is below zero.
const KINDS: [(MemoryKind, i64, &str); 4] = [
    (MemoryKind::Heap, -1, ""),
    (MemoryKind::Mapping, -2, " of mappings"),
    (MemoryKind::Reported, -3, " of reported blocks"),
    (MemoryKind::Cpu, -4, " of CPU time"),
];

pub struct Rest {
    kind: MemoryKind,
    number: i64,
    words: &'static str,
    groups: usize,
    numbers: StackNumbers,
    counters: CounterValues,
    history: History,
}

/// The rest of each kind that has any: the groups that have no rows.
pub fn rest(opened: &Opened, has_row: &[GroupId], places: &Places) -> Vec<Rest> {
    let groups = opened.groups();
    let mut rest = KINDS.map(|(kind, number, words)| Rest {
        kind,
        number,
        words,
        groups: 0,
        numbers: StackNumbers::default(),
        counters: CounterValues::default(),
        history: History::default(),
    });
    let kind_of = |group: GroupId| {
        // All stacks of a group are of one kind.
        let first = groups.members(group)[0];
        let of = opened.profile.stacks[first as usize].kind;
        KINDS.iter().position(|(kind, ..)| kind.holds(of))
    };
    let mut number_of_stack = vec![NO_HISTORY; opened.profile.stacks.len()];
    // Added up and never taken off: a maximum cannot be.
    let has_row: FxHashSet<GroupId> = has_row.iter().copied().collect();
    for group in (0..groups.count() as GroupId).filter(|group| !has_row.contains(group)) {
        if let Some(kind) = kind_of(group) {
            rest[kind].add(opened, groups.members(group));
            for &stack in groups.members(group) {
                number_of_stack[stack as usize] = kind as u32;
            }
        }
    }
    let count = KINDS.len() as u32;
    let histories = histories(&opened.profile.timeline, places, &number_of_stack, count);
    for (rest, history) in rest.iter_mut().zip(histories) {
        rest.history = history;
    }
    rest.into_iter().filter(|rest| rest.groups > 0).collect()
}

impl Rest {
    fn add(&mut self, opened: &Opened, members: &[StackId]) {
        self.groups += 1;
        for &stack in members {
            let numbers = StackNumbers::of(opened, stack as usize, None);
            self.numbers.add(&numbers);
            add(&mut self.counters, &counters(opened, stack));
        }
    }

    pub fn row(self, labels: &mut FileLabels<'_>, libraries: &mut FileLabels<'_>) -> FileRow {
        let paths = counted(self.groups as u64, "call path", "call paths");
        let name = format!("[{paths}{} not in this file]", self.words);
        let mut row = StackRow::of_rest(self.groups, self.kind.name(), self.numbers);
        row.stack = self.number;
        FileRow {
            row,
            parts: vec![FilePart {
                path: vec![labels.text(name.clone())],
                by_library: vec![libraries.text(name)],
                counters: self.counters,
                changes: self.history.live,
                allocated: self.history.allocated,
                cpu: self.history.cpu,
            }],
            is_rest: true,
        }
    }
}
