//! Logs of CMS jobs with the service SimpleMemoryCheck.
//!
//! ```text
//!   %MSG-w MemoryCheck:  PostModule 19-Jun-2009 13:06:08 CEST Run: 1 Event: 1
//!   MemoryCheck: event : VSIZE 923.07 0 RSS 760.25 0
//!   %MSG
//! ```
//!
//! Once per event the line says `event :`; otherwise `module Type:label`, and only
//! where the size went up: then modules are stamps, with holes. The numbers are
//! VSIZE, its change, RSS, its change, in MiB.

use std::collections::HashMap;

use residue_profile::timeline::EventNumber;

use crate::dates;
use crate::draft::{Draft, NamedSample, Sample, SeriesRow};
use crate::error::{Wrong, quoted};
use crate::unit::{Number, Unit};

const REPORT: &str = "MemoryCheck: ";

pub fn is_report(line: &str) -> bool {
    !is_message_head(line) && line.contains(REPORT) && line.contains(" VSIZE ")
}

/// The line before a report, with its date and event.
fn is_message_head(line: &str) -> bool {
    line.starts_with("%MSG")
}

pub fn read(text: &str, unit: Option<Unit>) -> Result<Draft, Wrong> {
    let unit = unit.unwrap_or(Unit::Mib);
    let mut draft = Draft {
        unix_time: true,
        ..Draft::default()
    };
    let mut place = LogPosition::default();
    let mut reports = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if is_report(line) {
            let report = report(line, unit).map_err(|reason| Wrong::at(number, reason))?;
            reports.push((report, place.time_ns, place.event()));
        } else {
            place.read(line);
        }
    }
    let times_known = reports.iter().all(|(_, time_ns, _)| time_ns.is_some());
    if !times_known {
        draft.unix_time = false;
        draft
            .notes
            .push("not every line has a date, so there are no times".to_string());
    }
    let by_module = reports.iter().any(|(report, _, _)| report.module.is_some());
    for (report, time_ns, event) in reports {
        let sample = Sample {
            time_ns: time_ns.filter(|_| times_known).unwrap_or(0),
            vm_bytes: Some(report.vm_bytes),
            rss_bytes: Some(report.rss_bytes),
            ..Sample::default()
        };
        if by_module {
            draft.stamps.push(NamedSample {
                name: report.module.unwrap_or_else(|| "event".to_string()),
                event,
                sample,
            });
        } else {
            draft.rows.push(SeriesRow {
                id: event.map(|(_, id)| id),
                sample,
            });
        }
    }
    Ok(draft)
}

struct Report {
    module: Option<String>,
    vm_bytes: u64,
    rss_bytes: u64,
}

fn report(line: &str, unit: Unit) -> Result<Report, String> {
    let start = line.find(REPORT).map_or(0, |start| start + REPORT.len());
    let (subject, sizes) = line[start..]
        .split_once(" VSIZE ")
        .ok_or("there is no VSIZE in it")?;
    let words: Vec<&str> = sizes.split_whitespace().collect();
    let size = |index: usize, what: &str| {
        let word = words.get(index).copied().unwrap_or("");
        let size = Number::parse(word).and_then(|number| unit.size(number));
        size.ok_or_else(|| format!("{what} is {}, not a size", quoted(word)))
    };
    if words.get(2) != Some(&"RSS") {
        return Err("there is no RSS behind VSIZE and its change".to_string());
    }
    let (kind, name) = subject.split_once(' ').unwrap_or((subject, ""));
    Ok(Report {
        module: (kind != "event").then(|| name.trim().to_string()),
        vm_bytes: size(0, "VSIZE")?,
        rss_bytes: size(3, "RSS")?,
    })
}

/// Where in the job the log is.
#[derive(Default)]
struct LogPosition {
    time_ns: Option<u64>,
    /// Run and event of the last head of a message, if it names one.
    of_message: Option<(u64, u64)>,
    /// Of the last event that began.
    begun: Option<(u64, u64)>,
    numbers: HashMap<(u64, u64), EventNumber>,
}

impl LogPosition {
    fn read(&mut self, line: &str) {
        let begins = line.contains("Begin processing");
        if !begins && !is_message_head(line) {
            return;
        }
        let event = number_after(line, "Event")
            .map(|event| (number_after(line, "Run").unwrap_or(0), event));
        self.time_ns = dates::find(line).or(self.time_ns);
        if begins {
            self.begun = event.or(self.begun);
            self.of_message = None;
        } else if line.contains("MemoryCheck") {
            self.of_message = event;
        }
    }

    /// The number of the event among those with a report, and its id.
    fn event(&mut self) -> Option<(EventNumber, u64)> {
        let key = self.of_message.or(self.begun)?;
        let next = self.numbers.len() as EventNumber + 1;
        Some((*self.numbers.entry(key).or_insert(next), key.1))
    }
}

/// The number in `Event: 105` or `Event 105,`.
fn number_after(line: &str, word: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    words.find(|found| found.trim_end_matches(':') == word)?;
    words.next()?.trim_end_matches(',').parse().ok()
}
