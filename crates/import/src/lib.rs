//! Stamps, logs and arrays made by other tools, read into the same model.
//!
//! ```text
//!   bytes ── detect ──► stamps, npy, memory_check, prmon, csv ──► Draft ──► Profile
//!                       one file per format                       events     with a timeline
//! ```
//!
//! One row is one event. Where rows are named stamps, an event is one turn of the
//! names, and begins at its first stamp.
#![forbid(unsafe_code)]

mod csv;
mod dates;
mod detect;
mod draft;
mod error;
mod memory_check;
mod npy;
mod prmon;
mod stamps;
mod unit;

use std::fs;
use std::path::Path;

use residue_profile::Profile;

pub use detect::Format;
pub use error::Error;
pub use unit::Unit;

use error::Wrong;

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
    let failed = |wrong: Wrong| Error::new(path, wrong);
    let bytes = fs::read(path).map_err(|error| failed(Wrong::whole(error.to_string())))?;
    let names = npy::names_beside(path);
    parse(path, &bytes, names.as_deref(), options)
}

/// Reads what was in a file; `names` are an array's, one a line.
pub fn parse(
    path: &Path,
    bytes: &[u8],
    names: Option<&str>,
    options: &Options,
) -> Result<Imported, Error> {
    parse_bytes(path, bytes, names, options).map_err(|wrong| Error::new(path, wrong))
}

fn parse_bytes(
    path: &Path,
    bytes: &[u8],
    names: Option<&str>,
    options: &Options,
) -> Result<Imported, Wrong> {
    let format = match options.format {
        Some(format) => format,
        None => detect::detect(path, bytes)?,
    };
    let text = || String::from_utf8_lossy(bytes);
    let draft = match format {
        Format::Stamps => stamps::read(&text(), options.unit)?,
        Format::Npy => npy::read(bytes, names, options.unit)?,
        Format::MemoryCheck => memory_check::read(&text(), options.unit)?,
        Format::Prmon => prmon::read(&text(), options.unit)?,
        Format::Csv => csv::read(&text(), options.unit)?,
    };
    let (profile, period) = draft.finish(path, format)?;
    Ok(Imported {
        profile,
        format,
        period,
    })
}
