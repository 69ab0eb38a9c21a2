//! From an arena to a profile: the arena of a program that ended, was killed, or
//! still runs.
//!
//! ```text
//!   arena_file ──► tree ──► stacks ──► live ──► timeline ──► names ──► jit ──► Profile
//!   (bytes)       (paths)  (counters, (births) (events)    (symbols)  (of generated
//!                           threads)                                   code)
//! ```
//!
//! Reading is `pread` of flat regions and nothing else, so a program that is
//! still writing is not disturbed, and a torn item costs that item only.
#![forbid(unsafe_code)]

mod arena_file;
mod births;
mod code_files;
mod jit;
mod live;
mod names;
pub mod outside;
mod perf_map;
mod stacks;
mod symbolize;
mod threads;
mod timeline;
mod tree;

pub use arena_file::{ArenaFile, Error, Identity};
pub use symbolize::{ModuleSymbols, Symbolized, symbolize};

use residue_arena::{header, tables};
use residue_profile::{End, Kind, Meta, Options, Profile, RecorderStats, StackKind, Totals};
use residue_symbols::Search;
use std::path::Path;

/// What only the outside knows about the program's end.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    pub end: End,
    /// Nanoseconds since 1970; the file's last change is used where it is not known.
    pub ended_unix_ns: Option<u64>,
    pub max_rss_bytes: Option<u64>,
}

/// What finishing is busy with, for progress bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Stacks,
    LiveBlocks,
    Symbols,
}

/// Told how far a step is: (step, done, of).
pub type Progress<'a> = &'a (dyn Fn(Step, u64, u64) + Sync);

/// Reads the arena at `path` into a profile, with names from where `search` says.
pub fn finish(
    path: &Path,
    ending: &Ending,
    search: &Search,
    progress: Progress<'_>,
) -> Result<Profile, Error> {
    let arena = ArenaFile::open(path)?;
    let tree = tree::read(&arena)?;
    let mut ledger = stacks::read(&arena, &tree, progress)?;
    let live = live::read(&arena, &ledger, progress)?;
    let mut profile = Profile {
        meta: meta(&arena, ending)?,
        ..Profile::default()
    };
    let births = births::Births::of(&arena);
    live.fill(&mut profile, &mut ledger, &births);
    threads::fill(&mut profile, &arena, &mut ledger)?;
    timeline::fill(&mut profile, &arena, &ledger, &tree)?;
    profile.timeline.about.birth_bin_events = births.bin_events();
    let nodes_of_stacks: Vec<u32> = profile.stacks.iter().map(|stack| stack.node).collect();
    names::fill(&mut profile, &arena, &tree, search, progress)?;
    jit::name_frames(&mut profile, &arena, &tree, &nodes_of_stacks)?;
    fill_totals(&mut profile, &arena);
    profile.recorder = recorder_stats(&arena, &profile)?;
    note_losses(&mut profile, &arena);
    Ok(profile)
}

fn meta(arena: &ArenaFile, ending: &Ending) -> Result<Meta, Error> {
    let identity = arena.identity()?;
    let started = arena.word(header::STARTED_UNIX_NS);
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
        end: ending.end.clone(),
        allocator: allocator(arena)?,
        page_bytes: residue_arena::PAGE_BYTES,
        max_rss_bytes: ending.max_rss_bytes,
        options: Options {
            min_size_bytes: arena.word(header::MIN_SIZE),
            max_size_bytes: arena.word(header::MAX_SIZE),
            max_depth: arena.word(header::MAX_DEPTH) as u32,
            start_paused: arena.word(header::START_PAUSED) != 0,
            verify_every: arena.word(header::VERIFY_EVERY),
        },
        birth_unit: births::unit(arena).to_string(),
        ..Meta::default()
    })
}

/// File name of the library that answers `malloc`.
fn allocator(arena: &ArenaFile) -> Result<String, Error> {
    let path = arena.text(arena.word(header::ALLOCATOR))?;
    Ok(path.rsplit('/').next().unwrap_or_default().to_string())
}

fn fill_totals(profile: &mut Profile, arena: &ArenaFile) {
    // With several threads the heap's peak was seen in steps; it was never below
    // what is live now, nor below its own composition.
    let totals = |kind: Kind, peak: header::Word| {
        let sum = Totals::of(&profile.stacks, kind);
        let peak_bytes = arena.word(peak).max(sum.live_bytes).max(sum.peak_bytes);
        Totals { peak_bytes, ..sum }
    };
    let heap = totals(Kind::Heap, header::PEAK_BYTES);
    let mappings = totals(Kind::Mapping, header::MAPPED_PEAK_BYTES);
    profile.heap = heap;
    profile.mappings = mappings;
}

