//! The end of a run: every arena becomes a profile.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
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
    pub fn plan(&self, arenas: Vec<Arena>) -> Vec<Planned> {
        let first_pid = self
            .first_pid
            .or(arenas.first().map(|arena| arena.identity.pid));
        let mut images = images_in_order(arenas);
        if !self.keeps_replaced {
            images.retain(|image| !image.was_replaced());
        }
        let member = |image: &Image| Member {
            own_events: image.arena.identity.own_events,
            peak_bytes: image.arena.identity.peak_bytes,
            has_unseen_heap: image.arena.identity.has_unseen_heap,
            is_first: Some(image.arena.identity.pid) == first_pid,
            was_replaced: image.was_replaced(),
        };
        let members: Vec<Member> = images.iter().map(member).collect();
        let Some(chosen) = worth_looking_at(&members) else {
            return Vec::new();
        };
        let destination = &self.order.destination;
        let profile = destination.profile(&images[chosen].arena.identity);
        let folder = processes_folder(&profile);
        let planned = images.into_iter().zip(members).enumerate();
        planned
            .map(|(index, (image, member))| Planned {
                path: match index == chosen {
                    true => profile.clone(),
                    false => {
                        let number = (image.of > 1 && self.keeps_replaced).then_some(image.number);
                        folder.join(process_file_name(&image.arena.identity, number))
                    }
                },
                arena: image.arena,
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
        let (arenas, troubles) = directory.arenas_and_troubles();
        let planned = self.plan(arenas.clone());
        let kept: BTreeSet<&Path> = planned.iter().map(|one| &*one.arena.path).collect();
        for arena in arenas {
            if !kept.contains(&*arena.path) {
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
        for (path, error) in troubles {
            take(Finished {
                profile: Err(error.context("not finished; residue recover tries again")),
                path,
                is_chosen: false,
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

/// One of the programs that a process was, one after another.
struct Image {
    arena: Arena,
    /// Its place among them, from one, and how many there are.
    number: usize,
    of: usize,
}

impl Image {
    fn was_replaced(&self) -> bool {
        self.number < self.of
    }
}

fn images_in_order(arenas: Vec<Arena>) -> Vec<Image> {
    let mut all: BTreeMap<_, usize> = BTreeMap::new();
    for arena in &arenas {
        *all.entry(arena.identity.process()).or_default() += 1;
    }
    let mut seen: BTreeMap<_, usize> = BTreeMap::new();
    let image = |arena: Arena| {
        let process = arena.identity.process();
        let number = seen.entry(process).or_default();
        *number += 1;
        Image {
            number: *number,
            of: all[&process],
            arena,
        }
    };
    arenas.into_iter().map(image).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::destination::Destination;
    use residue_finish::Identity;

    fn arena(pid: u32, program: &str, own_events: u64, peak_bytes: u64) -> Arena {
        Arena {
            path: PathBuf::from(format!("/dev/shm/x/{pid}.{program}.arena")),
            identity: Identity {
                pid,
                executable: format!("/bin/{program}"),
                command: vec![program.to_string()],
                own_events,
                peak_bytes,
                ..Identity::default()
            },
            is_finished: false,
        }
    }

    fn paths(keeps_replaced: bool, arenas: Vec<Arena>) -> Vec<(String, bool)> {
        let run = Run {
            first_pid: Some(7),
            status: None,
            ended_unix_ns: None,
            own_rss_bytes: None,
            keeps_replaced,
            order: Order {
                destination: Destination::File("out/job.residue".into()),
                ..Order::default()
            },
        };
        let planned = run.plan(arenas).into_iter();
        planned
            .map(|one| (one.path.display().to_string(), one.is_chosen))
            .collect()
    }

    #[test]
    fn the_chosen_process_has_the_file_and_the_others_the_folder() {
        let family = || {
            vec![
                arena(7, "sh", 0, 500),
                arena(8, "sh", 0, 100),
                arena(8, "job", 40, 10),
                arena(9, "job", 50, 10),
            ]
        };
        let named = |name: &str| (format!("out/job.processes/{name}.residue"), false);
        let chosen = ("out/job.residue".to_string(), true);
        assert_eq!(
            paths(true, family()),
            [
                named("7.sh"),
                named("8.1.sh"),
                named("8.2.job"),
                chosen.clone()
            ]
        );
        assert_eq!(
            paths(false, family()),
            [named("7.sh"), named("8.job"), chosen]
        );
        assert_eq!(paths(true, Vec::new()), []);
    }
}
