//! The operating system: raw calls, so that neither `errno` nor any hook is
//! touched, and the few functions of libc the recorder cannot do without.

mod files;
mod memory;
mod optional;
mod processes;
mod time;
mod timers;

pub use files::*;
pub use memory::*;
pub use optional::*;
pub use processes::*;
pub use time::*;
pub use timers::*;

use crate::confined;
use core::arch::asm;
use core::ffi::{c_char, c_int, c_void};

const SYS_RT_SIGPROCMASK: usize = 14;
const SYS_GETPID: usize = 39;
const SYS_GETUID: usize = 102;
const SYS_GETGID: usize = 104;
const SYS_GETEUID: usize = 107;
const SYS_GETPPID: usize = 110;
const SYS_PRCTL: usize = 157;
const SYS_GETTID: usize = 186;
const SYS_TKILL: usize = 200;
const SYS_EXIT_GROUP: usize = 231;
const SYS_PRLIMIT64: usize = 302;

pub const RLIMIT_FSIZE: usize = 1;
pub const RLIMIT_MEMLOCK: usize = 8;
pub const RLIMIT_AS: usize = 9;

/// A negative errno, as the kernel gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub isize);

pub const ENOENT: Errno = Errno(-2);
pub const EAGAIN: Errno = Errno(-11);
pub const ENOMEM: Errno = Errno(-12);
pub const EFAULT: Errno = Errno(-14);
pub const EEXIST: Errno = Errno(-17);
pub const EINVAL: Errno = Errno(-22);
pub const ENOSYS: Errno = Errno(-38);
pub const ETIMEDOUT: Errno = Errno(-110);

#[inline]
fn checked(result: isize) -> Result<usize, Errno> {
    if (-4095..0).contains(&result) {
        Err(Errno(result))
    } else {
        Ok(result as usize)
    }
}

/// # Safety
/// The call must be one whose effects the caller may have with these arguments.
#[inline]
unsafe fn call(number: usize, a: [usize; 6]) -> Result<usize, Errno> {
    if confined::is_confined() {
        confined::permits(number, &a)?;
    }
    let result: isize;
    // SAFETY: the kernel clobbers rcx and r11 only; the caller vouches for the effects.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    checked(result)
}

/// The soft limit, in the resource's unit; `u64::MAX` where there is none.
pub fn soft_limit(resource: usize) -> u64 {
    let mut limits = [u64::MAX; 2];
    // SAFETY: the kernel writes two words into the array.
    let _ = unsafe {
        call(
            SYS_PRLIMIT64,
            [0, resource, 0, limits.as_mut_ptr() as usize, 0, 0],
        )
    };
    limits[0]
}

/// Keeps every signal away from this thread; returns the mask to go back to.
pub fn block_signals() -> u64 {
    change_signal_mask(u64::MAX)
}

pub fn restore_signals(mask: u64) {
    change_signal_mask(mask);
}

/// The signals that do not come to this thread now, as bits.
pub fn blocked_signals() -> u64 {
    let mut blocked = 0_u64;
    let to = &raw mut blocked as usize;
    // SAFETY: the kernel writes one word, and changes nothing.
    let _ = unsafe { call(SYS_RT_SIGPROCMASK, [0, 0, to, 8, 0, 0]) };
    blocked
}

/// Lets a signal come to this thread.
pub fn unblock_signal(signal: u32) {
    const UNBLOCK: usize = 1;
    let set = 1_u64 << (signal - 1);
    let from = &raw const set as usize;
    // SAFETY: the kernel reads one word.
    let _ = unsafe { call(SYS_RT_SIGPROCMASK, [UNBLOCK, from, 0, 8, 0, 0]) };
}

fn change_signal_mask(new: u64) -> u64 {
    const SET_MASK: usize = 2;
    let mut old = 0_u64;
    let (to, from) = (&raw const new as usize, &raw mut old as usize);
    // SAFETY: the kernel reads and writes one word each.
    let _ = unsafe { call(SYS_RT_SIGPROCMASK, [SET_MASK, to, from, 8, 0, 0]) };
    old
}

pub fn pid() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETPID, [0; 6]) }.unwrap_or(0) as u32
}

pub fn real_user() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETUID, [0; 6]) }.unwrap_or(0) as u32
}

pub fn real_group() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETGID, [0; 6]) }.unwrap_or(0) as u32
}

pub fn effective_user() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETEUID, [0; 6]) }.unwrap_or(0) as u32
}

pub fn parent_pid() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETPPID, [0; 6]) }.unwrap_or(0) as u32
}

pub fn tid() -> u32 {
    // SAFETY: reads a number.
    unsafe { call(SYS_GETTID, [0; 6]) }.unwrap_or(0) as u32
}

