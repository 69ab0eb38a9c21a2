//! A table of names and numbers on paper and for spreadsheets.

use std::io::{self, Write};

use residue_names::columns;
use residue_profile::units::share;
use residue_query::table::{Column, Grid, TableRow};

use crate::csv;
use crate::terminal::Page;

/// Columns of a name that are left when all else has its place.
const SHORTEST_NAME: usize = 24;
/// Columns of a library beside the name.
const LONGEST_MODULE: usize = 28;

/// In place of a number that was not recorded.
pub const NOT_RECORDED: &str = "-";

fn number(column: &Column, value: Option<i128>) -> String {
    let Some(value) = value else {
        return NOT_RECORDED.to_string();
    };
    let size = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", column.unit.amount(size))
}

/// The table with its heads; numbers are never cut, names are where they must.
pub fn lines(grid: &Grid, page: &Page) -> Vec<String> {
    let mut heads = Vec::new();
    for column in &grid.columns {
        heads.push(column.head.clone());
        if column.whole.is_some() {
            heads.push("%".to_string());
        }
    }
    let cells: Vec<Vec<String>> = grid.rows.iter().map(|row| cells(grid, row)).collect();
    let mut widths: Vec<usize> = heads.iter().map(|head| columns(head)).collect();
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(columns(cell));
        }
    }
    let line = |cells: &[String], widths: &[usize]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        line.push_str("  ");
        line
    };
    let left = widths.iter().fold(2, |sum, width| sum + width + 2);
    let room = page.width.saturating_sub(left).max(SHORTEST_NAME);
    let mut head = line(&heads, &widths);
    head.push_str(&grid.names.join("  "));
    let mut lines = vec![page.bold(head.trim_end())];
    for (row, cells) in grid.rows.iter().zip(&cells) {
        let name = name_and_module(page, row, room);
        lines.push(format!("{}{name}", line(cells, &widths)));
    }
    lines
}

fn cells(grid: &Grid, row: &TableRow) -> Vec<String> {
    let mut cells = Vec::new();
    for (column, &value) in grid.columns.iter().zip(&row.numbers) {
        cells.push(number(column, value));
        if let Some(whole) = column.whole {
            cells.push(match value {
                Some(value) => share(u64::try_from(value).unwrap_or(0), whole),
                None => NOT_RECORDED.to_string(),
            });
        }
    }
    cells
}

pub fn write_csv(grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    let keys = grid.columns.iter().map(|column| column.key.as_str());
    csv::write_row(out, grid.names.iter().copied().chain(keys))?;
    for row in &grid.rows {
        let text = |value: &Option<i128>| value.map_or(String::new(), |value| value.to_string());
        let numbers = row.numbers.iter().map(text);
        csv::write_row(out, row.names.iter().cloned().chain(numbers))?;
    }
    Ok(())
}

fn name_and_module(page: &Page, row: &TableRow, room: usize) -> String {
    let Some(name) = row.names.first() else {
        return String::new();
    };
    let module = row.names.get(1).map_or("", String::as_str);
    name_beside(page, name, module, row.is_framework, room)
}

/// A name with its library beside it, where the name does not say that already, in so
/// many columns. The name keeps most of them.
pub fn name_beside(page: &Page, name: &str, module: &str, is_dim: bool, room: usize) -> String {
    let beside = match module {
        module if says_module(name, module) => String::new(),
        text => page.fit(text, LONGEST_MODULE.min(room / 2)),
    };
    let taken = match columns(&beside) {
        0 => 0,
        length => length + 2,
    };
    let name = page.fit(name, room.saturating_sub(taken).max(1));
    let name = if is_dim { page.dim(&name) } else { name };
    match beside.is_empty() {
        true => name,
        false => format!("{name}  {}", page.dim(&beside)),
    }
}

/// `libfoo.so+0x12f0`, `[libfoo.so]`: a name that needs no library beside it.
fn says_module(name: &str, module: &str) -> bool {
    let rest = name.trim_start_matches('[').strip_prefix(module);
    module.is_empty() || rest.is_some_and(|rest| rest.starts_with(['+', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::units::Unit;
    use serde_json::json;

    fn grid() -> Grid {
        let row = |name: &str, module: &str, live: i128, calls: i128| TableRow {
            names: vec![name.to_string(), module.to_string()],
            numbers: vec![Some(live), Some(calls)],
            is_framework: name == "frame",
        };
        let column = |key: &str, unit, whole| Column {
            key: key.to_string(),
            head: key.to_string(),
            unit,
            whole,
        };
        Grid {
            names: &["function", "library"],
            columns: vec![
                column("self_live", Unit::Bytes, Some(4096)),
                column("calls", Unit::Count, None),
            ],
            rows: vec![
                row(
                    "space::Thing::foo_of_a_long_name",
                    "libfoo.so",
                    2048,
                    10_000,
                ),
                row("a,b", "", -1, 0),
                row("frame", "libframe.so", 0, 1),
            ],
        }
    }

    #[test]
    fn names_are_cut_and_numbers_are_not() {
        let shown = lines(&grid(), &Page::plain(60));
        let expected = [
            "  self_live       %   calls  function  library",
            "   2.00 KiB  50.0 %  10 000  space::Thi…long_name  libfoo.so",
            "       -1 B     0 %       0  a,b",
            "        0 B     0 %       1  frame  libframe.so",
        ];
        assert_eq!(shown, expected);
        let narrow = lines(&grid(), &Page::plain(10));
        assert!(narrow[1].starts_with("   2.00 KiB  50.0 %  10 000  "));
        let full = lines(&grid(), &Page::plain(usize::MAX));
        assert!(full[1].ends_with("space::Thing::foo_of_a_long_name  libfoo.so"));
    }

    #[test]
    fn libraries_stand_beside_names_that_do_not_say_them() {
        let page = Page::plain(80);
        let beside = |name, module| name_beside(&page, name, module, false, 60);
        assert_eq!(beside("deep_step", "deep"), "deep_step  deep");
        assert_eq!(beside("libfoo.so+0x12f0", "libfoo.so"), "libfoo.so+0x12f0");
        assert_eq!(beside("[libfoo.so]", "libfoo.so"), "[libfoo.so]");
        assert_eq!(beside("main", ""), "main");
    }

    #[test]
    fn programs_get_exact_numbers() {
        let rows = serde_json::to_value(grid()).unwrap();
        assert_eq!(
            rows[0],
            json!({
                "function": "space::Thing::foo_of_a_long_name",
                "library": "libfoo.so",
                "self_live": 2048,
                "calls": 10_000,
            })
        );
        assert_eq!(rows[2]["framework"], true);
        let mut out = Vec::new();
        write_csv(&grid(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("function,library,self_live,calls"));
        assert_eq!(lines.nth(1), Some("\"a,b\",,-1,0"));
    }
}
