//! Directories on the command line.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

/// A directory that is there.
pub fn existing() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => Err("not a directory".to_string()),
        Err(error) => Err(error.to_string()),
    })
}
