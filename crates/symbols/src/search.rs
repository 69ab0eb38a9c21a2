//! Where binaries and debug files are looked for.

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::directory::Index;
use crate::witness::Witnesses;

/// Where distributions install debug files.
const DEBUG_ROOT: &str = "/usr/lib/debug";

/// Where symbols are looked for: on this machine alone unless said otherwise, and with
/// nothing remembered.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Stands before the paths of modules and of the system's debug files: the root of
    /// the machine that the program ran on.
    pub sysroot: Option<PathBuf>,
    /// Trees of binaries and debug files, found by their build-ids.
    pub symbol_dirs: Vec<PathBuf>,
    /// What earlier searches found.
    pub cache: Option<Cache>,
}

/// A search that goes on, on behalf of one module: it notes which files were looked at.
pub(crate) struct Finder<'a> {
    sysroot: Option<&'a Path>,
    index: &'a Index,
    witnesses: Witnesses,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(search: &'a Search, index: &'a Index) -> Finder<'a> {
        Finder {
            sysroot: search.sysroot.as_deref(),
            index,
            witnesses: Witnesses::default(),
        }
    }

    /// The path on this machine of a path on the machine of the program. It is about to
    /// be looked at.
    pub(crate) fn local(&self, path: &Path) -> PathBuf {
        let local = match self.sysroot {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        };
        self.look_at(local)
    }

    /// Notes that what is at this path could not be read.
    pub(crate) fn cannot_read(&self, path: &Path) {
        self.witnesses.note_unread(path);
    }

    /// Whether all that was looked at could be read, so that the answer holds the next time.
    pub(crate) fn has_read_all(&self) -> bool {
        !self.witnesses.has_unread()
    }

    /// Notes that the answer depends on what is at this path.
    pub(crate) fn look_at(&self, path: PathBuf) -> PathBuf {
        self.witnesses.note(&path);
        path
    }

    /// The files that the system, or the user's directories, have for a build-id. Those
    /// of the user are checked to have it.
    pub(crate) fn by_build_id(&self, id: &str) -> Vec<PathBuf> {
        let given = self.given(id);
        let installed = id.split_at_checked(2).map(|(start, rest)| {
            let file = format!("{DEBUG_ROOT}/.build-id/{start}/{rest}.debug");
            self.local(Path::new(&file))
        });
        given.into_iter().chain(installed).collect()
    }

    /// The files in the user's directories that have a build-id.
    pub(crate) fn given(&self, id: &str) -> Vec<PathBuf> {
        let given = self.index.with_build_id(id).iter();
        given.map(|path| self.look_at(path.clone())).collect()
    }

    /// The file of this name, without a build-id, in the user's directories.
    pub(crate) fn by_name(&self, name: &Path) -> Option<PathBuf> {
        let found = self.index.with_name(name.file_name()?)?;
        Some(self.look_at(found.to_owned()))
    }

    /// The places for a debug file of the given name that belongs to `binary`.
    pub(crate) fn beside(&self, binary: &Path, name: &Path) -> Vec<PathBuf> {
        // The name is relative to where the file really is, not to a symbolic link
        // that leads to it.
        let binary = binary.canonicalize().unwrap_or_else(|_| binary.to_owned());
        let directory = binary.parent().unwrap_or(Path::new("/"));
        let root = self.sysroot.and_then(|root| root.canonicalize().ok());
        let on_its_machine =
            match root.and_then(|root| directory.strip_prefix(root).ok().map(PathBuf::from)) {
                Some(below) => below,
                None => directory.strip_prefix("/").unwrap_or(directory).to_owned(),
            };
        let installed = Path::new(DEBUG_ROOT).join(on_its_machine).join(name);
        vec![
            self.look_at(directory.join(name)),
            self.look_at(directory.join(".debug").join(name)),
            self.local(&installed),
        ]
    }

    pub(crate) fn into_witnesses(self) -> Witnesses {
        self.witnesses
    }
}
