//! Who has an arena mapped.
//!
//! The recorder holds a lock on its arena that lives as long as the mapping (`flock`, taken on
//! the open file that is mapped). It tells of processes in other namespaces and of other users,
//! whose numbers and mappings cannot be seen here. File systems that map another file than was
//! opened (overlayfs) let go of it: there `/proc` alone tells.

use anyhow::{Context, Result};
use residue_arena::FILE_SUFFIX;
use residue_finish::plain_file;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Whether somebody else holds a lock on the file.
pub fn is_locked(path: &Path) -> bool {
    let Ok(file) = plain_file::open(path, fs::File::options().read(true)) else {
        return false;
    };
    matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
}

/// The process that writes an arena, by the number that it has here. `pid` is the number that it
/// knows itself by, which is another where it lives in a namespace.
pub fn writer(arena: &Path, pid: u32) -> Option<u32> {
    let arena = &as_mapped(arena);
    if maps_path(pid, arena) {
        return Some(pid);
    }
    if !is_locked(arena) {
        return None;
    }
    let mut others = process_ids().into_iter();
    others.find(|&other| own_number(other) == Some(pid) && maps_path(other, arena))
}

/// A path as the kernel writes it in lists of mappings.
fn as_mapped(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The number by which a process knows itself: the last of its `NSpid`.
fn own_number(pid: u32) -> Option<u32> {
    own_number_at(&format!("/proc/{pid}"))
}

/// The same of a thread, by its folder.
pub fn own_number_at(folder: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("{folder}/status")).ok()?;
    let numbers = status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().last()?.parse().ok()
}

/// Whether the process that wrote an arena still does. A forked child that has not allocated
/// yet has its parent's mapped too, and writes nothing there.
pub fn is_written(arena: &Path, pid: u32) -> bool {
    if writer(arena, pid).is_some() {
        return true;
    }
    // Nobody can be seen, yet somebody holds it: a process that may not be looked at.
    is_locked(arena) && users_of(arena).is_empty()
}

/// The processes that map the file, or one in the directory, as text.
pub fn users_of(path: &Path) -> Vec<String> {
    // A process may fork and end while the others are looked at; its child is new
    // in the next list then. Until no list has anybody new, nothing is certain.
    const MOST_LISTS: usize = 100;
    let path = &as_mapped(path);
    let mut known = process_ids();
    for _ in 0..MOST_LISTS {
        let users: Vec<String> = known
            .iter()
            .filter(|&&pid| maps_path(pid, path))
            .map(|&pid| named(pid))
            .collect();
        let now = process_ids();
        if !users.is_empty() || now.is_subset(&known) {
            return users;
        }
        known = now;
    }
    Vec::new()
}

fn process_ids() -> BTreeSet<u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        // The watch has arenas mapped too.
        .filter(|&pid| pid != std::process::id())
        .collect()
}

/// A process's name and number.
fn named(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("{} ({pid})", name.trim_end())
}

/// Whether a process maps the file, or one in the directory.
pub fn maps_path(pid: u32, path: &Path) -> bool {
    let wanted = path.as_os_str().as_bytes();
    mapped_paths(pid).is_ok_and(|paths| paths.iter().any(|path| path.starts_with(wanted)))
}

/// The arena that a running process writes.
pub fn of_process(pid: u32) -> Result<PathBuf> {
    let paths = mapped_paths(pid).with_context(|| format!("/proc/{pid}/maps"))?;
    paths
        .into_iter()
        .find(|path| path.ends_with(FILE_SUFFIX.as_bytes()))
        .map(|path| PathBuf::from(OsString::from_vec(path)))
        .with_context(|| format!("process {pid} is not being recorded by residue"))
}

/// The paths of the files that a process maps, which need not be text.
fn mapped_paths(pid: u32) -> std::io::Result<Vec<Vec<u8>>> {
    let maps = fs::read(format!("/proc/{pid}/maps"))?;
    let path_of = |line: &[u8]| {
        let start = line.iter().position(|&byte| byte == b'/')?;
        Some(line[start..].to_vec())
    };
    Ok(maps
        .split(|&byte| byte == b'\n')
        .filter_map(path_of)
        .collect())
}

/// Whether a process has been killed, or has begun to end: it gives up its mappings and their
/// locks on the way, which takes the longer the larger they are.
pub fn is_ending(pid: u32) -> bool {
    const EXITING: u64 = 4;
    stat_field(pid, 9).is_some_and(|flags| flags & EXITING != 0) || is_to_be_killed(pid)
}

/// Whether the signal that nobody survives has been sent and is still on its way.
fn is_to_be_killed(pid: u32) -> bool {
    const KILL: u64 = 1 << 8;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let pending = status.lines().filter_map(|line| {
        let set = line
            .strip_prefix("SigPnd:")
            .or_else(|| line.strip_prefix("ShdPnd:"))?;
        u64::from_str_radix(set.trim(), 16).ok()
    });
    pending.fold(0, |all, set| all | set) & KILL != 0
}

pub fn process_started_ticks(pid: u32) -> Option<u64> {
    stat_field(pid, 22)
}

/// A field of `/proc/PID/stat`, from the third on, as proc(5) counts them; the name before it may
/// hold anything but `)`.
fn stat_field(pid: u32, number: usize) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    after_name
        .split_whitespace()
        .nth(number.checked_sub(3)?)?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_ending_from_the_moment_it_is_killed() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        assert!(!is_ending(child.id()));
        child.kill().unwrap();
        assert!(is_ending(child.id()));
        child.wait().unwrap();
    }
}
