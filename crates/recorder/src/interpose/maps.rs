//! `mmap`, `munmap`, `mremap`, `sbrk`, `brk`, `shmat`, `shmdt`: mappings, kept apart from the
//! heap.

use super::real;
use crate::detour::around;
use crate::mappings;
use crate::recorder::Caller;
use crate::sys;
use core::ffi::c_int;

const FAILED: *mut u8 = usize::MAX as *mut u8;

fn whole_pages(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(4096).unwrap_or(bytes)
}

/// Whether the call comes from an allocator other than libc's: what it maps is the
/// heap, and counted as blocks.
///
/// # Safety
/// The slot and bp must describe the call in progress.
unsafe fn is_allocator(return_slot: *const usize, bp: usize) -> bool {
    // SAFETY: the caller vouches for the call.
    unsafe { crate::setup::is_allocator(return_slot.read()) || around::is_inside(return_slot, bp) }
}

#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mmap(
    start: *mut u8,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
    return_slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let Some(real) = real::mmap() else {
        // An allocator sets itself up before the real function is known.
        let arguments = [protection as usize, flags as usize, file as usize];
        // SAFETY: the program's own call, handed on to the kernel.
        return unsafe { sys::map(start, bytes, arguments, offset as usize) }.unwrap_or(FAILED);
    };
    // SAFETY: the program's own call, handed on.
    let call = || unsafe { real(start, bytes, protection, flags, file, offset) };
    // SAFETY: the stub describes the call in progress.
    unsafe { mapping(bytes, return_slot, bp, call) }
}

/// Memory is mapped by `call`, which returns where.
///
/// # Safety
/// The slot and bp must describe the call in progress.
pub unsafe fn mapping(
    bytes: usize,
    return_slot: *const usize,
    bp: usize,
    call: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    let mapped = call();
    // SAFETY: handed on to the caller.
    unsafe {
        if mapped != FAILED && bytes != 0 && !is_allocator(return_slot, bp) {
            let caller = Caller { return_slot, bp };
            mappings::mapped(mapped as usize, whole_pages(bytes), caller);
        }
    }
    mapped
}

pub unsafe fn munmap(start: *mut u8, bytes: usize) -> c_int {
    let Some(real) = real::munmap() else {
        // SAFETY: the program's own call, handed on to the kernel.
        unsafe { sys::unmap(start, bytes) };
        return 0;
    };
    // SAFETY: the program's own call, handed on.
    unmapping(start, bytes, || unsafe { real(start, bytes) })
}

/// Memory is unmapped by `call`, which returns zero where it was.
pub fn unmapping(start: *mut u8, bytes: usize, call: impl FnOnce() -> c_int) -> c_int {
    if !mappings::any() {
        return call();
    }
    let mut result = 0;
    mappings::unmapped(start as usize, whole_pages(bytes), || {
        result = call();
        result == 0
    });
    result
}

pub unsafe extern "C" fn mremap(
    old: *mut u8,
    old_bytes: usize,
    bytes: usize,
    flags: c_int,
    wanted: *mut u8,
    return_slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let Some(real) = real::mremap() else {
        return FAILED;
    };
    // SAFETY: the program's own call, handed on.
    let call = || unsafe { real(old, old_bytes, bytes, flags, wanted) };
    // SAFETY: the stub describes the call in progress.
    unsafe { remapping((old, old_bytes), bytes, flags, return_slot, bp, call) }
}

/// A mapping is moved or resized by `call`, which returns where it is then.
///
/// # Safety
/// The slot and bp must describe the call in progress.
pub unsafe fn remapping(
    (old, old_bytes): (*mut u8, usize),
    bytes: usize,
    flags: c_int,
    return_slot: *const usize,
    bp: usize,
    call: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    const KEEPS_OLD: c_int = 4;
    let old_range = old as usize..old as usize + whole_pages(old_bytes);
    let mut new = FAILED;
    // SAFETY: handed on to the caller.
    unsafe {
        let caller = Caller { return_slot, bp };
        let keeps_old = flags & KEEPS_OLD != 0;
        mappings::remapped(old_range, keeps_old, whole_pages(bytes), caller, || {
            new = call();
            (new != FAILED).then_some(new as usize)
        });
    }
    new
}

pub unsafe extern "C" fn sbrk(change: isize, return_slot: *const usize, bp: usize) -> *mut u8 {
    let Some(real) = real::sbrk() else {
        return FAILED;
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        let before = real(change);
        if before != FAILED && !is_allocator(return_slot, bp) {
            let bytes = change.unsigned_abs();
            if change > 0 {
                let caller = Caller { return_slot, bp };
                mappings::mapped(before as usize, bytes, caller);
            } else if change < 0 {
                mappings::unmapped(before as usize - bytes, bytes, || true);
            }
        }
        before
    }
}

pub unsafe extern "C" fn brk(end: *mut u8, return_slot: *const usize, bp: usize) -> c_int {
    let Some(real) = real::brk() else {
        return -1;
    };
    // SAFETY: the program's own call, handed on; the stub describes it.
    unsafe { moving_break(return_slot, bp, || real(end) as isize) as c_int }
}

/// The program moves the end of its data segment itself.
///
/// # Safety
/// The arguments must describe the call in progress.
pub unsafe fn moving_break(
    return_slot: *const usize,
    bp: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    let before = sys::program_break();
    let result = call();
    let after = sys::program_break();
    // SAFETY: handed on to the caller.
    let is_program = !unsafe { is_allocator(return_slot, bp) };
    if before != 0 && after != 0 && is_program {
        if after > before {
            // SAFETY: handed on to the caller.
            unsafe { mappings::mapped(before, after - before, Caller { return_slot, bp }) };
        } else if after < before {
            mappings::unmapped(after, before - after, || true);
        }
    }
    result
}

pub unsafe extern "C" fn shmat(
    segment: c_int,
    wanted: *mut u8,
    flags: c_int,
    return_slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let Some(real) = real::shmat() else {
        return FAILED;
    };
    // SAFETY: the program's own call, handed on.
    let call = || unsafe { real(segment, wanted, flags) };
    // SAFETY: the stub describes the call in progress.
    unsafe { mapping(sys::shared_segment_bytes(segment), return_slot, bp, call) }
}

pub unsafe fn shmdt(start: *mut u8) -> c_int {
    let Some(real) = real::shmdt() else {
        return -1;
    };
    let bytes = mappings::length_at(start as usize);
    // SAFETY: the program's own call, handed on.
    unmapping(start, bytes, || unsafe { real(start) })
}
