//! The line table of one unit: from addresses to files and lines.

use std::ops::Range;

use gimli::Unit;

use super::sections::Slice;
use super::units::contains;

/// A place in the source, in the numbers of its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// [`NO_FILE`] where it is not known.
    pub(super) file: u32,
    /// Zero where it is not known.
    pub(super) line: u32,
}

/// In place of the number of a file. Tables of so many files do not exist.
pub(super) const NO_FILE: u32 = u32::MAX;

/// The line at each of the sorted addresses. Sequences that do not begin in `code`
/// belong to functions that the linker dropped.
///
/// The rows are not kept: they come in ascending order, and so do the addresses.
pub(super) fn find(
    unit: &Unit<Slice<'_>>,
    addresses: &[u64],
    code: &[Range<u64>],
) -> Vec<Option<Line>> {
    let mut found = vec![None; addresses.len()];
    let Some(program) = unit.line_program.clone() else {
        return found;
    };
    let mut rows = program.rows();
    // The row before this one, of the same sequence.
    let mut before: Option<(u64, Line)> = None;
    let mut is_alive = false;
    let mut at = 0;
    // What comes after damage is lost.
    while let Ok(Some((_, row))) = rows.next_row() {
        match before {
            None => {
                is_alive = contains(code, row.address());
                at = addresses.partition_point(|&address| address < row.address());
            }
            // A row holds up to the next one. Of several at one address the last holds.
            Some((start, line)) if is_alive => {
                while let Some(&address) = addresses.get(at)
                    && address < row.address()
                {
                    if address >= start {
                        found[at].get_or_insert(line);
                    }
                    at += 1;
                }
            }
            Some(_) => {}
        }
        let line = row.line().map_or(0, |line| line.get());
        let line = Line {
            file: u32::try_from(row.file_index()).unwrap_or(NO_FILE),
            line: u32::try_from(line).unwrap_or(0),
        };
        before = (!row.end_sequence()).then_some((row.address(), line));
    }
    found
}

/// The ranges of addresses that the line table speaks of.
pub(super) fn sequences(unit: &Unit<Slice<'_>>) -> Vec<Range<u64>> {
    let Some(program) = unit.line_program.clone() else {
        return Vec::new();
    };
    let mut rows = program.rows();
    let mut ranges = Vec::new();
    let mut start = None;
    while let Ok(Some((_, row))) = rows.next_row() {
        let from = *start.get_or_insert(row.address());
        if row.end_sequence() {
            ranges.push(from..row.address());
            start = None;
        }
    }
    ranges
}
