//! The stage matrix as a table: warm-up apart, first events, last events, means.

use residue_analysis::stages::{StageRow, Stages};

use residue_names::{columns, cut_middle};
use residue_query::stages::Scale;
use residue_query::visible::visible;

/// More columns than these are not readable side by side.
const MOST_COLUMNS: usize = 16;
const LONGEST_TITLE: usize = 18;

pub fn lines(stages: &Stages, per: &str, shown_rows: usize, scale: &Scale) -> Vec<String> {
    if stages.columns.len() > MOST_COLUMNS {
        let columns = stages.columns.len();
        return vec![format!(
            "a matrix of {columns} columns is too wide to show; --json has it"
        )];
    }
    let (prefix, titles) = titles(&stages.columns);
    let mut table = vec![header(&titles, per)];
    let warm_up = stages.warm_up_rows;
    let last = stages.rows.len();
    // Parts of the table, with a line for what is left out between them.
    let first_end = (warm_up + shown_rows).min(last);
    let last_start = last.saturating_sub(shown_rows).max(first_end);
    let warm_up_end = warm_up.min(shown_rows);
    let line = |index: usize| row(stages, index, scale);
    table.extend((0..warm_up_end).map(line));
    table.extend((warm_up > warm_up_end).then(|| vec!["…".to_string()]));
    table.extend((warm_up > 0).then(|| vec!["warm-up ends".to_string()]));
    table.extend((warm_up..first_end).map(line));
    table.extend((last_start > first_end).then(|| vec!["…".to_string()]));
    table.extend((last_start..last).map(line));
    table.push(means(stages, scale));
    let mut lines = align(&table);
    if let Some(prefix) = prefix {
        lines.insert(0, format!("names begin with {prefix}"));
    }
    lines
}

fn header(titles: &[String], per: &str) -> Vec<String> {
    let mut header = vec![per.to_string()];
    header.extend(titles.iter().cloned());
    header.push(format!("next {per}"));
    header
}

fn row(stages: &Stages, index: usize, scale: &Scale) -> Vec<String> {
    let StageRow { event, cells, .. } = &stages.rows[index];
    let mut line = vec![event.to_string()];
    let cell = |cell: &Option<i64>| cell.map_or("-".to_string(), |value| scale.value(value));
    line.extend(cells.iter().map(cell));
    let next = stages.start_to_start.values.get(index);
    line.push(next.map_or("-".to_string(), |&next| scale.value(next)));
    line
}

fn means(stages: &Stages, scale: &Scale) -> Vec<String> {
    let mut line = vec!["mean".to_string()];
    let mean = |mean: Option<f64>| mean.map_or("-".to_string(), |mean| scale.mean(mean));
    line.extend(stages.column_means.iter().map(|&column| mean(column)));
    line.push(mean(stages.start_to_start.mean_after_warm_up));
    line
}

/// Short titles: the names without what they all begin with, and that beginning.
fn titles(columns: &[String]) -> (Option<String>, Vec<String>) {
    let common = match columns {
        [first, rest @ ..] if !rest.is_empty() => {
            let same = |other: &String| {
                let pairs = first.char_indices().zip(other.chars());
                let same = pairs.take_while(|((_, one), other)| one == other);
                same.last()
                    .map_or(0, |((at, char), _)| at + char.len_utf8())
            };
            let length = rest.iter().map(same).min().unwrap_or(0);
            // Only whole words are left out.
            first[..length]
                .rfind(['_', ':', '.', ' ', '/'])
                .map_or(0, |at| at + 1)
        }
        _ => 0,
    };
    let title = |name: &String| cut_middle(&visible(&name[common..]), LONGEST_TITLE);
    let prefix = columns
        .first()
        .filter(|_| common > 0)
        .map(|name| visible(&name[..common]));
    (prefix, columns.iter().map(title).collect())
}

/// Cells under one another, to the right; lines of one cell stand alone.
fn align(table: &[Vec<String>]) -> Vec<String> {
    let cells = table.first().map_or(0, Vec::len);
    let width = |cell: usize| {
        let full = table.iter().filter(|line| line.len() == cells);
        full.map(|line| columns(&line[cell])).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..cells).map(width).collect();
    let line = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| " ".repeat(width.saturating_sub(columns(cell))) + cell)
            .collect();
        cells.join("  ")
    };
    table.iter().map(line).collect()
}
