//! The end of a run: every arena becomes a profile.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use residue_finish::Ending;
use residue_profile::{End, Profile};
use residue_symbols::Search;

use crate::arenas::{Arena, ArenaDirectory};
use crate::finishing;

/// A program that has ended.
pub struct Run {
    pub main_pid: u32,
    pub status: ExitStatus,
    /// Of this process when it started the program.
    pub own_rss_bytes: Option<u64>,
    /// Where the program's own profile goes; named by program and process if not given.
    pub output: Option<PathBuf>,
}

/// What became of one arena.
pub struct Finished {
    pub path: PathBuf,
    /// Whether it is of the program that was asked for, and not of a child.
    pub is_main: bool,
    pub profile: Result<Profile>,
}

impl Run {
    pub fn finish_all(&self, directory: ArenaDirectory, search: &Search) -> Vec<Finished> {
        let arenas = directory.arenas();
        let main_image = arenas
            .iter()
            .rposition(|arena| arena.identity.pid == self.main_pid);
        let finish = |(index, arena): (usize, &Arena)| {
            let is_main = Some(index) == main_image;
            let path = self.path_for(&arenas, index, is_main);
            let ending = self.ending(arena, is_main, &arenas[index + 1..]);
            Finished {
                profile: finishing::finish(arena, &ending, search, &path),
                is_main,
                path,
            }
        };
        let finished = arenas.iter().enumerate().map(finish).collect();
        directory.remove();
        finished
    }

    fn path_for(&self, arenas: &[Arena], index: usize, is_main: bool) -> PathBuf {
        let identity = &arenas[index].identity;
        let (pid, name) = (identity.pid, identity.program());
        let images = |some: &[Arena]| {
            some.iter()
                .filter(|other| other.identity.pid == pid)
                .count()
        };
        // Images that were replaced by `exec` are numbered in their order.
        let image = if !is_main && images(arenas) > 1 {
            format!(".{}", images(&arenas[..=index]))
        } else {
            String::new()
        };
        match &self.output {
            Some(output) if is_main => output.clone(),
            Some(output) => {
                let stem = output.file_stem().unwrap_or_default().display().to_string();
                output.with_file_name(format!("{stem}.{pid}{image}.{name}.residue"))
            }
            None => PathBuf::from(format!("{name}.{pid}{image}.residue")),
        }
    }

    fn ending(&self, arena: &Arena, is_main: bool, later: &[Arena]) -> Ending {
        let was_replaced = later
            .iter()
            .any(|other| other.identity.pid == arena.identity.pid);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map(|since| since.as_nanos() as u64)
            .ok();
        let end = if is_main {
            match self.status.signal() {
                Some(signal) => End::Killed { signal },
                None => End::Exited {
                    code: self.status.code().unwrap_or(0),
                },
            }
        } else if was_replaced {
            End::Exec
        } else if arena.is_in_use() {
            End::Running
        } else {
            End::Unknown
        };
        // The kernel's figure of a child begins with what its parent held, up to `exec`;
        // of a program that stayed below that it says nothing.
        let max_rss_bytes = highest_rss_bytes(UsageWho::RUSAGE_CHILDREN)
            .filter(|rss| is_main && Some(*rss) > self.own_rss_bytes);
        Ending {
            ended_unix_ns: now.filter(|_| is_main || end == End::Running),
            end,
            max_rss_bytes,
        }
    }
}

/// The highest resident size of this process so far.
pub fn own_rss_bytes() -> Option<u64> {
    highest_rss_bytes(UsageWho::RUSAGE_SELF)
}

/// The highest resident size that the kernel saw.
fn highest_rss_bytes(of: UsageWho) -> Option<u64> {
    let usage = getrusage(of).ok()?;
    Some(usage.max_rss() as u64 * 1024)
}

/// The path asked for, or one beside it that can be written: a long job must not
/// lose its profile to a mistyped directory.
pub fn usable_output(wanted: &Path) -> PathBuf {
    let directory = match wanted.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let problem = match tempfile::Builder::new()
        .prefix(".residue-probe")
        .tempfile_in(directory)
    {
        Ok(_) if wanted.is_dir() => std::io::Error::from(std::io::ErrorKind::IsADirectory),
        Ok(_) => return wanted.to_path_buf(),
        Err(error) => error,
    };
    let name = wanted.file_name().unwrap_or("profile.residue".as_ref());
    let fallback = [PathBuf::from("."), std::env::temp_dir()]
        .into_iter()
        .find(|base| tempfile::tempfile_in(base).is_ok())
        .unwrap_or_default()
        .join(name);
    eprintln!(
        "residue: cannot write {}: {problem}; the profile will go to {}",
        wanted.display(),
        fallback.display()
    );
    fallback
}
