//! The operating system: raw calls, so that neither `errno` nor any hook is
//! touched, and the few functions of libc the recorder cannot do without.

mod files;
mod optional;
mod processes;
mod time;
mod timers;

pub use files::*;
pub use optional::*;
pub use processes::*;
pub use time::*;
pub use timers::*;

use crate::confined;
use core::arch::asm;
use core::ffi::{c_char, c_int, c_void};

const SYS_MMAP: usize = 9;
const SYS_MPROTECT: usize = 10;
const SYS_MUNMAP: usize = 11;
const SYS_BRK: usize = 12;
const SYS_RT_SIGPROCMASK: usize = 14;
const SYS_MREMAP: usize = 25;
const SYS_MINCORE: usize = 27;
const SYS_MADVISE: usize = 28;
const SYS_SHMCTL: usize = 31;
const SYS_GETPID: usize = 39;
const SYS_GETUID: usize = 102;
const SYS_GETGID: usize = 104;
const SYS_GETEUID: usize = 107;
const SYS_GETPPID: usize = 110;
const SYS_MLOCK: usize = 149;
const SYS_MUNLOCK: usize = 150;
const SYS_MLOCKALL: usize = 151;
const SYS_MUNLOCKALL: usize = 152;
const SYS_PRCTL: usize = 157;
const SYS_GETTID: usize = 186;
const SYS_TKILL: usize = 200;
const SYS_EXIT_GROUP: usize = 231;
const SYS_PRLIMIT64: usize = 302;
const SYS_PROCESS_VM_READV: usize = 310;
const SYS_MEMBARRIER: usize = 324;
const SYS_MLOCK2: usize = 325;

pub const PROT_READ: usize = 1;
pub const PROT_WRITE: usize = 2;
pub const PROT_EXEC: usize = 4;
pub const MAP_SHARED: usize = 0x01;
pub const MAP_PRIVATE: usize = 0x02;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;
pub const MAP_FIXED_NOREPLACE: usize = 0x100000;
pub const MADV_DONTNEED: usize = 4;
pub const MADV_REMOVE: usize = 9;
pub const MADV_DONTDUMP: usize = 16;
pub const MADV_WIPEONFORK: usize = 18;
pub const MADV_POPULATE_WRITE: usize = 23;
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

/// `mmap`; `how` is protection, flags and file.
///
/// # Safety
/// With `MAP_FIXED` the range must be the caller's to replace.
pub unsafe fn map(
    start: *mut u8,
    bytes: usize,
    how: [usize; 3],
    offset: usize,
) -> Result<*mut u8, Errno> {
    let [protection, flags, file] = how;
    let arguments = [start as usize, bytes, protection, flags, file, offset];
    // SAFETY: the caller vouches for the range.
    unsafe { call(SYS_MMAP, arguments) }.map(|at| at as *mut u8)
}

/// Zeroed memory of the recorder's own.
pub fn map_private(bytes: usize) -> Result<*mut u8, Errno> {
    let (number, arguments) = map_private_call(bytes);
    // SAFETY: a new anonymous mapping disturbs nothing that exists.
    unsafe { call(number, arguments) }.map(|at| at as *mut u8)
}

/// The system call that it is.
pub fn map_private_call(bytes: usize) -> (usize, [usize; 6]) {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    let arguments = [0, bytes, PROT_READ | PROT_WRITE, flags, usize::MAX, 0];
    (SYS_MMAP, arguments)
}

/// Maps a part of a file there and nowhere else; false where something is in the way.
pub fn map_shared_at(start: *mut u8, bytes: usize, file: usize, offset: usize) -> bool {
    let flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    let how = [PROT_READ | PROT_WRITE, flags, file];
    // SAFETY: a new mapping of a file of our own, which replaces nothing.
    let Ok(there) = (unsafe { map(start, bytes, how, offset) }) else {
        return false;
    };
    if there != start {
        // A kernel that does not know the flag takes the address for a wish.
        // SAFETY: mapped just above.
        unsafe { unmap(there, bytes) };
    }
    there == start
}

