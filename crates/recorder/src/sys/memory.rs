//! Memory: mappings, what the kernel is told about them, and what it says of addresses.

use super::{EAGAIN, EFAULT, EINVAL, ENOSYS, Errno, SYS_RT_SIGPROCMASK, call, pid, time};
use core::ffi::c_int;

const SYS_MMAP: usize = 9;
const SYS_MPROTECT: usize = 10;
const SYS_MUNMAP: usize = 11;
const SYS_BRK: usize = 12;
const SYS_MREMAP: usize = 25;
const SYS_MINCORE: usize = 27;
const SYS_MADVISE: usize = 28;
const SYS_SHMCTL: usize = 31;
const SYS_MLOCK: usize = 149;
const SYS_MUNLOCK: usize = 150;
const SYS_MLOCKALL: usize = 151;
const SYS_MUNLOCKALL: usize = 152;
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
