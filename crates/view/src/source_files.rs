//! Sources of a program, where they are now: they may have been compiled elsewhere.

use std::fs;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Larger files are not sources.
const LARGEST_BYTES: u64 = 64 << 20;

/// A source file that was found.
pub struct SourceFile {
    pub path: PathBuf,
    /// From line one on.
    pub lines: Vec<String>,
    changed: Option<SystemTime>,
}

impl SourceFile {
    /// Whether it is newer than a time in nanoseconds since 1970: its lines may have
    /// moved.
    pub fn is_newer_than(&self, unix_ns: u64) -> bool {
        let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(unix_ns);
        self.changed.is_some_and(|changed| changed > time)
    }
}

/// The file of that path, or in one of the folders the one whose path ends most like
/// it.
pub fn find(path: &str, folders: &[PathBuf]) -> Option<SourceFile> {
    find_up_to(path, folders, LARGEST_BYTES)
}

/// Larger files are not sent to the page.
const LARGEST_SENT_BYTES: u64 = 4 << 20;

/// The lines of a file on this machine, for the page.
pub fn for_the_page(path: &str) -> Option<Vec<String>> {
    find_up_to(path, &[], LARGEST_SENT_BYTES).map(|file| file.lines)
}

/// The same, of files of at most so many bytes.
fn find_up_to(path: &str, folders: &[PathBuf], largest_bytes: u64) -> Option<SourceFile> {
    if path.is_empty() {
        return None;
    }
    let in_folders = folders.iter().flat_map(|folder| {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let suffixes = (0..parts.len()).map(move |start| parts[start..].join("/"));
        suffixes
            .enumerate()
            .map(move |(start, suffix)| (start, folder.join(suffix)))
    });
    let mut in_folders: Vec<(usize, PathBuf)> = in_folders.collect();
    in_folders.sort_by_key(|(start, _)| *start);
    let in_folders = in_folders.into_iter().map(|(_, path)| path);
    [PathBuf::from(path)]
        .into_iter()
        .chain(in_folders)
        .find_map(|path| open(&path, largest_bytes))
}

fn open(path: &Path, largest_bytes: u64) -> Option<SourceFile> {
    // Asked before it is opened, which some devices take for an order, and again after,
    // without waiting for who writes into a pipe: the path may lead elsewhere by then.
    let is_fit = |about: &fs::Metadata| about.is_file() && about.len() <= largest_bytes;
    fs::metadata(path).ok().filter(is_fit)?;
    let file = fs::File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(path)
        .ok()?;
    let about = file.metadata().ok().filter(is_fit)?;
    let mut bytes = Vec::new();
    // Some files hold more than they say.
    file.take(largest_bytes + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > largest_bytes {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    Some(SourceFile {
        path: path.to_path_buf(),
        lines: text.lines().map(str::to_string).collect(),
        changed: about.modified().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn files_are_found_by_the_end_of_their_path() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().to_path_buf();
        write(&folder.join("thing.cpp"), "wrong\n");
        write(&folder.join("src/thing.cpp"), "one\ntwo\n");
        let found = |path: &str| find(path, std::slice::from_ref(&folder));
        let thing = found("/build/elsewhere/src/thing.cpp").unwrap();
        assert_eq!(thing.path, folder.join("src/thing.cpp"));
        assert_eq!(thing.lines, ["one", "two"]);
        assert!(!thing.is_newer_than(u64::MAX));
        assert!(thing.is_newer_than(0));
        assert_eq!(found("other/thing.cpp").unwrap().lines, ["wrong"]);
        assert!(found("/build/nothing.cpp").is_none());
        assert!(found("").is_none());
        let itself = folder.join("src/thing.cpp");
        assert!(find(itself.to_str().unwrap(), &[]).is_some());
        assert!(find(folder.to_str().unwrap(), &[]).is_none());
        let up_to = |bytes| find_up_to(itself.to_str().unwrap(), &[], bytes).is_some();
        assert!(up_to(8) && !up_to(7));
    }

    #[test]
    fn a_folder_or_a_large_file_is_no_text() {
        let directory = tempfile::tempdir().unwrap();
        let lines = |path: &Path| for_the_page(path.to_str().unwrap());
        assert_eq!(lines(directory.path()), None);
        let path = directory.path().join("large.cpp");
        std::fs::write(&path, vec![b'\n'; LARGEST_SENT_BYTES as usize + 1]).unwrap();
        assert_eq!(lines(&path), None);
        std::fs::write(&path, "a\nb\n").unwrap();
        assert_eq!(lines(&path), Some(vec!["a".to_string(), "b".to_string()]));
    }
}
