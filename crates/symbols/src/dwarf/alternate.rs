//! The file that `dwz` moved the common parts of several debug files to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::sections::Sections;

/// Where the supplementary file is said to be, and its build-id: a terminated path, and
/// bytes.
pub(crate) fn alternate_link(sections: &Sections) -> Option<(PathBuf, String)> {
    let contents = sections.bytes(".gnu_debugaltlink");
    let length = contents.iter().position(|&byte| byte == 0)?;
    let (path, id) = contents.split_at(length);
    let id = id.get(1..).filter(|id| !id.is_empty())?;
    let id = id.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((PathBuf::from(OsStr::from_bytes(path)), id))
}
