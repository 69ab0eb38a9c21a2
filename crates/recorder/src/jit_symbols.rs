//! Symbols of generated code: what just-in-time compilers register for debuggers.
//!
//! By GDB's convention a compiler keeps a list of ELF files in memory, one for each piece
//! of code that it made, and calls an empty function after each change, at which a
//! debugger stops:
//!
//! ```text
//!   __jit_debug_descriptor          entry              entry
//!   version, action, relevant ┌──►  next ──────────►   next ──► 0
//!   first entry ──────────────┘     previous           previous
//!                                   file, its size     file, its size
//! ```
//!
//! **When it is read.** The call of the empty function cannot be seen: libraries call
//! their own copy of it directly, it is one instruction long, and the code of the program
//! is not to be changed. But code that stacks can pass has unwind tables, and these are
//! registered with libgcc, which is seen, by the same compiler in the same thread at the
//! same time. So the list is looked at after each such call; and, for what else there may
//! be, where the process is looked at anyway, and at its end. New entries stand in front,
//! so a look ends at the first that is known. Files are copied when they are first seen,
//! because code is gone and its memory used for other code before the end; a program that
//! is killed has all but the latest.
//!
//! **What if it changes meanwhile.** Another thread may just change the list. Everything
//! is read by the kernel, which answers with an error where a plain read would be a fatal
//! signal; an entry has to point back at the one before it; and one that is not the same
//! after its file was copied is left out. At worst a file is missing, and counted.
//!
//! A descriptor that is no dynamic symbol, as in an executable that exports nothing, is
//! not found: looking through its file is no work for the recorder.

use crate::arena_map::{self, Arena};
use crate::hot::{self, Hot};
use crate::sys;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use residue_arena::header;
use residue_arena::region::{self, Region};
use residue_arena::tables::code_file as word;

/// The symbol of a descriptor.
pub const DESCRIPTOR: &core::ffi::CStr = c"__jit_debug_descriptor";

/// Every library that was linked with a compiler of its own may have one.
const MOST_DESCRIPTORS: usize = 8;
const VERSION: u32 = 1;
const MOST_FILE_BYTES: u64 = 16 << 20;
const MAGIC: [u8; 4] = *b"\x7fELF";
const HEADER_BYTES: u64 = 64;

/// They outlive a fork: the child has the same code, and nobody registers it again.
static DESCRIPTORS: [AtomicUsize; MOST_DESCRIPTORS] =
    [const { AtomicUsize::new(0) }; MOST_DESCRIPTORS];

#[derive(Clone, Copy)]
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: usize,
    first: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct Entry {
    next: usize,
    previous: usize,
    file: usize,
    bytes: u64,
}

/// Types that any bytes are a value of.
///
/// # Safety
/// Any bytes must be a valid value.
unsafe trait Plain: Copy {}
// SAFETY: numbers only, without padding.
unsafe impl Plain for Descriptor {}
// SAFETY: numbers only, without padding.
unsafe impl Plain for Entry {}
// SAFETY: bytes.
unsafe impl Plain for [u8; 4] {}

/// What lies at an address, if there is memory.
fn read<T: Plain>(address: usize) -> Option<T> {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: there is room for one value, which is whole and valid when all was read.
    unsafe {
        sys::read_memory(address, value.as_mut_ptr().cast(), size_of::<T>()).ok()?;
        Some(value.assume_init())
    }
}

/// A descriptor was found at this address.
pub fn found(address: usize) {
    for place in &DESCRIPTORS {
        let known = place.compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed);
        match known {
            Ok(_) => return,
            Err(known) if known == address => return,
            Err(_) => {}
        }
    }
}

/// How much of the lists is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Up to the first entry that is known.
    New,
    All,
}

/// Copies the files that were registered since the last look.
pub fn look(extent: Extent) {
    let hot = hot::get();
    if DESCRIPTORS[0].load(Ordering::Relaxed) == 0 {
        return;
    }
    let Some(arena) = hot.recording_arena() else {
        return;
    };
    // Whoever holds it does the same.
    let Some(_held) = hot.jit_symbols_lock.try_lock() else {
        return;
    };
    let generation = hot.generation.load(Ordering::Relaxed);
    for place in &DESCRIPTORS {
        let address = place.load(Ordering::Relaxed);
        if address != 0 {
            walk(hot, arena, address, extent);
        }
    }
    // What is found the next time was registered after this moment.
    hot.jit_symbols_generation
        .store(generation, Ordering::Relaxed);
}

