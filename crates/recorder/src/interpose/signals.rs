//! The program's signals, beside the one that brings samples of CPU time. These hooks are there only
//! where samples are asked for.
//!
//! That signal is nobody's: a program that asks what is done about it hears what it would hear
//! without the recorder, one that blocks all signals does not block this one (as libc keeps two of
//! its own out of every mask), and one that wants it for itself gets it, and is sampled no more.

use super::real::Late;
use crate::cpu;
use core::ffi::{c_int, c_void};

/// `sigset_t` of libc.
const SET_WORDS: usize = 16;

/// `SIG_DFL`: what the kernel does by itself.
const USUAL: usize = 0;

const BLOCK: c_int = 0;
const SET_MASK: c_int = 2;

/// `struct sigaction` of libc, up to its flags.
#[repr(C)]
#[derive(Clone, Copy)]
struct Action {
    handler: usize,
    mask: [u64; SET_WORDS],
    rest: [u64; 2],
}

/// # Safety
/// The arguments must be what the function of this name takes.
pub unsafe fn sigaction(signal: c_int, action: *const c_void, before: *mut c_void) -> c_int {
    type Real = unsafe extern "C" fn(c_int, *const c_void, *mut c_void) -> c_int;
    static REAL: Late = Late::of_libpthread(c"sigaction");
    // SAFETY: the program's own action, where it has one.
    let wanted = unsafe { action.cast::<Action>().as_ref() };
    if cpu::is_taken(signal) {
        if wanted.is_none_or(|wanted| wanted.handler == USUAL) {
            if !before.is_null() {
                // SAFETY: the program's own room for an action, of which zeros are the usual one.
                unsafe { before.cast::<u8>().write_bytes(0, size_of::<Action>()) };
            }
            return 0;
        }
        cpu::end();
    }
    let real = match REAL.get() {
        0 => return -1,
        // SAFETY: libc's function of this name.
        real => unsafe { core::mem::transmute::<usize, Real>(real) },
    };
    let taken = cpu::taken_as_bit();
    if let Some(wanted) = wanted.filter(|wanted| wanted.mask[0] & taken != 0) {
        // A handler that holds all signals back is sampled as everything is.
        let mut open = *wanted;
        open.mask[0] &= !taken;
        // SAFETY: the program's own call, with an action of the same kind.
        return unsafe { real(signal, (&raw const open).cast(), before) };
    }
    // SAFETY: the program's own call, handed on.
    unsafe { real(signal, action, before) }
}

/// Functions that set what is done about a signal in older ways.
macro_rules! older_ways {
    ($($name:ident, $symbol:literal;)*) => {
        $(
            /// # Safety
            /// The arguments must be what the function of this name takes.
            pub unsafe fn $name(signal: c_int, handler: usize) -> usize {
                type Real = unsafe extern "C" fn(c_int, usize) -> usize;
                static REAL: Late = Late::of_libpthread($symbol);
                if cpu::is_taken(signal) {
                    if handler == USUAL {
                        return USUAL;
                    }
                    cpu::end();
                }
                match REAL.get() {
                    0 => usize::MAX,
                    // SAFETY: libc's function of this name; the program's own call, handed on.
                    real => unsafe { core::mem::transmute::<usize, Real>(real)(signal, handler) },
                }
            }
        )*
    };
}

older_ways! {
    signal, c"signal";
    bsd_signal, c"bsd_signal";
    sysv_signal, c"__sysv_signal";
    sigset, c"sigset";
}

/// Functions that take one signal away from its handler: what the program does so, it wants.
macro_rules! withdrawals {
    ($($name:ident, $symbol:literal;)*) => {
        $(
            /// # Safety
            /// The argument must be what the function of this name takes.
            pub unsafe fn $name(signal: c_int) -> c_int {
                type Real = unsafe extern "C" fn(c_int) -> c_int;
                static REAL: Late = Late::of_libpthread($symbol);
                if cpu::is_taken(signal) {
                    cpu::end();
                }
                match REAL.get() {
                    0 => -1,
                    // SAFETY: libc's function of this name; the program's own call, handed on.
                    real => unsafe { core::mem::transmute::<usize, Real>(real)(signal) },
                }
            }
        )*
    };
}

withdrawals! {
    sigignore, c"sigignore";
    sighold, c"sighold";
}

/// Programs call it for all signals in a row; the one that brings samples goes on interrupting
/// nothing.
///
/// # Safety
/// The arguments must be what the function of this name takes.
pub unsafe fn siginterrupt(signal: c_int, interrupts: c_int) -> c_int {
    type Real = unsafe extern "C" fn(c_int, c_int) -> c_int;
    static REAL: Late = Late::of_libpthread(c"siginterrupt");
    if cpu::is_taken(signal) {
        return 0;
    }
    match REAL.get() {
        0 => -1,
        // SAFETY: libc's function of this name; the program's own call, handed on.
        real => unsafe { core::mem::transmute::<usize, Real>(real)(signal, interrupts) },
    }
}

/// Whether these are all signals, or all but some: no program means each of them. One that names a
/// few real-time signals means to wait for them.
fn is_all(set: u64) -> bool {
    const FIRST_REAL_TIME: u32 = 34;
    (set >> (FIRST_REAL_TIME - 1)).count_ones() >= 16
}

/// Functions that change which signals a thread does not want now.
macro_rules! masks {
    ($($name:ident, $symbol:literal;)*) => {
        $(
            /// # Safety
            /// The arguments must be what the function of this name takes.
            pub unsafe fn $name(how: c_int, set: *const u64, before: *mut u64) -> c_int {
                type Real = unsafe extern "C" fn(c_int, *const u64, *mut u64) -> c_int;
                static REAL: Late = Late::of_libpthread($symbol);
                const NOT_THERE: c_int = 38;
                let real = match REAL.get() {
                    0 => return NOT_THERE,
                    // SAFETY: libc's function of this name.
                    real => unsafe { core::mem::transmute::<usize, Real>(real) },
                };
                let taken = cpu::taken_as_bit();
                // SAFETY: the program's own set, of which the kernel reads the first word.
                let has_taken = !set.is_null() && unsafe { set.read() } & taken != 0;
                // SAFETY: as above.
                if has_taken && matches!(how, BLOCK | SET_MASK) && !is_all(unsafe { set.read() }) {
                    cpu::end();
                } else if has_taken && matches!(how, BLOCK | SET_MASK) {
                    cpu::leave_out();
                    let mut without = [0; SET_WORDS];
                    // SAFETY: as above.
                    without[0] = unsafe { set.read() } & !taken;
                    // SAFETY: the program's own call, with a set of the same size.
                    return unsafe { real(how, without.as_ptr(), before) };
                }
                // SAFETY: the program's own call, handed on.
                unsafe { real(how, set, before) }
            }
        )*
    };
}

masks! {
    sigprocmask, c"sigprocmask";
    pthread_sigmask, c"pthread_sigmask";
}
