//! Tables with a header: `event,time_s,rss_kib,hits`.
//!
//! Names that are known: `event` or `id`, `time` or `t` (in seconds, or `_ms`, `_us`,
//! `_ns`), `vm`, `rss`, `live`, `mapped` with their unit behind them. All other
//! columns of numbers are counters.

use crate::draft::{Draft, Row, Sample};
use crate::error::{Wrong, quoted};
use crate::unit::{Number, Unit};

const SEPARATORS: [char; 3] = [',', ';', '\t'];

const IDS: [&str; 5] = ["event", "id", "event_id", "eventid", "evt"];
const TIMES: [&str; 4] = ["time", "t", "timestamp", "wtime"];
const VMS: [&str; 6] = ["vm", "vmem", "vsize", "vsz", "virt", "vmsize"];
const RESIDENTS: [&str; 4] = ["rss", "rs", "resident", "vmrss"];
const LIVES: [&str; 3] = ["live", "heap", "live_heap"];
const MAPPINGS: [&str; 1] = ["mapped"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Vm,
    Rss,
    Live,
    Mapped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Column {
    Id,
    /// With nanoseconds in its unit.
    Time(u64),
    Size(Size, Option<Unit>),
    Counter(String),
}

pub fn is_header(line: &str) -> bool {
    let names = fields(line, separator(line));
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    columns
        .iter()
        .any(|column| matches!(column, Column::Size(..)))
}

pub fn read(text: &str, unit: Option<Unit>) -> Result<Draft, Wrong> {
    let is_data = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
    let mut lines = (1..).zip(text.lines()).filter(is_data);
    let (first, header) = lines
        .next()
        .ok_or_else(|| Wrong::whole("it has no header"))?;
    let separator = separator(header);
    let names = fields(header, separator);
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    check_header(&columns, &names, unit).map_err(|reason| Wrong::at(first, reason))?;
    let mut draft = Draft::default();
    for (name, column) in names.iter().zip(&columns) {
        draft.notes.extend(assumption(name, column));
    }
    let last = text.lines().count();
    for (number, line) in lines {
        let cells = fields(line, separator);
        if cells.len() != columns.len() {
            if number == last && !text.ends_with('\n') {
                let note = format!("the last line is cut and was left out: {}", quoted(line));
                draft.notes.push(note);
                continue;
            }
            let (has, needs) = (cells.len(), columns.len());
            let reason = format!("it has {has} columns where the header names {needs}");
            return Err(Wrong::at(number, reason));
        }
        let mut row = Row {
            id: None,
            sample: Sample::default(),
        };
        for (index, column) in columns.iter().enumerate() {
            set(&mut row, column, cells[index].trim(), unit).ok_or_else(|| {
                let reason = format!("{} is {}", names[index], quoted(&cells[index]));
                Wrong::at(number, reason)
            })?;
        }
        draft.rows.push(row);
    }
    Ok(draft)
}

fn check_header(columns: &[Column], names: &[String], unit: Option<Unit>) -> Result<(), String> {
    if !columns
        .iter()
        .any(|column| matches!(column, Column::Size(..)))
    {
        let names = quoted(&names.join(", "));
        return Err(format!(
            "none of vm, rss, live is among its columns {names}"
        ));
    }
    for (index, column) in columns.iter().enumerate() {
        let name = &names[index];
        if matches!(column, Column::Size(_, None)) && unit.is_none() {
            return Err(format!(
                "the unit of {name} is not known: call it {name}_kib or {name}_bytes, or give --unit"
            ));
        }
        let kind = std::mem::discriminant(column);
        let again = columns[..index].iter().any(|other| match (other, column) {
            (Column::Size(one, _), Column::Size(other, _)) => one == other,
            (Column::Counter(one), Column::Counter(other)) => one == other,
            _ => std::mem::discriminant(other) == kind,
        });
        if again {
            return Err(format!("{name} is there twice"));
        }
    }
    Ok(())
}

/// What the reader has to know of units that are written one way and meant another.
fn assumption(name: &str, column: &Column) -> Option<String> {
    let Column::Size(_, Some(unit)) = column else {
        return None;
    };
    match unit {
        Unit::Kib if name.to_lowercase().contains("kb") => Some(format!(
            "{name} was read in units of 1024 bytes, as the kernel writes kB"
        )),
        Unit::Mb => Some(format!("{name} was read in units of 1 000 000 bytes")),
        _ => None,
    }
}

fn column(name: &str) -> Column {
    let plain: String = name
        .to_lowercase()
        .chars()
        .map(|char| if char.is_alphanumeric() { char } else { '_' })
        .collect();
    let plain = plain.trim_matches('_');
    let known = |names: &[&str], name: &str| names.contains(&name);
    let size = |name: &str| {
        let sizes: [(&[&str], Size); 4] = [
            (&VMS, Size::Vm),
            (&RESIDENTS, Size::Rss),
            (&LIVES, Size::Live),
            (&MAPPINGS, Size::Mapped),
        ];
        let found = sizes.iter().find(|(names, _)| known(names, name));
        found.map(|&(_, size)| size)
    };
    if known(&IDS, plain) {
        return Column::Id;
    }
    if known(&TIMES, plain) {
        return Column::Time(1_000_000_000);
    }
    if let Some(size) = size(plain) {
        return Column::Size(size, None);
    }
    let (stem, suffix) = plain.rsplit_once('_').unwrap_or((plain, ""));
    let stem = stem.trim_end_matches('_');
    if let (true, Some(unit_ns)) = (known(&TIMES, stem), time_unit_ns(suffix)) {
        return Column::Time(unit_ns);
    }
    match (size(stem), size_unit(suffix)) {
        (Some(size), Some(unit)) => Column::Size(size, Some(unit)),
        _ => Column::Counter(name.trim().to_string()),
    }
}

fn time_unit_ns(suffix: &str) -> Option<u64> {
    match suffix {
        "s" | "sec" | "seconds" => Some(1_000_000_000),
        "ms" => Some(1_000_000),
        "us" => Some(1000),
        "ns" => Some(1),
        _ => None,
    }
}

/// What the kernel calls kB has 1024 bytes.
fn size_unit(suffix: &str) -> Option<Unit> {
    match suffix {
        "b" | "byte" | "bytes" => Some(Unit::Bytes),
        "kb" | "kib" => Some(Unit::Kib),
        "mib" => Some(Unit::Mib),
        "mb" => Some(Unit::Mb),
        "gib" => Some(Unit::Gib),
        _ => None,
    }
}

/// `None` where the cell has no number. Empty cells stay unknown.
fn set(row: &mut Row, column: &Column, cell: &str, unit: Option<Unit>) -> Option<()> {
    if cell.is_empty() {
        return Some(());
    }
    match column {
        Column::Id => row.id = Some(Number::parse(cell)?.times(1)?),
        Column::Time(unit_ns) => row.sample.time_ns = Number::parse(cell)?.times(*unit_ns)?,
        Column::Size(size, own_unit) => {
            let bytes = own_unit.or(unit)?.size(Number::parse(cell)?)?;
            let place = match size {
                Size::Vm => &mut row.sample.vm_bytes,
                Size::Rss => &mut row.sample.rss_bytes,
                Size::Live => &mut row.sample.live_bytes,
                Size::Mapped => &mut row.sample.mapped_bytes,
            };
            *place = Some(bytes);
        }
        Column::Counter(name) => {
            let value: f64 = cell.parse().ok().filter(|value: &f64| value.is_finite())?;
            row.sample.counts.push((name.clone(), value));
        }
    }
    Some(())
}

fn separator(header: &str) -> char {
    let times = |separator: &char| header.matches(*separator).count();
    // Of several the last: tabs and semicolons may well have commas between them.
    SEPARATORS.into_iter().max_by_key(times).unwrap_or(',')
}

/// Cells of a line; quotes around one may hold separators, and two stand for one.
fn fields(line: &str, separator: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut in_quotes = false;
    let mut chars = line.trim_end_matches(['\r', '\n']).chars().peekable();
    while let Some(char) = chars.next() {
        let field = fields.last_mut();
        match char {
            '"' if in_quotes && chars.peek() == Some(&'"') => {
                chars.next();
                field.into_iter().for_each(|field| field.push('"'));
            }
            '"' => in_quotes = !in_quotes,
            _ if char == separator && !in_quotes => fields.push(String::new()),
            _ => field.into_iter().for_each(|field| field.push(char)),
        }
    }
    fields
}
