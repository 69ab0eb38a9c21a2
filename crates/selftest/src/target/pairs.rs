//! Every function of the heap, with one that gives back what it makes or makes what
//! it gives back.

use super::functions::{self, Address};
use super::tally::{TalliedKind, Tally, scope_name};
use core::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

/// Blocks made in the test of each function.
const ROUNDS: usize = 8;
/// Larger than any allocator's own; sizes are multiples of it, since C++ libraries
/// round up to it.
const ALIGNMENT: usize = 64;

/// How a function that makes blocks is called.
#[derive(Clone, Copy)]
enum Make {
    Size,
    SizeNothrow,
    SizeAligned,
    SizeAlignedNothrow,
    Aligned,
    PosixMemalign,
    Calloc,
    /// A new block, then a larger one in its place.
    Realloc,
    Reallocarray,
}

/// How a function that takes blocks is called.
#[derive(Clone, Copy)]
enum Take {
    Plain,
    Sized,
    AlignedSized,
    OfAlignment,
    OfSizeAndAlignment,
    Nothrow,
    OfAlignmentNothrow,
}

type Named<Form> = (&'static str, Form);

pub struct Pair {
    /// The function that this is about: one of the two below.
    pub tested: &'static str,
    make: Named<Make>,
    take: Named<Take>,
    /// Blocks that are not given back.
    kept: usize,
}

impl Pair {
    pub fn is_cpp(&self) -> bool {
        self.tested.starts_with("_Z")
    }

    /// Makes blocks and gives them back, but for those that are kept. `None` where one
    /// of the functions does not exist.
    #[inline(never)]
    pub fn call(&self) -> Option<Tally> {
        let (make, take) = (functions::find(self.make.0)?, functions::find(self.take.0)?);
        let mut tally = Tally::new(self.tested, TalliedKind::Heap);
        let scope = scope_name(self.tested);
        let mut blocks = [null_mut(); ROUNDS];
        let scope = residue_marks::scope(scope.as_str());
        for (round, block) in blocks.iter_mut().enumerate() {
            *block = make_block(make, self.make.1, bytes_of(round), &mut tally);
        }
        drop(scope);
        for (round, &block) in blocks.iter().enumerate().skip(self.kept) {
            give_back(take, self.take.1, block, bytes_of(round));
            tally.freed(bytes_of(round));
        }
        Some(tally)
    }
}

fn bytes_of(round: usize) -> usize {
    (round + 1) * ALIGNMENT
}

/// C++'s `std::nothrow`, which nobody looks at.
static NOTHROW: u8 = 0;

#[inline(never)]
fn make_block(function: Address, form: Make, bytes: usize, tally: &mut Tally) -> *mut c_void {
    let at = function.as_ptr();
    let nothrow = &raw const NOTHROW;
    // SAFETY: each form is the signature of the functions it stands beside in `ALL`;
    // sizes are small, alignments a power of two that divides them.
    let block = unsafe {
        match form {
            Make::Size => {
                let call: unsafe extern "C" fn(usize) -> *mut c_void = transmute(at);
                call(bytes)
            }
            Make::SizeNothrow => {
                let call: unsafe extern "C" fn(usize, *const u8) -> *mut c_void = transmute(at);
                call(bytes, nothrow)
            }
            Make::SizeAligned => {
                let call: unsafe extern "C" fn(usize, usize) -> *mut c_void = transmute(at);
                call(bytes, ALIGNMENT)
            }
            Make::SizeAlignedNothrow => {
                let call: unsafe extern "C" fn(usize, usize, *const u8) -> *mut c_void =
                    transmute(at);
                call(bytes, ALIGNMENT, nothrow)
            }
            Make::Aligned => {
                let call: unsafe extern "C" fn(usize, usize) -> *mut c_void = transmute(at);
                call(ALIGNMENT, bytes)
            }
            Make::PosixMemalign => {
                let call: unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int =
                    transmute(at);
                let mut block = null_mut();
                call(&raw mut block, ALIGNMENT, bytes);
                block
            }
            Make::Calloc => {
                let call: unsafe extern "C" fn(usize, usize) -> *mut c_void = transmute(at);
                call(ALIGNMENT, bytes / ALIGNMENT)
            }
            Make::Realloc => {
                let call: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void = transmute(at);
                let small = call(null_mut(), bytes / 2);
                grown(tally, bytes / 2);
                call(small, bytes)
            }
            Make::Reallocarray => {
                let call: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void =
                    transmute(at);
                let small = call(null_mut(), bytes / 2, 1);
                grown(tally, bytes / 2);
                call(small, bytes / 8, 8)
            }
        }
    };
    // A block that could not be made is not counted, and so is missed.
    if !block.is_null() {
        tally.made(bytes);
    }
    block
}

/// A block was made that the next call makes larger.
fn grown(tally: &mut Tally, bytes: usize) {
    tally.made(bytes);
    tally.replaced(bytes);
}

#[inline(never)]
fn give_back(function: Address, form: Take, block: *mut c_void, bytes: usize) {
    let at = function.as_ptr();
    let nothrow = &raw const NOTHROW;
    // SAFETY: each form is the signature of the functions it stands beside in `ALL`,
    // and the block was made by the other function of the pair, in this size.
    unsafe {
        match form {
            Take::Plain => {
                let call: unsafe extern "C" fn(*mut c_void) = transmute(at);
                call(block);
            }
            Take::Sized => {
                let call: unsafe extern "C" fn(*mut c_void, usize) = transmute(at);
                call(block, bytes);
            }
            Take::AlignedSized => {
                let call: unsafe extern "C" fn(*mut c_void, usize, usize) = transmute(at);
                call(block, ALIGNMENT, bytes);
            }
            Take::OfAlignment => {
                let call: unsafe extern "C" fn(*mut c_void, usize) = transmute(at);
                call(block, ALIGNMENT);
            }
            Take::OfSizeAndAlignment => {
                let call: unsafe extern "C" fn(*mut c_void, usize, usize) = transmute(at);
                call(block, bytes, ALIGNMENT);
            }
            Take::Nothrow => {
                let call: unsafe extern "C" fn(*mut c_void, *const u8) = transmute(at);
                call(block, nothrow);
            }
            Take::OfAlignmentNothrow => {
                let call: unsafe extern "C" fn(*mut c_void, usize, *const u8) = transmute(at);
                call(block, ALIGNMENT, nothrow);
            }
        }
    }
}

const fn makes(make: &'static str, form: Make, take: Named<Take>) -> Pair {
    Pair {
        tested: make,
        make: (make, form),
        take,
        kept: 1,
    }
}

/// Not every allocator brings this function; libc's block would be none of its own.
const fn makes_for_good(make: &'static str, form: Make) -> Pair {
    Pair {
        tested: make,
        make: (make, form),
        take: FREE,
        kept: ROUNDS,
    }
}

const fn takes(take: &'static str, form: Take, make: Named<Make>) -> Pair {
    Pair {
        tested: take,
        make,
        take: (take, form),
        kept: 0,
    }
}

const MALLOC: Named<Make> = ("malloc", Make::Size);
const FREE: Named<Take> = ("free", Take::Plain);
const NEW: Named<Make> = ("_Znwm", Make::Size);
const NEW_ARRAY: Named<Make> = ("_Znam", Make::Size);
const NEW_NOTHROW: Named<Make> = ("_ZnwmRKSt9nothrow_t", Make::SizeNothrow);
const NEW_ARRAY_NOTHROW: Named<Make> = ("_ZnamRKSt9nothrow_t", Make::SizeNothrow);
const NEW_ALIGNED: Named<Make> = ("_ZnwmSt11align_val_t", Make::SizeAligned);
const NEW_ARRAY_ALIGNED: Named<Make> = ("_ZnamSt11align_val_t", Make::SizeAligned);
const NEW_ALIGNED_NOTHROW: Named<Make> = (
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    Make::SizeAlignedNothrow,
);
const NEW_ARRAY_ALIGNED_NOTHROW: Named<Make> = (
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    Make::SizeAlignedNothrow,
);
const DELETE: Named<Take> = ("_ZdlPv", Take::Plain);
const DELETE_ARRAY: Named<Take> = ("_ZdaPv", Take::Plain);
const DELETE_ALIGNED: Named<Take> = ("_ZdlPvSt11align_val_t", Take::OfAlignment);
const DELETE_ARRAY_ALIGNED: Named<Take> = ("_ZdaPvSt11align_val_t", Take::OfAlignment);

pub const ALL: &[Pair] = &[
    makes("malloc", Make::Size, FREE),
    makes("calloc", Make::Calloc, FREE),
    makes("realloc", Make::Realloc, FREE),
    makes("reallocarray", Make::Reallocarray, FREE),
    makes("posix_memalign", Make::PosixMemalign, FREE),
    makes("aligned_alloc", Make::Aligned, FREE),
    makes("memalign", Make::Aligned, FREE),
    makes("valloc", Make::Size, FREE),
    makes_for_good("pvalloc", Make::Size),
    takes("free", Take::Plain, MALLOC),
    takes("cfree", Take::Plain, MALLOC),
    takes("free_sized", Take::Sized, MALLOC),
    takes(
        "free_aligned_sized",
        Take::AlignedSized,
        ("aligned_alloc", Make::Aligned),
    ),
    makes(NEW.0, NEW.1, DELETE),
    makes(NEW_ARRAY.0, NEW_ARRAY.1, DELETE_ARRAY),
    makes(NEW_NOTHROW.0, NEW_NOTHROW.1, DELETE),
    makes(NEW_ARRAY_NOTHROW.0, NEW_ARRAY_NOTHROW.1, DELETE_ARRAY),
    makes(NEW_ALIGNED.0, NEW_ALIGNED.1, DELETE_ALIGNED),
    makes(
        NEW_ARRAY_ALIGNED.0,
        NEW_ARRAY_ALIGNED.1,
        DELETE_ARRAY_ALIGNED,
    ),
    makes(NEW_ALIGNED_NOTHROW.0, NEW_ALIGNED_NOTHROW.1, DELETE_ALIGNED),
    makes(
        NEW_ARRAY_ALIGNED_NOTHROW.0,
        NEW_ARRAY_ALIGNED_NOTHROW.1,
        DELETE_ARRAY_ALIGNED,
    ),
    takes(DELETE.0, DELETE.1, NEW),
    takes(DELETE_ARRAY.0, DELETE_ARRAY.1, NEW_ARRAY),
    takes("_ZdlPvm", Take::Sized, NEW),
    takes("_ZdaPvm", Take::Sized, NEW_ARRAY),
    takes(DELETE_ALIGNED.0, DELETE_ALIGNED.1, NEW_ALIGNED),
    takes(
        DELETE_ARRAY_ALIGNED.0,
        DELETE_ARRAY_ALIGNED.1,
        NEW_ARRAY_ALIGNED,
    ),
    takes(
        "_ZdlPvmSt11align_val_t",
        Take::OfSizeAndAlignment,
        NEW_ALIGNED,
    ),
    takes(
        "_ZdaPvmSt11align_val_t",
        Take::OfSizeAndAlignment,
        NEW_ARRAY_ALIGNED,
    ),
    takes("_ZdlPvRKSt9nothrow_t", Take::Nothrow, NEW_NOTHROW),
    takes("_ZdaPvRKSt9nothrow_t", Take::Nothrow, NEW_ARRAY_NOTHROW),
    takes(
        "_ZdlPvSt11align_val_tRKSt9nothrow_t",
        Take::OfAlignmentNothrow,
        NEW_ALIGNED_NOTHROW,
    ),
    takes(
        "_ZdaPvSt11align_val_tRKSt9nothrow_t",
        Take::OfAlignmentNothrow,
        NEW_ARRAY_ALIGNED_NOTHROW,
    ),
];
