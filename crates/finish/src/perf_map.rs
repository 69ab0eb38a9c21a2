//! Perf maps: `/tmp/perf-PID.map`, which runtimes write for the `perf` tool.
//!
//! ```text
//!   START SIZE NAME...          hexadecimal; one function a line, in the order made
//! ```
//!
//! Memory is used again, so what a later line says about an address is what counts. The
//! folder belongs to everybody: a file is believed if it is the recorded user's and was
//! written since the program began, not before by another with the same number.

use crate::arena_file::ArenaFile;
use crate::jit::{Wanted, in_range};
use residue_arena::header;
use residue_profile::units::counted;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

const MOST_BYTES: u64 = 256 << 20;
/// Addresses that are given a name, each time counted: a second of work. Programs reuse memory
/// a few times, not each page for each line.
const MOST_NAMINGS: u64 = 1 << 27;
/// Times of files come from a coarser clock than those of the recorder.
const CLOCK_SLACK_NS: u64 = 1_000_000_000;
/// Do not wait for a pipe to be written, and do not follow a link.
const NON_BLOCKING: i32 = 0o4000;
const NO_FOLLOW: i32 = 0o400_000;

/// The names that the recorded program's map has for the addresses.
pub fn names(
    arena: &ArenaFile,
    wanted: &[Wanted],
    notes: &mut Vec<String>,
) -> Vec<Option<Rc<str>>> {
    let path = PathBuf::from(format!("/tmp/perf-{}.map", arena.word(header::PID)));
    let file = match open(&path, arena.user(), arena.word(header::STARTED_UNIX_NS)) {
        Ok(Some(file)) => file,
        Ok(None) => return Vec::new(),
        Err(reason) => {
            notes.push(format!(
                "{}: ignored, so names of JIT-compiled code are missing: {reason}",
                path.display()
            ));
            return Vec::new();
        }
    };
    let mut names = vec![None; wanted.len()];
    let broken = match read(BufReader::new(file.take(MOST_BYTES)), wanted, &mut names) {
        Ok(broken) => broken,
        Err(reason) => {
            notes.push(format!("{}: cannot be read: {reason}", path.display()));
            0
        }
    };
    if broken != 0 {
        notes.push(format!(
            "{}: ignored {} (not START SIZE NAME)",
            path.display(),
            counted(broken, "line", "lines")
        ));
    }
    names
}

/// The map of a program of this user that began at this time; `None` where there is none.
fn open(path: &Path, user: Option<u32>, started_unix_ns: u64) -> Result<Option<File>, String> {
    let opened = File::options()
        .read(true)
        .custom_flags(NON_BLOCKING | NO_FOLLOW)
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let status = file.metadata().map_err(|error| error.to_string())?;
    let seconds = u64::try_from(status.mtime()).unwrap_or(0);
    let written_ns = seconds * 1_000_000_000 + u64::try_from(status.mtime_nsec()).unwrap_or(0);
    if !status.is_file() {
        Err("it is not a file".to_string())
    } else if user != Some(status.uid()) {
        Err("it belongs to another user".to_string())
    } else if written_ns.saturating_add(CLOCK_SLACK_NS) < started_unix_ns {
        Err("it is older than the program's run".to_string())
    } else if status.len() > MOST_BYTES {
        Err(format!("it has more than {} MiB", MOST_BYTES >> 20))
    } else {
        Ok(Some(file))
    }
}

/// Reads the names of the addresses; returns how many lines made no sense. All addresses of a
/// line share its name, which may be as long as the file.
pub(crate) fn read(
    mut map: impl BufRead,
    wanted: &[Wanted],
    names: &mut [Option<Rc<str>>],
) -> io::Result<u64> {
    let mut broken = 0;
    let mut names_left = MOST_NAMINGS;
    let mut line = Vec::new();
    loop {
        line.clear();
        if map.read_until(b'\n', &mut line)? == 0 {
            return Ok(broken);
        }
        match parse(&line) {
            Some((start, end, name)) => {
                let named = in_range(wanted, start, end);
                if named.is_empty() {
                    continue;
                }
                names_left = names_left
                    .checked_sub(named.len() as u64)
                    .ok_or_else(|| io::Error::other("its functions overlap too often"))?;
                let name: Rc<str> = String::from_utf8_lossy(name).into();
                names[named].fill(Some(name));
            }
            None => broken += u64::from(!line.trim_ascii().is_empty()),
        }
    }
}

/// Start, end and name of one line.
fn parse(line: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (start, rest) = split_word(line.trim_ascii())?;
    let (size, name) = split_word(rest)?;
    let (start, size) = (hexadecimal(start)?, hexadecimal(size)?);
    let end = start.checked_add(size)?;
    (!name.is_empty()).then_some((start, end, name))
}

