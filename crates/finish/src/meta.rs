//! Who was recorded, how, and how it ended.

use crate::Ending;
use crate::arena_file::{ArenaFile, Error};
use crate::births;
use residue_arena::header;
use residue_arena::own_names::FAMILIES;
use residue_profile::{End, Meta, Options};

pub fn read(arena: &ArenaFile, ending: &Ending) -> Result<Meta, Error> {
    let identity = arena.identity()?;
    let started = arena.word(header::STARTED_UNIX_NS);
    let (recorded_from, recorded_to) = recorded_events(arena);
    let ended = ending
        .ended_unix_ns
        .unwrap_or_else(|| arena.modified_unix_ns());
    Ok(Meta {
        residue_version: env!("CARGO_PKG_VERSION").to_string(),
        program: identity.program(),
        executable: identity.executable,
        command: identity.command,
        pid: identity.pid,
        parent_pid: arena.word(header::PARENT_PID) as u32,
        started_unix_ns: started,
        duration_ns: ended.saturating_sub(started),
        end: end(arena, ending),
        allocator: allocator(arena)?,
        page_bytes: residue_arena::PAGE_BYTES,
        max_rss_bytes: ending.max_rss_bytes,
        options: Options {
            min_size_bytes: arena.word(header::MIN_SIZE),
            max_size_bytes: arena.word(header::MAX_SIZE),
            max_depth: arena.word(header::MAX_DEPTH) as u32,
            start_paused: arena.word(header::START_PAUSED) != 0,
            recorded_from_event: recorded_from,
            recorded_to_event: recorded_to,
            verify_every: arena.word(header::VERIFY_EVERY),
            cpu_period_ns: arena.word(header::CPU_PERIOD_NS),
            without_heap: arena.word(header::WITHOUT_HEAP) != 0,
        },
        birth_unit: births::unit(arena).to_string(),
        ..Meta::default()
    })
}

/// The first event that was recorded and the first that was not any more; zero for the start and
/// the end of the program. The two are equal where recording never began.
fn recorded_events(arena: &ArenaFile) -> (u64, u64) {
    let [from, to] = [header::RECORDED_FROM, header::RECORDED_TO].map(|word| arena.word(word));
    let is_paused = arena.word(header::PAUSED) & !header::ASKS_FOR_PICTURE != 0;
    let has_begun = arena.word(header::START_PAUSED) == 0 || from != 0 || to != 0;
    match (is_paused, has_begun) {
        (false, _) => (from, 0),
        (true, true) => (from, to),
        (true, false) => {
            let never = arena.word(header::RECORD_FROM).max(1);
            (never, never)
        }
    }
}

/// How it ended: as `residue` saw it, or else as the process said itself.
fn end(arena: &ArenaFile, ending: &Ending) -> End {
    match (&ending.end, arena.word(header::EXIT_STATUS)) {
        (End::Unknown, said @ 1..=256) => End::Exited {
            code: said as i32 - 1,
        },
        (seen, _) => seen.clone(),
    }
}

/// File name of the library or executable that answers `malloc`, and the allocators beside it
/// that were called by their own names.
fn allocator(arena: &ArenaFile) -> Result<String, Error> {
    let path = arena.text(arena.word(header::ALLOCATOR))?;
    let file = path.rsplit('/').next().unwrap_or_default().to_string();
    let notes = arena.word(header::NOTES);
    let recorded = (0..).zip(&FAMILIES);
    let recorded = recorded.filter(|&(family, _)| notes & header::records_own_names(family) != 0);
    let names = recorded.map(|(_, family)| family.allocator.to_string());
    Ok([file]
        .into_iter()
        .chain(names)
        .collect::<Vec<_>>()
        .join(", "))
}
