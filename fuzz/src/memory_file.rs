//! A file that is in memory alone, for readers that take a path.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::sys::memfd::{MFdFlags, memfd_create};

pub struct MemoryFile {
    file: File,
    path: PathBuf,
}

impl Default for MemoryFile {
    fn default() -> MemoryFile {
        let file = memfd_create(c"fuzz", MFdFlags::MFD_CLOEXEC).expect("memory for a file");
        let file = File::from(file);
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        MemoryFile { file, path }
    }
}

impl MemoryFile {
    /// Where it is, with this content instead of what it had.
    pub fn with(&mut self, content: &[u8]) -> &Path {
        let written = self.file.set_len(0);
        let written = written.and_then(|()| self.file.rewind());
        let written = written.and_then(|()| self.file.write_all(content));
        written.expect("room for the content");
        &self.path
    }
}
