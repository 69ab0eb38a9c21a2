//! The files of `/proc` that tell of this process.

use crate::program_file::ProgramPath;
use crate::setup::Digits;
use crate::sys::{self, ENOENT, Errno};

/// Opens one for reading: by way of this thread, since the first one may have ended, and the
/// process has no memory under its own name then.
pub fn open(name: &[u8]) -> Result<usize, Errno> {
    let opened = open_in(&[b"/proc/thread-self/", name]);
    if opened != Err(ENOENT) {
        return opened;
    }
    // A kernel before 3.17. Where `/proc` is that of another namespace, numbers are others there.
    let mut digits = Digits::default();
    let task = digits.of(u64::from(sys::tid()));
    open_in(&[b"/proc/self/task/", task, b"/", name]).or_else(|_| open_in(&[b"/proc/self/", name]))
}

fn open_in(parts: &[&[u8]]) -> Result<usize, Errno> {
    let path = ProgramPath::joined(parts).ok_or(ENOENT)?;
    sys::open(path.as_bytes(), sys::O_RDONLY | sys::O_CLOEXEC, 0)
}
