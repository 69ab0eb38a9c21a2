//! A table of names and numbers, for people, for programs and for spreadsheets.

use std::io::{self, Write};

use residue_names::columns;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use super::csv;
use super::terminal::Page;
use super::units::{bytes, count, share};

/// Columns of a name that are left when all else has its place.
const SHORTEST_NAME: usize = 24;
/// Columns of a library beside the name.
const LONGEST_MODULE: usize = 28;

pub struct Grid {
    /// What the names are, for programs: `function`, `module`. The second, if there
    /// is one, stands beside the first.
    pub names: &'static [&'static str],
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

pub struct Column {
    /// What it is called in files: `self_live`.
    pub key: String,
    /// What it is called on paper.
    pub head: String,
    pub is_bytes: bool,
    /// What its values are shown as shares of, beside the value.
    pub whole: Option<u64>,
}

pub struct Row {
    pub names: Vec<String>,
    pub numbers: Vec<i128>,
    pub is_framework: bool,
}

impl Column {
    pub fn number(&self, value: i128) -> String {
        let size = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
        let sign = if value < 0 { "-" } else { "" };
        match self.is_bytes {
            true => format!("{sign}{}", bytes(size)),
            false => format!("{sign}{}", count(size)),
        }
    }
}

impl Grid {
    /// The table with its heads; numbers are never cut, names are where they must.
    pub fn lines(&self, page: &Page) -> Vec<String> {
        let mut heads = Vec::new();
        for column in &self.columns {
            heads.push(column.head.clone());
            if column.whole.is_some() {
                heads.push("%".to_string());
            }
        }
        let cells: Vec<Vec<String>> = self.rows.iter().map(|row| self.cells(row)).collect();
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
        head.push_str(&self.names.join("  "));
        let mut lines = vec![page.bold(head.trim_end())];
        for (row, cells) in self.rows.iter().zip(&cells) {
            let name = name_and_module(page, row, room);
            lines.push(format!("{}{name}", line(cells, &widths)));
        }
        lines
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = Vec::new();
        for (column, &value) in self.columns.iter().zip(&row.numbers) {
            cells.push(column.number(value));
            if let Some(whole) = column.whole {
                cells.push(share(u64::try_from(value).unwrap_or(0), whole));
            }
        }
        cells
    }

    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let keys = self.columns.iter().map(|column| column.key.as_str());
        csv::write_row(out, self.names.iter().copied().chain(keys))?;
        for row in &self.rows {
            let numbers = row.numbers.iter().map(i128::to_string);
            csv::write_row(out, row.names.iter().cloned().chain(numbers))?;
        }
        Ok(())
    }
}

fn name_and_module(page: &Page, row: &Row, room: usize) -> String {
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

/// An array of objects, one a row.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            rows.serialize_element(&RowOf { grid: self, row })?;
        }
        rows.end()
    }
}

struct RowOf<'a> {
    grid: &'a Grid,
    row: &'a Row,
}

impl Serialize for RowOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (key, name) in self.grid.names.iter().zip(&self.row.names) {
            members.serialize_entry(key, name)?;
        }
        for (column, number) in self.grid.columns.iter().zip(&self.row.numbers) {
            members.serialize_entry(&column.key, number)?;
        }
        if self.row.is_framework {
            members.serialize_entry("framework", &true)?;
        }
        members.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn grid() -> Grid {
        let row = |name: &str, module: &str, live: i128, calls: i128| Row {
            names: vec![name.to_string(), module.to_string()],
            numbers: vec![live, calls],
            is_framework: name == "frame",
        };
        let column = |key: &str, is_bytes, whole| Column {
            key: key.to_string(),
            head: key.to_string(),
            is_bytes,
            whole,
        };
        Grid {
            names: &["function", "library"],
            columns: vec![
                column("self_live", true, Some(4096)),
                column("calls", false, None),
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
        let lines = grid().lines(&Page::plain(60));
        let expected = [
            "  self_live       %   calls  function  library",
            "   2.00 KiB  50.0 %  10 000  space::Thi…long_name  libfoo.so",
            "       -1 B     0 %       0  a,b",
            "        0 B     0 %       1  frame  libframe.so",
        ];
        assert_eq!(lines, expected);
        let narrow = grid().lines(&Page::plain(10));
        assert!(narrow[1].starts_with("   2.00 KiB  50.0 %  10 000  "));
        let full = grid().lines(&Page::plain(usize::MAX));
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
        grid().write_csv(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("function,library,self_live,calls"));
        assert_eq!(lines.nth(1), Some("\"a,b\",,-1,0"));
    }
}
