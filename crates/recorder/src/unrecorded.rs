//! Programs that this one starts and that will not be recorded: they are counted, or a file in
//! the directory of arenas tells of them.

use crate::config;
use crate::hot;
use crate::program_file::{ProgramPath, Refusal};
use crate::setup::{Digits, base_name, config};
use crate::sys;
use core::sync::atomic::Ordering;
use residue_arena::header;

/// The recorder's own variable, up to its value.
pub const CONFIG_PREFIX: &[u8] = b"RESIDUE_CONFIG=";

/// Whether this is the process that `residue run` started.
pub fn is_first_process() -> bool {
    config().number("root") == Some(u64::from(sys::parent_pid()))
}

pub fn records_children() -> bool {
    config().number("children") != Some(0)
}

/// Leaves word of a program that is started without the recorder, if it was to be recorded:
/// `<directory>/<pid>.<nanoseconds>.unrecorded`, a letter and the program's path.
#[cold]
#[inline(never)]
pub fn note_unrecorded(refusal: Refusal, program: &[u8], is_child: bool) {
    let config = config();
    let pattern = config.text("match").unwrap_or(&[]);
    let is_wanted = pattern.is_empty() || config::matches(pattern, base_name(program));
    if !is_wanted || (is_child && !records_children()) {
        return;
    }
    let Some(directory) = config.text("dir") else {
        return;
    };
    let (mut pid, mut time) = (Digits::default(), Digits::default());
    let path = ProgramPath::joined(&[
        directory,
        b"/",
        pid.of(u64::from(sys::pid())),
        b".",
        time.of(sys::clock_ns(sys::CLOCK_MONOTONIC)),
        residue_arena::UNRECORDED_SUFFIX.as_bytes(),
    ]);
    let Some(path) = path else {
        return;
    };
    let flags = sys::O_WRONLY | sys::O_CREAT | sys::O_EXCL | sys::O_CLOEXEC;
    if let Ok(file) = sys::open(path.as_bytes(), flags, 0o600) {
        let letter = match refusal {
            Refusal::OtherLibc => residue_arena::UNRECORDED_OTHER_LIBC,
            Refusal::AddressSanitizer => residue_arena::UNRECORDED_SANITIZER,
            Refusal::OtherMachine => residue_arena::UNRECORDED_OTHER_MACHINE,
        };
        if sys::write(file, &[letter]).is_ok() {
            let _ = sys::write(file, program);
        }
        sys::close(file);
    }
}

/// A program is about to be started. Counts it where it will not reach the directory of
/// arenas: this process has become another user, or sees another file system.
#[inline(never)]
pub fn note_unreachable() {
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    let inside = config()
        .text("dir")
        .and_then(|dir| ProgramPath::joined(&[dir, b"/."]));
    let Some(inside) = inside else {
        return;
    };
    // Privileges that this process has kept do not go with the program.
    let user = sys::effective_user();
    let may_write = |status: sys::Status| user == 0 || user == status.owner;
    if !sys::status(inside.as_bytes()).is_ok_and(may_write) {
        arena
            .word(header::NOT_RECORDED)
            .fetch_add(1, Ordering::Relaxed);
    }
}
