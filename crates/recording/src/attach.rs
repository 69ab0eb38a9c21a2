//! Reaching a program while it runs, without stopping it.

use crate::arenas::ArenaDirectory;
use crate::as_owner::AsOwner;
use crate::ending::now_unix_ns;
use crate::finishing::{self, LateBar};
use crate::sighting::Process;
use crate::threads;
use crate::users;
use anyhow::{Context, Result, bail};
use residue_finish::{ArenaFile, Asked, Ending, Error};
use residue_profile::{End, Profile};
use residue_symbols::{Cache, Search};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// The process, if it is one that is recorded; `command` is what the user typed to reach it.
pub fn process_of(pid: u32, command: &str) -> Result<Process> {
    let maps = format!("/proc/{pid}/maps");
    if let Err(error) = File::open(&maps) {
        match error.kind() {
            ErrorKind::NotFound => bail!("no process {pid}"),
            _ => {
                return Err(error).with_context(|| format!("cannot look at process {pid}: {maps}"));
            }
        }
    }
    let arena = users::of_process(pid)?;
    let process = Process::open(&arena).with_context(|| {
        format!(
            "process {pid}: recording has not started yet: {}",
            arena.display()
        )
    })?;
    // The command that records has the arena in sight, too, and so has a forked child
    // until it allocates.
    if let Some(recorded) = process.pid().filter(|&recorded| recorded != pid) {
        bail!(
            "process {pid} is not recorded, but process {recorded} of the same run is: try \
             `residue {command} {recorded}`"
        );
    }
    Ok(process)
}

/// The profile of a running program, as of now.
pub fn profile_of(pid: u32) -> Result<Profile> {
    let owner = AsOwner::of_process(pid)?;
    let arena = users::of_process(pid)?;
    wait_until_recorded(&arena);
    let ending = Ending {
        end: End::Running,
        ended_unix_ns: now_unix_ns(),
        max_rss_bytes: None,
        asked: asked(&arena),
    };
    let search = Search {
        // Out of reach for another user.
        cache: Cache::of_user().filter(|_| !owner.is_another()),
        ..Search::default()
    };
    // By threads that begin with this one's rights: those of a pool of before have more.
    let read = || finishing::read(&arena, &ending, &search, &LateBar::start());
    let mut profile = threads::spread(read)?;
    // It is for showing, and the program may have written anything.
    profile.make_harmless();
    Ok(profile)
}

/// A program that has just started may have mapped its arena and not yet written what it is. That takes
/// it microseconds, unless it is not given the processor; what is still wrong later is told by
/// whoever reads it.
fn wait_until_recorded(arena: &Path) {
    const TRIES: u32 = 40;
    const PAUSE: Duration = Duration::from_millis(50);
    let is_begun = || !matches!(ArenaFile::open(arena), Err(Error::NotAnArena { .. }));
    for _ in 0..TRIES {
        if is_begun() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// What the run that records the program asked for.
fn asked(arena: &Path) -> Asked {
    let directory = arena
        .parent()
        .map(|path| ArenaDirectory::at(path.to_path_buf()));
    let owner = directory.and_then(|directory| directory.owner());
    owner.map(|owner| owner.order.asked).unwrap_or_default()
}
