//! What is wrong with a file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// Names the file, the place and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot import {}: {}{reason}", path.display(), written(*place))]
pub struct Error {
    pub path: PathBuf,
    pub place: Option<InputPlace>,
    pub reason: String,
}

/// Where in a file; in its unpacked content where it is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputPlace {
    /// From one; rows for arrays.
    Line(usize),
    /// From zero.
    Byte(usize),
}

impl fmt::Display for InputPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputPlace::Line(line) => write!(f, "line {line}"),
            InputPlace::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

impl Error {
    pub(crate) fn new(path: &Path, wrong: Wrong) -> Error {
        Error {
            path: path.to_owned(),
            place: wrong.place,
            reason: wrong.reason,
        }
    }
}

fn written(place: Option<InputPlace>) -> String {
    place.map_or(String::new(), |place| format!("{place}: "))
}

/// An error that does not know its file yet.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub place: Option<InputPlace>,
    pub reason: String,
}

impl Wrong {
    pub fn whole(reason: impl Into<String>) -> Wrong {
        Wrong {
            place: None,
            reason: reason.into(),
        }
    }

    /// `line` counts from one.
    pub fn at(line: usize, reason: impl Into<String>) -> Wrong {
        Wrong {
            place: Some(InputPlace::Line(line)),
            reason: reason.into(),
        }
    }

    pub fn at_byte(byte: usize, reason: impl Into<String>) -> Wrong {
        Wrong {
            place: Some(InputPlace::Byte(byte)),
            reason: reason.into(),
        }
    }
}

/// A piece of the file for an error message: short, and without control characters.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// The same for what need not be text.
pub(crate) fn quoted_bytes(bytes: &[u8]) -> String {
    const ENOUGH_BYTES: usize = 256;
    let start = &bytes[..bytes.len().min(ENOUGH_BYTES)];
    quoted(&String::from_utf8_lossy(start))
}
