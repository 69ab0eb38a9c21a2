//! What the recorder could not do, in words.

use crate::arena_file::ArenaFile;
use crate::event_search::{self, UNHOOKED};
use residue_arena::header;
use residue_profile::Thread;
use residue_profile::units::{bytes, count, counted, duration};

/// Puts in words what the reader of the numbers has to know.
pub fn of(arena: &ArenaFile) -> Vec<String> {
    let bits = arena.word(header::NOTES);
    let mut notes = Vec::new();
    if bits & header::NOTE_MALLOC_IN_EXECUTABLE != 0 {
        notes.push(format!(
            "the program is linked with its own malloc, whose allocations are not recorded: {}",
            reason_without_detour(header::reason_without_detour(bits))
        ));
    }
    if bits & header::NOTE_ARENA_FULL != 0 {
        notes.push(
            "the recorder ran out of memory (its file system is full, or a limit was reached): \
             later allocations are counted as dropped"
                .to_string(),
        );
    }
    if bits & header::NOTE_BARE_CLONES_UNSEEN != 0 {
        notes.push(
            "this kernel is older than 4.14: a child made by the clone system call itself, not by fork, \
             vfork or posix_spawn, is taken for its parent, and the counts of both are not exact"
                .to_string(),
        );
    }
    if let missing @ 1.. = arena.missing_bytes() {
        notes.push(format!(
            "the recording was cut short: {} of it are missing, so that sums are too low",
            bytes(missing)
        ));
    }
    if bits & header::NOTE_LATER_MODULES_UNSEEN != 0 {
        notes.push(
            "--event-function: libraries loaded while the program ran were not searched \
             (`_dl_debug_state` could not be hooked, or residue had ended)"
                .to_string(),
        );
    }
    if let number @ 1.. = arena.word(header::NOT_RECORDED) {
        notes.push(format!(
            "{} not recorded: the process had changed its user or root directory, or there was \
             no room for a recording",
            counted(
                number,
                "forked child or executed program",
                "forked children or executed programs"
            )
        ));
    }
    if let lost @ 1.. = arena.word(header::MOMENTS_LOST) {
        notes.push(format!(
            "no room to write down {} (ticks, lines or snapshots): they are missing from the \
             timeline",
            counted(lost, "moment", "moments")
        ));
    }
    if let lost @ 1.. = arena.word(header::CHANGES_LOST) {
        notes.push(format!(
            "the change log was full: {} of a stack counted in a later event",
            counted(lost, "change", "changes")
        ));
    }
    if let lost @ 1.. = arena.word(header::SIZES_LOST) {
        notes.push(format!(
            "the recorder ran out of memory: {} missing from the sizes; the largest block of a \
             stack may be too small, and its temporaries too few",
            counted(lost, "allocation", "allocations")
        ));
    }
    note_functions(&mut notes, arena);
    note_cpu(&mut notes, arena);
    if bits & header::NOTE_NO_LIBGCC != 0 {
        notes.push("--verify-stacks: libgcc_s.so.1 not found, nothing was verified".to_string());
    }
    notes
}

/// CPU time that has no samples, by the threads' clocks, if it is more than chance. Of each thread
/// less than a period is missing, or there is a reason.
pub fn unsampled(arena: &ArenaFile, threads: &[Thread], sampled_ns: u64) -> Option<String> {
    let period_ns = arena.word(header::CPU_PERIOD_NS);
    if arena.word(header::CPU_SIGNAL) == 0 {
        return None;
    }
    let used_ns = threads
        .iter()
        .fold(0_u64, |sum, thread| sum.saturating_add(thread.cpu_ns));
    let by_chance_ns = period_ns.saturating_mul(2 + threads.len() as u64);
    let missing_ns = used_ns.saturating_sub(sampled_ns);
    (missing_ns > by_chance_ns.max(used_ns / 20)).then(|| {
        format!(
            "--cpu: {} of {} of CPU time were not sampled: threads kept signal {} blocked, or the \
             program took it for itself",
            duration(missing_ns),
            duration(used_ns),
            arena.word(header::CPU_SIGNAL)
        )
    })
}

fn note_cpu(notes: &mut Vec<String>, arena: &ArenaFile) {
    if arena.word(header::NOTES) & header::NOTE_CPU_ENDED != 0 {
        notes.push(
            "--cpu: samples ended early, or there are none: the program's filter of system calls \
             does not let a signal handler return, or the program uses the signal itself"
                .to_string(),
        );
    }
    if let number @ 1.. = arena.word(header::THREADS_WITHOUT_TIMER) {
        notes.push(format!(
            "--cpu: {} not sampled: the kernel gave no timer (`ulimit -i` is the limit)",
            counted(number, "thread was", "threads were")
        ));
    }
    if let lost @ 1.. = arena.word(header::CPU_LOST_NS) {
        notes.push(format!(
            "--cpu: samples of {} of CPU time had no room in the recording",
            duration(lost)
        ));
    }
}

/// Why the functions of an allocator could have no detour, from the recorder's number.
fn reason_without_detour(number: u64) -> &'static str {
    match number {
        7 | 8 => "no free memory near its functions for the hooks",
        9 => "the kernel does not allow changes to its code",
        12 => "a debugger has a breakpoint at one of its functions",
        13 => "it is a sanitizer's, whose reports depend on who calls its functions",
        _ => "the first instructions of one of its functions cannot be moved",
    }
}

/// Says how it went with functions that were to begin events. That none matched is told
/// where events are asked for.
fn note_functions(notes: &mut Vec<String>, arena: &ArenaFile) {
    if arena.word(header::SOURCE) != header::SOURCE_FUNCTION {
        return;
    }
    let reasons = UNHOOKED.map(|(word, reason)| (arena.word(word), reason));
    let matched = counted(
        event_search::matched(arena),
        "matching function",
        "matching functions",
    );
    for (number, reason) in reasons.into_iter().filter(|&(number, _)| number != 0) {
        let number = count(number);
        notes.push(format!(
            "--event-function: {number} of {matched} not hooked: {reason}"
        ));
    }
    let unread = arena.word(header::MODULES_UNREAD);
    if unread != 0 {
        notes.push(format!(
            "--event-function: {} not searched: cannot read the mapped files",
            counted(unread, "module", "modules")
        ));
    }
}
