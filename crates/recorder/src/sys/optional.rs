//! Names that are not in every process: newer than the oldest glibc that programs are recorded
//! with, in libraries that not every program loads (before glibc 2.34, threads and `dlopen`
//! have libraries of their own), or only in one of glibc and musl.

use super::{DebuggerView, FoundObject};
use core::arch::asm;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::NonNull;

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
pub type AtFork =
    unsafe extern "C" fn(Option<ForkHandler>, Option<ForkHandler>, Option<ForkHandler>) -> c_int;
pub type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;

/// What the dynamic linker found for a name when it loaded this library, if anything: a function,
/// or where a variable lies.
macro_rules! optional {
    ($($(#[$doc:meta])* $name:ident: $symbol:literal, $type:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name() -> Option<$type> {
            let address: usize;
            // SAFETY: reads a word that the linker has filled in; zero means there is none, and
            // what has this name is of this type.
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
    /// Of musl; in glibc it is not part of the library.
    pthread_atfork: "pthread_atfork", AtFork;
    dlopen: "dlopen", Open;
    /// Part of libc itself where `dlopen` was not.
    libc_dlopen: "__libc_dlopen_mode", Open;
    /// Of glibc: where the main thread's stack began.
    libc_stack_end: "__libc_stack_end", NonNull<usize>;
    /// Of glibc: what the dynamic linker tells debuggers.
    r_debug: "_r_debug", NonNull<DebuggerView>;
    /// Of musl: where that is.
    dl_debug_addr: "_dl_debug_addr", NonNull<*const DebuggerView>;
}
