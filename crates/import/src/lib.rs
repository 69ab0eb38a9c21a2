//! Stacks, stamps, logs and arrays made by other tools, read into the same model.
//!
//! ```text
//!                  ┌► stamps, npy, memory_check, prmon, csv ──────► Draft ───┐
//!   file ── unpack ┤  one row is one event                                   ├► Profile
//!          detect  └► igprof, malloc_profiler, heaptrack, massif, ► Stacks ──┘
//!                     pprof, gperftools: call paths with counters
//! ```
//!
//! Rows make a timeline. Where they are named stamps, an event is one turn of the
//! names, and begins at its first stamp. Stacks are read line by line, so that memory
//! grows with what is distinct in a file, not with its length.
#![forbid(unsafe_code)]

mod csv;
mod dates;
mod detect;
mod draft;
mod error;
mod fields;
mod gperftools;
mod heaptrack;
mod heaptrack_raw;
mod igprof;
mod lines;
mod malloc_profiler;
mod massif;
mod memory_check;
mod npy;
mod pprof;
mod pprof_parts;
mod prmon;
mod protobuf;
mod replay;
mod stacks;
mod stamps;
mod ticks;
mod unit;
mod unpack;

use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;

use residue_profile::Profile;

pub use detect::Format;
pub use error::{Error, InputPlace};
pub use unit::Unit;

use error::Wrong;
use lines::Lines;
use stacks::Stacks;
use unpack::{Input, Watched};

/// What the user knows better than the file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub format: Option<Format>,
    /// Of sizes that do not say their unit.
    pub unit: Option<Unit>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub profile: Profile,
    pub format: Format,
    /// Stamps an event, where events were found by the names of the stamps.
    pub period: Option<usize>,
}

/// Reads a file, and for an array the names beside it.
pub fn read(path: &Path, options: &Options) -> Result<Imported, Error> {
    read_watched(path, options, &mut |_, _| {})
}

/// The same; `progress` is told how many bytes of the file were read, and of how many.
pub fn read_watched(
    path: &Path,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Imported, Error> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (packed_bytes, file) =
        opened.map_err(|error| Error::new(path, Wrong::whole(error.to_string())))?;
    let file = Watched {
        inner: file,
        done_bytes: 0,
        watch: &mut |done| progress(done, packed_bytes),
    };
    let names = npy::names_beside(path);
    import_named(path, file, packed_bytes, names.as_deref(), options)
        .map_err(|wrong| Error::new(path, wrong))
}

/// Reads what was in a file; `names` are an array's, one a line.
pub fn parse(
    path: &Path,
    bytes: &[u8],
    names: Option<&str>,
    options: &Options,
) -> Result<Imported, Error> {
    import_named(path, bytes, bytes.len() as u64, names, options)
        .map_err(|wrong| Error::new(path, wrong))
}

/// The profile remembers which format it was read from.
fn import_named(
    path: &Path,
    file: impl Read,
    packed_bytes: u64,
    names: Option<&str>,
    options: &Options,
) -> Result<Imported, Wrong> {
    let mut imported = import(path, file, packed_bytes, names, options)?;
    imported.profile.meta.imported_from = imported.format.name().to_string();
    Ok(imported)
}

fn import(
    path: &Path,
    file: impl Read,
    packed_bytes: u64,
    names: Option<&str>,
    options: &Options,
) -> Result<Imported, Wrong> {
    let unreadable =
        |error: std::io::Error| Wrong::at_byte(0, format!("it cannot be read: {error}"));
    let mut input = Input::open(file, packed_bytes).map_err(unreadable)?;
    let start = input.reader.fill_buf().map_err(unreadable)?;
    let format = options.format.or_else(|| detect::by_start(start));
    if let Some((format, read)) = format.and_then(|format| Some((format, line_reader(format)?))) {
        return with_stacks(path, format, read(Lines::new(input))?);
    }
    let bytes = input.read_whole()?;
    let format = match format {
        Some(format) => format,
        None => detect::detect(path, &bytes)?,
    };
    let text = || String::from_utf8_lossy(&bytes);
    let draft = match format {
        Format::Stamps => stamps::read(&text(), options.unit)?,
        Format::Npy => npy::read(&bytes, names, options.unit)?,
        Format::MemoryCheck => memory_check::read(&text(), options.unit)?,
        Format::Prmon => prmon::read(&text(), options.unit)?,
        Format::Csv => csv::read(&text(), options.unit)?,
        Format::Pprof => return with_stacks(path, format, pprof::read(&bytes)?),
        _ => {
            let plain = Input::plain(&bytes);
            let read = line_reader(format).ok_or_else(|| Wrong::whole("it has no reader"))?;
            return with_stacks(path, format, read(Lines::new(plain))?);
        }
    };
    let (profile, period) = draft.finish(path, format)?;
    Ok(Imported {
        profile,
        format,
        period,
    })
}

type ReadLines = fn(Lines) -> Result<Stacks, Wrong>;

/// Readers that take a file as it comes.
fn line_reader(format: Format) -> Option<ReadLines> {
    match format {
        Format::Igprof => Some(igprof::read),
        Format::Mdr => Some(malloc_profiler::read),
        Format::Heaptrack => Some(heaptrack::read),
        Format::Massif => Some(massif::read),
        Format::Gperftools => Some(gperftools::read),
        _ => None,
    }
}

fn with_stacks(path: &Path, format: Format, stacks: Stacks) -> Result<Imported, Wrong> {
    Ok(Imported {
        profile: stacks.finish(path, format)?,
        format,
        period: None,
    })
}
