//! Three words of thread-local storage, in the initial-exec model: an access is two
//! instructions and never a call to `__tls_get_addr`, which may allocate.
//!
//! Stable Rust cannot say that in Rust, so the words are defined in assembly.

use crate::thread::Thread;
use core::arch::{asm, global_asm};

/// Defines a word of each thread, zero at first, and the functions that read and write it.
macro_rules! thread_word {
    ($symbol:literal, $type:ty, $(#[$why:meta])* $get:ident, $set:ident) => {
        global_asm!(
            ".section .tbss,\"awT\",@nobits",
            concat!(".globl ", $symbol),
            concat!(".hidden ", $symbol),
            concat!(".type ", $symbol, ", @object"),
            concat!(".size ", $symbol, ", 8"),
            ".p2align 3",
            concat!($symbol, ":"),
            ".zero 8",
            ".text",
        );

        $(#[$why])*
        #[inline(always)]
        pub fn $get() -> $type {
            let value: $type;
            // SAFETY: reads the word defined above; the linker fills in its offset from fs.
            unsafe {
                asm!(
                    concat!("mov {offset}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov {value}, qword ptr fs:[{offset}]",
                    offset = out(reg) _,
                    value = lateout(reg) value,
                    options(nostack, preserves_flags, readonly),
                );
            }
            value
        }

        #[inline(always)]
        pub fn $set(value: $type) {
            // SAFETY: writes the word defined above, which belongs to this thread alone.
            unsafe {
                asm!(
                    concat!("mov {offset}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov qword ptr fs:[{offset}], {value}",
                    offset = out(reg) _,
                    value = in(reg) value,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

thread_word!(
    "residue_thread_slot",
    *mut Thread,
    /// This thread's recorder state; null before its first recorded call.
    get,
    set
);

thread_word!(
    "residue_thread_last",
    *mut Thread,
    /// The state that this thread had when it ended. It may still allocate or free: libc
    /// takes down what it kept for the thread after all destructors.
    last,
    set_last
);

thread_word!(
    "residue_allocator_call",
    usize,
    /// Where the outermost call of a detoured allocator keeps its frame, while this thread is
    /// inside one; else zero. See `detour::around`.
    allocator_call,
    set_allocator_call
);
