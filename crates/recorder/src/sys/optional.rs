//! Functions that are not in every process: newer than the oldest glibc that programs are recorded
//! with, or in libraries that not every program loads (before glibc 2.34, threads and `dlopen`
//! have libraries of their own).

use super::FoundObject;
use core::arch::asm;
use core::ffi::{c_char, c_int, c_void};

pub type KeyDestructor = unsafe extern "C" fn(*mut c_void);
pub type FindObject = unsafe extern "C" fn(*const c_void, *mut FoundObject) -> c_int;
pub type KeyCreate = unsafe extern "C" fn(*mut u32, Option<KeyDestructor>) -> c_int;
pub type SetSpecific = unsafe extern "C" fn(u32, *const c_void) -> c_int;
pub type ForkHandler = unsafe extern "C" fn();
pub type RegisterAtFork = unsafe extern "C" fn(
    Option<ForkHandler>,
    Option<ForkHandler>,
    Option<ForkHandler>,
    *mut c_void,
) -> c_int;
pub type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;

/// The function that the dynamic linker found for a name when it loaded this library, if any.
macro_rules! optional {
    ($($(#[$doc:meta])* $name:ident: $symbol:literal, $type:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name() -> Option<$type> {
            let address: usize;
            // SAFETY: reads a word that the linker has filled in; zero means there is none, and
            // the function of this name is of this type.
            unsafe {
                asm!(
                    concat!(".weak ", $symbol),
                    concat!("mov {}, qword ptr [rip + ", $symbol, "@GOTPCREL]"),
                    out(reg) address,
                    options(pure, nomem, nostack, preserves_flags),
                );
                core::mem::transmute::<usize, Option<$type>>(address)
            }
        }
    )*};
}

optional! {
    /// Since glibc 2.35.
    dl_find_object: "_dl_find_object", FindObject;
    pthread_key_create: "pthread_key_create", KeyCreate;
    pthread_setspecific: "pthread_setspecific", SetSpecific;
    register_atfork: "__register_atfork", RegisterAtFork;
    dlopen: "dlopen", Open;
    /// Part of libc itself where `dlopen` was not.
    libc_dlopen: "__libc_dlopen_mode", Open;
}
