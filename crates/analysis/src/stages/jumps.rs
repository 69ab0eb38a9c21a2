//! The turns that grew most, and where in them.

use std::cmp::Reverse;

use residue_profile::timeline::EventNumber;
use serde::Serialize;

use super::matrix::{Matrix, StageRow};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Jump {
    pub event: EventNumber,
    /// From the event's first stamp to the next one's.
    pub growth: i64,
    /// The stamps with the largest part of it between them.
    pub from: String,
    pub to: String,
    /// That is after the event's last stamp.
    pub outside: bool,
    pub part: i64,
}

const KEPT: usize = 3;

/// The largest first, the warm-up among them; none that did not grow.
pub fn of(matrix: &Matrix) -> Vec<Jump> {
    let mut turns: Vec<(i64, &[StageRow])> = matrix
        .rows
        .windows(2)
        .map(|turn| (turn[1].first - turn[0].first, turn))
        .filter(|&(growth, _)| growth > 0)
        .collect();
    turns.sort_by_key(|&(growth, turn)| (Reverse(growth), turn[0].event));
    turns.truncate(KEPT);
    let jump =
        |(growth, turn): (i64, &[StageRow])| largest_step(matrix, growth, &turn[0], &turn[1]);
    turns.into_iter().filter_map(jump).collect()
}

fn largest_step(matrix: &Matrix, growth: i64, row: &StageRow, next: &StageRow) -> Option<Jump> {
    let cell = |column: usize| row.cells[column].unwrap_or(0);
    let within = row
        .path
        .windows(2)
        .map(|step| (cell(step[1]) - cell(step[0]), step[0], step[1], false));
    let outside = (
        next.first - row.last,
        *row.path.last()?,
        *next.path.first()?,
        true,
    );
    let steps = within.chain([outside]);
    let (part, from, to, outside) = steps.max_by_key(|&(part, ..)| part)?;
    Some(Jump {
        event: row.event,
        growth,
        from: matrix.columns[from].clone(),
        to: matrix.columns[to].clone(),
        outside,
        part,
    })
}
