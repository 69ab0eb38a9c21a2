//! Three words of thread-local storage, in the initial-exec model: an access is two
//! instructions and never a call to `__tls_get_addr`, which may allocate.
//!
//! Stable Rust cannot say that in Rust, so the words are defined in assembly.

use crate::thread::Thread;
use core::arch::{asm, global_asm};

global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".globl residue_thread_slot",
    ".hidden residue_thread_slot",
    ".type residue_thread_slot, @object",
    ".size residue_thread_slot, 8",
    ".p2align 3",
    "residue_thread_slot:",
    ".zero 8",
    ".globl residue_thread_last",
    ".hidden residue_thread_last",
    ".type residue_thread_last, @object",
    ".size residue_thread_last, 8",
    "residue_thread_last:",
    ".zero 8",
    ".globl residue_allocator_call",
    ".hidden residue_allocator_call",
    ".type residue_allocator_call, @object",
    ".size residue_allocator_call, 8",
    "residue_allocator_call:",
    ".zero 8",
    ".text",
);

/// This thread's recorder state; null before its first recorded call.
#[inline(always)]
pub fn get() -> *mut Thread {
    let value: *mut Thread;
    // SAFETY: reads the word defined above; the linker fills in its offset from fs.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_thread_slot@GOTTPOFF]",
            "mov {value}, qword ptr fs:[{offset}]",
            offset = out(reg) _,
            value = lateout(reg) value,
            options(nostack, preserves_flags, readonly),
        );
    }
    value
}

#[inline(always)]
pub fn set(value: *mut Thread) {
    // SAFETY: writes the word defined above, which belongs to this thread alone.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_thread_slot@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {value}",
            offset = out(reg) _,
            value = in(reg) value,
            options(nostack, preserves_flags),
        );
    }
}

/// The state that this thread had when it ended. It may still allocate or free: libc
/// takes down what it kept for the thread after all destructors.
pub fn last() -> *mut Thread {
    let value: *mut Thread;
    // SAFETY: as in `get`.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_thread_last@GOTTPOFF]",
            "mov {value}, qword ptr fs:[{offset}]",
            offset = out(reg) _,
            value = lateout(reg) value,
            options(nostack, preserves_flags, readonly),
        );
    }
    value
}

pub fn set_last(value: *mut Thread) {
    // SAFETY: as in `set`.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_thread_last@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {value}",
            offset = out(reg) _,
            value = in(reg) value,
            options(nostack, preserves_flags),
        );
    }
}

/// Where the outermost call of a detoured allocator keeps its frame, while this thread is
/// inside one; else zero. See `detour::around`.
pub fn allocator_call() -> usize {
    let value: usize;
    // SAFETY: as in `get`.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_allocator_call@GOTTPOFF]",
            "mov {value}, qword ptr fs:[{offset}]",
            offset = out(reg) _,
            value = lateout(reg) value,
            options(nostack, preserves_flags, readonly),
        );
    }
    value
}

pub fn set_allocator_call(value: usize) {
    // SAFETY: as in `set`.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + residue_allocator_call@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {value}",
            offset = out(reg) _,
            value = in(reg) value,
            options(nostack, preserves_flags),
        );
    }
}
