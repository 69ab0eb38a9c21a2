//! NumPy arrays of time, virtual size and, where they have it, resident size.
//!
//! ```text
//!   "\x93NUMPY" | major, minor | length of the header | header | data
//!               |  1        1  |  2, from version 2: 4 | {'descr': '<f4', ...}
//! ```
//!
//! Arrays of whole numbers are in microseconds and KiB, as SProf's are; arrays of
//! floats in seconds and units of 1000 KiB, as G4Opticks' are. Names, one a line,
//! stand in a file beside the array.

use std::fs;
use std::path::Path;

use crate::draft::{Draft, NamedSample, Sample, SeriesRow};
use crate::error::Wrong;
use crate::unit::{Number, Unit};

pub const MAGIC: &[u8] = b"\x93NUMPY";

/// What `X.npy`'s names are called: as Opticks calls them, and another way.
const NAMES_ENDINGS: [&str; 2] = ["_names.txt", ".names.txt"];

/// The names of an array, where there are some beside it.
pub fn names_beside(path: &Path) -> Option<String> {
    if path.extension()? != "npy" {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    NAMES_ENDINGS
        .iter()
        .find_map(|ending| fs::read_to_string(path.with_file_name(format!("{stem}{ending}"))).ok())
}

pub fn read(bytes: &[u8], names: Option<&str>, unit: Option<Unit>) -> Result<Draft, Wrong> {
    let array = Array::parse(bytes).map_err(Wrong::whole)?;
    let columns = array.columns;
    let (time_ns, default_unit) = match array.kind {
        ArrayKind::Int4 | ArrayKind::Int8 => (1000, Unit::Kib),
        ArrayKind::Float4 | ArrayKind::Float8 => (1_000_000_000, Unit::KiloKib),
    };
    let unit = unit.unwrap_or(default_unit);
    let mut draft = Draft {
        unix_time: matches!(array.kind, ArrayKind::Int8),
        ..Draft::default()
    };
    if unit == Unit::KiloKib {
        draft.notes.push(
            "sizes were read in units of 1000 KiB (1 024 000 bytes), as G4Opticks writes MB"
                .to_string(),
        );
    }
    let names: Option<Vec<&str>> = names.map(|names| names.lines().collect());
    if let Some(names) = names.as_ref().filter(|names| names.len() != array.rows) {
        return Err(Wrong::whole(format!(
            "it has {} rows, but there are {} names beside it",
            array.rows,
            names.len()
        )));
    }
    for row in 0..array.rows {
        let value = |column: usize, what: &str, factor: u64| {
            let value = array.value(row, column);
            let reason = || format!("{what} is {value:?}");
            value
                .and_then(|value| value.times(factor))
                .ok_or_else(|| Wrong::at(row + 1, reason()))
        };
        let sample = Sample {
            time_ns: value(0, "the time", time_ns)?,
            vm_bytes: Some(value(1, "the virtual size", unit.bytes())?),
            rss_bytes: match columns {
                2 => None,
                _ => Some(value(2, "the resident size", unit.bytes())?),
            },
            ..Sample::default()
        };
        match &names {
            Some(names) => draft.stamps.push(NamedSample {
                name: names[row].to_string(),
                event: None,
                sample,
            }),
            None => draft.rows.push(SeriesRow { id: None, sample }),
        }
    }
    Ok(draft)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayKind {
    Float4,
    Float8,
    Int4,
    Int8,
}

struct Array<'a> {
    kind: ArrayKind,
    big_endian: bool,
    fortran_order: bool,
    rows: usize,
    columns: usize,
    data: &'a [u8],
}

impl Array<'_> {
    fn parse(bytes: &[u8]) -> Result<Array<'_>, String> {
        let cut = || "it ends inside its header".to_string();
        let rest = bytes.strip_prefix(MAGIC).ok_or("not a .npy array")?;
        let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        let (header_bytes, rest) = match version[0] {
            1 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (u16::from_le_bytes(*length) as usize, rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            other => return Err(format!("version {other} of the .npy format is not known")),
        };
        let (header, data) = rest.split_at_checked(header_bytes).ok_or_else(cut)?;
        let header = String::from_utf8_lossy(header);
        let (kind, big_endian) = kind(entry(&header, "descr")?)?;
        let (rows, columns) = shape(entry(&header, "shape")?)?;
        let array = Array {
            kind,
            big_endian,
            fortran_order: match word(entry(&header, "fortran_order")?) {
                "True" => true,
                "False" => false,
                other => return Err(format!("fortran_order is {other:?} in its header")),
            },
            rows,
            columns,
            data,
        };
        let needed = rows.checked_mul(columns * array.item_bytes());
        if needed.is_none_or(|needed| needed > data.len()) {
            let has = data.len() / (columns * array.item_bytes());
            return Err(format!("it is cut: it has {has} of its {rows} rows"));
        }
        Ok(array)
    }

    fn item_bytes(&self) -> usize {
        match self.kind {
            ArrayKind::Float4 | ArrayKind::Int4 => 4,
            ArrayKind::Float8 | ArrayKind::Int8 => 8,
        }
    }

    /// `None` below zero.
    fn value(&self, row: usize, column: usize) -> Option<Number> {
        let index = match self.fortran_order {
            true => column * self.rows + row,
            false => row * self.columns + column,
        };
        let start = index * self.item_bytes();
        let mut item = self.data.get(start..start + self.item_bytes())?.to_vec();
        if self.big_endian {
            item.reverse();
        }
        let whole = |value: i64| u64::try_from(value).ok().map(Number::Whole);
        match self.kind {
            ArrayKind::Float4 => Some(Number::Broken(
                f32::from_le_bytes(item.try_into().ok()?).into(),
            )),
            ArrayKind::Float8 => Some(Number::Broken(f64::from_le_bytes(item.try_into().ok()?))),
            ArrayKind::Int4 => whole(i32::from_le_bytes(item.try_into().ok()?).into()),
            ArrayKind::Int8 => whole(i64::from_le_bytes(item.try_into().ok()?)),
        }
    }
}

