//! Which tool wrote a file: by its content, then by its name.

use std::path::Path;
use std::str::FromStr;

use crate::error::Wrong;
use crate::{csv, memory_check, npy, prmon, stamps};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines `name:microseconds,vm_KiB,rss_KiB`, as Opticks' SProf writes them.
    Stamps,
    /// NumPy arrays of time, virtual size and resident size.
    Npy,
    /// Logs of CMS jobs with SimpleMemoryCheck.
    MemoryCheck,
    /// prmon's table of samples.
    Prmon,
    Csv,
}

impl Format {
    pub const NAMES: [(&str, Format); 5] = [
        ("stamps", Format::Stamps),
        ("npy", Format::Npy),
        ("memory-check", Format::MemoryCheck),
        ("prmon", Format::Prmon),
        ("csv", Format::Csv),
    ];

    pub fn name(self) -> &'static str {
        let known = Format::NAMES.iter().find(|&&(_, format)| format == self);
        known.map_or("", |&(name, _)| name)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let known = Format::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|&(_, format)| format).ok_or_else(|| {
            let names: Vec<&str> = Format::NAMES.iter().map(|&(name, _)| name).collect();
            format!("not one of {}", names.join(", "))
        })
    }
}

/// Says which format it is; fails with the reason why it is none.
pub(crate) fn detect(path: &Path, bytes: &[u8]) -> Result<Format, Wrong> {
    if bytes.starts_with(npy::MAGIC) {
        return Ok(Format::Npy);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Wrong::whole("it is empty"));
    }
    let text = String::from_utf8_lossy(bytes);
    if prmon::is_summary(&text) {
        return Err(Wrong::whole(
            "it is a summary of prmon, which has averages and maxima but no series; \
             import the table that prmon wrote beside it (prmon.txt)",
        ));
    }
    if text.lines().any(memory_check::is_report) {
        return Ok(Format::MemoryCheck);
    }
    let first_line = text.lines().find(|line| !line.trim().is_empty());
    let first_line = first_line.unwrap_or_default();
    if prmon::is_header(first_line) {
        return Ok(Format::Prmon);
    }
    if text.lines().any(stamps::is_stamp) {
        return Ok(Format::Stamps);
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    if csv::is_header(first_line) || extension == Some("csv") {
        return Ok(Format::Csv);
    }
    Err(Wrong::whole(
        "it is no format that is known: neither lines `name:microseconds,vm,rss`, nor an .npy \
         array, a log with SimpleMemoryCheck's lines, prmon's table, or a CSV table with a header",
    ))
}
