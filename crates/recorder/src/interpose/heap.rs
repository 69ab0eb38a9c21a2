//! `malloc` and its family.

use super::real;
use crate::recorder::{self, Caller};
use core::ffi::c_int;

#[inline(always)]
fn caller(return_slot: *const usize, bp: usize) -> Caller {
    Caller { return_slot, bp }
}

pub unsafe extern "C" fn malloc(bytes: usize, slot: *const usize, bp: usize) -> *mut u8 {
    let Some(real) = real::malloc() else {
        return real::boot_allocate(bytes, 16);
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        let block = real(bytes);
        recorder::made(block, bytes, caller(slot, bp));
        block
    }
}

pub unsafe extern "C" fn calloc(
    count: usize,
    each: usize,
    slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let bytes = count.wrapping_mul(each);
    let Some(real) = real::calloc() else {
        return real::boot_allocate(bytes, 16);
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        let block = real(count, each);
        recorder::made(block, bytes, caller(slot, bp));
        block
    }
}

pub unsafe extern "C" fn realloc(
    old: *mut u8,
    bytes: usize,
    slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let Some(real) = real::realloc().filter(|_| !real::is_boot(old)) else {
        // SAFETY: `old` is null or a boot block.
        return unsafe { realloc_boot(old, bytes, slot, bp) };
    };
    // SAFETY: the program's own call, handed on.
    unsafe { reallocate(old, bytes, caller(slot, bp), || real(old, bytes)) }
}

pub unsafe extern "C" fn reallocarray(
    old: *mut u8,
    count: usize,
    each: usize,
    slot: *const usize,
    bp: usize,
) -> *mut u8 {
    let Some(bytes) = count.checked_mul(each) else {
        // More than there can be: the real function says so, and nothing changes.
        return match (real::reallocarray(), real::malloc()) {
            // SAFETY: the program's own call, handed on.
            (Some(real), _) => unsafe { real(old, count, each) },
            // SAFETY: no allocator has so much, and this sets errno.
            (None, Some(malloc)) => unsafe { malloc(usize::MAX) },
            (None, None) => core::ptr::null_mut(),
        };
    };
    let Some(real) = real::reallocarray() else {
        // glibc has it from 2.26 on; a program that looks for it finds this one.
        // SAFETY: the program's own call.
        return unsafe { realloc(old, bytes, slot, bp) };
    };
    if real::is_boot(old) {
        // SAFETY: `old` is a boot block.
        return unsafe { realloc_boot(old, bytes, slot, bp) };
    }
    // SAFETY: the program's own call, handed on.
    unsafe {
        reallocate(old, bytes, caller(slot, bp), || {
            recorder::muted(|| real(old, count, each))
        })
    }
}

/// # Safety
/// `call` must be the real reallocation of `old` to `bytes`.
#[inline(always)]
unsafe fn reallocate(
    old: *mut u8,
    bytes: usize,
    caller: Caller,
    call: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    if old.is_null() {
        let new = call();
        // SAFETY: `caller` describes the call in progress.
        unsafe { recorder::made(new, bytes, caller) };
        return new;
    }
    // Out of the table before the call: once the old block is given up, another
    // thread may be handed its address.
    let suspended = recorder::reallocating(old);
    let new = call();
    // SAFETY: as above.
    unsafe { recorder::reallocated(old, suspended, new, bytes, caller) };
    new
}

/// Moves a block that was handed out before the real functions were known.
unsafe fn realloc_boot(old: *mut u8, bytes: usize, slot: *const usize, bp: usize) -> *mut u8 {
    // SAFETY: handed on.
    let new = unsafe { malloc(bytes, slot, bp) };
    if !old.is_null() && !new.is_null() {
        // SAFETY: boot blocks know their size, and the two do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(old, new, bytes.min(real::boot_bytes(old))) };
    }
    new
}