fn recorder_stats(arena: &ArenaFile, profile: &Profile) -> Result<RecorderStats, Error> {
    use tables::thread as stat;
    let threads = arena.thread_records()?;
    let sum = |word: usize| {
        threads
            .iter()
            .fold(0_u64, |sum, record| sum.wrapping_add(record[word]))
    };
    let unresolved = profile
        .frames
        .iter()
        .filter(|frame| frame.function == residue_profile::NONE)
        .count();
    let captures = profile
        .stacks
        .iter()
        .filter(|stack| stack.kind != StackKind::Pooled)
        .map(|stack| stack.counters.calls)
        .sum();
    Ok(RecorderStats {
        arena_bytes: arena.committed_bytes(),
        private_bytes: arena.word(header::PRIVATE_BYTES),
        time_ns: recorder_time_ns(arena, &threads),
        threads: arena.word(header::THREADS),
        captures,
        stacks_unwound: sum(stat::UNWOUND_STACKS),
        frames_unwound: sum(stat::FRAMES_UNWOUND),
        rule_misses: sum(stat::RULE_MISSES),
        rules: arena.word(header::RULES),
        trie_nodes: arena.used(residue_arena::region::Region::Nodes),
        cut_stacks: sum(stat::CUT_STACKS),
        dropped: sum(stat::DROPPED),
        dropped_bytes: sum(stat::DROPPED_BYTES),
        unknown_frees: sum(stat::UNKNOWN_FREES),
        missed_frees: sum(stat::MISSED_FREES),
        paused_calls: sum(stat::PAUSED_CALLS),
        verified_stacks: sum(stat::VERIFIED),
        verify_differences: sum(stat::DIFFERENCES),
        frames_unresolved: unresolved as u64,
    })
}

/// Scales the timed calls up to all calls, and ticks to nanoseconds by the two
/// moments at which the recorder read clock and counter together.
fn recorder_time_ns(arena: &ArenaFile, threads: &[[u64; tables::thread::WORDS]]) -> u64 {
    use tables::thread as stat;
    let between = |later: header::Word, start: header::Word| {
        arena.word(later).saturating_sub(arena.word(start)) as f64
    };
    let ticks = between(header::LATER_TICKS, header::STARTED_TICKS);
    let nanoseconds = between(header::LATER_MONOTONIC_NS, header::STARTED_MONOTONIC_NS);
    if ticks == 0.0 {
        return 0;
    }
    let spent_ticks: f64 = threads
        .iter()
        .filter(|record| record[stat::TIMED_CALLS] > 0)
        .map(|record| {
            let per_call = record[stat::TIMED_TICKS] as f64 / record[stat::TIMED_CALLS] as f64;
            per_call * record[stat::CALLS] as f64
        })
        .sum();
    (spent_ticks * nanoseconds / ticks) as u64
}

/// Says how it went with functions that were to begin events.
fn note_functions(notes: &mut Vec<String>, arena: &ArenaFile) {
    if arena.word(header::SOURCE) != header::SOURCE_FUNCTION {
        return;
    }
    let reasons = [
        (
            header::FUNCTIONS_REFUSED,
            "their first instructions cannot be moved",
        ),
        (
            header::FUNCTIONS_WITHOUT_ROOM,
            "there is no free memory near them for the code that notices their entries",
        ),
        (
            header::FUNCTIONS_FORBIDDEN,
            "the kernel does not let their code be changed",
        ),
        (
            header::FUNCTIONS_UNTOLD,
            "too many were found in modules that were loaded at once",
        ),
    ]
    .map(|(word, reason)| (arena.word(word), reason));
    let unwatched: u64 = reasons.iter().map(|(count, _)| count).sum();
    let all = arena.word(header::FUNCTIONS_WATCHED) + unwatched;
    // A forked child has the watched functions of its parent, and finds none itself.
    if all == 0 && arena.word(header::EVENTS) == 0 {
        notes.push("no function of the name asked for was found; there are no events".to_string());
    }
    for (count, reason) in reasons.into_iter().filter(|&(count, _)| count != 0) {
        notes.push(format!(
            "{count} of {all} functions that were to begin events could not be watched: {reason}"
        ));
    }
    let unread = arena.word(header::MODULES_UNREAD);
    if unread != 0 {
        notes.push(format!(
            "modules that could not be searched for functions that begin events, because the \
             files that the program has mapped cannot be read: {unread}"
        ));
    }
}

/// Puts in words what the reader of the numbers has to know.
fn note_losses(profile: &mut Profile, arena: &ArenaFile) {
    let bits = arena.word(header::NOTES);
    let notes = &mut profile.meta.notes;
    if bits & header::NOTE_MALLOC_IN_EXECUTABLE != 0 {
        notes.push(
            "the executable brings its own malloc; its calls cannot be seen by a preloaded recorder"
                .to_string(),
        );
    }
    if bits & header::NOTE_ARENA_FULL != 0 {
        notes.push(
            "the arena could not grow any further (its file system is full, or a limit was met); \
             what did not fit was counted as dropped"
                .to_string(),
        );
    }
    if bits & header::NOTE_LATER_MODULES_UNSEEN != 0 {
        notes.push(
            "libraries loaded while the program ran could not be searched for the function that \
             begins events"
                .to_string(),
        );
    }
    if let lost @ 1.. = arena.word(header::CHANGES_LOST) {
        notes.push(format!(
            "{lost} changes of stacks found no room in the log; they are part of later ones"
        ));
    }
    note_functions(notes, arena);
    if bits & header::NOTE_NO_LIBGCC != 0 {
        notes.push("stacks could not be verified: libgcc_s.so.1 was not found".to_string());
    }
}
