//! Programs that this one starts and that will not be recorded: they are counted, or a file in
//! the directory of arenas tells of them.

use crate::config;
use crate::hot;
use crate::program_file::{Obstacle, ProgramPath};
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
/// `<directory>/<hash of what the file says>.unrecorded`, a letter and the program's path. A
/// program that is started a thousand times has one file.
#[cold]
#[inline(never)]
pub fn note_unrecorded(obstacle: Obstacle, program: &ProgramPath, is_child: bool) {
    let config = config();
    let name = program.without_end();
    let pattern = config.text("match").unwrap_or(&[]);
    let is_wanted = pattern.is_empty() || config::matches(pattern, base_name(name));
    // What cannot be executed will not be started either.
    if !is_wanted || (is_child && !records_children()) || !sys::is_executable(program.as_bytes()) {
        return;
    }
    let letter = match obstacle {
        Obstacle::OldMusl => residue_arena::UNRECORDED_OLD_MUSL,
        Obstacle::AddressSanitizer => residue_arena::UNRECORDED_ADDRESS_SANITIZER,
        Obstacle::ThreadSanitizer => residue_arena::UNRECORDED_THREAD_SANITIZER,
        Obstacle::OtherMachine => residue_arena::UNRECORDED_OTHER_MACHINE,
        Obstacle::Static => residue_arena::UNRECORDED_STATIC,
        Obstacle::SetUser => residue_arena::UNRECORDED_SET_USER,
        Obstacle::ClearedEnvironment => residue_arena::UNRECORDED_CLEARED,
    };
    let Some(directory) = config.text("dir") else {
        return;
    };
    let mut digits = Digits::default();
    let path = ProgramPath::joined(&[
        directory,
        b"/",
        digits.of(hash(letter, name)),
        residue_arena::UNRECORDED_SUFFIX.as_bytes(),
    ]);
    let Some(path) = path else {
        return;
    };
    let flags = sys::O_WRONLY | sys::O_CREAT | sys::O_EXCL | sys::O_CLOEXEC;
    match sys::open(path.as_bytes(), flags, 0o600) {
        Ok(file) => {
            if sys::write(file, &[letter]).is_ok() {
                let _ = sys::write(file, name);
            }
            sys::close(file);
        }
        Err(sys::EEXIST) => {}
        Err(_) => count_unrecorded(),
    }
}

/// FNV-1a.
fn hash(letter: u8, name: &[u8]) -> u64 {
    let bytes = core::iter::once(&letter).chain(name);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn count_unrecorded() {
    if let Some(arena) = hot::get().recording_arena() {
        arena
            .word(header::NOT_RECORDED)
            .fetch_add(1, Ordering::Relaxed);
    }
}

/// A program is about to be started. Counts it where it will not reach the directory of
/// arenas: this process has become another user, or sees another file system.
#[inline(never)]
pub fn note_unreachable() {
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
        count_unrecorded();
    }
}
