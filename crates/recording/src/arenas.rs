//! The directory of arenas: one file per recorded program image.
//!
//! Shared memory where there is enough of it, else a directory on disk. Beside
//! the arenas lies a note of who made the directory and where the profile was to
//! go, for `residue recover`.

use crate::destination::Destination;
use anyhow::{Context, Result, bail};
use residue_arena::FILE_SUFFIX;
use residue_finish::{ArenaFile, Asked, Identity, plain_file};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Shared memory with less than this left is passed over.
const LEAST_FREE_BYTES: u64 = 256 << 20;
const OWNER_FILE: &str = "owner";

pub struct ArenaDirectory {
    pub path: PathBuf,
}

/// One recorded program image.
#[derive(Debug, Clone)]
pub struct Arena {
    pub path: PathBuf,
    pub identity: Identity,
}

/// Who made a directory: enough to know whether that process still runs, and
/// what it was going to write.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// Kernel ticks at which the process started: numbers of processes come back.
    pub started_ticks: u64,
    pub order: Order,
}

/// What the run was going to do with its recordings.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Order {
    pub destination: Destination,
    pub asked: Asked,
}

/// Where arenas may lie.
pub fn base_directories() -> Vec<PathBuf> {
    let temporary = std::env::temp_dir();
    let mut bases = vec![PathBuf::from("/dev/shm"), temporary];
    for other in ["/tmp", "/var/tmp"] {
        if !bases.iter().any(|base| base == Path::new(other)) {
            bases.push(PathBuf::from(other));
        }
    }
    bases
}

fn name_prefix() -> String {
    format!("residue-{}-", nix::unistd::getuid())
}

impl ArenaDirectory {
    /// Makes a directory for this run, in `wanted` or the first base with room.
    pub fn create(wanted: Option<&Path>, order: &Order) -> Result<ArenaDirectory> {
        let bases = match wanted {
            Some(base) => vec![base.to_path_buf()],
            None => base_directories()
                .into_iter()
                .filter(|base| free_bytes(base).is_some_and(|free| free >= LEAST_FREE_BYTES))
                .collect(),
        };
        let moment = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        let name = format!("{}{}-{moment}", name_prefix(), std::process::id());
        let mut last_error = None;
        for base in bases {
            let path = base.join(&name);
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let directory = ArenaDirectory { path };
                    return match directory.write_owner(order) {
                        Ok(()) => Ok(directory),
                        Err(error) => {
                            let _ = fs::remove_dir_all(&directory.path);
                            Err(error)
                        }
                    };
                }
                Err(error) => last_error = Some((path, error)),
            }
        }
        match last_error {
            Some((path, error)) => Err(error).with_context(|| path.display().to_string()),
            None => bail!(
                "no directory with {} free",
                residue_profile::units::bytes(LEAST_FREE_BYTES)
            ),
        }
    }

    fn write_owner(&self, order: &Order) -> Result<()> {
        let pid = std::process::id();
        let owner = Owner {
            pid,
            started_ticks: process_started_ticks(pid).unwrap_or(0),
            order: Order {
                destination: order.destination.absolute(),
                ..order.clone()
            },
        };
        let path = self.path.join(OWNER_FILE);
        fs::write(&path, serde_json::to_vec(&owner)?).with_context(|| path.display().to_string())
    }

    /// Directories left by runs of this user.
    pub fn find_all() -> Vec<ArenaDirectory> {
        let prefix = name_prefix();
        let mut found = Vec::new();
        for base in base_directories() {
            let Ok(entries) = fs::read_dir(&base) else {
                continue;
            };
            found.extend(
                entries
                    .flatten()
                    .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
                    .map(|entry| ArenaDirectory { path: entry.path() })
                    .filter(|directory| directory.is_own())
                    .filter(|directory| directory.path.join(OWNER_FILE).is_file()),
            );
        }
        found
    }

    /// Whether only this user can have put something there: anybody may make a directory
    /// of this name in /tmp.
    pub fn is_own(&self) -> bool {
        const OTHERS_MAY_WRITE: u32 = 0o022;
        let status = fs::symlink_metadata(&self.path);
        status.is_ok_and(|status| {
            status.is_dir()
                && status.uid() == nix::unistd::geteuid().as_raw()
                && status.mode() & OTHERS_MAY_WRITE == 0
        })
    }

    pub fn owner(&self) -> Option<Owner> {
        let path = self.path.join(OWNER_FILE);
        let mut bytes = Vec::new();
        plain_file::open(&path, fs::File::options().read(true))
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Paths of the arena files now there.
    pub fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return Vec::new();
        };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                path.as_os_str()
                    .as_bytes()
                    .ends_with(FILE_SUFFIX.as_bytes())
            })
            .collect();
        files.sort();
        files
    }

    /// The arenas that can be read, in the order in which they were made.
    pub fn arenas(&self) -> Vec<Arena> {
        let mut arenas: Vec<Arena> = self
            .files()
            .into_iter()
            .filter_map(|path| {
                let identity = ArenaFile::open(&path)
                    .and_then(|file| file.identity())
                    .ok()?;
                Some(Arena { path, identity })
            })
            .collect();
        arenas.sort_by_key(|arena| arena.identity.started_monotonic_ns);
        arenas
    }

    /// The processes that have an arena of this directory mapped, as text. A forked
    /// child that has not allocated yet still has its parent's.
    pub fn users(&self) -> Vec<String> {
        // A process may fork and end while the others are looked at; its child is new
        // in the next list then. Until no list has anybody new, nothing is certain.
        const MOST_LISTS: usize = 100;
        let mut known = process_ids();
        for _ in 0..MOST_LISTS {
            let users: Vec<String> = known
                .iter()
                .filter(|&&pid| maps_path(pid, &self.path))
                .map(|&pid| named(pid))
                .collect();
            let now = process_ids();
            if !users.is_empty() || now.is_subset(&known) {
                return users;
            }
            known = now;
        }
        Vec::new()
    }

    /// Deletes the directory, if all that was in it is finished and no process is
    /// about to record into it.
    pub fn remove(self) {
        if !self.users().is_empty() {
            return;
        }
        for file in self.files() {
            if ArenaFile::open(&file).is_err() {
                let _ = fs::remove_file(file);
            }
        }
        if self.files().is_empty() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

impl Arena {
    pub fn delete(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(residue_finish::outside::path_for(&self.path));
    }

    /// Whether some process still has the arena mapped: its maker, in this image.
    pub fn is_in_use(&self) -> bool {
        maps_path(self.identity.pid, &self.path)
    }
}

fn process_ids() -> BTreeSet<u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        // The watch has arenas mapped too.
        .filter(|&pid| pid != std::process::id())
        .collect()
}

