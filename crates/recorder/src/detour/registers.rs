//! Keeps what the calling convention lets a function destroy: a compiler that sees both sides
//! of a call knows which registers a function leaves alone, and relies on it.
//!
//! Vector registers are kept by `xsave`, in all the widths the kernel has enabled:
//! hooks are compiled for the narrow ones, but what they call in libc may
//! use, or zero, the upper halves. x87 registers are left alone on both sides.

use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The state components to save, as `xsave` numbers them; none where the processor
/// has no `xsave`, and `fxsave` keeps all there is.
pub static COMPONENTS: AtomicU32 = AtomicU32::new(0);
pub static SAVE_AREA_BYTES: AtomicU64 = AtomicU64::new(FXSAVE_BYTES);

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

/// Instructions that push the registers. Those below need rbp to be the frame, `{area_bytes}`
/// and `{components}`.
macro_rules! save_integers {
    () => {
        "push rax
        push rcx
        push rdx
        push rsi
        push rdi
        push r8
        push r9
        push r10
        push r11
        cld
        and rsp, -64"
    };
}

/// Instructions that make an area for the vectors, aligned as `xsave` and a call need it.
macro_rules! save_vectors {
    () => {
        "sub rsp, qword ptr [rip + {area_bytes}]
        and rsp, -64
        xor edx, edx
        mov eax, dword ptr [rip + {components}]
        test eax, eax
        jz 2f
        mov qword ptr [rsp + 512], rdx
        mov qword ptr [rsp + 520], rdx
        mov qword ptr [rsp + 528], rdx
        mov qword ptr [rsp + 536], rdx
        mov qword ptr [rsp + 544], rdx
        mov qword ptr [rsp + 552], rdx
        mov qword ptr [rsp + 560], rdx
        mov qword ptr [rsp + 568], rdx
        xsave64 [rsp]
        jmp 3f
        2:
        fxsave64 [rsp]
        3:"
    };
}

macro_rules! restore_vectors {
    () => {
        "xor edx, edx
        mov eax, dword ptr [rip + {components}]
        test eax, eax
        jz 2f
        xrstor64 [rsp]
        jmp 3f
        2:
        fxrstor64 [rsp]
        3:"
    };
}

/// Instructions that bring the registers back, where the last was pushed so far below rbp.
macro_rules! restore_integers {
    ($below_rbp:literal) => {
        concat!(
            "lea rsp, [rbp - ",
            $below_rbp,
            "]
            pop r11
            pop r10
            pop r9
            pop r8
            pop rdi
            pop rsi
            pop rdx
            pop rcx
            pop rax"
        )
    };
}

pub(super) use {restore_integers, restore_vectors, save_integers, save_vectors};
