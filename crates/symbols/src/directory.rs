//! Directories of binaries and debug files, in whatever order their owner keeps them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::image::{self, Image};

/// All ELF files below some directories.
#[derive(Debug, Default)]
pub(crate) struct Index {
    by_build_id: HashMap<String, Vec<PathBuf>>,
    /// Those that have no build-id, by the last part of their paths.
    by_name: HashMap<OsString, Vec<PathBuf>>,
}

impl Index {
    /// Looks at every file once. Links to directories are not followed, because they
    /// may lead in circles.
    pub(crate) fn scan(directories: &[PathBuf]) -> Index {
        let mut files = Vec::new();
        for directory in directories {
            list(directory, &mut files);
        }
        let ids: Vec<_> = files.par_iter().map(|file| build_id(file)).collect();
        let mut index = Index::default();
        for (path, id) in files.into_iter().zip(ids) {
            match id {
                Some(Some(id)) => index.by_build_id.entry(id).or_default().push(path),
                Some(None) => {
                    let name = path.file_name().unwrap_or_default().to_owned();
                    index.by_name.entry(name).or_default().push(path);
                }
                None => {}
            }
        }
        index
    }

    /// The files with a build-id; the binary and its debug file have the same.
    pub(crate) fn with_build_id(&self, id: &str) -> &[PathBuf] {
        let found = self.by_build_id.get(&id.to_ascii_lowercase());
        found.map_or(&[], Vec::as_slice)
    }

    /// The only file of that name. Of several none is sure to be the right one.
    pub(crate) fn with_name(&self, name: &OsStr) -> Option<&Path> {
        match self.by_name.get(name)?.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// All regular files below a directory, in the order of their names.
fn list(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&path, files),
            Ok(kind) if kind.is_file() => files.push(path),
            Ok(kind) if kind.is_symlink() && path.is_file() => files.push(path),
            _ => {}
        }
    }
}

/// `None` if it is no ELF file.
fn build_id(path: &Path) -> Option<Option<String>> {
    let data = image::open(path).ok()?;
    let image = Image::parse(&data).ok()?;
    Some(image.build_id())
}
