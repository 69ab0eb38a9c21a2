//! C++ `operator new` and `operator delete`, in all their forms.
//!
//! The standard library's call `malloc` and `free`, which are recorded there;
//! then the stub is one jump and leaves no trace. Allocators such as jemalloc,
//! tcmalloc and mimalloc bring operators of their own that do not pass through
//! `malloc`; then the call itself is recorded. Which it is, is found out for each
//! operator at its first call, by trying it.

use super::list;
use super::real;
use crate::modules;
use crate::recorder::{self, Caller};
use core::arch::naked_asm;
use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

/// Where libraries of C++ keep the operators when no global one is in sight.
const LIBRARIES: [&CStr; 3] = [c"libstdc++.so.6", c"libc++.so.1", c"libc++abi.so.1"];

/// One operator. The stubs know the places of the first two fields.
#[repr(C)]
struct Operator {
    /// Where the exported stub jumps: first to the decision, then past it.
    target: AtomicPtr<c_void>,
    real: AtomicPtr<c_void>,
    symbol: &'static [u8],
    first: unsafe extern "C" fn(),
    recording: unsafe extern "C" fn(),
    /// For a program whose operators are out of sight, in a plugin's own scope.
    fallback: unsafe extern "C" fn(),
}

/// Finds the real operator and decides where the stub jumps from now on.
unsafe extern "C" fn decide(operator: &'static Operator) {
    let name = CStr::from_bytes_with_nul(operator.symbol).unwrap_or_default();
    let mut found = real::named(name, &LIBRARIES) as *mut c_void;
    if found.is_null() {
        found = operator.fallback as *mut c_void;
    }
    settle(operator, found);
}

/// Decides what can be decided when the program starts, when no other thread can be in
/// the middle of anything.
pub fn decide_early() {
    for operator in OPERATORS {
        let name = CStr::from_bytes_with_nul(operator.symbol).unwrap_or_default();
        let found = real::named(name, &[]) as *mut c_void;
        if found.is_null() {
            // A program without C++, as far as can be seen; the others are not there either.
            return;
        }
        settle(operator, found);
    }
}

/// A library of C++ that was closed takes its operators along; the next call decides anew.
pub fn forget_unloaded() {
    for operator in OPERATORS {
        let real = operator.real.load(Ordering::Relaxed);
        if !real.is_null() && modules::range_of(real as usize).is_none() {
            operator
                .target
                .store(operator.first as *mut c_void, Ordering::Release);
        }
    }
}

fn settle(operator: &'static Operator, found: *mut c_void) {
    operator.real.store(found, Ordering::Release);
    let target = if reaches_hooks(operator, found) {
        found
    } else {
        operator.recording as *mut c_void
    };
    operator.target.store(target, Ordering::Release);
}

/// Whether the operator is made of `malloc` or `free`. Those of the C++ library
/// are; those that come with the allocator are tried, with a block of 16 bytes.
fn reaches_hooks(operator: &Operator, found: *mut c_void) -> bool {
    let (Some(malloc), Some(free)) = (real::malloc(), real::free()) else {
        return true;
    };
    let allocator = modules::range_of(malloc as usize);
    if allocator.is_none() || modules::range_of(found as usize) != allocator {
        return true;
    }
    // Every form takes (block or size, size or alignment or a reference that is
    // not looked at, ...), so one call with 16 everywhere suits them all.
    type AnyForm = unsafe extern "C" fn(usize, usize, usize) -> *mut u8;
    // SAFETY: as above; the block belongs to the same allocator.
    let reached = unsafe {
        let real = core::mem::transmute::<*mut c_void, AnyForm>(found);
        if operator.symbol.starts_with(b"_Zd") {
            let block = malloc(16) as usize;
            recorder::reaches_hooks(|| {
                real(block, 16, 16);
            })
        } else {
            let mut block = core::ptr::null_mut();
            let reached = recorder::reaches_hooks(|| block = real(16, 16, 16));
            free(block);
            reached
        }
    };
    reached.unwrap_or(false)
}

/// Records a block that an allocator's own operator made; returns it.
unsafe extern "C" fn made(
    block: *mut u8,
    bytes: usize,
    return_slot: *const usize,
    bp: usize,
) -> *mut u8 {
    // SAFETY: the stub describes the call in progress.
    unsafe { recorder::made(block, bytes, Caller { return_slot, bp }) };
    block
}

unsafe extern "C" fn freeing(block: *mut u8, return_slot: *const usize, bp: usize) {
    // SAFETY: the stub describes the call in progress.
    unsafe { recorder::freeing(block, Caller { return_slot, bp }) };
}

/// `new` with an alignment, made of `memalign`, which takes them the other way round.
#[unsafe(naked)]
unsafe extern "C" fn aligned_new() {
    naked_asm!(
        ".cfi_startproc",
        "xchg rdi, rsi",
        "jmp {memalign}",
        ".cfi_endproc",
        memalign = sym list::memalign,
    )
}