/// The first word, and what follows the blanks after it.
fn split_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(u8::is_ascii_whitespace)?;
    let (word, rest) = text.split_at(end);
    Some((word, rest.trim_ascii_start()))
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    // A sign, which the standard library accepts, is none of the digits.
    let is_number = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::wanted;

    fn read_all(map: &[u8], addresses: &[u64]) -> (Vec<Option<Rc<str>>>, u64) {
        let places: Vec<(u64, u64)> = addresses.iter().map(|&address| (address, 0)).collect();
        let mut names = vec![None; addresses.len()];
        let broken = read(map, &wanted(&places), &mut names).unwrap();
        (names, broken)
    }

    #[test]
    fn a_function_has_its_name_from_start_to_end() {
        let map = b"1000 10 LazyCompile:~run /srv/app.js:12\n0x2000 0x8 second\r\n";
        let (names, broken) = read_all(map, &[0xfff, 0x1000, 0x100f, 0x1010, 0x2007, 0x2008]);
        let run: Option<Rc<str>> = Some("LazyCompile:~run /srv/app.js:12".into());
        let second = Some("second".into());
        assert_eq!(names, [None, run.clone(), run, None, second, None]);
        assert_eq!(broken, 0);
    }

    #[test]
    fn the_last_word_about_an_address_counts() {
        let map = b"1000 100 first\n1040 20 second\n1050 100 third\n";
        let (names, _) = read_all(map, &[0x1000, 0x1040, 0x1050, 0x1060, 0x10ff, 0x114f]);
        let names: Vec<&str> = names.iter().flatten().map(Rc::as_ref).collect();
        assert_eq!(
            names,
            ["first", "second", "third", "third", "third", "third"]
        );
    }

    #[test]
    fn lines_that_are_none_are_counted_and_the_others_used() {
        let map = b"1000 10 good\n\n-1 10 sign\n1000\n1000 10\n1000 10 \nx 10 name\n\
                    ffffffffffffffff 10 beyond\n1 11111111111111111 long\n\xff\xfe\n1000 0 empty\n";
        let (names, broken) = read_all(map, &[0x1000]);
        assert_eq!(names, [Some("good".into())]);
        assert_eq!(broken, 8);
        let (names, broken) = read_all(b"1000 10 cut of", &[0x1000]);
        assert_eq!((names, broken), (vec![Some("cut of".into())], 0));
    }

    /// A thousand addresses and a name of a megabyte would be a gigabyte.
    #[test]
    fn a_long_name_of_many_addresses_is_kept_once() {
        let addresses: Vec<u64> = (0x1000..0x1400).collect();
        let map = format!("1000 1000 {}\n", "x".repeat(1 << 20));
        let (names, _) = read_all(map.as_bytes(), &addresses);
        let first = names[0].clone().unwrap();
        assert_eq!(first.len(), 1 << 20);
        let is_shared = |name: &Option<Rc<str>>| Rc::ptr_eq(name.as_ref().unwrap(), &first);
        assert!(names.iter().all(is_shared));
    }

    /// Lines that name everything again and again are read to an end, and not for hours.
    #[test]
    fn functions_that_overlap_too_often_are_refused() {
        let addresses: Vec<u64> = (0..1 << 16).collect();
        let places: Vec<(u64, u64)> = addresses.iter().map(|&address| (address, 0)).collect();
        let mut names = vec![None; addresses.len()];
        let map = "0 10000 f\n".repeat(4096);
        let error = read(map.as_bytes(), &wanted(&places), &mut names).unwrap_err();
        assert_eq!(error.to_string(), "its functions overlap too often");
        let map = "0 10000 f\n".repeat(100);
        assert_eq!(
            read(map.as_bytes(), &wanted(&places), &mut names).unwrap(),
            0
        );
    }

    #[test]
    fn a_map_is_believed_if_it_is_a_file_of_the_user_and_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let map = folder.path().join("perf-1.map");
        assert!(open(&map, Some(0), 0).unwrap().is_none());
        std::fs::write(&map, "1000 10 name\n").unwrap();
        let status = std::fs::metadata(&map).unwrap();
        let (user, now_s) = (status.uid(), status.mtime() as u64);
        let after = |seconds: u64| (now_s + seconds) * 1_000_000_000;
        assert!(open(&map, Some(user), after(0)).unwrap().is_some());
        let reason = open(&map, Some(user), after(5)).unwrap_err();
        assert_eq!(reason, "it is older than the program's run");
        let reason = open(&map, Some(user + 1), 0).unwrap_err();
        assert_eq!(reason, "it belongs to another user");

        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&map, &link).unwrap();
        assert!(open(&link, Some(user), 0).is_err());
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let reason = open(&pipe, Some(user), 0).unwrap_err();
        assert_eq!(reason, "it is not a file");

        let large = File::create(&map).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
        let reason = open(&map, Some(user), 0).unwrap_err();
        assert_eq!(reason, "it has more than 256 MiB");
    }
}
