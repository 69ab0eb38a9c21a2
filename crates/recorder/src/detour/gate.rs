//! The way from a trampoline to the hook and back, with every register kept.
//!
//! A trampoline has pushed its tag and called:
//!
//! ```text
//!   rsp + 16   return address of the function: the hook's return slot
//!   rsp + 8    tag
//!   rsp        return address in the trampoline
//! ```
//!
//! Vector registers are kept by `xsave`, in all the widths the kernel has enabled:
//! the hook itself is compiled for the narrow ones, but what it calls in libc may
//! use, or zero, the upper halves. x87 registers are left alone on both sides.

use core::arch::naked_asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// What is called at each entry: the tag of the detour, the place of the function's
/// return address, and bp as the caller has it.
pub type Hook = extern "C" fn(tag: usize, return_slot: *const usize, bp: usize);

static HOOK: AtomicPtr<()> = AtomicPtr::new(do_nothing as *mut ());

extern "C" fn do_nothing(_: usize, _: *const usize, _: usize) {}

pub fn set_hook(hook: Hook) {
    HOOK.store(hook as *mut (), Ordering::Release);
}

/// The state components to save, as `xsave` numbers them; none where the processor
/// has no `xsave`, and `fxsave` keeps all there is.
static COMPONENTS: AtomicU32 = AtomicU32::new(0);
static SAVE_AREA_BYTES: AtomicU64 = AtomicU64::new(FXSAVE_BYTES);

const FXSAVE_BYTES: u64 = 512;
const XSAVE_HEADER_END: u64 = 576;

/// The upper halves of ymm, the mask registers, the upper halves of zmm, zmm16-31.
const WIDE_VECTORS: [u32; 4] = [2, 5, 6, 7];
const SSE: u32 = 1 << 1;

/// Finds out what there is to save; needed before the first detour, harmless after.
pub fn prepare() {
    const XSAVE_IS_ENABLED: u32 = 1 << 27;
    const XSAVE_LEAF: u32 = 0xd;
    if __cpuid(1).ecx & XSAVE_IS_ENABLED == 0 {
        return;
    }
    let enabled = enabled_components();
    let mut components = enabled & SSE;
    let mut bytes = XSAVE_HEADER_END;
    for component in WIDE_VECTORS {
        if enabled & 1 << component != 0 {
            let place = __cpuid_count(XSAVE_LEAF, component);
            bytes = bytes.max(u64::from(place.ebx) + u64::from(place.eax));
            components |= 1 << component;
        }
    }
    SAVE_AREA_BYTES.store(bytes, Ordering::Relaxed);
    COMPONENTS.store(components, Ordering::Release);
}

fn enabled_components() -> u32 {
    let enabled: u32;
    // SAFETY: asked only where the kernel has enabled `xsave`.
    unsafe {
        core::arch::asm!(
            "xgetbv",
            in("ecx") 0,
            out("eax") enabled,
            out("edx") _,
            options(nomem, nostack, preserves_flags),
        );
    }
    enabled
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
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        "cld",
        // An area for the vectors, aligned as xsave and the hook need it.
        "sub rsp, qword ptr [rip + {area_bytes}]",
        "and rsp, -64",
        "xor edx, edx",
        "mov eax, dword ptr [rip + {components}]",
        "test eax, eax",
        "jz 2f",
        "mov qword ptr [rsp + 512], rdx",
        "mov qword ptr [rsp + 520], rdx",
        "mov qword ptr [rsp + 528], rdx",
        "mov qword ptr [rsp + 536], rdx",
        "mov qword ptr [rsp + 544], rdx",
        "mov qword ptr [rsp + 552], rdx",
        "mov qword ptr [rsp + 560], rdx",
        "mov qword ptr [rsp + 568], rdx",
        "xsave64 [rsp]",
        "jmp 3f",
        "2:",
        "fxsave64 [rsp]",
        "3:",
        "mov rdi, qword ptr [rbp + 24]",
        "lea rsi, [rbp + 32]",
        "mov rdx, qword ptr [rbp]",
        "call qword ptr [rip + {hook}]",
        "xor edx, edx",
        "mov eax, dword ptr [rip + {components}]",
        "test eax, eax",
        "jz 2f",
        "xrstor64 [rsp]",
        "jmp 3f",
        "2:",
        "fxrstor64 [rsp]",
        "3:",
        "lea rsp, [rbp - 72]",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rax",
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