/// Makes a mapping longer where it is; false where something is in the way.
///
/// # Safety
/// The range must be a whole mapping of the recorder's.
pub unsafe fn extend_mapping(start: *mut u8, bytes: usize, wanted_bytes: usize) -> bool {
    let (number, arguments) = extend_mapping_call(start as usize, bytes, wanted_bytes);
    // SAFETY: the caller vouches for the range; what lies behind it is not replaced.
    unsafe { call(number, arguments) }.is_ok()
}

/// The system call that it is.
pub fn extend_mapping_call(start: usize, bytes: usize, wanted_bytes: usize) -> (usize, [usize; 6]) {
    const IN_PLACE: usize = 0;
    (SYS_MREMAP, [start, bytes, wanted_bytes, IN_PLACE, 0, 0])
}

/// Changes the protection of whole pages.
///
/// # Safety
/// Whoever uses the pages must get along with the new protection.
pub unsafe fn protect(start: usize, bytes: usize, protection: usize) -> Result<usize, Errno> {
    // SAFETY: the caller vouches for the range.
    unsafe { call(SYS_MPROTECT, [start, bytes, protection, 0, 0, 0]) }
}

/// Makes every thread of the process forget instructions it has fetched but not run.
/// Kernels before 4.16 cannot; there it does nothing.
pub fn refetch_code_everywhere() {
    const SYNC_CORE: usize = 1 << 5;
    const REGISTER_SYNC_CORE: usize = 1 << 6;
    for command in [REGISTER_SYNC_CORE, SYNC_CORE] {
        // SAFETY: interrupts the other threads for a moment and changes nothing.
        let _ = unsafe { call(SYS_MEMBARRIER, [command, 0, 0, 0, 0, 0]) };
    }
}

/// # Safety
/// Nothing may use the range any more.
pub unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: the caller gives up the range. Failure leaves it mapped, which is harmless.
    let _ = unsafe { call(SYS_MUNMAP, [start as usize, bytes, 0, 0, 0, 0]) };
}

/// # Safety
/// `advice` must be one that the contents of the range survive, or the contents
/// must not matter.
pub unsafe fn advise(start: *mut u8, bytes: usize, advice: usize) -> Result<usize, Errno> {
    let (number, arguments) = advise_call(start as usize, bytes, advice);
    // SAFETY: the caller vouches for the advice.
    unsafe { call(number, arguments) }
}

/// The system call that it is.
pub fn advise_call(start: usize, bytes: usize, advice: usize) -> (usize, [usize; 6]) {
    (SYS_MADVISE, [start, bytes, advice, 0, 0, 0])
}

/// Makes new pages of a shared mapping present; false where there is no room for them, which would
/// be a fatal signal when they are used.
///
/// # Safety
/// The pages must be the caller's own and hold nothing yet.
pub unsafe fn populate(start: *mut u8, bytes: usize) -> bool {
    // SAFETY: the caller vouches for the pages.
    unsafe {
        match advise(start, bytes, MADV_POPULATE_WRITE) {
            // A kernel before 5.14.
            Err(EINVAL) => (0..bytes)
                .step_by(4096)
                .all(|offset| populate_page(start.wrapping_add(offset))),
            result => result.is_ok(),
        }
    }
}

