//! The end of a run: every arena becomes a profile.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use residue_finish::Ending;
use residue_profile::{End, Profile};
use residue_symbols::Search;

use crate::arenas::{Arena, ArenaDirectory, Order};
use crate::destination::{clear_processes, process_file_name, processes_folder};
use crate::family::{Member, worth_looking_at};
use crate::finishing;

/// A program that has ended.
pub struct Run {
    /// The process that was started, where that is known.
    pub first_pid: Option<u32>,
    /// How it ended, and when.
    pub status: Option<ExitStatus>,
    pub ended_unix_ns: Option<u64>,
    /// Of this process when it started the program.
    pub own_rss_bytes: Option<u64>,
    /// Whether images that were replaced by `exec` have profiles of their own.
    pub keeps_replaced: bool,
    pub order: Order,
}

/// What becomes of one arena.
pub struct Planned {
    pub arena: Arena,
    pub path: PathBuf,
    /// Whether it is of the process worth looking at.
    pub is_chosen: bool,
    is_first: bool,
    was_replaced: bool,
}

/// What became of it.
pub struct Finished {
    pub path: PathBuf,
    pub is_chosen: bool,
    pub profile: Result<Profile>,
}

impl Run {
    /// The images that will have a profile, and where.
    pub fn plan(&self, mut arenas: Vec<Arena>) -> Vec<Planned> {
        let first_pid = self
            .first_pid
            .or(arenas.first().map(|arena| arena.identity.pid));
        if !self.keeps_replaced {
            arenas = without_replaced(arenas);
        }
        let members: Vec<Member> = (0..arenas.len())
            .map(|index| member(&arenas, index, first_pid))
            .collect();
        let Some(chosen) = worth_looking_at(&members) else {
            return Vec::new();
        };
        let profile = self.order.destination.profile(&arenas[chosen].identity);
        let folder = processes_folder(&profile);
        let paths: Vec<PathBuf> = (0..arenas.len())
            .map(|index| match index == chosen {
                true => profile.clone(),
                false => folder.join(process_file_name(
                    &arenas[index].identity,
                    image(&arenas, index),
                )),
            })
            .collect();
        let planned = arenas.into_iter().zip(members).zip(paths).enumerate();
        planned
            .map(|(index, ((arena, member), path))| Planned {
                arena,
                path,
                is_chosen: index == chosen,
                is_first: member.is_first && !member.was_replaced,
                was_replaced: member.was_replaced,
            })
            .collect()
    }

    /// Makes the profiles, in the order in which the images began, and hands over each
    /// before the next is read: there may be thousands.
    pub fn finish_all(
        &self,
        directory: ArenaDirectory,
        search: &Search,
        mut take: impl FnMut(Finished),
    ) {
        let arenas = directory.arenas();
        let planned = self.plan(arenas.clone());
        for arena in arenas {
            if !planned.iter().any(|one| one.arena.path == arena.path) {
                arena.delete();
            }
        }
        if let Some(chosen) = planned.iter().find(|one| one.is_chosen) {
            clear_processes(&processes_folder(&chosen.path));
        }
        for one in &planned {
            take(Finished {
                profile: self.finish(one, search),
                path: one.path.clone(),
                is_chosen: one.is_chosen,
            });
        }
        directory.remove();
    }

    /// Makes one profile.
    pub fn finish(&self, planned: &Planned, search: &Search) -> Result<Profile> {
        if let (Some(folder), false) = (planned.path.parent(), planned.is_chosen) {
            std::fs::create_dir_all(folder)?;
        }
        finishing::finish(&planned.arena, &self.ending(planned), search, &planned.path)
    }

    fn ending(&self, planned: &Planned) -> Ending {
        let status = self.status.filter(|_| planned.is_first);
        let end = match status {
            Some(status) => match status.signal() {
                Some(signal) => End::Killed { signal },
                None => End::Exited {
                    code: status.code().unwrap_or(0),
                },
            },
            None if planned.was_replaced => End::Exec,
            None if planned.arena.is_in_use() => End::Running,
            None => End::Unknown,
        };
        // The kernel's figure of a child begins with what its parent held, up to `exec`;
        // of a program that stayed below that it says nothing.
        let max_rss_bytes = highest_rss_bytes(UsageWho::RUSAGE_CHILDREN)
            .filter(|rss| status.is_some() && Some(*rss) > self.own_rss_bytes);
        Ending {
            ended_unix_ns: match end {
                End::Running => now_unix_ns(),
                _ => self.ended_unix_ns.filter(|_| status.is_some()),
            },
            end,
            max_rss_bytes,
            asked: self.order.asked.clone(),
        }
    }
}

fn is_replaced(arenas: &[Arena], index: usize) -> bool {
    let pid = arenas[index].identity.pid;
    let mut later = arenas[index + 1..].iter();
    later.any(|other| other.identity.pid == pid)
}

fn without_replaced(arenas: Vec<Arena>) -> Vec<Arena> {
    let kept = (0..arenas.len()).filter(|&index| !is_replaced(&arenas, index));
    kept.map(|index| arenas[index].clone()).collect()
}

fn member(arenas: &[Arena], index: usize, first_pid: Option<u32>) -> Member {
    let identity = &arenas[index].identity;
    Member {
        own_events: identity.own_events,
        peak_bytes: identity.peak_bytes,
        is_first: Some(identity.pid) == first_pid,
        was_replaced: is_replaced(arenas, index),
    }
}

/// The number of an image among those of its process, if there are several.
fn image(arenas: &[Arena], index: usize) -> Option<usize> {
    let pid = arenas[index].identity.pid;
    let of_process = |some: &[Arena]| {
        let images = some.iter().filter(|other| other.identity.pid == pid);
        images.count()
    };
    (of_process(arenas) > 1).then(|| of_process(&arenas[..=index]))
}

pub fn now_unix_ns() -> Option<u64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_nanos() as u64)
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