#[inline(always)]
pub unsafe extern "C" fn free(block: *mut u8, slot: *const usize, bp: usize) {
    // A block that is known came from the real functions; only others need the question.
    // SAFETY: the stub describes the call in progress.
    let is_known = unsafe { recorder::freeing(block, caller(slot, bp)) };
    if !is_known && real::is_boot(block) {
        return;
    }
    if let Some(real) = real::free() {
        // SAFETY: the program's own call, handed on.
        unsafe { real(block) }
    }
}

/// What a C library without a function for it does with a block: for programs that ask
/// whether there is one, and find the hook.
pub unsafe extern "C" fn free_as_ever(block: *mut u8, slot: *const usize, bp: usize) {
    match real::earlier_free().filter(|_| !real::is_boot(block)) {
        // SAFETY: the program's own call, handed on.
        Some(free) => unsafe { free(block) },
        // SAFETY: as above.
        None => unsafe { free(block, slot, bp) },
    }
}

pub unsafe extern "C" fn free_sized(block: *mut u8, bytes: usize, slot: *const usize, bp: usize) {
    let Some(real) = real::free_sized().filter(|_| !real::is_boot(block)) else {
        // SAFETY: the program's own call, handed on.
        return unsafe { free_as_ever(block, slot, bp) };
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        recorder::freeing(block, caller(slot, bp));
        recorder::muted(|| real(block, bytes))
    }
}

pub unsafe extern "C" fn free_aligned_sized(
    block: *mut u8,
    alignment: usize,
    bytes: usize,
    slot: *const usize,
    bp: usize,
) {
    let Some(real) = real::free_aligned_sized().filter(|_| !real::is_boot(block)) else {
        // SAFETY: the program's own call, handed on.
        return unsafe { free_as_ever(block, slot, bp) };
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        recorder::freeing(block, caller(slot, bp));
        recorder::muted(|| real(block, alignment, bytes))
    }
}

pub unsafe extern "C" fn posix_memalign(
    place: *mut *mut u8,
    alignment: usize,
    bytes: usize,
    slot: *const usize,
    bp: usize,
) -> c_int {
    const ENOMEM: c_int = 12;
    let Some(real) = real::posix_memalign() else {
        let block = real::boot_allocate(bytes, alignment);
        // SAFETY: the program gave the place for the result.
        unsafe { place.write(block) };
        return if block.is_null() { ENOMEM } else { 0 };
    };
    // SAFETY: the program's own call, handed on; on success the place holds the block.
    unsafe {
        let error = recorder::muted(|| real(place, alignment, bytes));
        if error == 0 {
            recorder::made(place.read(), bytes, caller(slot, bp));
        }
        error
    }
}

/// The functions that take an alignment and a size, in this order.
macro_rules! aligned {
    ($($name:ident)*) => {
        $(
            pub unsafe extern "C" fn $name(
                alignment: usize,
                bytes: usize,
                slot: *const usize,
                bp: usize,
            ) -> *mut u8 {
                let Some(real) = real::$name() else {
                    return real::boot_allocate(bytes, alignment);
                };
                // SAFETY: the program's own call, handed on.
                unsafe {
                    let block = recorder::muted(|| real(alignment, bytes));
                    recorder::made(block, bytes, caller(slot, bp));
                    block
                }
            }
        )*
    };
}

aligned! { aligned_alloc memalign }

/// The functions that return whole pages.
macro_rules! paged {
    ($($name:ident)*) => {
        $(
            pub unsafe extern "C" fn $name(
                bytes: usize,
                slot: *const usize,
                bp: usize,
            ) -> *mut u8 {
                let Some(real) = real::$name() else {
                    return real::boot_allocate(bytes, 4096);
                };
                // SAFETY: the program's own call, handed on.
                unsafe {
                    let block = recorder::muted(|| real(bytes));
                    recorder::made(block, bytes, caller(slot, bp));
                    block
                }
            }
        )*
    };
}

paged! { valloc pvalloc }
