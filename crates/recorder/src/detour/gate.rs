//! The way from a trampoline to the hook and back, with every register kept.
//!
//! A trampoline has pushed its tag and called:
//!
//! ```text
//!   rsp + 16   return address of the function: the hook's return slot
//!   rsp + 8    tag
//!   rsp        return address in the trampoline
//! ```

use super::registers::{
    COMPONENTS, SAVE_AREA_BYTES, restore_integers, restore_vectors, save_integers, save_vectors,
};
use core::arch::naked_asm;
use core::sync::atomic::{AtomicPtr, Ordering};

/// What is called at each entry: the tag of the detour, the place of the function's
/// return address, and bp as the caller has it.
pub type Hook = extern "C" fn(tag: usize, return_slot: *const usize, bp: usize);

static HOOK: AtomicPtr<()> = AtomicPtr::new(do_nothing as *mut ());

extern "C" fn do_nothing(_: usize, _: *const usize, _: usize) {}

pub fn set_hook(hook: Hook) {
    HOOK.store(hook as *mut (), Ordering::Release);
}

/// Where on the stack the gate keeps the vectors while the hook runs.
pub fn vectors_of(return_slot: *const usize) -> core::ops::Range<usize> {
    const FRAME_BYTES: usize = 32;
    const INTEGER_BYTES: usize = 72;
    let below_integers = (return_slot as usize).wrapping_sub(FRAME_BYTES + INTEGER_BYTES);
    let end = below_integers & !63;
    end.wrapping_sub(SAVE_AREA_BYTES.load(Ordering::Relaxed) as usize)..end
}

/// The unwind information says that the caller is the function's caller, so neither
/// the trampoline nor the function, which has not begun, is a frame.
///
/// # Safety
/// Only to be called by a trampoline.
#[unsafe(naked)]
pub unsafe extern "C" fn gate() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_def_cfa_offset 24",
        "pushfq",
        ".cfi_adjust_cfa_offset 8",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        save_integers!(),
        save_vectors!(),
        "mov rdi, qword ptr [rbp + 24]",
        "lea rsi, [rbp + 32]",
        "mov rdx, qword ptr [rbp]",
        "call qword ptr [rip + {hook}]",
        restore_vectors!(),
        restore_integers!("72"),
        "pop rbp",
        ".cfi_def_cfa rsp, 32",
        ".cfi_restore rbp",
        "popfq",
        ".cfi_def_cfa_offset 24",
        "ret",
        ".cfi_endproc",
        area_bytes = sym SAVE_AREA_BYTES,
        components = sym COMPONENTS,
        hook = sym HOOK,
    )
}
