//! A process changes who it is, or what it sees of the file system. It may not be able to make
//! an arena afterwards: one that has none yet makes it before.

use super::real;
use crate::setup;
use core::ffi::{c_char, c_int};

const NOT_THERE: c_int = -1;

/// Makes hooks that wake the recorder and hand the call on.
macro_rules! changes {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            pub unsafe fn $name($($argument: $kind),*) -> c_int {
                setup::wake();
                match real::$name() {
                    // SAFETY: the program's own call, handed on.
                    Some(real) => unsafe { real($($argument),*) },
                    None => NOT_THERE,
                }
            }
        )*
    };
}

changes! {
    setuid(user: u32);
    seteuid(user: u32);
    setreuid(real_user: u32, effective_user: u32);
    setresuid(real_user: u32, effective_user: u32, saved_user: u32);
    chroot(path: *const c_char);
}
