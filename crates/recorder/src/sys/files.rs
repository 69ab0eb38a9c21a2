//! Files, by descriptors and by paths that end in a zero byte.

use super::{Errno, call};

const SYS_READ: usize = 0;
const SYS_WRITE: usize = 1;
const SYS_CLOSE: usize = 3;
const SYS_STAT: usize = 4;
const SYS_PREAD64: usize = 17;
const SYS_ACCESS: usize = 21;
const SYS_FLOCK: usize = 73;
const SYS_FTRUNCATE: usize = 77;
const SYS_READLINK: usize = 89;
const SYS_OPENAT: usize = 257;

pub const O_RDONLY: usize = 0;
pub const O_WRONLY: usize = 1;
pub const O_RDWR: usize = 2;
pub const O_CREAT: usize = 0o100;
pub const O_EXCL: usize = 0o200;
pub const O_NONBLOCK: usize = 0o4000;
pub const O_CLOEXEC: usize = 0o2000000;

/// Opens a path that ends in a zero byte.
pub fn open(path: &[u8], flags: usize, mode: usize) -> Result<usize, Errno> {
    if path.last() != Some(&0) {
        return Err(Errno(-22));
    }
    // As libc itself opens files: filters that forbid the older call know this one.
    const CURRENT_FOLDER: usize = -100_isize as usize;
    let arguments = [CURRENT_FOLDER, path.as_ptr() as usize, flags, mode, 0, 0];
    // SAFETY: the path is terminated; a new descriptor disturbs nothing that exists.
    unsafe { call(SYS_OPENAT, arguments) }
}

pub fn close(file: usize) {
    // SAFETY: only descriptors that `open` gave come here.
    let _ = unsafe { call(SYS_CLOSE, [file, 0, 0, 0, 0, 0]) };
}

pub fn read(file: usize, into: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes at most `len` bytes into the slice.
    unsafe {
        call(
            SYS_READ,
            [file, into.as_mut_ptr() as usize, into.len(), 0, 0, 0],
        )
    }
}

pub fn read_at(file: usize, into: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let (to, room) = (into.as_mut_ptr() as usize, into.len());
    // SAFETY: the kernel writes at most `room` bytes into the slice.
    unsafe { call(SYS_PREAD64, [file, to, room, offset as usize, 0, 0]) }
}

pub fn write(file: usize, from: &[u8]) -> Result<usize, Errno> {
    // SAFETY: only files that the recorder made come here.
    unsafe {
        call(
            SYS_WRITE,
            [file, from.as_ptr() as usize, from.len(), 0, 0, 0],
        )
    }
}

/// Whether this user may execute the file at a path that ends in a zero byte.
pub fn is_executable(path: &[u8]) -> bool {
    const EXECUTE: usize = 1;
    // SAFETY: the path is terminated, as everywhere here.
    unsafe { call(SYS_ACCESS, [path.as_ptr() as usize, EXECUTE, 0, 0, 0, 0]) }.is_ok()
}

pub fn set_length(file: usize, bytes: u64) -> Result<usize, Errno> {
    // SAFETY: only files that the recorder made come here.
    unsafe { call(SYS_FTRUNCATE, [file, bytes as usize, 0, 0, 0, 0]) }
}

/// Takes a lock that others may take too. It lives as long as the last mapping of this open
/// file, in whatever process; closing the descriptor does not end it.
pub fn lock_shared(file: usize) -> Result<usize, Errno> {
    const SHARED: usize = 1;
    const WITHOUT_WAITING: usize = 4;
    // SAFETY: only files of the recorder's and the command's own come here.
    unsafe { call(SYS_FLOCK, [file, SHARED | WITHOUT_WAITING, 0, 0, 0, 0]) }
}

/// Whether somebody else has a lock on the file at a path that ends in a zero byte.
pub fn is_locked(path: &[u8]) -> bool {
    const WOULD_WAIT: isize = -11;
    let Ok(file) = open(path, O_RDONLY | O_CLOEXEC, 0) else {
        return false;
    };
    let tried = lock_shared(file);
    close(file);
    tried == Err(Errno(WOULD_WAIT))
}

/// What `stat` tells of a file or directory.
pub struct Status {
    pub device: u64,
    pub file: u64,
    pub modified_ns: u64,
    pub links: u64,
    pub mode: u32,
    pub owner: u32,
    pub group: u32,
}

/// Of a path that ends in a zero byte.
pub fn status(path: &[u8]) -> Result<Status, Errno> {
    // `struct stat`: after device and file come the number of links, mode, owner and group; the
    // times are further behind.
    let mut status = [0_u64; 18];
    let (at, to) = (path.as_ptr() as usize, status.as_mut_ptr() as usize);
    // SAFETY: the path is terminated, as everywhere here, and the record has room.
    unsafe { call(SYS_STAT, [at, to, 0, 0, 0, 0]) }?;
    Ok(Status {
        device: status[0],
        file: status[1],
        modified_ns: status[11]
            .wrapping_mul(1_000_000_000)
            .wrapping_add(status[12]),
        links: status[2],
        mode: status[3] as u32,
        owner: (status[3] >> 32) as u32,
        group: status[4] as u32,
    })
}

/// Reads the target of a link whose path ends in a zero byte.
pub fn read_link(path: &[u8], into: &mut [u8]) -> Result<usize, Errno> {
    if path.last() != Some(&0) {
        return Err(Errno(-22));
    }
    let (at, to, room) = (
        path.as_ptr() as usize,
        into.as_mut_ptr() as usize,
        into.len(),
    );
    // SAFETY: the path is terminated and the kernel writes at most `room` bytes.
    unsafe { call(SYS_READLINK, [at, to, room, 0, 0, 0]) }
}
