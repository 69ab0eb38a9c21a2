//! What the command saw from outside while the program ran: ticks, lines of output
//! that are events, snapshots asked for by another process.
//!
//! One line of JSON each, appended to a file beside the arena, so that it survives
//! whoever wrote it.

use crate::plain_file;
use residue_profile::timeline::{Account, MomentKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// One moment seen from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    pub kind: MomentKind,
    /// The moment's number: the interval that it ended, plus one.
    pub number: u32,
    pub event: u32,
    pub id: u64,
    pub time_ns: u64,
    pub vm_bytes: u64,
    pub rss_bytes: u64,
    pub shared_bytes: u64,
    pub live_bytes: u64,
    pub mapped_bytes: u64,
    pub recorder_bytes: u64,
    pub threads: u32,
    /// Whether the moment keeps totals.
    #[serde(default)]
    pub has_totals: bool,
    /// Blocks of the heap made so far, and their bytes.
    #[serde(default)]
    pub made_blocks: Option<u64>,
    #[serde(default)]
    pub made_bytes: Option<u64>,
    #[serde(default)]
    pub process_cpu_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, f64>,
    /// What lines since the last kept one counted: of a very long run not all are kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_counts: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proc_maps: Option<[String; 3]>,
}

/// The file for an arena.
pub fn path_for(arena: &Path) -> PathBuf {
    let mut path = arena.as_os_str().to_owned();
    path.push(".outside");
    PathBuf::from(path)
}

/// Adds a line, or nothing where there is no room for it: half a line would spoil the next.
pub fn append(arena: &Path, seen: &Seen) -> io::Result<()> {
    let mut line = serde_json::to_vec(seen)?;
    line.push(b'\n');
    let path = path_for(arena);
    let mut file = plain_file::open(&path, File::options().append(true).create(true))?;
    let before = file.metadata()?.len();
    let written = file.write_all(&line);
    if written.is_err() {
        file.set_len(before)?;
    }
    written
}

const MOST_BYTES: u64 = 1 << 30;

/// All lines that are whole, of a file as long as one can reasonably be: the program could have
/// put anything there.
pub fn read(arena: &Path) -> Vec<Seen> {
    let mut bytes = Vec::new();
    if let Ok(file) = plain_file::open(&path_for(arena), File::options().read(true)) {
        let _ = file.take(MOST_BYTES).read_to_end(&mut bytes);
    }
    parse(&bytes)
}

/// The lines from a byte on that are whole by now, and the byte behind them.
pub fn read_from(arena: &Path, start: u64) -> (Vec<Seen>, u64) {
    let mut bytes = Vec::new();
    if let Ok(mut file) = plain_file::open(&path_for(arena), File::options().read(true))
        && file.seek(SeekFrom::Start(start)).is_ok()
    {
        let _ = file.take(MOST_BYTES).read_to_end(&mut bytes);
    }
    let whole = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = whole.map_or(0, |at| at + 1);
    (parse(&bytes[..whole]), start + whole as u64)
}

pub(crate) fn parse(bytes: &[u8]) -> Vec<Seen> {
    let lines = bytes.split(|&byte| byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}
