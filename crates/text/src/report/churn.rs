//! Churn on paper and for spreadsheets: one line a stack.

use std::io::{self, Write};

use residue_names::columns;
use residue_profile::units::{bytes, count, fractional_bytes, fractional_count, share};
use residue_query::report::churn::{Churn, ChurnRow};
use residue_query::report::source::Source;

use super::grid::NOT_RECORDED;
use crate::csv;
use crate::paths;
use crate::terminal::Page;

/// Columns of a path that are left when all else has its place.
const SHORTEST_PATH: usize = 24;

pub fn lines(source: &Source<'_>, churn: &Churn, page: &Page) -> Vec<String> {
    let of_columns = churn.heads();
    let heads = [
        of_columns.bytes.clone(),
        "%".to_string(),
        of_columns.calls.clone(),
        of_columns.freed.clone(),
    ];
    let cells = |row: &ChurnRow| {
        let freed = row.freed(&of_columns);
        [
            row.bytes_per_event
                .map_or_else(|| bytes(row.bytes), fractional_bytes),
            share(row.bytes, churn.bytes),
            row.calls_per_event
                .map_or_else(|| count(row.calls), fractional_count),
            freed.map_or(NOT_RECORDED.to_string(), |freed| share(freed, row.calls)),
        ]
    };
    let rows: Vec<[String; 4]> = churn.rows.iter().map(cells).collect();
    let widths: [usize; 4] = std::array::from_fn(|place| {
        let of_rows = rows.iter().map(|row| columns(&row[place]));
        of_rows.fold(columns(&heads[place]), usize::max)
    });
    let line = |cells: &[String; 4], last: &str| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        format!("{line}  {last}")
    };
    let left = widths.iter().fold(2, |sum, width| sum + width + 2);
    let indent = left.min(page.width.saturating_sub(SHORTEST_PATH));
    let mut paths = source.paths();
    let mut lines = vec![page.bold(&line(&heads, "stack"))];
    for (row, cells) in churn.rows.iter().zip(&rows) {
        let path = paths.steps(&source.profile.stacks[row.stack as usize]);
        lines.push(line(cells, &paths::one_line(&path, page, indent)));
    }
    lines
}

pub fn write_csv(churn: &Churn, out: &mut dyn Write) -> io::Result<()> {
    csv::write_row(
        out,
        [
            "stack",
            "calls",
            "bytes",
            "calls_per_event",
            "bytes_per_event",
            "temporaries",
            "freed_in_event",
            "path",
        ],
    )?;
    let text = |number: Option<u64>| number.map_or(String::new(), |it| it.to_string());
    let mean = |number: Option<f64>| number.map_or(String::new(), |it| it.to_string());
    for row in &churn.rows {
        csv::write_row(
            out,
            [
                row.stack.to_string(),
                row.calls.to_string(),
                row.bytes.to_string(),
                mean(row.calls_per_event),
                mean(row.bytes_per_event),
                text(row.temporaries),
                text(row.freed_in_event),
                row.path.join(";"),
            ],
        )?;
    }
    Ok(())
}
