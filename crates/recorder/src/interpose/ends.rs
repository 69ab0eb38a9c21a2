//! How a process ends, as far as it says so itself. `residue` is told how its own child ended;
//! of what that child starts only the process knows.

use super::real;
use crate::cpu;
use crate::hot;
use crate::picture;
use crate::private;
use crate::setup;
use crate::sys;
use core::arch::naked_asm;
use core::ffi::c_int;
use residue_arena::header;

type End = unsafe extern "C" fn(c_int);

/// Makes the functions that end a process: each notes the status and jumps on to the real one,
/// so that what runs while the program ends has no frame of the recorder above it.
macro_rules! ends {
    ($($name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() {
                naked_asm!(
                    ".cfi_startproc",
                    "push rdi",
                    ".cfi_adjust_cfa_offset 8",
                    "call {noted}",
                    "pop rdi",
                    ".cfi_adjust_cfa_offset -8",
                    "jmp rax",
                    ".cfi_endproc",
                    noted = sym noted::$name,
                )
            }
        )*

        mod noted {
            use super::*;

            $(
                #[allow(non_snake_case)]
                pub extern "C" fn $name(status: c_int) -> End {
                    note(status);
                    real::$name().unwrap_or(end_at_once)
                }
            )*
        }
    };
}

ends! { exit _exit _Exit quick_exit }

/// Where there is no real function, or none is known yet.
unsafe extern "C" fn end_at_once(status: c_int) {
    sys::exit(status)
}

/// Writes down how the process ends, and what it was called then. A child made by `vfork`
/// ends in its parent's memory, and says nothing.
fn note(status: c_int) {
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    if u64::from(sys::pid()) == arena.get(header::PID) {
        let seen_by_parents = status as u64 & 0xff;
        arena.set(header::EXIT_STATUS, seen_by_parents + 1);
        setup::note_title(arena);
        cpu::note_times();
        private::measure();
        picture::at_exit();
    }
}
