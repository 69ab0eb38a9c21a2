//! What was to begin events, and what was found of it.

use crate::Asked;
use crate::arena_file::ArenaFile;
use crate::frames::Frames;
use residue_arena::header;
use residue_profile::timeline::EventSearch;
use residue_profile::{FunctionId, NONE};
use std::collections::BTreeSet;

/// Functions that were found but whose entries are not noticed, by reason.
pub const UNHOOKED: [(header::Word, &str); 4] = [
    (
        header::FUNCTIONS_REFUSED,
        "their first instructions cannot be moved",
    ),
    (
        header::FUNCTIONS_WITHOUT_ROOM,
        "no free memory near them for the hook",
    ),
    (
        header::FUNCTIONS_FORBIDDEN,
        "the kernel does not allow changes to their code",
    ),
    (
        header::FUNCTIONS_UNTOLD,
        "too many matched in modules that were loaded at once",
    ),
];

pub fn read(arena: &ArenaFile, asked: &Asked, frames: &Frames) -> EventSearch {
    let hooked = arena.word(header::FUNCTIONS_WATCHED);
    let was_searched = arena.word(header::MODULES_ANSWERED) != 0;
    EventSearch {
        functions: asked.event_functions.clone(),
        line: asked.event_line.clone(),
        functions_matched: was_searched.then(|| matched(arena)),
        functions_hooked: hooked,
        jit_functions_matched: jit_functions_matched(asked, frames),
    }
}

/// Functions that the patterns fit, hooked or not.
pub fn matched(arena: &ArenaFile) -> u64 {
    let unhooked = UNHOOKED.iter().map(|&(word, _)| arena.word(word));
    unhooked.fold(arena.word(header::FUNCTIONS_WATCHED), u64::saturating_add)
}

/// Of the functions that allocated.
fn jit_functions_matched(asked: &Asked, frames: &Frames) -> u64 {
    let outside = frames.frames.iter().filter(|frame| frame.module == NONE);
    let functions: BTreeSet<FunctionId> = outside.map(|frame| frame.function).collect();
    let names = functions
        .iter()
        .filter_map(|&function| frames.functions.get(function as usize));
    let is_meant = |name: &&String| {
        let mut patterns = asked.event_functions.iter();
        patterns.any(|pattern| residue_symbols::fits(pattern, name))
    };
    names.filter(is_meant).count() as u64
}