fn walk(hot: &Hot, arena: Arena, descriptor: usize, extent: Extent) {
    let Some(descriptor) = read::<Descriptor>(descriptor) else {
        return;
    };
    if descriptor.version != VERSION {
        return;
    }
    let (mut at, mut before) = (descriptor.first, 0);
    for _ in 0..Region::CodeFiles.full_capacity() {
        if at == 0 {
            return;
        }
        let Some(entry) = read::<Entry>(at).filter(|entry| entry.previous == before) else {
            return;
        };
        if !is_known(arena, at, &entry) {
            if !keep(hot, arena, at, &entry) {
                return;
            }
        } else if extent == Extent::New {
            return;
        }
        (before, at) = (at, entry.next);
    }
}

fn words(arena: Arena, index: u64) -> &'static [AtomicU64; word::WORDS] {
    // SAFETY: callers name items that were appended.
    unsafe { arena_map::words(arena.item(Region::CodeFiles, index)) }
}

/// Whether the entry was seen before, with the same file in it.
fn is_known(arena: Arena, at: usize, entry: &Entry) -> bool {
    let used = arena.get(Region::CodeFiles.word(region::USED));
    // The latest that stood at this address.
    let same = (0..used)
        .rev()
        .map(|index| words(arena, index))
        .find(|words| words[word::ENTRY].load(Ordering::Relaxed) == at as u64);
    same.is_some_and(|words| {
        let get = |index: usize| words[index].load(Ordering::Relaxed);
        get(word::FILE) == entry.file as u64
            && get(word::BYTES) == entry.bytes
            && (get(word::COPY) == 0 || is_same_file(arena, get(word::COPY) - 1, entry))
    })
}

/// Room to compare with. Not on the stack, which may be a small one.
struct Buffer(UnsafeCell<[u8; 16 << 10]>);

// SAFETY: used by whoever holds the lock.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 16 << 10]));

/// Whether the copy at `offset` is still what the compiler has there.
fn is_same_file(arena: Arena, offset: u64, entry: &Entry) -> bool {
    // SAFETY: the lock is held, so nobody else uses the buffer.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    // SAFETY: the run was appended with this length, and is not written any more.
    let copy = unsafe {
        let start = arena.item(Region::CodeBytes, offset);
        core::slice::from_raw_parts(start, entry.bytes as usize)
    };
    let mut at = entry.file;
    copy.chunks(buffer.len()).all(|piece| {
        // SAFETY: a piece is no longer than the buffer.
        let read = unsafe { sys::read_memory(at, buffer.as_mut_ptr(), piece.len()) };
        at = at.wrapping_add(piece.len());
        read.is_ok() && buffer.get(..piece.len()) == Some(piece)
    })
}

/// Enters a file; false when there is no room for any more.
fn keep(hot: &Hot, arena: Arena, at: usize, entry: &Entry) -> bool {
    let left_out = || {
        let count = arena.word(header::CODE_FILES_LEFT_OUT);
        count.fetch_add(1, Ordering::Relaxed);
    };
    let Some(index) = room(arena, Region::CodeFiles, 1) else {
        left_out();
        return false;
    };
    let words = words(arena, index);
    let set = |index: usize, value: u64| words[index].store(value, Ordering::Relaxed);
    set(word::FILE, entry.file as u64);
    set(word::BYTES, entry.bytes);
    let generation = hot.jit_symbols_generation.load(Ordering::Relaxed);
    set(word::GENERATION, u64::from(generation));
    set(word::ENTRY, at as u64);
    match copy(arena, entry) {
        Some(offset) if read::<Entry>(at).as_ref() == Some(entry) => {
            words[word::COPY].store(offset + 1, Ordering::Release);
        }
        _ => left_out(),
    }
    true
}

/// Copies a file into the arena; returns its offset there.
fn copy(arena: Arena, entry: &Entry) -> Option<u64> {
    let is_likely = (HEADER_BYTES..=MOST_FILE_BYTES).contains(&entry.bytes)
        && read::<[u8; 4]>(entry.file) == Some(MAGIC);
    if !is_likely {
        return None;
    }
    let offset = room(arena, Region::CodeBytes, entry.bytes)?;
    let place = arena.item(Region::CodeBytes, offset);
    // SAFETY: the run was just handed out to this thread alone.
    unsafe { sys::read_memory(entry.file, place, entry.bytes as usize) }.ok()?;
    Some(offset)
}

/// Items of a region that is bounded on purpose: that it is full does not mean that the
/// arena is.
fn room(arena: Arena, region: Region, items: u64) -> Option<u64> {
    let used = arena.get(region.word(region::USED));
    let capacity = arena.get(region.word(region::CAPACITY));
    if used.checked_add(items)? > capacity {
        return None;
    }
    arena.append_run(region, items)
}
