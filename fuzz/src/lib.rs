//! What the targets share. Each of them is a file in `targets`, and gives one reader of
//! foreign bytes anything; what they find becomes a test of the crate it was found in.

mod imports;
mod memory_file;
mod sections;

pub use imports::import;
pub use memory_file::MemoryFile;
pub use sections::{file_of, file_of_processes, mend_checksums};

/// Work that rayon would spread over threads is done by the one that calls: handing it over
/// takes longer than a small input does.
pub fn on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let _ = pool.use_current_thread().build_global();
}

/// The input's first line, and what follows it.
pub fn first_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n');
    match end {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}
