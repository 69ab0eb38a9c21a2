//! Tables with a header: `event,time_s,rss_kib,hits`.
//!
//! Names that are known: `event` or `id`, `time` or `t` (in seconds, or `_ms`, `_us`,
//! `_ns`), `vm`, `rss`, `live`, `mapped` with their unit behind them. All other
//! columns of numbers are counters.

use crate::draft::{Draft, Sample, SeriesRow};
use crate::error::{Wrong, quoted};
use crate::unit::{Number, Unit};
use residue_profile::units::counted;

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
    let header = Table::new(line).next();
    header.is_some_and(|header| {
        let columns = header.cells.iter().map(column);
        columns
            .into_iter()
            .any(|column| matches!(column, Column::Size(..)))
    })
}

pub fn read(text: &str, unit: Option<Unit>) -> Result<Draft, Wrong> {
    let mut lines = Table::new(text);
    let header = lines
        .next()
        .ok_or_else(|| Wrong::whole("it has no header"))?;
    let names: Vec<&str> = header.cells.iter().collect();
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    check_header(&columns, &names, unit).map_err(|reason| Wrong::at(header.number, reason))?;
    let mut draft = Draft::default();
    for (name, column) in names.iter().zip(&columns) {
        draft.notes.extend(assumption(name, column));
    }
    let last = text.lines().count();
    for Line { number, cells } in lines {
        if cells.len() != columns.len() {
            if number == last && !text.ends_with('\n') {
                let line = quoted(text.lines().next_back().unwrap_or_default());
                let note = format!("the last line is cut off and was ignored: {line}");
                draft.notes.push(note);
                continue;
            }
            let (has, needs) = (cells.len(), columns.len());
            let reason = format!(
                "{} where the header names {needs}",
                counted(has as u64, "column", "columns")
            );
            return Err(Wrong::at(number, reason));
        }
        let mut row = SeriesRow {
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

fn check_header(columns: &[Column], names: &[&str], unit: Option<Unit>) -> Result<(), String> {
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
            return Err(format!("{name} appears twice"));
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
fn set(row: &mut SeriesRow, column: &Column, cell: &str, unit: Option<Unit>) -> Option<()> {
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

/// Lines with their cells; those that are blank or comments are passed over.
struct Table<'a> {
    text: &'a str,
    rows: csv::StringRecordsIntoIter<&'a [u8]>,
    separator: char,
}

struct Line {
    /// From 1.
    number: usize,
    cells: csv::StringRecord,
}

impl<'a> Table<'a> {
    fn new(text: &'a str) -> Table<'a> {
        let is_data = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let separator = separator(text.lines().find(is_data).unwrap_or_default());
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator as u8)
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        Table {
            text,
            rows: reader.into_records(),
            separator,
        }
    }
}

impl Iterator for Table<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            // Text in memory, of rows as long as they like, has nothing to fail at.
            let cells = self.rows.next()?.ok()?;
            let before = cells.position()?;
            let is_one_cell = cells.len() == 1 || self.separator == '\t';
            if is_one_cell && cells.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            // What was passed over on the way to the row comes after this place.
            let rest = self.text.get(before.byte() as usize..).unwrap_or_default();
            let is_passed_over = |line: &&str| line.is_empty() || line.starts_with('#');
            let passed_over = rest.lines().take_while(is_passed_over).count();
            let number = before.line() as usize + passed_over;
            return Some(Line { number, cells });
        }
    }
}

fn separator(header: &str) -> char {
    let times = |separator: &char| header.matches(*separator).count();
    // Of several the last: tabs and semicolons may well have commas between them.
    SEPARATORS.into_iter().max_by_key(times).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_whatever_stands_between_them() {
        let text =
            "\u{feff}größe,rss_kib\r\n\r\n# \"no, cell\n1,2\n  \n#,\"\n\n\"a \"\"b\"\"\nc\",3\n4,5";
        let lines: Vec<(usize, Vec<String>)> = Table::new(text)
            .map(|line| {
                let cells = line.cells.iter().map(str::to_owned);
                (line.number, cells.collect())
            })
            .collect();
        let line = |number, cells: [&str; 2]| (number, cells.map(str::to_owned).to_vec());
        assert_eq!(
            lines,
            [
                line(1, ["größe", "rss_kib"]),
                line(4, ["1", "2"]),
                line(8, ["a \"b\"\nc", "3"]),
                line(10, ["4", "5"]),
            ]
        );
    }
}
