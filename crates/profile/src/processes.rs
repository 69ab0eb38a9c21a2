//! Several profiles in one file: that of a program and those of the processes it started.
//!
//! ```text
//!   file header, version 3 │ section PROC: the list │ profile │ profile │ ...
//! ```
//!
//! Each profile is a whole file of version 1 or 2, so that one process is read, repaired
//! and checked as if it stood alone, at the cost of one. The list comes first, in the order
//! of the profiles; the first is the one to look at where none is chosen.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::decode::{decode_needed, json};
use crate::encode::FileWriter;
use crate::error::{Damage, Error, Reason};
use crate::file::{damaged, read, replace};
use crate::layout::{
    FILE_HEADER_BYTES, SECTION_HEADER_BYTES, SEVERAL_PROCESSES, SectionHeader, Tag, file_header,
};
use crate::model::{End, Profile};
use crate::needs::Needs;
use crate::scan::Section;
use crate::unpack::Unpacker;

/// The list is small; a longer one is not read.
const MAX_LIST_BYTES: u64 = 64 << 20;

/// One process of a file, and what tells it from the others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ListedProcess {
    pub pid: u32,
    pub parent_pid: u32,
    pub program: String,
    pub command: Vec<String>,
    /// Whether the process went on as another program, by `exec`.
    pub was_replaced: bool,
    pub events: u64,
    pub heap_peak_bytes: u64,
    /// Heap and mappings at the end of the recording.
    pub live_bytes: u64,
    /// Length of its profile in the file.
    pub profile_bytes: u64,
}

impl ListedProcess {
    pub fn of(profile: &Profile) -> ListedProcess {
        let (heap, mappings) = (&profile.heap, &profile.mappings);
        ListedProcess {
            pid: profile.meta.pid,
            parent_pid: profile.meta.parent_pid,
            program: profile.meta.program.clone(),
            command: profile.meta.command.clone(),
            was_replaced: profile.meta.end == End::Exec,
            events: profile.timeline.about.events,
            heap_peak_bytes: heap.peak_bytes,
            live_bytes: heap.live_bytes.saturating_add(mappings.live_bytes),
            profile_bytes: 0,
        }
    }
}

/// Writes one file of profiles that each have a file already, the one to look at first.
pub fn write_processes(path: &Path, processes: &[(ListedProcess, PathBuf)]) -> Result<(), Error> {
    let mut list = Vec::with_capacity(processes.len());
    for (process, file) in processes {
        let profile_bytes = file.metadata().map_err(unreadable(file))?.len();
        list.push(ListedProcess {
            profile_bytes,
            ..process.clone()
        });
    }
    let write = |out: &mut io::BufWriter<File>| {
        FileWriter::begin(&mut *out, SEVERAL_PROCESSES)?
            .section(Tag::PROC, &serde_json::to_vec(&list)?)?;
        for ((_, file), process) in processes.iter().zip(&list) {
            let copied = io::copy(&mut File::open(file)?.take(process.profile_bytes), out)?;
            if copied != process.profile_bytes {
                let what = format!("{} became shorter", file.display());
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
            }
        }
        Ok(())
    };
    replace(path, write).map_err(|reason| Error::Write {
        path: path.to_owned(),
        reason,
    })
}

/// The processes of a file that holds several; `None` where it is one profile, or none.
pub fn processes_in(path: &Path) -> Result<Option<Vec<ListedProcess>>, Error> {
    let mut file = File::open(path).map_err(unreadable(path))?;
    Ok(list_of(&mut file, path)?.map(|(list, _)| list))
}

/// Every profile of a file, be it one or several; each must be whole.
pub fn read_all(path: &Path) -> Result<Vec<Profile>, Error> {
    let Some(list) = processes_in(path)? else {
        return Ok(vec![read(path)?]);
    };
    let whole = |process| {
        let (profile, damages) = read_process(path, process, Needs::ALL)?;
        match damages.into_iter().next() {
            None => Ok(profile),
            Some(first) => Err(damaged(path, first)),
        }
    };
    (0..list.len()).map(whole).collect()
}

/// What is left of the profile of one process, by its place in the list.
pub fn read_process(
    path: &Path,
    process: usize,
    needs: Needs,
) -> Result<(Profile, Vec<Damage>), Error> {
    let mut file = File::open(path).map_err(unreadable(path))?;
    let missing = || damaged(path, Reason::Missing.of(Tag::PROC));
    let (list, first_at) = list_of(&mut file, path)?.ok_or_else(missing)?;
    let chosen = list.get(process).ok_or_else(missing)?;
    let before = list[..process].iter().map(|process| process.profile_bytes);
    let at = before.fold(first_at, u64::saturating_add);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at)).map_err(unreadable(path))?;
    file.take(chosen.profile_bytes)
        .read_to_end(&mut bytes)
        .map_err(unreadable(path))?;
    decode_needed(&bytes, needs).map_err(|damage| damaged(path, damage))
}

/// The list, and where the first profile begins.
fn list_of(file: &mut File, path: &Path) -> Result<Option<(Vec<ListedProcess>, u64)>, Error> {
    let mut start = [0; FILE_HEADER_BYTES + SECTION_HEADER_BYTES];
    let length = read_up_to(file, &mut start).map_err(unreadable(path))?;
    if start[..FILE_HEADER_BYTES] != file_header(SEVERAL_PROCESSES) {
        return Ok(None);
    }
    let damage = |reason: Reason| damaged(path, reason.of(Tag::PROC));
    let header = SectionHeader::parse(&start[FILE_HEADER_BYTES..length])
        .filter(|header| header.tag == Tag::PROC)
        .ok_or_else(|| damage(Reason::Missing))?;
    if header.stored_bytes > MAX_LIST_BYTES {
        return Err(damage(Reason::TooLarge {
            raw_bytes: header.raw_bytes,
            stored_bytes: header.stored_bytes,
        }));
    }
    let mut stored = Vec::new();
    file.take(header.stored_bytes)
        .read_to_end(&mut stored)
        .map_err(unreadable(path))?;
    if xxh3_64(&stored) != header.payload_checksum {
        return Err(damage(Reason::Checksum));
    }
    let section = Section {
        tag: header.tag,
        raw_bytes: header.raw_bytes,
        stored: &stored,
    };
    let mut unpacker = Unpacker::default();
    let list = unpacker.unpack(&section).and_then(json).map_err(damage)?;
    Ok(Some((list, start.len() as u64 + header.stored_bytes)))
}

fn read_up_to(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut bytes = Vec::with_capacity(buffer.len());
    file.take(buffer.len() as u64).read_to_end(&mut bytes)?;
    buffer[..bytes.len()].copy_from_slice(&bytes);
    Ok(bytes.len())
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> Error {
    move |reason| Error::Read {
        path: path.to_owned(),
        reason,
    }
}
