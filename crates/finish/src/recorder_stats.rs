//! What the recorder says about itself: its memory, its time, what it could not record.

use crate::arena_file::{ArenaFile, Error};
use crate::ledger::Ledger;
use crate::trie::Trie;
use residue_arena::header;
use residue_arena::tables::thread as stat;
use residue_profile::{RecorderStats, StackKind};

pub fn read(arena: &ArenaFile, trie: &Trie, ledger: &Ledger) -> Result<RecorderStats, Error> {
    let threads = arena.thread_records()?;
    let sum = |word: usize| {
        threads
            .iter()
            .fold(0_u64, |sum, record| sum.wrapping_add(record[word]))
    };
    // Who had no state counted for the process.
    let in_all = |word: usize, for_all: header::Word| sum(word).saturating_add(arena.word(for_all));
    let unknown_frees = in_all(stat::UNKNOWN_FREES, header::UNKNOWN_FREES);
    let is_forked = arena.word(header::IS_FORKED) != 0;
    let captures = ledger.rows.iter();
    let captures = captures.filter(|row| row.kind != StackKind::Pooled);
    Ok(RecorderStats {
        arena_bytes: arena.committed_bytes(),
        private_bytes: arena.word(header::PRIVATE_BYTES),
        time_ns: recorder_time_ns(arena, &threads),
        threads: arena.word(header::THREADS),
        captures: captures.fold(0, |sum, row| sum.saturating_add(row.counters.calls)),
        stacks_unwound: sum(stat::UNWOUND_STACKS),
        frames_unwound: sum(stat::FRAMES_UNWOUND),
        rule_misses: sum(stat::RULE_MISSES),
        rules: arena.word(header::RULES),
        trie_nodes: trie.count(),
        cut_stacks: sum(stat::CUT_STACKS),
        early_stacks: sum(stat::EARLY_STACKS),
        guessed_stacks: sum(stat::GUESSED_STACKS),
        dropped: in_all(stat::DROPPED, header::DROPPED),
        dropped_bytes: in_all(stat::DROPPED_BYTES, header::DROPPED_BYTES),
        dropped_frees: in_all(stat::DROPPED_FREES, header::DROPPED_FREES),
        // What a forked child does not know, its parent made.
        unknown_frees: if is_forked { 0 } else { unknown_frees },
        inherited_frees: if is_forked { unknown_frees } else { 0 },
        missed_frees: sum(stat::MISSED_FREES),
        paused_calls: sum(stat::PAUSED_CALLS),
        verified_stacks: sum(stat::VERIFIED),
        verify_differences: sum(stat::DIFFERENCES),
        // Known when names were looked up.
        frames_unresolved: 0,
    })
}

/// Scales the timed calls up to all calls, and ticks to nanoseconds by the two
/// moments at which the recorder read clock and counter together.
fn recorder_time_ns(arena: &ArenaFile, threads: &[[u64; stat::WORDS]]) -> u64 {
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
