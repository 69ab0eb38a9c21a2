//! A table of names and numbers, which surfaces render.

use residue_profile::units::Unit;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

pub struct Grid {
    /// What the names are, for programs: `function`, `module`. The second, if there
    /// is one, stands beside the first.
    pub names: &'static [&'static str],
    pub columns: Vec<Column>,
    pub rows: Vec<TableRow>,
}

pub struct Column {
    /// What it is called in files: `self_live`.
    pub key: String,
    /// What it is called on paper.
    pub head: String,
    pub unit: Unit,
    /// What its values are shown as shares of, beside the value.
    pub whole: Option<u64>,
}

pub struct TableRow {
    pub names: Vec<String>,
    /// By column; `None` where it was not recorded.
    pub numbers: Vec<Option<i128>>,
    pub is_framework: bool,
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
    row: &'a TableRow,
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
