//! Arenas of processes that ended become profiles while the run goes on: a build starts
//! thousands of processes, and arenas lie in memory. A profile takes a hundredth of it.
//!
//! Short runs are left alone. What is finished lies beside the arenas, in `finished/`, until the
//! run has ended: only then is it known which process is worth looking at, and so what the files
//! are called. An arena goes when its profile and its identity are both written.

use crate::arenas::{Arena, ArenaDirectory, LEAST_FREE_BYTES};
use crate::finishing::{self, LateBar};
use crate::repeated::Repeated;
use crate::threads;
use anyhow::Result;
use residue_arena::{FILE_SUFFIX, header};
use residue_finish::{ArenaFile, Asked, Ending, Identity, plain_file};
use residue_profile::Profile;
use residue_symbols::Search;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Fewer arenas than this are finished at the end, if there is room enough.
const FEW_ARENAS: usize = 128;
/// While there is something to do; processes end all the time then.
const BUSY_PERIOD: Duration = Duration::from_millis(20);
/// Nothing tells of a file system that fills up, so it is looked at now and then: as rarely as it
/// could not have filled since, nor so many processes have ended, at this pace.
const LONGEST_PERIOD: Duration = Duration::from_millis(250);
const FASTEST_BYTES_PER_SECOND: f64 = (2_u64 << 30) as f64;
const MOST_STARTS_PER_SECOND: f64 = 500.0;
const FOLDER: &str = "finished";
const IDENTITY_SUFFIX: &str = "json";
/// Its command line is the longest part of it.
const MOST_IDENTITY_BYTES: u64 = 16 << 20;

/// Room for a profile where arenas have taken all: an arena can only go when it is written.
const RESERVE: &str = "reserve";
const RESERVE_BYTES: usize = 256 << 10;

/// Finishes processes as they end, from now on. The latest program of `first_pid` is left alone:
/// how it ends and what it took is known when the run is over.
pub fn start(
    directory: PathBuf,
    first_pid: u32,
    asked: Asked,
    search: Search,
) -> io::Result<Repeated> {
    let directory = ArenaDirectory::at(directory);
    Repeated::start("finishing", move |stop| {
        threads::work_alone();
        let spare_bytes = directory
            .free_bytes()
            .map(|free| free.saturating_sub(LEAST_FREE_BYTES));
        let period = period(spare_bytes, directory.files().len());
        if period > BUSY_PERIOD {
            return period;
        }
        keep_reserve(&directory);
        let files = directory.files().into_iter();
        let mut arenas: Vec<Arena> = files.filter_map(|path| Arena::open(path).ok()).collect();
        arenas.sort_by_key(|arena| arena.identity.started_monotonic_ns);
        let first = arenas
            .iter()
            .rposition(|arena| arena.identity.pid == first_pid);
        for (place, arena) in arenas.iter().enumerate() {
            if stop() {
                break;
            }
            let is_done = !arena.is_in_use() && !has_picture(&arena.path);
            if Some(place) != first && is_done {
                // What cannot be finished now is tried again at the end, and told then.
                let _ = finish(&directory, arena, &asked, &search);
            }
        }
        period
    })
}

/// Whether a picture of the process is still to be read, or to be written down.
fn has_picture(arena: &Path) -> bool {
    let Ok(arena) = ArenaFile::open(arena) else {
        return false;
    };
    match arena.word(header::PICTURE_STATE) {
        header::PICTURE_READY | header::PICTURE_TAKEN => true,
        header::PICTURE_OVER | header::PICTURE_NONE => {
            arena.word(header::PICTURES_WRITTEN) < arena.word(header::PICTURES)
        }
        _ => false,
    }
}

/// How long it takes, at least, until arenas are to be finished: with so much room to spare, if
/// that is known, and so many of them.
fn period(spare_bytes: Option<u64>, arenas: usize) -> Duration {
    let until_short = spare_bytes.map_or(f64::MAX, |bytes| bytes as f64 / FASTEST_BYTES_PER_SECOND);
    let until_many = FEW_ARENAS.saturating_sub(arenas) as f64 / MOST_STARTS_PER_SECOND;
    let seconds = until_short
        .min(until_many)
        .min(LONGEST_PERIOD.as_secs_f64());
    Duration::from_secs_f64(seconds).max(BUSY_PERIOD)
}

