//! What can be wrong with a file, in words its owner can act on.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::layout::{Tag, VERSION};

/// A file could not be written or read.
#[derive(Debug, Error)]
pub enum Error {
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },
    #[error("cannot write {}: {reason}", path.display())]
    Write { path: PathBuf, reason: io::Error },
    #[error("cannot read {}: {damage}", path.display())]
    Damaged { path: PathBuf, damage: Damage },
}

/// One section that could not be read as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Damage {
    pub section: Tag,
    pub reason: Reason,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { section, reason } = self;
        match reason {
            // These concern the file as a whole and read better without a section.
            Reason::NotResidue | Reason::VersionTooNew { .. } | Reason::SeveralProcesses => {
                write!(f, "{reason}")
            }
            _ => write!(f, "section {section}: {reason}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    #[error("not a Residue profile (bad magic number)")]
    NotResidue,
    #[error("format version {found} is too new; this residue reads up to version {VERSION}")]
    VersionTooNew { found: u32 },
    #[error("this file holds several processes; choose one of them")]
    SeveralProcesses,
    #[error("truncated: the file ends at byte {file_bytes}")]
    Truncated { file_bytes: u64 },
    #[error("checksum mismatch in the header at byte {offset}")]
    HeaderChecksum { offset: u64 },
    #[error("checksum mismatch")]
    Checksum,
    #[error("decompresses to {raw_bytes} bytes, over the limit for {stored_bytes} stored bytes")]
    TooLarge { raw_bytes: u64, stored_bytes: u64 },
    #[error(
        "inlined functions make {steps} steps of the paths, over the limit for a file of \
         {file_bytes} bytes; they are left out"
    )]
    Multiplies { steps: u64, file_bytes: u64 },
    #[error("cannot be decompressed: {0}")]
    Compression(String),
    #[error("bad value: {0}")]
    BadValue(String),
    #[error("missing")]
    Missing,
    #[error("appears more than once")]
    Duplicate,
    #[error("the file has more than {limit} sections")]
    TooManySections { limit: usize },
    #[error("{bytes} bytes follow the end")]
    TrailingBytes { bytes: u64 },
}

impl Reason {
    pub(crate) fn bad(what: impl Into<String>) -> Reason {
        Reason::BadValue(what.into())
    }

    pub(crate) fn of(self, section: Tag) -> Damage {
        Damage {
            section,
            reason: self,
        }
    }
}
