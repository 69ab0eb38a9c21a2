//! What the recorder could not do, in words.

use crate::arena_file::ArenaFile;
use residue_arena::header;

/// Puts in words what the reader of the numbers has to know.
pub fn of(arena: &ArenaFile) -> Vec<String> {
    let bits = arena.word(header::NOTES);
    let mut notes = Vec::new();
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
    note_functions(&mut notes, arena);
    if bits & header::NOTE_NO_LIBGCC != 0 {
        notes.push("stacks could not be verified: libgcc_s.so.1 was not found".to_string());
    }
    notes
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