/// Only where as much again stays free: a program that starts while this fills the last room would
/// find none for its arena.
fn keep_reserve(directory: &ArenaDirectory) {
    let path = directory.path.join(RESERVE);
    let has_room = directory
        .free_bytes()
        .is_some_and(|free| free >= 2 * RESERVE_BYTES as u64);
    if has_room && !path.exists() && fs::write(&path, vec![1; RESERVE_BYTES]).is_err() {
        let _ = fs::remove_file(&path);
    }
}

fn finish(directory: &ArenaDirectory, arena: &Arena, asked: &Asked, search: &Search) -> Result<()> {
    let ending = Ending {
        asked: asked.clone(),
        ..Ending::default()
    };
    let profile = finishing::read(&arena.path, &ending, search, &LateBar::hidden())?;
    let written = write(&directory.path, arena, &profile).or_else(|_| {
        let _ = fs::remove_file(directory.path.join(RESERVE));
        write(&directory.path, arena, &profile)
    });
    if written.is_ok() {
        arena.delete_arena();
        keep_reserve(directory);
    }
    written
}

/// Writes the profile and the identity, or neither.
fn write(directory: &Path, arena: &Arena, profile: &Profile) -> Result<()> {
    fs::create_dir_all(directory.join(FOLDER))?;
    let output = finished_path(&arena.path);
    let identity = identity_path(&output);
    let written = residue_profile::write_to(&output, profile)
        .map_err(anyhow::Error::from)
        .and_then(|()| Ok(fs::write(&identity, serde_json::to_vec(&arena.identity)?)?));
    if written.is_err() {
        delete_finished(&output);
    }
    written
}

/// Where the profile of an arena lies when it is finished early.
pub fn finished_path(arena: &Path) -> PathBuf {
    let directory = arena.parent().unwrap_or(Path::new(""));
    directory
        .join(FOLDER)
        .join(arena.file_stem().unwrap_or_default())
}

/// The identity first: it says that the profile is whole.
pub fn delete_finished(profile: &Path) {
    let _ = fs::remove_file(identity_path(profile));
    let _ = fs::remove_file(profile);
}

/// Where the identity of a finished process lies.
fn identity_path(profile: &Path) -> PathBuf {
    let mut path = profile.as_os_str().to_owned();
    path.push(format!(".{IDENTITY_SUFFIX}"));
    PathBuf::from(path)
}

/// The processes that were finished in a directory of arenas.
pub fn finished_in(directory: &Path) -> Vec<Arena> {
    let entries = fs::read_dir(directory.join(FOLDER));
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let identities = paths.filter(|path| path.extension().is_some_and(|it| it == IDENTITY_SUFFIX));
    identities
        .filter_map(|path| finished(directory, &path))
        .collect()
}

fn finished(directory: &Path, identity: &Path) -> Option<Arena> {
    let profile = identity.with_extension("");
    let arena = Arena {
        identity: read_identity(identity)?,
        path: profile,
        is_finished: true,
    };
    // A kill may have come before the arena was deleted: then that is read.
    let mut unfinished = directory.join(arena.path.file_name()?).into_os_string();
    unfinished.push(FILE_SUFFIX);
    (!Path::new(&unfinished).exists()).then_some(arena)
}

fn read_identity(path: &Path) -> Option<Identity> {
    let mut bytes = Vec::new();
    let file = plain_file::open(path, fs::File::options().read(true)).ok()?;
    file.take(MOST_IDENTITY_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_with_room_is_looked_at_four_times_a_second() {
        assert_eq!(period(Some(8 << 30), 1), LONGEST_PERIOD);
        assert_eq!(period(None, 1), LONGEST_PERIOD);
    }

    #[test]
    fn where_room_or_processes_may_soon_be_many_it_is_looked_at_sooner() {
        assert_eq!(period(Some(200 << 20), 1).as_millis(), 97);
        assert_eq!(period(Some(8 << 30), FEW_ARENAS - 20).as_millis(), 40);
    }

    #[test]
    fn arenas_are_finished_where_they_are_many_or_room_is_short() {
        assert_eq!(period(Some(0), 1), BUSY_PERIOD);
        assert_eq!(period(Some(8 << 30), FEW_ARENAS), BUSY_PERIOD);
        assert_eq!(period(None, FEW_ARENAS + 1000), BUSY_PERIOD);
    }
}
