//! From an arena to a profile: the arena of a program that ended, was killed, or
//! still runs.
//!
//! ```text
//!              ┌► trie ──► ledger ─┬─► live blocks ──┐
//!   arena_file │                   ├─► threads ──────┤
//!   (bytes) ───┤                   ├─► paths ─► frames ──► put_together ─► symbolize
//!              │                   └─► timeline ─────┤     (Profile)      (names from
//!              └► modules, meta, recorder_stats, notes                     files)
//! ```
//!
//! Every stage is a function from what it reads to the tables it makes. Stacks get
//! their numbers in `ledger` and nodes theirs in `paths`; no stage changes them.
//!
//! Reading is `pread` of flat regions and nothing else, so a program that is
//! still writing is not disturbed, and a torn item costs that item only.
#![forbid(unsafe_code)]

#[cfg(test)]
mod arena_bytes;
mod arena_file;
mod births;
mod code_files;
mod event_search;
mod frames;
#[cfg(feature = "fuzz")]
pub mod from_memory;
mod jit;
mod ledger;
mod live;
mod meta;
pub mod modules;
mod notes;
pub mod outside;
mod paths;
mod perf_map;
pub mod pictures;
mod pins;
pub mod plain_file;
mod record;
mod recorder_stats;
mod symbolize;
mod symbols_report;
#[cfg(test)]
mod tests;
mod threads;
mod timeline;
mod trie;
mod unseen_allocators;

pub use arena_file::{ArenaFile, Error, Identity, Item, to_words};
pub use symbolize::{ModuleSymbols, Symbolized, symbolize};
pub use symbols_report::SymbolsReport;

use births::Births;
use ledger::Ledger;
use outside::Seen;
use paths::Paths;
use residue_arena::header;
use residue_profile::{
    Counters, End, MemoryKind, Meta, Profile, Ragged, SizeBin, Stack, Thread, Totals,
};
use residue_symbols::Search;
use serde::{Deserialize, Serialize};
use std::path::Path;
use timeline::LastMoment;
use timeline::line_events::LineEvents;

/// What only the outside knows about the program's end.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    pub end: End,
    /// Nanoseconds since 1970; the file's last change is used where it is not known.
    pub ended_unix_ns: Option<u64>,
    pub max_rss_bytes: Option<u64>,
    pub asked: Asked,
}

/// What was to begin events, as the user wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Patterns of functions.
    pub event_functions: Vec<String>,
    /// The pattern of lines of output.
    pub event_line: Option<String>,
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
    let mut profile = put_together(&arena, outside::read(path), ending, progress)?;
    symbolize(&mut profile, search, &|done, of| {
        progress(Step::Symbols, done, of)
    });
    unseen_allocators::note(&mut profile);
    Ok(profile)
}

/// The profile as far as the arena and what was seen from outside know it.
fn put_together(
    arena: &ArenaFile,
    seen: Vec<Seen>,
    ending: &Ending,
    progress: Progress<'_>,
) -> Result<Profile, Error> {
    let trie = trie::read(arena)?;
    let (ledger, by_state) = ledger::read(arena, &trie, progress)?;
    let births = Births::of(arena, LineEvents::of(arena, &seen));
    let live = live::read(arena, &ledger, &births, progress)?;
    let picture = pictures::read(arena.path(), &ledger.ids, &births);
    let threads = threads::read(arena, by_state, ledger.rows.len())?;
    let ends = ledger.rows.iter();
    let ends = ends.flat_map(|row| [row.node, row.late.freed_at]);
    let paths = Paths::to(ends, &trie);
    let stacks = stacks(&ledger, &paths);
    let heap = totals(arena, &stacks, MemoryKind::Heap, header::PEAK_BYTES);
    let mappings = totals(
        arena,
        &stacks,
        MemoryKind::Mapping,
        header::MAPPED_PEAK_BYTES,
    );
    let meta = meta::read(arena, ending)?;
    let last = LastMoment {
        time_ns: meta.duration_ns,
        live_bytes: heap.live_bytes,
        mapped_bytes: mappings.live_bytes,
        calls: heap.calls,
        total_bytes: heap.total_bytes,
    };
    let mut timeline = timeline::read(arena, seen, &ledger, &paths, &last)?;
    let modules = modules::read(arena)?;
    let frames = frames::read(arena, &paths.frame_keys, &modules, &timeline.names)?;
    timeline.about.search = event_search::read(arena, &ending.asked, &frames);
    let sampled_ns = Counters::sum(&stacks, MemoryKind::Cpu).cpu_ns;
    let unsampled = notes::unsampled(arena, &threads.threads, sampled_ns);
    let notes = threads.note.iter().cloned().chain(frames.notes);
    let notes = notes.chain(unsampled);
    Ok(Profile {
        meta: Meta {
            process_name: match title(arena)? {
                title if !title.is_empty() => title,
                _ => process_name(&meta, &threads.threads),
            },
            notes: notes.chain(notes::of(arena)).collect(),
            ..meta
        },
        heap,
        mappings,
        recorder: recorder_stats::read(arena, &trie, &ledger)?,
        modules: modules.into_iter().map(|loaded| loaded.module).collect(),
        functions: frames.functions,
        files: Vec::new(),
        frames: frames.frames,
        without_table: frames.without_table,
        places: Ragged::default(),
        nodes: paths.nodes,
        stacks,
        sizes_total: sizes_total(ledger),
        sizes_live: live.sizes,
        births: live.births,
        threads: threads.threads,
        by_thread: threads.by_thread,
        timeline,
        has_largest: true,
        picture,
    })
}

/// What the program wrote over its arguments; empty where it did not.
fn title(arena: &ArenaFile) -> Result<String, Error> {
    let text = arena.text_bytes(arena.word(header::TITLE))?;
    let first = text.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(first).trim().to_string())
}

/// What the first thread is called, which is the name of the process, where the program
/// chose it: the kernel calls it by the first characters of the executable's name.
fn process_name(meta: &Meta, threads: &[Thread]) -> String {
    let first = threads.iter().find(|thread| thread.tid == meta.pid);
    let name = first.map(|thread| thread.name.as_str()).unwrap_or_default();
    let called = meta.command.first().map(|path| path.rsplit('/').next());
    let given = [Some(meta.program.as_str()), called.flatten()];
    match given.into_iter().flatten().any(|it| it.starts_with(name)) {
        true => String::new(),
        false => name.to_string(),
    }
}

fn stacks(ledger: &Ledger, paths: &Paths) -> Vec<Stack> {
    let stack = |row: &record::StackTotals| Stack {
        node: paths.number(row.node),
        kind: row.kind,
        counters: row.counters,
    };
    ledger.rows.iter().map(stack).collect()
}

fn sizes_total(ledger: Ledger) -> Ragged<SizeBin> {
    let mut sizes = Ragged::default();
    for row in ledger.rows {
        sizes.push_row(row.sizes);
    }
    sizes
}

/// With several threads the heap's peak was seen in steps; it was never below what is
/// live now, nor below its own composition.
fn totals(arena: &ArenaFile, stacks: &[Stack], kind: MemoryKind, peak: header::Word) -> Totals {
    let sum = Totals::of(stacks, kind);
    let peak_bytes = arena.word(peak).max(sum.live_bytes).max(sum.peak_bytes);
    Totals { peak_bytes, ..sum }
}