/// Has the kernel write a word, which it refuses to where there is no room. Every program's filter
/// of system calls allows this one.
///
/// # Safety
/// As for [`populate`].
unsafe fn populate_page(page: *mut u8) -> bool {
    const NO_CHANGE: usize = 0;
    // SAFETY: the kernel writes the set of signals there, which is taken away again.
    unsafe {
        let is_there = call(SYS_RT_SIGPROCMASK, [NO_CHANGE, 0, page as usize, 8, 0, 0]).is_ok();
        if is_there {
            page.cast::<u64>().write(0);
        }
        is_there
    }
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

pub fn lock_all(flags: usize) -> Result<usize, Errno> {
    // SAFETY: locked memory has the content that it had.
    unsafe { call(SYS_MLOCKALL, [flags, 0, 0, 0, 0, 0]) }
}

pub fn unlock_all() {
    // SAFETY: as above.
    let _ = unsafe { call(SYS_MUNLOCKALL, [0; 6]) };
}

/// Locks a range of memory; with `on_fault` its pages only as they are touched, where the kernel
/// can (4.4).
pub fn lock(start: usize, bytes: usize, on_fault: bool) {
    // SAFETY: as above.
    unsafe {
        let locked = call(SYS_MLOCK2, [start, bytes, usize::from(on_fault), 0, 0, 0]);
        if locked == Err(ENOSYS) {
            let _ = call(SYS_MLOCK, [start, bytes, 0, 0, 0, 0]);
        }
    }
}

pub fn unlock(start: usize, bytes: usize) {
    // SAFETY: as above.
    let _ = unsafe { call(SYS_MUNLOCK, [start, bytes, 0, 0, 0, 0]) };
}

/// Where the program's data segment ends.
pub fn program_break() -> usize {
    // SAFETY: an address of zero only asks.
    unsafe { call(SYS_BRK, [0; 6]) }.unwrap_or(0)
}

/// Bytes of a segment of shared memory; zero where they cannot be known.
pub fn shared_segment_bytes(segment: c_int) -> usize {
    const STATUS: usize = 2;
    // `struct shmid_ds`: the size stands behind the owner and the permissions.
    const SIZE: usize = 6;
    let mut status = [0_usize; 14];
    let arguments = [
        segment as usize,
        STATUS,
        status.as_mut_ptr() as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel writes a record of this size.
    let asked = unsafe { call(SYS_SHMCTL, arguments) };
    asked.map_or(0, |_| status[SIZE])
}

/// Whether a page is mapped at all; a system call, for doubtful addresses only.
pub fn is_mapped(address: usize) -> bool {
    let mut resident = 0_u8;
    let page = address & !4095;
    // SAFETY: the kernel writes one byte for the one page asked about.
    unsafe { call(SYS_MINCORE, [page, 1, &raw mut resident as usize, 0, 0, 0]) }.is_ok()
}

/// Whether the word that holds `address` can be read; a system call, for doubtful addresses only.
pub fn is_readable(address: usize) -> bool {
    const COMPARE_AND_REQUEUE_PRIVATE: usize = 132;
    const NOBODY: usize = 0;
    let at = address & !7;
    // SAFETY: the kernel compares the word with zero, and then wakes and moves nobody. valgrind
    // hands this call on; of a change of the signal mask that there is not it says so.
    let asked = unsafe {
        call(
            time::SYS_FUTEX,
            [at, COMPARE_AND_REQUEUE_PRIVATE, NOBODY, NOBODY, at, 0],
        )
    };
    asked.is_ok() || asked == Err(EAGAIN)
}

/// Bytes of a range of whole pages that are in memory; `None` where the kernel does not say.
pub fn resident_bytes(start: usize, bytes: usize) -> Option<usize> {
    const PAGES_AT_ONCE: usize = 512;
    let mut pages = 0;
    let mut flags = [0_u8; PAGES_AT_ONCE];
    for from in (0..bytes).step_by(PAGES_AT_ONCE * 4096) {
        let length = (bytes - from).min(PAGES_AT_ONCE * 4096);
        let arguments = [start + from, length, flags.as_mut_ptr() as usize, 0, 0, 0];
        // SAFETY: the kernel writes one byte for each page asked about.
        unsafe { call(SYS_MINCORE, arguments) }.ok()?;
        let asked = flags.iter().take(length.div_ceil(4096));
        pages += asked.filter(|&&flag| flag & 1 != 0).count();
    }
    Some(pages * 4096)
}

/// Copies memory of this process: an error where it is not there, and a plain read would
/// be a fatal signal. All of it or none counts as read.
///
/// # Safety
/// `into` must have room for `bytes`.
pub unsafe fn read_memory(from: usize, into: *mut u8, bytes: usize) -> Result<(), Errno> {
    let (to, from) = ([into as usize, bytes], [from, bytes]);
    let (to, from) = (to.as_ptr() as usize, from.as_ptr() as usize);
    let arguments = [pid() as usize, to, 1, from, 1, 0];
    // SAFETY: the kernel writes at most `bytes`, for which the caller vouches.
    let copied = unsafe { call(SYS_PROCESS_VM_READV, arguments) }?;
    match copied == bytes {
        true => Ok(()),
        false => Err(EFAULT),
    }
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
