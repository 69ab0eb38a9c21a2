//! The directory of arenas: one file per recorded program image.
//!
//! Shared memory where there is enough of it, else a directory on disk. Beside the arenas lies
//! a note of where the profile was to go, for `residue recover`. Whoever made the directory
//! holds a lock on it, which ends with the process, however that ends.
//!
//! ```text
//!   residue-1000-4711-17.../
//!     owner                   who made it, and what was asked for; locked while the run lasts
//!     4712.99.arena           being written, or left by a process that ended
//!     4712.99.arena.outside   what was seen of that process from outside
//!     4712.99.arena.picture   what the latest picture of its memory said
//!     4712.99.arena.picture-asked  what became of the latest request for one
//!     finished/               processes that ended, as profiles (see `ended.rs`)
//! ```

use anyhow::{Context, Result, bail};
use residue_arena::{FILE_SUFFIX, UNRECORDED_SUFFIX};
use residue_finish::{ArenaFile, Asked, Error, Identity, plain_file};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::destination::Destination;
use crate::ended;
use crate::program::Obstacle;
use crate::users;

/// Shared memory with less than this left is passed over.
pub const LEAST_FREE_BYTES: u64 = 256 << 20;
const OWNER_FILE: &str = "owner";
/// In a directory whose recordings a user has been told of.
const TOLD_FILE: &str = "told";
const MOST_PATH_BYTES: u64 = 4096;
/// The note of an owner is shorter, whatever was asked for.
const MOST_OWNER_BYTES: u64 = 1 << 20;
/// A directory without an owner is about to get one, if it is younger than this.
const TIME_TO_BEGIN: Duration = Duration::from_secs(60);

pub struct ArenaDirectory {
    pub path: PathBuf,
    /// Held by the run that made it.
    lock: Option<fs::File>,
}

/// One recorded program image.
#[derive(Debug, Clone)]
pub struct Arena {
    /// The arena; the profile where the process ended and was finished early.
    pub path: PathBuf,
    pub identity: Identity,
    pub is_finished: bool,
}

