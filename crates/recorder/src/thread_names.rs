//! What threads are called.
//!
//! The kernel keeps fifteen bytes for each thread. They are read when a thread makes its
//! first recorded call, when it is named through libc, and when it or the program ends.
//! So a name is missed only where a thread changed it by `prctl`, after its first
//! allocation, in a program that was killed.

use crate::arena_map;
use crate::hot;
use crate::setup::Digits;
use crate::sys;
use crate::thread;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::tables::thread as stat;

/// A name as two words, the rest of them zero.
type Packed = [u64; stat::NAME_WORDS];

const MOST_BYTES: usize = 15;

fn pack(name: &[u8]) -> Packed {
    let mut words = [[0_u8; 8]; stat::NAME_WORDS];
    let place = words.as_flattened_mut().iter_mut();
    for (to, from) in place.zip(name.iter().take(MOST_BYTES)) {
        *to = *from;
    }
    words.map(u64::from_le_bytes)
}

fn get(stats: &[AtomicU64; stat::WORDS], at: usize) -> Packed {
    [at, at + 1].map(|at| stats[at].load(Ordering::Relaxed))
}

fn set(stats: &[AtomicU64; stat::WORDS], at: usize, name: Packed) {
    for (place, word) in [at, at + 1].into_iter().zip(name) {
        stats[place].store(word, Ordering::Relaxed);
    }
}

/// Writes down what the calling thread is called; the record is its own.
pub fn note_own(stats: &[AtomicU64; stat::WORDS]) {
    if let Ok(name) = sys::thread_name() {
        set(stats, stat::NAME, pack(until_zero(&name)));
    }
}

/// A record passes from one thread to the next: the reader has to know of whom else its
/// counters speak.
pub fn pass_on(stats: &[AtomicU64; stat::WORDS]) {
    let name = get(stats, stat::NAME);
    if stats[stat::EARLIER_THREADS].load(Ordering::Relaxed) == 0 {
        set(stats, stat::EARLIER_NAME, name);
    } else if get(stats, stat::EARLIER_NAME) != name {
        stats[stat::EARLIER_NAMES_DIFFER].store(1, Ordering::Relaxed);
    }
    arena_map::bump(&stats[stat::EARLIER_THREADS], 1);
}

/// The program named a thread, its own or another one by its handle. A thread that has
/// not allocated yet is asked for its name when it does.
pub fn named(handle: usize, name: &[u8]) {
    let name = pack(name);
    thread::each_owned_by(handle, |thread| set(thread.stats, stat::NAME, name));
}

/// Reads the names of all threads there are, at the end of the program.
pub fn note_all() {
    thread::each(|thread| {
        if let Some(name) = thread.owner().and_then(name_of) {
            set(thread.stats, stat::NAME, name);
        }
    });
}

fn name_of(tid: u32) -> Option<Packed> {
    const BEFORE: &[u8] = b"/proc/self/task/";
    const AFTER: &[u8] = b"/comm\0";
    let mut digits = Digits::default();
    let mut path = [0_u8; 48];
    let parts = [BEFORE, digits.of(u64::from(tid)), AFTER];
    for (to, from) in path.iter_mut().zip(parts.into_iter().flatten()) {
        *to = *from;
    }
    let file = sys::open(&path, sys::O_RDONLY | sys::O_CLOEXEC, 0).ok()?;
    let mut line = [0_u8; MOST_BYTES + 1];
    let length = sys::read(file, &mut line);
    sys::close(file);
    let line = line.get(..length.ok()?)?;
    Some(pack(line.strip_suffix(b"\n").unwrap_or(line)))
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or(bytes)
}

/// Libc's function of this name.
pub type SetName = unsafe extern "C" fn(usize, *const c_char) -> c_int;

/// Has libc name a thread, and writes the name down.
///
/// # Safety
/// The arguments must be what `pthread_setname_np` takes.
pub unsafe fn set_by(real: SetName, handle: usize, name: *const c_char) -> c_int {
    // SAFETY: the program's own call, handed on.
    let result = unsafe { real(handle, name) };
    if result == 0 && hot::get().is_recording() {
        // SAFETY: libc has just read the name.
        named(handle, unsafe { crate::names::bytes_of(name) });
    }
    result
}

#[cfg(test)]
mod tests;
