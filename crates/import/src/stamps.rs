//! Lines `name:microseconds,vm_KiB,rss_KiB # note`, alone or between `KEY:value`
//! lines.
//!
//! A name may carry an event's number, as in `A007_simulate` or `setIndex_A007`.
//! Numbers in a note, as in `# hits=36180,photons=4536823`, are the event's counters.

use crate::draft::{Draft, NamedSample, Sample};
use crate::error::{Wrong, quoted};
use crate::unit::{Number, Unit};

/// `KEY:value` lines that are kept.
const KEPT_KEYS: usize = 100;

pub fn is_stamp(line: &str) -> bool {
    matches!(split(line), Some(Line::Stamp { .. }))
}

pub fn read(text: &str, unit: Option<Unit>) -> Result<Draft, Wrong> {
    let mut draft = Draft {
        unix_time: true,
        ..Draft::default()
    };
    let lines = text.lines().count();
    let mut keys = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if line.trim_start().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        match split(line) {
            Some(Line::Stamp { name, fields, note }) => {
                let sample = sample(fields, note, unit.unwrap_or(Unit::Kib));
                let sample = sample.map_err(|reason| Wrong::at(number, reason))?;
                draft.stamps.push(NamedSample {
                    name: name.to_string(),
                    event: None,
                    sample,
                });
            }
            // A program that is killed leaves half a line.
            Some(Line::Cut) | None if number == lines && !text.ends_with('\n') => {
                let note = format!("the last line is cut off and was ignored: {}", quoted(line));
                draft.notes.push(note);
            }
            Some(Line::Cut) => {
                let reason = format!("{} is not `microseconds,vm,rss`", quoted(line));
                return Err(Wrong::at(number, reason));
            }
            Some(Line::Key) if keys.len() < KEPT_KEYS => keys.push(quoted(line)),
            Some(Line::Key) => {}
            None => {
                let reason = format!("{} is neither a stamp nor KEY:value", quoted(line));
                return Err(Wrong::at(number, reason));
            }
        }
    }
    draft.notes.extend(keys);
    Ok(draft)
}

enum Line<'a> {
    Stamp {
        name: &'a str,
        fields: [&'a str; 3],
        note: &'a str,
    },
    /// It begins as a stamp does, with a time since 1970.
    Cut,
    Key,
}

fn split(line: &str) -> Option<Line<'_>> {
    let stamp = stamp(line, "").or_else(|| {
        let mut hashes = line.match_indices('#');
        hashes.find_map(|(at, _)| stamp(line[..at].trim_end(), &line[at + 1..]))
    });
    if stamp.is_some() {
        return stamp;
    }
    let (key, value) = line.split_once(':')?;
    let begins = value.split_once(',').map_or("", |(first, _)| first);
    Some(
        match is_number(begins) && begins.len() >= SINCE_1970_DIGITS {
            true => Line::Cut,
            false if key.trim().is_empty() => return None,
            false => Line::Key,
        },
    )
}

/// Microseconds since 1970 have 16 digits since 2001; a few fewer are still no count.
const SINCE_1970_DIGITS: usize = 13;

fn stamp<'a>(line: &'a str, note: &'a str) -> Option<Line<'a>> {
    let (name, value) = line.rsplit_once(':')?;
    let mut rest = value.split(',');
    let fields = [rest.next()?, rest.next()?, rest.next()?];
    let whole = rest.next().is_none() && fields.into_iter().all(is_number);
    (whole && !name.trim().is_empty()).then_some(Line::Stamp { name, fields, note })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn sample(fields: [&str; 3], note: &str, unit: Unit) -> Result<Sample, String> {
    let number = |field: &str, factor: u64| {
        let number = Number::parse(field).and_then(|number| number.times(factor));
        number.ok_or_else(|| format!("{} is too large", quoted(field)))
    };
    Ok(Sample {
        time_ns: number(fields[0], 1000)?,
        vm_bytes: Some(number(fields[1], unit.bytes())?),
        rss_bytes: Some(number(fields[2], unit.bytes())?),
        counts: counts(note),
        ..Sample::default()
    })
}

fn counts(note: &str) -> Vec<(String, f64)> {
    note.split([',', ';', ' ', '\t', '#'])
        .filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let value: f64 = value.parse().ok().filter(|value: &f64| value.is_finite())?;
            (!name.is_empty()).then(|| (name.to_string(), value))
        })
        .collect()
}
