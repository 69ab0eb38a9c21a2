//! Memory that does not come from the heap: `mmap`, `munmap`, `mremap`, `sbrk`.

use super::functions;
use super::tally::{TalliedKind, Tally, scope_name};
use core::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

type Mmap = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
type Munmap = unsafe extern "C" fn(*mut c_void, usize) -> c_int;
type Mremap = unsafe extern "C" fn(*mut c_void, usize, usize, c_int) -> *mut c_void;
type Sbrk = unsafe extern "C" fn(isize) -> *mut c_void;

const ROUNDS: usize = 4;
const PAGE_BYTES: usize = 4096;

struct Functions {
    mmap: Mmap,
    mmap64: Mmap,
    munmap: Munmap,
    mremap: Mremap,
    sbrk: Sbrk,
}

/// All five, each in its own scope. Every C library for Linux has them.
pub fn call_all() -> Vec<Tally> {
    let Some(functions) = find() else {
        return Vec::new();
    };
    vec![
        map("mmap", functions.mmap, functions.munmap),
        map("mmap64", functions.mmap64, functions.munmap),
        unmap_in_halves(&functions),
        remap(&functions),
        move_break(functions.sbrk),
    ]
}

fn find() -> Option<Functions> {
    let at = |name: &str| functions::find(name).map(|address| address.as_ptr());
    // SAFETY: these are the signatures that the C library declares them with.
    unsafe {
        Some(Functions {
            mmap: transmute::<*mut c_void, Mmap>(at("mmap")?),
            mmap64: transmute::<*mut c_void, Mmap>(at("mmap64")?),
            munmap: transmute::<*mut c_void, Munmap>(at("munmap")?),
            mremap: transmute::<*mut c_void, Mremap>(at("mremap")?),
            sbrk: transmute::<*mut c_void, Sbrk>(at("sbrk")?),
        })
    }
}

fn bytes_of(round: usize) -> usize {
    2 * (round + 1) * PAGE_BYTES
}

#[inline(never)]
fn map_pages(mmap: Mmap, bytes: usize, tally: &mut Tally) -> *mut c_void {
    const READ_AND_WRITE: c_int = 3;
    const PRIVATE_ANONYMOUS: c_int = 0x22;
    // SAFETY: a new mapping of memory, wherever there is room.
    let start = unsafe { mmap(null_mut(), bytes, READ_AND_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
    if start as isize != -1 {
        tally.made(bytes);
    }
    start
}

/// Maps and leaves the first.
fn map(name: &str, mmap: Mmap, munmap: Munmap) -> Tally {
    let mut tally = Tally::new(name, TalliedKind::Mapping);
    let scope = scope_name(name);
    let _scope = residue_marks::scope(scope.as_str());
    for round in 0..ROUNDS {
        let start = map_pages(mmap, bytes_of(round), &mut tally);
        if round > 0 {
            // SAFETY: the mapping was just made and nobody else knows it.
            unsafe { munmap(start, bytes_of(round)) };
            tally.freed(bytes_of(round));
        }
    }
    tally
}

fn unmap_in_halves(functions: &Functions) -> Tally {
    let mut tally = Tally::new("munmap", TalliedKind::Mapping);
    let scope = scope_name("munmap");
    let _scope = residue_marks::scope(scope.as_str());
    for round in 0..ROUNDS {
        let half = bytes_of(round) / 2;
        let start = map_pages(functions.mmap, 2 * half, &mut tally);
        // SAFETY: the two halves of a mapping that was just made.
        unsafe {
            (functions.munmap)(start, half);
            (functions.munmap)(start.byte_add(half), half);
        }
        tally.shortened(half);
        tally.freed(half);
    }
    tally
}

fn remap(functions: &Functions) -> Tally {
    const MAY_MOVE: c_int = 1;
    let mut tally = Tally::new("mremap", TalliedKind::Mapping);
    let scope = scope_name("mremap");
    let _scope = residue_marks::scope(scope.as_str());
    for round in 0..ROUNDS {
        let bytes = bytes_of(round);
        let start = map_pages(functions.mmap, bytes, &mut tally);
        // SAFETY: the mapping was just made; it is not used at its old place any more.
        let start = unsafe { (functions.mremap)(start, bytes, 3 * bytes, MAY_MOVE) };
        if start as isize != -1 {
            tally.made(3 * bytes);
            tally.replaced(bytes);
        }
        // SAFETY: as above.
        unsafe { (functions.munmap)(start, 3 * bytes) };
        tally.freed(3 * bytes);
    }
    tally
}

/// Moves the end of the heap up and back down; nothing allocates in between.
fn move_break(sbrk: Sbrk) -> Tally {
    let mut tally = Tally::new("sbrk", TalliedKind::Mapping);
    let scope = scope_name("sbrk");
    let _scope = residue_marks::scope(scope.as_str());
    for round in 0..ROUNDS {
        let bytes = bytes_of(round);
        // SAFETY: what is added is taken away again, and no one was told of it.
        unsafe {
            if sbrk(bytes as isize) as isize != -1 {
                tally.made(bytes);
                sbrk(-(bytes as isize));
                tally.freed(bytes);
            }
        }
    }
    tally
}