/// A process's name and number.
fn named(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("{} ({pid})", name.trim_end())
}

/// Whether a process maps the file, or one in the directory.
pub fn maps_path(pid: u32, path: &Path) -> bool {
    let wanted = path.as_os_str().as_bytes();
    mapped_paths(pid).is_ok_and(|paths| paths.iter().any(|path| path.starts_with(wanted)))
}

/// The arena that a running process writes.
pub fn of_process(pid: u32) -> Result<PathBuf> {
    let paths = mapped_paths(pid).with_context(|| format!("/proc/{pid}/maps"))?;
    paths
        .into_iter()
        .find(|path| path.ends_with(FILE_SUFFIX.as_bytes()))
        .map(|path| PathBuf::from(OsString::from_vec(path)))
        .with_context(|| format!("process {pid} is not being recorded by residue"))
}

/// The paths of the files that a process maps, which need not be text.
fn mapped_paths(pid: u32) -> std::io::Result<Vec<Vec<u8>>> {
    let maps = fs::read(format!("/proc/{pid}/maps"))?;
    let path_of = |line: &[u8]| {
        let start = line.iter().position(|&byte| byte == b'/')?;
        Some(line[start..].to_vec())
    };
    Ok(maps
        .split(|&byte| byte == b'\n')
        .filter_map(path_of)
        .collect())
}

impl Owner {
    pub fn is_alive(&self) -> bool {
        process_started_ticks(self.pid) == Some(self.started_ticks)
    }
}

/// Field 22 of `/proc/PID/stat`; the name before it may hold anything but `)`.
pub fn process_started_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

fn free_bytes(path: &Path) -> Option<u64> {
    let status = nix::sys::statvfs::statvfs(path).ok()?;
    Some(status.blocks_available() as u64 * status.fragment_size() as u64)
}
