//! Functions by their linkage names, as the dynamic linker finds them for any program.
//!
//! Calls through pointers cannot be left out or merged by the compiler, as direct
//! calls of `malloc` can.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::ptr::NonNull;

unsafe extern "C" {
    fn dlsym(scope: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
}

pub type Address = NonNull<c_void>;

/// The first function of that name among the program and its libraries.
pub fn find(name: &str) -> Option<Address> {
    let name = CString::new(name).ok()?;
    // SAFETY: null as the scope is RTLD_DEFAULT, and the name ends in zero.
    NonNull::new(unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) })
}

/// Loads a library for good, its functions in sight of `find`.
pub fn load(file: &CStr) -> bool {
    const RTLD_NOW: c_int = 2;
    const RTLD_GLOBAL: c_int = 0x100;
    // SAFETY: the name ends in zero; the library's constructors are its own affair.
    !unsafe { dlopen(file.as_ptr(), RTLD_NOW | RTLD_GLOBAL) }.is_null()
}
