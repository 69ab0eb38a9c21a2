//! prmon's table: a line of names, then a line every few seconds, sizes in KiB.

use residue_profile::units::counted;
use serde_json::Value;

use crate::draft::{Draft, Sample, SeriesRow};
use crate::error::{Wrong, quoted};
use crate::unit::{Number, Unit};

pub fn is_header(line: &str) -> bool {
    let names: Vec<&str> = line.split_whitespace().collect();
    let has = |name| names.contains(&name);
    has("Time") && (has("vmem") || has("rss") || has("pss"))
}

/// prmon also writes a JSON document with maxima and averages.
pub fn is_summary(text: &str) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    document.get("Avg").is_some() && document.get("Max").is_some()
}

pub fn read(text: &str, unit: Option<Unit>) -> Result<Draft, Wrong> {
    if is_summary(text) {
        return Err(Wrong::whole(
            "a summary has averages and maxima but no series",
        ));
    }
    let unit = unit.unwrap_or(Unit::Kib);
    let mut lines = (1..).zip(text.lines());
    let header = lines.find(|(_, line)| !line.trim().is_empty());
    let names: Vec<&str> = header
        .map(|(_, line)| line.split_whitespace().collect())
        .filter(|names: &Vec<&str>| names.contains(&"vmem") || names.contains(&"rss"))
        .ok_or_else(|| Wrong::whole("its first line does not name the columns vmem or rss"))?;
    let column = |name: &str| names.iter().position(|known| *known == name);
    let time = column("Time").or(column("wtime"));
    let (vm, rss, threads) = (column("vmem"), column("rss"), column("nthreads"));
    let mut draft = Draft {
        unix_time: column("Time").is_some(),
        ..Draft::default()
    };
    let last = text.lines().count();
    for (number, line) in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        if words.len() != names.len() {
            if number == last && !text.ends_with('\n') {
                let note = format!("the last line is cut off and was ignored: {}", quoted(line));
                draft.notes.push(note);
                continue;
            }
            let (has, needs) = (words.len(), names.len());
            let reason = format!(
                "{} where the first line names {needs}",
                counted(has as u64, "column", "columns")
            );
            return Err(Wrong::at(number, reason));
        }
        let value = |column: Option<usize>, factor: u64| {
            let Some(column) = column else {
                return Ok(None);
            };
            let value = Number::parse(words[column]).and_then(|number| number.times(factor));
            let reason = || format!("{} is {}", names[column], quoted(words[column]));
            value.map(Some).ok_or_else(|| Wrong::at(number, reason()))
        };
        let sample = Sample {
            time_ns: value(time, 1_000_000_000)?.unwrap_or(0),
            vm_bytes: value(vm, unit.bytes())?,
            rss_bytes: value(rss, unit.bytes())?,
            threads: value(threads, 1)?.unwrap_or(0).try_into().unwrap_or(0),
            ..Sample::default()
        };
        draft.rows.push(SeriesRow { id: None, sample });
    }
    draft.notes.push(
        "the rows are samples at intervals of time, of a process and all its children; \
         each counts as an event"
            .to_string(),
    );
    Ok(draft)
}
