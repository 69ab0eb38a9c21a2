//! A program that confines itself: system calls that its seccomp filters would punish.
//!
//! The filter is seen when it is installed. From then on every system call of the recorder is
//! first put to it, as the kernel will do: only what it lets pass, or answers with an error, is
//! asked of the kernel. What comes of the others is what comes of any that fails: calls are
//! counted as dropped, names are not known.
//!
//! Filters belong to threads; here all count for the whole process. They outlive a fork, so
//! they are kept outside the page that a fork wipes. A filter that was there before this
//! library was loaded, or that was installed without libc, is not known.

mod filter;
mod ready;

use crate::sys::{self, Errno};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use filter::{Instruction, Verdict};

/// Filters that are kept; with more, nothing is permitted any more.
const MOST_FILTERS: usize = 32;

/// The kernel's limit.
const MOST_INSTRUCTIONS: usize = 4096;

struct Kept {
    instructions: AtomicPtr<Instruction>,
    length: AtomicUsize,
}

static FILTERS: [Kept; MOST_FILTERS] = [const {
    Kept {
        instructions: AtomicPtr::new(core::ptr::null_mut()),
        length: AtomicUsize::new(0),
    }
}; MOST_FILTERS];

/// Filters in force; beyond [`MOST_FILTERS`] nothing is permitted.
static IN_FORCE: AtomicU32 = AtomicU32::new(0);

const NOTHING_IS_PERMITTED: u32 = 1 << 16;

/// What a call that is not made is answered with: no such call.
const NOT_THERE: Errno = Errno(-38);

#[inline(always)]
pub fn is_confined() -> bool {
    IN_FORCE.load(Ordering::Acquire) != 0
}

/// What the program is about to put in force.
pub enum Confinement {
    /// Nothing but reading, writing and ending.
    Strict,
    /// The filter with so many instructions at this address.
    Filter { at: usize, length: usize },
}

/// Filters in force with this one; it is taken back where the kernel did not accept it.
pub struct Counted(u32);

/// Lets a confinement count from now on, after making ready what it would not permit. `None`
/// where there is nothing to read: the kernel will say so.
///
/// # Safety
/// A filter must be readable where the kernel may not be asked whether it is.
pub unsafe fn begin(confinement: Confinement) -> Option<Counted> {
    let Confinement::Filter { at, length } = confinement else {
        ready::make(&ready::Needs::ALL);
        sys::forbid_ticks();
        IN_FORCE.fetch_add(NOTHING_IS_PERMITTED, Ordering::AcqRel);
        return Some(Counted(0));
    };
    if at == 0 || !(1..=MOST_INSTRUCTIONS).contains(&length) {
        return None;
    }
    let copy = sys::map_private(length * size_of::<Instruction>());
    let copy = copy.ok().map(|copy| copy.cast::<Instruction>());
    if let Some(copy) = copy {
        // SAFETY: the copy has this room; the caller vouches for the filter.
        unsafe { read(at, copy.cast(), length * size_of::<Instruction>()) }.ok()?;
        // SAFETY: copied just now.
        let filter = unsafe { core::slice::from_raw_parts(copy, length) };
        ready::make(&ready::Needs::under(filter));
    }
    // A place whose filter is not there has none that lets anything pass.
    let before = IN_FORCE.fetch_add(1, Ordering::AcqRel);
    if let (Some(place), Some(copy)) = (FILTERS.get(before as usize), copy) {
        place.instructions.store(copy, Ordering::Relaxed);
        place.length.store(length, Ordering::Release);
    }
    Some(Counted(before + 1))
}

/// Copies from an address that a program gave the kernel, which need not be one.
///
/// # Safety
/// As for [`begin`]; `into` must have room for `bytes`.
pub unsafe fn read(from: usize, into: *mut u8, bytes: usize) -> Result<(), Errno> {
    // SAFETY: the caller vouches for the room.
    match unsafe { sys::read_memory(from, into, bytes) } {
        Err(error) if is_confined() && error == NOT_THERE => {
            // SAFETY: the caller vouches for the address.
            unsafe { core::ptr::copy_nonoverlapping(from as *const u8, into, bytes) };
            Ok(())
        }
        read => read,
    }
}

/// The kernel refused the confinement. Where another came behind it meanwhile, it stays.
pub fn take_back(Counted(number): Counted) {
    let Some(before) = number.checked_sub(1) else {
        IN_FORCE.fetch_sub(NOTHING_IS_PERMITTED, Ordering::AcqRel);
        return;
    };
    if let Some(place) = FILTERS.get(before as usize) {
        let is_last =
            IN_FORCE.compare_exchange(number, before, Ordering::AcqRel, Ordering::Relaxed);
        if is_last.is_ok() {
            place.length.store(0, Ordering::Release);
        }
    }
}

/// Whether the call may be made: `Err` with what the kernel would answer, or with "not there"
/// where the call would be punished, or handed to somebody else.
#[cold]
pub fn permits(number: usize, arguments: &[usize; 6]) -> Result<(), Errno> {
    let in_force = IN_FORCE.load(Ordering::Acquire) as usize;
    let Some(filters) = FILTERS.get(..in_force) else {
        return Err(NOT_THERE);
    };
    let mut answer = Ok(());
    for kept in filters {
        let length = kept.length.load(Ordering::Acquire);
        let at = kept.instructions.load(Ordering::Relaxed);
        let instructions = match length {
            0 => &[],
            // SAFETY: a filter of this length was copied there, and stays.
            _ => unsafe { core::slice::from_raw_parts(at, length) },
        };
        match filter::judge(instructions, number, arguments) {
            Verdict::Allowed => {}
            Verdict::Fails(errno) => answer = Err(Errno(-(errno as isize))),
            Verdict::Punished => return Err(NOT_THERE),
        }
    }
    answer
}