/// What this thread is called, up to a zero byte.
pub fn thread_name() -> Result<[u8; 16], Errno> {
    const GET_NAME: usize = 16;
    let mut name = [0_u8; 16];
    let arguments = [GET_NAME, name.as_mut_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: the kernel writes sixteen bytes.
    unsafe { call(SYS_PRCTL, arguments) }?;
    Ok(name)
}

/// Whether the kernel says for certain that there is no such thread.
pub fn thread_is_gone(tid: u32) -> bool {
    const NO_SUCH_PROCESS: isize = -3;
    // SAFETY: signal 0 only asks.
    let asked = unsafe { call(SYS_TKILL, [tid as usize, 0, 0, 0, 0, 0]) };
    asked == Err(Errno(NO_SUCH_PROCESS))
}

/// Where the main thread's stack began. Only glibc says so; elsewhere it is a place just above,
/// behind the arguments and the environment.
pub fn main_stack_end() -> usize {
    const RANDOM_BYTES: usize = 25;
    match libc_stack_end() {
        // SAFETY: the dynamic linker wrote it once, before anything else ran.
        Some(end) => unsafe { end.read() },
        None => from_kernel(RANDOM_BYTES),
    }
}

/// Address of this thread's control block.
pub fn thread_control_block() -> usize {
    let block;
    // SAFETY: the first word of the block is its own address, by the ABI.
    unsafe { asm!("mov {}, fs:[0]", out(reg) block, options(nostack, preserves_flags, readonly)) };
    block
}

/// Where this function's caller stands on its stack.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let sp;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, rsp", out(reg) sp, options(nostack, nomem, preserves_flags)) };
    sp
}

pub fn abort() -> ! {
    exit(134)
}

/// Ends the process.
pub fn exit(status: c_int) -> ! {
    loop {
        // SAFETY: ends the process, one way or the other.
        unsafe {
            let _ = call(SYS_EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]);
            asm!("ud2");
        }
    }
}

/// What `_dl_find_object` fills in; the layout is glibc's public ABI.
#[repr(C)]
pub struct FoundObject {
    pub flags: u64,
    pub map_start: usize,
    pub map_end: usize,
    pub link_map: *const LinkMap,
    pub eh_frame_header: *const u8,
    pub reserved: [u64; 7],
}

impl FoundObject {
    pub const EMPTY: FoundObject = FoundObject {
        flags: 0,
        map_start: 0,
        map_end: 0,
        link_map: core::ptr::null(),
        eh_frame_header: core::ptr::null(),
        reserved: [0; 7],
    };
}

/// The public head of the dynamic linker's record of a module.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LinkMap {
    pub bias: usize,
    pub name: *const c_char,
    pub dynamic: *const c_void,
    pub next: *const LinkMap,
    pub previous: *const LinkMap,
}

/// What `dl_iterate_phdr` says of a module, as far as it is needed.
#[repr(C)]
pub struct PhdrInfo {
    pub bias: usize,
    pub name: *const c_char,
    pub headers: *const ProgramHeader,
    pub count: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProgramHeader {
    pub kind: u32,
    flags: u32,
    offset: usize,
    pub address: usize,
    physical_address: usize,
    file_bytes: usize,
    pub memory_bytes: usize,
    alignment: usize,
}

pub type PhdrCallback = unsafe extern "C" fn(*const PhdrInfo, usize, *mut c_void) -> c_int;

/// What the dynamic linker tells debuggers.
#[repr(C)]
pub struct DebuggerView {
    version: c_int,
    first: *const LinkMap,
}

/// Where that is; null where it is not known.
pub fn debugger_view() -> *const DebuggerView {
    match (r_debug(), dl_debug_addr()) {
        (Some(view), _) => view.as_ptr(),
        // SAFETY: a constant of musl's.
        (None, Some(place)) => unsafe { place.read() },
        (None, None) => core::ptr::null(),
    }
}

/// Whether the C library is musl, which is its own dynamic linker. It never unloads a module.
pub fn is_musl() -> bool {
    r_debug().is_none() && dl_debug_addr().is_some()
}

/// The record of the executable, where the linker's list of modules begins.
pub fn first_module() -> *const LinkMap {
    let view = debugger_view();
    match view.is_null() {
        true => core::ptr::null(),
        // SAFETY: written before anything of this library runs; the first module stays.
        false => unsafe { (&raw const (*view).first).read_volatile() },
    }
}

/// What the kernel handed over at the start, by its number; zero where it did not.
fn from_kernel(kind: usize) -> usize {
    // SAFETY: looks through a list.
    unsafe { getauxval(kind) }
}

/// Where the executable's program headers are, and how many. In musl they are the dynamic
/// linker's where that was started as a program.
pub fn own_program_headers() -> Option<(usize, usize)> {
    const HEADERS: usize = 3;
    const COUNT: usize = 5;
    let (headers, count) = (from_kernel(HEADERS), from_kernel(COUNT));
    (headers != 0).then_some((headers, count))
}

/// Where the dynamic linker lies; zero where none was started.
pub fn own_linker() -> usize {
    const BASE: usize = 7;
    from_kernel(BASE)
}

/// An address in the file that was started.
pub fn entry_point() -> usize {
    const ENTRY: usize = 9;
    from_kernel(ENTRY)
}

/// Where the kernel's own library lies; zero where there is none.
pub fn kernel_library() -> usize {
    const VDSO: usize = 33;
    from_kernel(VDSO)
}

pub const RTLD_LAZY: c_int = 1;

unsafe extern "C" {
    #[cfg(test)]
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getauxval(kind: usize) -> usize;
    /// Never called: it lies in the dynamic linker.
    pub fn __tls_get_addr(module_and_offset: *const usize) -> *mut c_void;
    pub fn dl_iterate_phdr(callback: PhdrCallback, data: *mut c_void) -> c_int;
}
