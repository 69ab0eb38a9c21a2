//! Reading a program while it runs, without stopping it.

use crate::{arenas, finishing};
use anyhow::Result;
use residue_finish::Ending;
use residue_profile::{End, Profile};
use residue_symbols::{Cache, Search};

/// The profile of a running program, as of now.
pub fn profile_of(pid: u32) -> Result<Profile> {
    let arena = arenas::of_process(pid)?;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map(|since| since.as_nanos() as u64)
        .ok();
    let ending = Ending {
        end: End::Running,
        ended_unix_ns: now,
        max_rss_bytes: None,
    };
    let search = Search {
        cache: Cache::of_user(),
        ..Search::default()
    };
    finishing::read(&arena, &ending, &search)
}
