//! What can go wrong when a file is asked for its function names.

use std::io;
use std::path::PathBuf;

/// Every variant says which file it is about, because one profile names
/// functions from dozens of them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is missing, not a regular file, or may not be read.
    #[error("{}: cannot be read: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },

    /// The file is there, but it is not an ELF file that makes sense.
    #[error("{}: not a usable 64-bit ELF file: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },

    /// The file is not the one that was loaded when the profile was recorded,
    /// so its symbols would give plausible but wrong names.
    #[error(
        "{}: build-id is {found}, but the recorded program had {expected}; the file was replaced since",
        path.display()
    )]
    BuildIdMismatch {
        path: PathBuf,
        expected: String,
        /// The build-id in the file, or `none`.
        found: String,
    },

    /// The file was stripped, and nothing that was split off it could be found.
    #[error("{}: has no function symbols, and no debug file for it was found", path.display())]
    NoSymbols { path: PathBuf },

    /// The same, when variables were asked for.
    #[error("{}: has no symbols of variables, and no debug file for it was found", path.display())]
    NoVariables { path: PathBuf },
}