/// What stands behind `'name':` in the header's dictionary.
fn entry<'a>(header: &'a str, name: &str) -> Result<&'a str, String> {
    [format!("'{name}':"), format!("\"{name}\":")]
        .iter()
        .find_map(|key| header.split_once(key.as_str()))
        .map(|(_, value)| value.trim_start())
        .ok_or_else(|| format!("its header has no {name}"))
}

fn word(value: &str) -> &str {
    let end = value.find([',', '}']).unwrap_or(value.len());
    value[..end].trim()
}

fn kind(value: &str) -> Result<(ArrayKind, bool), String> {
    let descr = word(value).trim_matches(['\'', '"']);
    let unreadable = || format!("its items are {descr:?}; only f4, f8, i4 and i8 can be read");
    let mut chars = descr.chars();
    let big_endian = match chars.next() {
        Some('<' | '=') => false,
        Some('>') => true,
        _ => return Err(unreadable()),
    };
    let kind = match chars.as_str() {
        "f4" => ArrayKind::Float4,
        "f8" => ArrayKind::Float8,
        "i4" => ArrayKind::Int4,
        "i8" => ArrayKind::Int8,
        _ => return Err(unreadable()),
    };
    Ok((kind, big_endian))
}

/// Rows and columns of `(1000, 4)`.
fn shape(value: &str) -> Result<(usize, usize), String> {
    let inside = value
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let (inside, _) = inside.ok_or("its header has no shape")?;
    let sizes = inside
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty());
    let sizes: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[rows, columns @ 2..=4]) => Ok((rows, columns)),
        _ => Err(format!(
            "its shape is ({inside}); it takes two to four columns: time, virtual size, \
             resident size"
        )),
    }
}
