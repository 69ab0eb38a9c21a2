//! Texts of source files, which somebody else reads: nothing here opens a file.

/// The lines of a source file, from line one on; `None` where it is not to be had.
pub type ReadSource = dyn Fn(&str) -> Option<Vec<String>> + Send + Sync;
