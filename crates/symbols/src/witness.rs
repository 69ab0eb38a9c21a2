//! Which files an answer came from, and whether they are still what they were.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of a file, as far as it can be seen without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    size_bytes: u64,
    modified: Time,
    /// The last change of anything about the file, which cannot be set back.
    changed: Time,
}

/// Seconds since 1970, and nanoseconds.
type Time = (i64, i64);

impl Stamp {
    /// `None` if there is no file.
    pub(crate) fn of(path: &Path) -> Option<Stamp> {
        let file = fs::metadata(path).ok()?;
        Some(Stamp {
            size_bytes: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }

    pub(crate) fn words(&self) -> [u64; 5] {
        let Stamp {
            size_bytes,
            modified,
            changed,
        } = *self;
        let [a, b, c, d] = [modified.0, modified.1, changed.0, changed.1].map(|word| word as u64);
        [size_bytes, a, b, c, d]
    }

    pub(crate) fn from_words(words: &[u64]) -> Option<Stamp> {
        let &[size_bytes, a, b, c, d] = words else {
            return None;
        };
        let [a, b, c, d] = [a, b, c, d].map(|word| word as i64);
        Some(Stamp {
            size_bytes,
            modified: (a, b),
            changed: (c, d),
        })
    }
}

/// All files that were looked at, and those that were looked for and not there.
#[derive(Debug, Default)]
pub(crate) struct Witnesses {
    seen: Mutex<BTreeMap<PathBuf, Option<Stamp>>>,
    /// Not all of them could be read.
    has_unread: AtomicBool,
}

impl Witnesses {
    /// A file could not be read. Where it is there all the same, it may be readable the next time:
    /// then the answer is not one to remember.
    pub(crate) fn note_unread(&self, path: &Path) {
        if Stamp::of(path).is_some() {
            self.has_unread.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_unread(&self) -> bool {
        self.has_unread.load(Ordering::Relaxed)
    }

    /// Notes the state of a file. To be called before it is read: if it changes
    /// meanwhile, the state noted is the old one and will not be found again.
    pub(crate) fn note(&self, path: &Path) {
        if let Ok(mut seen) = self.seen.lock()
            && !seen.contains_key(path)
        {
            seen.insert(path.to_owned(), Stamp::of(path));
        }
    }

    pub(crate) fn into_inner(self) -> BTreeMap<PathBuf, Option<Stamp>> {
        self.seen.into_inner().unwrap_or_default()
    }
}

/// Whether all files are as they were.
pub(crate) fn are_unchanged(witnesses: &BTreeMap<PathBuf, Option<Stamp>>) -> bool {
    witnesses
        .iter()
        .all(|(path, stamp)| Stamp::of(path) == *stamp)
}
