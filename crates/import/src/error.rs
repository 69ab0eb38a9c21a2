//! What is wrong with a file, and where.

use std::path::{Path, PathBuf};

/// Names the file, the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot import {}: {}{reason}", path.display(), place(*line))]
pub struct Error {
    pub path: PathBuf,
    /// From one; rows for arrays.
    pub line: Option<usize>,
    pub reason: String,
}

impl Error {
    pub(crate) fn new(path: &Path, wrong: Wrong) -> Error {
        Error {
            path: path.to_owned(),
            line: wrong.line,
            reason: wrong.reason,
        }
    }
}

fn place(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// An error that does not know its file yet.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub line: Option<usize>,
    pub reason: String,
}

impl Wrong {
    pub fn whole(reason: impl Into<String>) -> Wrong {
        Wrong {
            line: None,
            reason: reason.into(),
        }
    }

    /// `line` counts from one.
    pub fn at(line: usize, reason: impl Into<String>) -> Wrong {
        Wrong {
            line: Some(line),
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
