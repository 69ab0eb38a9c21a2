//! The program speaks to the kernel: `prctl`, and `syscall`, through which anything goes.
//!
//! Of all calls these few matter: those that map memory, and those that confine the program.

use super::{maps, real};
use crate::confined::{self, Confinement};
use crate::mappings;
use crate::sys;
use crate::thread;
use core::arch::naked_asm;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

const SYS_MMAP: usize = 9;
const SYS_MUNMAP: usize = 11;
const SYS_BRK: usize = 12;
const SYS_MREMAP: usize = 25;
const SYS_SHMAT: usize = 30;
const SYS_SHMDT: usize = 67;
const SYS_PRCTL: usize = 157;
const SYS_SECCOMP: usize = 317;

/// Those below 32, as bits.
const WATCHED_LOW: u32 =
    1 << SYS_MMAP | 1 << SYS_MUNMAP | 1 << SYS_BRK | 1 << SYS_MREMAP | 1 << SYS_SHMAT;

const SET_SECCOMP: usize = 22;
const SET_TICKS: usize = 26;

/// Where `syscall` goes on: first to the search for libc's, then there.
static REAL_SYSCALL: AtomicPtr<c_void> = AtomicPtr::new(first_syscall as *mut c_void);

/// Calls that do not matter are handed on as they are, without a frame.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall() {
    naked_asm!(
        ".cfi_startproc",
        "cmp rdi, {shmdt}",
        "je 2f",
        "cmp rdi, {prctl}",
        "je 2f",
        "cmp rdi, {seccomp}",
        "je 2f",
        "cmp rdi, 31",
        "ja 3f",
        "mov eax, {low}",
        "bt eax, edi",
        "jc 2f",
        "3:",
        "jmp qword ptr [rip + {real}]",
        "2:",
        "mov rax, rsp",
        "sub rsp, 8",
        "push rbp",
        "push rax",
        ".cfi_adjust_cfa_offset 24",
        "call {watched}",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        "ret",
        ".cfi_endproc",
        shmdt = const SYS_SHMDT,
        prctl = const SYS_PRCTL,
        seccomp = const SYS_SECCOMP,
        low = const WATCHED_LOW,
        real = sym REAL_SYSCALL,
        watched = sym watched_syscall,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn first_syscall() {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 56",
        "call {find}",
        "add rsp, 8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -56",
        "jmp rax",
        ".cfi_endproc",
        find = sym find_syscall,
    )
}

extern "C" fn find_syscall() -> *mut c_void {
    let found = match real::named(c"syscall", &[]) {
        0 => no_syscall as *mut c_void,
        address => address as *mut c_void,
    };
    REAL_SYSCALL.store(found, Ordering::Relaxed);
    found
}

/// In a program without libc's.
extern "C" fn no_syscall() -> isize {
    -1
}

type Syscall = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize) -> isize;

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn watched_syscall(
    number: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    return_slot: *const usize,
    bp: usize,
) -> isize {
    // SAFETY: the seventh argument, if there is one, lies behind the return address, as
    // libc's own function reads it too.
    let f = unsafe { return_slot.add(1).read() };
    let start = a as *mut u8;
    // SAFETY: the program's own call, handed on to the kernel: libraries have functions of
    // these names that are made of such calls.
    let call = || unsafe { real_syscall([number, a, b, c, d, e, f]) };
    // Made by a function that the recorder has just handed a call on to, with its locks held.
    if thread::is_inside() {
        return call();
    }
    let call_for_place = || call() as *mut u8;
    // SAFETY: the stub describes the call in progress; what the program gives the kernel to
    // read is its own.
    unsafe {
        match number {
            SYS_MMAP => maps::mapping(b, return_slot, bp, call_for_place) as isize,
            SYS_MUNMAP => maps::unmapping(start, b, || call() as c_int) as isize,
            SYS_MREMAP => {
                let old = (start, b);
                maps::remapping(old, c, d as c_int, return_slot, bp, call_for_place) as isize
            }
            SYS_SHMAT => {
                let bytes = sys::shared_segment_bytes(a as c_int);
                maps::mapping(bytes, return_slot, bp, call_for_place) as isize
            }
            SYS_SHMDT => {
                let bytes = mappings::length_at(a);
                maps::unmapping(start, bytes, || call() as c_int) as isize
            }
            SYS_BRK => maps::moving_break(return_slot, bp, call),
            SYS_PRCTL => confining(of_prctl(a as c_int, b, c), call),
            _ => confining(of_seccomp(a, c), call),
        }
    }
}

/// # Safety
/// The program's own call.
unsafe fn real_syscall([number, a, b, c, d, e, f]: [usize; 7]) -> isize {
    let known = REAL_SYSCALL.load(Ordering::Relaxed);
    // SAFETY: what is there takes what `syscall` takes.
    unsafe { core::mem::transmute::<*mut c_void, Syscall>(known)(number, a, b, c, d, e, f) }
}

pub unsafe fn prctl(option: c_int, b: usize, c: usize, d: usize, e: usize) -> c_int {
    let Some(real) = real::prctl() else {
        return -1;
    };
    // SAFETY: the program's own call, handed on; what it gives the kernel to read.
    unsafe { confining(of_prctl(option, b, c), || real(option, b, c, d, e) as isize) as c_int }
}

fn of_prctl(option: c_int, mode: usize, program: usize) -> Option<Confinement> {
    const STRICT: usize = 1;
    const FILTER: usize = 2;
    const NO_TICKS: usize = 2;
    match (option as usize, mode) {
        (SET_SECCOMP, STRICT) => Some(Confinement::Strict),
        (SET_SECCOMP, FILTER) => filter_at(program),
        (SET_TICKS, NO_TICKS) => {
            sys::forbid_ticks();
            None
        }
        _ => None,
    }
}

fn of_seccomp(operation: usize, program: usize) -> Option<Confinement> {
    const STRICT: usize = 0;
    const FILTER: usize = 1;
    match operation {
        STRICT => Some(Confinement::Strict),
        FILTER => filter_at(program),
        _ => None,
    }
}

/// The filter that a `struct sock_fprog` names, if there is one at the address.
fn filter_at(program: usize) -> Option<Confinement> {
    let mut words = [0_usize; 2];
    if program == 0 {
        return None;
    }
    // SAFETY: the record is two words; it is the program's to be readable.
    unsafe { confined::read(program, words.as_mut_ptr().cast(), size_of_val(&words)) }.ok()?;
    let [length, at] = words;
    Some(Confinement::Filter {
        at,
        length: usize::from(length as u16),
    })
}

/// Makes the call that confines the program, or does not.
///
/// # Safety
/// A filter must be one that the program gives the kernel to read.
unsafe fn confining(confinement: Option<Confinement>, call: impl FnOnce() -> isize) -> isize {
    // SAFETY: handed on to the caller.
    let counted = confinement.and_then(|confinement| unsafe { confined::begin(confinement) });
    let result = call();
    // A listener's descriptor is success too. Threads that could not be brought along are
    // told by their number; then nobody is confined, which is taken for the opposite.
    if result < 0
        && let Some(counted) = counted
    {
        confined::take_back(counted);
    }
    result
}
