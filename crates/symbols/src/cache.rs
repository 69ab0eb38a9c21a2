//! What earlier runs found out, by build-id.
//!
//! The same libraries are in every profile, and mostly the same addresses in them. An
//! entry holds all answers of one module, and the state of all files they came from: if
//! one of them is not as it was, the entry is void. A cache that cannot be read or
//! written is no cache, and never an error.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache_entry::{self, Entry};
use crate::out_of_reach::is_out_of_reach;
use crate::witness;

/// More than the answers of hundreds of programs.
const MOST_BYTES: u64 = 512 << 20;
/// What is left when the cache has grown to more than that.
const KEPT_PERCENT: u64 = 75;

/// An entry that was used is marked as used, but not at every use.
const MARKED_EVERY: Duration = Duration::from_secs(3600);

/// A directory of entries: `symbols/xx/yyyy`, where xxyyyy is the build-id.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    most_bytes: u64,
}

impl Cache {
    /// In `$RESIDUE_CACHE_DIR`, else in `residue` of the user's cache directory. `None`
    /// if there is none of these, or if it is within reach of another user.
    pub fn of_user() -> Option<Cache> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
        let directory = match variable("RESIDUE_CACHE_DIR") {
            Some(directory) => PathBuf::from(directory),
            None => match variable("XDG_CACHE_HOME") {
                Some(directory) => PathBuf::from(directory).join("residue"),
                None => PathBuf::from(variable("HOME")?).join(".cache/residue"),
            },
        };
        is_out_of_reach(&directory).then(|| Cache::in_directory(&directory))
    }

    /// In `symbols` below the given directory, which need not exist.
    pub fn in_directory(directory: &Path) -> Cache {
        Cache {
            directory: directory.join("symbols"),
            most_bytes: MOST_BYTES,
        }
    }

    /// With another limit to its size.
    pub fn with_limit(self, most_bytes: u64) -> Cache {
        Cache { most_bytes, ..self }
    }

    /// The entry for a build-id, if it was made under the same circumstances (`key`)
    /// and from files that are still the same.
    pub(crate) fn load(&self, build_id: &str, key: &str) -> Option<Entry> {
        let path = self.path_of(build_id)?;
        let entry = cache_entry::decode(&fs::read(&path).ok()?)?;
        if entry.key != key || !witness::are_unchanged(&entry.witnesses) {
            return None;
        }
        let _ = mark_as_used(&path);
        Some(entry)
    }

    /// Writes the entry for a build-id, whole or not at all, and says whether it did.
    /// Of several who do so at once the last one wins.
    pub(crate) fn store(&self, build_id: &str, entry: &Entry) -> bool {
        let write = || {
            let path = self.path_of(build_id)?;
            let directory = path.parent()?;
            fs::create_dir_all(directory).ok()?;
            let mut file = tempfile::NamedTempFile::new_in(directory).ok()?;
            file.write_all(&cache_entry::encode(entry)?).ok()?;
            file.persist(&path).ok()
        };
        write().is_some()
    }

    /// Removes the entries that were not used for longest, if there is too much.
    pub(crate) fn trim(&self) {
        let mut files = list(&self.directory);
        let mut sum_bytes: u64 = files.iter().map(|&(_, bytes, _)| bytes).sum();
        if sum_bytes <= self.most_bytes {
            return;
        }
        files.sort();
        for (_, bytes, path) in files {
            if sum_bytes <= self.most_bytes / 100 * KEPT_PERCENT {
                return;
            }
            if fs::remove_file(path).is_ok() {
                sum_bytes -= bytes;
            }
        }
    }

    /// `None` if it is not a build-id at all.
    fn path_of(&self, build_id: &str) -> Option<PathBuf> {
        let is_id = build_id.len() > 2 && build_id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (start, rest) = is_id.then(|| build_id.split_at(2))?;
        Some(self.directory.join(start).join(rest))
    }
}

/// When each entry was last used, its size, and its path.
fn list(directory: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    entries(directory)
        .flat_map(|below| entries(&below.path()))
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect()
}

fn mark_as_used(path: &Path) -> std::io::Result<()> {
    let now = SystemTime::now();
    let marked = fs::metadata(path)?.modified()?;
    if now
        .duration_since(marked)
        .is_ok_and(|age| age > MARKED_EVERY)
    {
        File::options().write(true).open(path)?.set_modified(now)?;
    }
    Ok(())
}