/// Who made a directory, and what it was going to write.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Owner {
    pub pid: u32,
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
    /// One that is there.
    pub fn at(path: PathBuf) -> ArenaDirectory {
        ArenaDirectory { path, lock: None }
    }

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
                    // As the kernel lists it among mappings; and programs change their directory.
                    let path = fs::canonicalize(&path).unwrap_or(path);
                    let mut directory = ArenaDirectory::at(path);
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

    /// The note appears under its name when it is locked and whole.
    fn write_owner(&mut self, order: &Order) -> Result<()> {
        let owner = Owner {
            pid: std::process::id(),
            order: Order {
                destination: order.destination.absolute(),
                ..order.clone()
            },
        };
        let path = self.path.join(OWNER_FILE);
        let new = path.with_extension("new");
        let write = || -> Result<fs::File> {
            let mut file = fs::File::create_new(&new)?;
            file.try_lock()?;
            file.write_all(&serde_json::to_vec(&owner)?)?;
            fs::rename(&new, &path)?;
            Ok(file)
        };
        self.lock = Some(write().with_context(|| path.display().to_string())?);
        Ok(())
    }

    /// Whether the run that made it still goes on.
    pub fn is_owned(&self) -> bool {
        let owner = self.path.join(OWNER_FILE);
        if owner.exists() {
            return users::is_locked(&owner);
        }
        let made = fs::metadata(&self.path).and_then(|status| status.modified());
        let age = made.ok().and_then(|made| made.elapsed().ok());
        self.is_of_a_run() && age.is_some_and(|age| age < TIME_TO_BEGIN)
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
                    .map(|entry| ArenaDirectory::at(entry.path()))
                    .filter(|directory| directory.is_own() && directory.is_of_a_run()),
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

    /// Whether it has the name that `create` gives, which nobody else would: it is deleted as
    /// a whole.
    fn is_of_a_run(&self) -> bool {
        let path = fs::canonicalize(&self.path).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let numbers = name.strip_prefix(&name_prefix());
        let is_number = |text: &str| text.parse::<u128>().is_ok();
        numbers
            .and_then(|numbers| numbers.split_once('-'))
            .is_some_and(|(pid, moment)| is_number(pid) && is_number(moment))
    }

    pub fn owner(&self) -> Option<Owner> {
        let path = self.path.join(OWNER_FILE);
        let mut bytes = Vec::new();
        plain_file::open(&path, fs::File::options().read(true))
            .and_then(|file| file.take(MOST_OWNER_BYTES).read_to_end(&mut bytes))
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

    /// The recordings that can be read, in the order in which they were made.
    pub fn arenas(&self) -> Vec<Arena> {
        self.arenas_and_troubles().0
    }

    /// The same, and those that are there and cannot be read now, with the reason.
    pub fn arenas_and_troubles(&self) -> (Vec<Arena>, Vec<(PathBuf, anyhow::Error)>) {
        let mut arenas = ended::finished_in(&self.path);
        let mut troubles = Vec::new();
        for path in self.files() {
            match Arena::open(path.clone()) {
                Ok(arena) => arenas.push(arena),
                Err(error) if was_never_begun(&error) => {}
                Err(error) => troubles.push((path, error)),
            }
        }
        arenas.sort_by_key(|arena| arena.identity.started_monotonic_ns);
        (arenas, troubles)
    }

    /// The processes that made a file and could not begin to record.
    pub fn unrecorded(&self) -> u64 {
        let files = self.files().into_iter();
        files.filter(|path| ArenaFile::open(path).is_err()).count() as u64
    }

    /// Programs that ran without the recorder because they could not have carried it, and why;
    /// each once, in the order of their paths.
    pub fn unrecorded_programs(&self) -> BTreeSet<(PathBuf, Obstacle)> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let read = |path: PathBuf| {
            if !path
                .as_os_str()
                .as_bytes()
                .ends_with(UNRECORDED_SUFFIX.as_bytes())
            {
                return None;
            }
            let mut bytes = Vec::new();
            let file = plain_file::open(&path, fs::File::options().read(true)).ok()?;
            file.take(MOST_PATH_BYTES).read_to_end(&mut bytes).ok()?;
            let (letter, program) = bytes.split_first()?;
            let obstacle = match *letter {
                residue_arena::UNRECORDED_OLD_MUSL => Obstacle::OldMusl,
                residue_arena::UNRECORDED_ADDRESS_SANITIZER => Obstacle::AddressSanitizer,
                residue_arena::UNRECORDED_THREAD_SANITIZER => Obstacle::ThreadSanitizer,
                residue_arena::UNRECORDED_STATIC => Obstacle::Static,
                residue_arena::UNRECORDED_SET_USER => Obstacle::SetUser,
                residue_arena::UNRECORDED_CLEARED => Obstacle::ClearedEnvironment,
                _ => Obstacle::OtherMachine,
            };
            Some((PathBuf::from(OsStr::from_bytes(program)), obstacle))
        };
        entries.filter_map(|entry| read(entry.path())).collect()
    }

    pub fn free_bytes(&self) -> Option<u64> {
        free_bytes(&self.path)
    }

    /// The processes that have an arena of this directory mapped, as text. A forked
    /// child that has not allocated yet still has its parent's.
    pub fn users(&self) -> Vec<String> {
        let mut users = users::users_of(&self.path);
        let is_held = |file: &PathBuf| ArenaFile::open(file).is_ok() && users::is_locked(file);
        if users.is_empty() && self.files().iter().any(is_held) {
            users.push("a process that cannot be seen".to_string());
        }
        users
    }

    /// What runs that were killed left behind and nobody was told of yet: their directories. From
    /// now on somebody was.
    pub fn untold() -> Vec<ArenaDirectory> {
        let mut left = ArenaDirectory::find_all();
        left.retain(|directory| {
            let told = directory.path.join(TOLD_FILE);
            let has_recordings = || !directory.files().is_empty();
            let is_news = !told.exists() && !directory.is_owned() && has_recordings();
            is_news && fs::write(told, "").is_ok()
        });
        left
    }

    /// Deletes the directory, if all that was in it is finished and no process is
    /// about to record into it.
    pub fn remove(self) {
        if !self.users().is_empty() {
            return;
        }
        for file in self.files() {
            if matches!(ArenaFile::open(&file), Err(Error::NotAnArena { .. })) {
                let _ = fs::remove_file(file);
            }
        }
        let is_empty = self.files().is_empty() && ended::finished_in(&self.path).is_empty();
        if is_empty && self.is_of_a_run() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

impl Arena {
    pub fn open(path: PathBuf) -> Result<Arena> {
        let identity = ArenaFile::open(&path)?.identity()?;
        Ok(Arena {
            path,
            identity,
            is_finished: false,
        })
    }

    pub fn delete(&self) {
        match self.is_finished {
            true => ended::delete_finished(&self.path),
            false => {
                // A kill may have come between the writing of the one and the deletion of
                // the other.
                ended::delete_finished(&ended::finished_path(&self.path));
                self.delete_arena();
            }
        }
    }

    /// Only what the recorder wrote and what was seen from outside.
    pub fn delete_arena(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(residue_finish::outside::path_for(&self.path));
        let _ = fs::remove_file(residue_finish::pictures::path_for(&self.path));
        let _ = fs::remove_file(residue_finish::pictures::answer_path_for(&self.path));
    }

    /// Whether its maker still writes it, in this image.
    pub fn is_in_use(&self) -> bool {
        !self.is_finished && users::is_written(&self.path, self.identity.pid)
    }

    /// As above, but one that has just been killed may take its time to go.
    pub fn stays_in_use(&self) -> bool {
        const LONGEST_END: Duration = Duration::from_secs(10);
        const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
        let began = Instant::now();
        while self.is_in_use() {
            if !users::is_ending(self.identity.pid) || began.elapsed() > LONGEST_END {
                // Its end may have come between the two looks.
                return self.is_in_use();
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        false
    }
}

/// Whether there is nothing to read, in whatever state the machine is.
fn was_never_begun(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NotAnArena { .. }))
}

fn free_bytes(path: &Path) -> Option<u64> {
    let status = nix::sys::statvfs::statvfs(path).ok()?;
    Some(status.blocks_available() as u64 * status.fragment_size() as u64)
}
