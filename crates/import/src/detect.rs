//! Which tool wrote a file: by its content, then by its name.

use std::path::Path;
use std::str::FromStr;

use crate::error::Wrong;
use crate::{
    csv, gperftools, heaptrack, igprof, malloc_profiler, massif, memory_check, npy, pprof_parts,
    prmon, stamps,
};

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
    /// Dumps of IgProf's tree of calls.
    Igprof,
    /// Dumps of MallocProfiler, with or without lines.
    Mdr,
    /// heaptrack's recordings, raw or interpreted.
    Heaptrack,
    /// Snapshots of valgrind's massif.
    Massif,
    /// Heap profiles as protocol buffers.
    Pprof,
    /// Heap profiles as text, of gperftools and jemalloc.
    Gperftools,
}

impl Format {
    pub const NAMES: [(&str, Format); 11] = [
        ("stamps", Format::Stamps),
        ("npy", Format::Npy),
        ("memory-check", Format::MemoryCheck),
        ("prmon", Format::Prmon),
        ("csv", Format::Csv),
        ("igprof", Format::Igprof),
        ("mdr", Format::Mdr),
        ("heaptrack", Format::Heaptrack),
        ("massif", Format::Massif),
        ("pprof", Format::Pprof),
        ("gperftools", Format::Gperftools),
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

/// Formats that are known by how they begin, so that the rest can be read as it comes.
pub(crate) fn by_start(start: &[u8]) -> Option<Format> {
    let mut lines = start.split(|byte| *byte == b'\n');
    let first_line = lines.next()?.trim_ascii_end();
    let known = [
        (Format::Igprof, igprof::is_start as fn(&[u8]) -> bool),
        (Format::Heaptrack, heaptrack::is_start),
        (Format::Massif, massif::is_start),
        (Format::Gperftools, gperftools::is_start),
        (Format::Mdr, malloc_profiler::is_line),
    ];
    let known = known.iter().find(|(_, is_start)| is_start(first_line));
    match known {
        Some(&(format, _)) => Some(format),
        // MallocProfiler's lines may stand between others.
        None => lines.any(malloc_profiler::is_line).then_some(Format::Mdr),
    }
}

/// Says which format it is; fails with the reason why it is none.
pub(crate) fn detect(path: &Path, bytes: &[u8]) -> Result<Format, Wrong> {
    if bytes.starts_with(npy::MAGIC) {
        return Ok(Format::Npy);
    }
    if let Some(format) = by_start(bytes) {
        return Ok(format);
    }
    if pprof_parts::is_profile(bytes) {
        return Ok(Format::Pprof);
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
        "it is no format that is known: neither a dump of IgProf, MallocProfiler, heaptrack, \
         massif, pprof or gperftools, nor lines `name:microseconds,vm,rss`, an .npy array, a log \
         with SimpleMemoryCheck's lines, prmon's table, or a CSV table with a header",
    ))
}
