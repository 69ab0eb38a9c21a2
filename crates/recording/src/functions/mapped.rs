//! Which file is behind an address of a running program.
//!
//! A module's name does not say: it may be relative to a directory that the program
//! has left, or mean another file where the program sees other file systems, and the
//! file of that name may have been replaced since. What is mapped is certain.

use nix::sys::stat::{major, minor};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A line of `/proc/PID/maps`.
struct Mapping<'a> {
    /// As the kernel writes them.
    range: &'a [u8],
    start: u64,
    end: u64,
    device: (u32, u32),
    /// Zero where there is no file.
    inode: u64,
    path: &'a [u8],
}

impl Mapping<'_> {
    /// `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE    PATH`
    fn parse(line: &[u8]) -> Option<Mapping<'_>> {
        let mut fields = line.splitn(6, |&byte| byte == b' ');
        let range = fields.next()?;
        let (start, end) = in_two(range, '-')?;
        let (major, minor) = in_two(fields.nth(2)?, ':')?;
        let inode = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        Some(Mapping {
            range,
            start,
            end,
            device: (major as u32, minor as u32),
            inode,
            path: fields.next().unwrap_or_default().trim_ascii_start(),
        })
    }

    fn is_of(&self, file: &Metadata) -> bool {
        let device = (major(file.dev()) as u32, minor(file.dev()) as u32);
        file.ino() == self.inode && may_be_one(device, self.device)
    }
}

/// Whether two numbers can be of one file system. One that has no device of its own,
/// laid over others or a part of another, may show its files under another number here
/// than there.
fn may_be_one(device: (u32, u32), other: (u32, u32)) -> bool {
    let has_own_device = |(major, _)| major != 0;
    device == other || !has_own_device(device) || !has_own_device(other)
}

/// Two hexadecimal numbers.
fn in_two(field: &[u8], by: char) -> Option<(u64, u64)> {
    let (first, second) = str::from_utf8(field).ok()?.split_once(by)?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    Some((number(first)?, number(second)?))
}

/// What a running program has mapped.
pub struct Maps {
    pid: u32,
    text: Vec<u8>,
}

impl Maps {
    /// The mappings of the process that writes the arena. `pid` is what it calls itself,
    /// which is another process's number if it has a namespace of its own.
    pub fn of_writer(arena: &Path, pid: u32) -> Option<Maps> {
        let arena = fs::metadata(arena).ok()?;
        let text = fs::read(format!("/proc/{pid}/maps")).ok()?;
        let maps = Maps { pid, text };
        let is_writer = maps.mappings().any(|mapping| mapping.is_of(&arena));
        is_writer.then_some(maps)
    }

    fn mappings(&self) -> impl Iterator<Item = Mapping<'_>> {
        let lines = self.text.split(|&byte| byte == b'\n');
        lines.filter_map(Mapping::parse)
    }

    pub fn file_at(&self, address: u64) -> FileAt {
        let mapping = self
            .mappings()
            .find(|mapping| (mapping.start..mapping.end).contains(&address));
        let Some(mapping) = mapping.filter(|mapping| mapping.inode != 0) else {
            return FileAt::None;
        };
        let paths = self.paths(&mapping);
        match paths.into_iter().find(|path| is_behind(path, &mapping)) {
            Some(path) => FileAt::Path(path),
            None => FileAt::Unreadable,
        }
    }

    /// Whether the file is still what is mapped there, now that it has been read.
    pub fn is_at(&self, address: u64, path: &Path) -> bool {
        self.mappings()
            .find(|mapping| (mapping.start..mapping.end).contains(&address))
            .is_some_and(|mapping| is_behind(path, &mapping))
    }

    /// Where the file may be reached: as the program sees it, as we do, and through the
    /// mapping itself, which also works for a file that is gone, but takes privileges.
    fn paths(&self, mapping: &Mapping<'_>) -> [PathBuf; 3] {
        let process = PathBuf::from(format!("/proc/{}", self.pid));
        let path = Path::new(OsStr::from_bytes(mapping.path));
        let inside = path.strip_prefix("/").unwrap_or(path);
        let range = OsStr::from_bytes(mapping.range);
        [
            process.join("root").join(inside),
            path.to_path_buf(),
            process.join("map_files").join(range),
        ]
    }
}

fn is_behind(path: &Path, mapping: &Mapping<'_>) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && mapping.is_of(&file))
}

/// What is behind an address.
#[derive(Debug, PartialEq, Eq)]
pub enum FileAt {
    /// Memory without a file: a module that the kernel brings.
    None,
    /// A file that cannot be reached any more, or not from here.
    Unreadable,
    Path(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maps(text: &str) -> Maps {
        Maps {
            pid: std::process::id(),
            text: text.as_bytes().to_vec(),
        }
    }

    /// A line about the file, with its inode number raised.
    fn line(file: &Path, device: &str, more: u64) -> String {
        let inode = fs::metadata(file).unwrap().ino() + more;
        format!(
            "7f0000001000-7f0000002000 r--p 00000000 {device} {inode}      {}\n",
            file.display()
        )
    }

    #[test]
    fn only_the_very_file_is_believed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("with a space.so");
        fs::write(&path, "").unwrap();
        let device = fs::metadata(&path).unwrap().dev();
        let device = format!("{:02x}:{:02x}", major(device), minor(device));
        let pid = std::process::id();
        let reached = PathBuf::from(format!("/proc/{pid}/root{}", path.display()));
        let (inside, behind) = (0x7f00_0000_1fff, 0x7f00_0000_2000);

        let right = maps(&line(&path, &device, 0));
        assert_eq!(right.file_at(inside), FileAt::Path(reached.clone()));
        assert!(right.is_at(inside, &reached));
        assert_eq!(right.file_at(behind), FileAt::None);
        let wrong = maps(&line(&path, &device, 1));
        assert_eq!(wrong.file_at(inside), FileAt::Unreadable);

        // Replaced since: the name is there, the file is not.
        fs::rename(&path, directory.path().join("old.so")).unwrap();
        fs::write(&path, "").unwrap();
        assert_eq!(right.file_at(inside), FileAt::Unreadable);
        assert!(!right.is_at(inside, &reached));
    }

    #[test]
    fn devices_differ_where_both_are_real() {
        assert!(may_be_one((8, 1), (8, 1)));
        assert!(!may_be_one((8, 1), (8, 2)));
        assert!(!may_be_one((8, 1), (9, 1)));
        assert!(may_be_one((0, 42), (8, 1)));
        assert!(may_be_one((0, 42), (0, 43)));
    }

    #[test]
    fn memory_without_a_file_has_none() {
        let vdso = maps("7ffd0000-7ffd2000 r-xp 00000000 00:00 0       [vdso]\n");
        assert_eq!(vdso.file_at(0x7ffd_0000), FileAt::None);
    }
}
