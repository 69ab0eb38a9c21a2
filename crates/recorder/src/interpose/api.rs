//! The one symbol that programs look up to mark events: a table of functions.

use crate::hot;
use crate::marks;
use crate::setup;
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_void};

/// As `include/residue.h` declares it. It grows at the end only.
#[repr(C)]
pub struct Api {
    version: u32,
    bytes: u32,
    event_begin: extern "C" fn(u64, u32),
    event_end: extern "C" fn(u64, u32),
    event_current: extern "C" fn() -> u32,
    event_enter: extern "C" fn(u32) -> u32,
    stamp: unsafe extern "C" fn(*const c_char),
    count: unsafe extern "C" fn(*const c_char, f64),
    scope_begin: unsafe extern "C" fn(*const c_char),
    scope_end: extern "C" fn(),
    pause: extern "C" fn(c_int),
    resume: extern "C" fn(c_int),
    thresholds: extern "C" fn(u64, u64),
    snapshot: unsafe extern "C" fn(*const c_char),
    allocated: unsafe extern "C" fn(),
    freed: unsafe extern "C" fn(*const c_void),
}

static API: Api = Api {
    version: 1,
    bytes: size_of::<Api>() as u32,
    event_begin: marks::event_begin,
    event_end: marks::event_end,
    event_current: marks::event_current,
    event_enter: marks::event_enter,
    stamp: marks::stamp,
    count: marks::count,
    scope_begin: marks::scope_begin,
    scope_end: marks::scope_end,
    pause: marks::pause,
    resume: marks::resume,
    thresholds: marks::thresholds,
    snapshot: marks::snapshot,
    allocated,
    freed: marks::freed,
};

/// Hands on where it was called from, as the allocation stubs do.
#[unsafe(naked)]
unsafe extern "C" fn allocated() {
    naked_asm!(
        "mov rdx, rsp",
        "mov rcx, rbp",
        "jmp {function}",
        function = sym marks::allocated,
    )
}

/// The table, or null where this process is not recorded.
#[unsafe(no_mangle)]
pub extern "C" fn residue_api_v1() -> *const Api {
    match hot::get().is_recording() || setup::wake() {
        true => &API,
        false => core::ptr::null(),
    }
}

/// What the library's entry point is, for programs without `dlsym`: see `residue_see_` in
/// `include/residue.h`, which is compiled into them.
#[repr(C)]
pub struct Entry {
    mark: [u8; 16],
    api: extern "C" fn() -> *const Api,
}

#[unsafe(no_mangle)]
pub static RESIDUE_ENTRY_V1: Entry = Entry {
    mark: *b"residue_api_v1\0\0",
    api: residue_api_v1,
};