/// The exported stub and the record of each operator. `$recorded` is the body of
/// the form that records; in it `{operator}` is the record.
macro_rules! operators {
    ($fallback:path, $recorded:literal, $recorder:path; $($symbol:ident)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol() {
                naked_asm!(
                    ".cfi_startproc",
                    "jmp qword ptr [rip + {operator}]",
                    ".cfi_endproc",
                    operator = sym $symbol::OPERATOR,
                )
            }

            #[allow(non_snake_case)]
            mod $symbol {
                use super::*;

                pub static OPERATOR: Operator = Operator {
                    target: AtomicPtr::new(first as *mut c_void),
                    real: AtomicPtr::new(core::ptr::null_mut()),
                    symbol: concat!(stringify!($symbol), "\0").as_bytes(),
                    first,
                    recording,
                    fallback: $fallback,
                };

                /// The first call: decides, then goes where the decision says.
                #[unsafe(naked)]
                unsafe extern "C" fn first() {
                    naked_asm!(
                        ".cfi_startproc",
                        "push rdi",
                        "push rsi",
                        "push rdx",
                        ".cfi_adjust_cfa_offset 24",
                        "lea rdi, [rip + {operator}]",
                        "call {decide}",
                        "pop rdx",
                        "pop rsi",
                        "pop rdi",
                        ".cfi_adjust_cfa_offset -24",
                        "jmp qword ptr [rip + {operator}]",
                        ".cfi_endproc",
                        operator = sym OPERATOR,
                        decide = sym decide,
                    )
                }

                #[unsafe(naked)]
                unsafe extern "C" fn recording() {
                    naked_asm!(
                        ".cfi_startproc",
                        $recorded,
                        ".cfi_endproc",
                        operator = sym OPERATOR,
                        recorder = sym $recorder,
                    )
                }
            }
        )*
    };
}

/// `new`: the real call, which may throw through this frame, then the record.
macro_rules! news {
    ($fallback:path; $($symbol:ident)*) => {
        operators! {
            $fallback,
            "push rdi
            .cfi_adjust_cfa_offset 8
            call qword ptr [rip + {operator} + 8]
            pop rsi
            .cfi_adjust_cfa_offset -8
            mov rdi, rax
            mov rdx, rsp
            mov rcx, rbp
            jmp {recorder}",
            made; $($symbol)*
        }
    };
}

news! { list::malloc; _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t }

news! {
    aligned_new;
    _ZnwmSt11align_val_t
    _ZnamSt11align_val_t
    _ZnwmSt11align_val_tRKSt9nothrow_t
    _ZnamSt11align_val_tRKSt9nothrow_t
}

// `delete`: the record, then the real call in place of this one.
operators! {
    delete_fallback,
    "push rdi
    push rsi
    push rdx
    .cfi_adjust_cfa_offset 24
    lea rsi, [rsp + 24]
    mov rdx, rbp
    call {recorder}
    pop rdx
    pop rsi
    pop rdi
    .cfi_adjust_cfa_offset -24
    jmp qword ptr [rip + {operator} + 8]",
    freeing;
    _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
    _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t
    _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
    _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t
    _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t
}

#[unsafe(naked)]
unsafe extern "C" fn delete_fallback() {
    naked_asm!(".cfi_startproc", "jmp {free}", ".cfi_endproc", free = sym list::free)
}

/// All of them, for the start.
static OPERATORS: &[&Operator] = &[
    &_Znwm::OPERATOR,
    &_Znam::OPERATOR,
    &_ZnwmRKSt9nothrow_t::OPERATOR,
    &_ZnamRKSt9nothrow_t::OPERATOR,
    &_ZnwmSt11align_val_t::OPERATOR,
    &_ZnamSt11align_val_t::OPERATOR,
    &_ZnwmSt11align_val_tRKSt9nothrow_t::OPERATOR,
    &_ZnamSt11align_val_tRKSt9nothrow_t::OPERATOR,
    &_ZdlPv::OPERATOR,
    &_ZdaPv::OPERATOR,
    &_ZdlPvm::OPERATOR,
    &_ZdaPvm::OPERATOR,
    &_ZdlPvSt11align_val_t::OPERATOR,
    &_ZdaPvSt11align_val_t::OPERATOR,
    &_ZdlPvmSt11align_val_t::OPERATOR,
    &_ZdaPvmSt11align_val_t::OPERATOR,
    &_ZdlPvRKSt9nothrow_t::OPERATOR,
    &_ZdaPvRKSt9nothrow_t::OPERATOR,
    &_ZdlPvSt11align_val_tRKSt9nothrow_t::OPERATOR,
    &_ZdaPvSt11align_val_tRKSt9nothrow_t::OPERATOR,
];
