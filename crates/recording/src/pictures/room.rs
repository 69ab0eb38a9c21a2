//! Memory that is left for a copy of a program: on the machine, and below the limits of the control
//! groups that the run is in, and with it the programs that it records.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_millis(100);
const GROUPS: &str = "/sys/fs/cgroup";

/// Looks now and then.
#[derive(Default)]
pub struct Room {
    looked: Option<Instant>,
    left_bytes: Option<u64>,
}

impl Room {
    /// The bytes that are left, or were a moment ago: a program may begin and end between two looks.
    /// `None` where nobody knows.
    pub fn look(&mut self) -> Option<u64> {
        if self.looked.is_none_or(|looked| looked.elapsed() >= PERIOD) {
            self.looked = Some(Instant::now());
            self.left_bytes = left_bytes(&|path| fs::read_to_string(path).ok());
        }
        self.left_bytes
    }
}

/// Whether the kernel promises no more memory than it has.
pub fn is_promised_strictly() -> bool {
    let mode = fs::read_to_string("/proc/sys/vm/overcommit_memory");
    mode.is_ok_and(|mode| mode.trim() == "2")
}

type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

fn left_bytes(read: Read<'_>) -> Option<u64> {
    let machine = read(Path::new("/proc/meminfo"));
    let machine = machine.and_then(|text| Some(number(&text, "MemAvailable:")? * 1024));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().flat_map(|line| of_line(line, read));
    groups.chain(machine).min()
}

/// The names of one version's files.
struct Files {
    limit: &'static str,
    used: &'static str,
    /// What of it the kernel gives back first, in `memory.stat`.
    cache: &'static str,
}

const UNIFIED: Files = Files {
    limit: "memory.max",
    used: "memory.current",
    cache: "inactive_file",
};
const OWN_HIERARCHY: Files = Files {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: "total_inactive_file",
};

/// What is left in the groups of one line: `0::/user.slice/a.scope`, `4:memory:/a`.
fn of_line(line: &str, read: Read<'_>) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
        return Vec::new();
    };
    let (top, files) = match controllers {
        "" => (PathBuf::from(GROUPS), UNIFIED),
        _ if controllers.split(',').any(|it| it == "memory") => {
            (Path::new(GROUPS).join("memory"), OWN_HIERARCHY)
        }
        _ => return Vec::new(),
    };
    // In a container the path may be of outside, and the group is at the top here.
    let group = top.join(path.trim_start_matches('/'));
    let groups = group.ancestors().take_while(|it| it.starts_with(&top));
    groups.filter_map(|it| left_in(it, &files, read)).collect()
}

fn left_in(group: &Path, files: &Files, read: Read<'_>) -> Option<u64> {
    let value = |name| -> Option<u64> { read(&group.join(name))?.trim().parse().ok() };
    let (limit, used) = (value(files.limit)?, value(files.used)?);
    let stat = read(&group.join("memory.stat")).unwrap_or_default();
    let cache = number(&stat, files.cache).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

/// The number behind a name at the begin of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| match words.next() {
        Some(word) if word == name => words.next()?.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(files: &[(&str, &str)]) -> Option<u64> {
        left_bytes(&|path| {
            let mut files = files.iter();
            let found = files.find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| text.to_string())
        })
    }

    const MACHINE: (&str, &str) = (
        "/proc/meminfo",
        "MemTotal:  100 kB\nMemFree: 10 kB\nMemAvailable:   50 kB\n",
    );

    #[test]
    fn the_machine_alone() {
        assert_eq!(left(&[MACHINE]), Some(50 << 10));
        let group = ("/proc/self/cgroup", "0::/\n1:cpu:/a\n");
        assert_eq!(left(&[MACHINE, group]), Some(50 << 10));
        assert_eq!(left(&[]), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let files = [
            MACHINE,
            ("/proc/self/cgroup", "0::/outer/inner\n"),
            ("/sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("/sys/fs/cgroup/outer/inner/memory.current", "7000\n"),
            ("/sys/fs/cgroup/outer/memory.max", "30000\n"),
            ("/sys/fs/cgroup/outer/memory.current", "20000\n"),
            (
                "/sys/fs/cgroup/outer/memory.stat",
                "anon 1\ninactive_file 5000\n",
            ),
        ];
        assert_eq!(left(&files), Some(15_000));
    }

    #[test]
    fn the_older_hierarchy_in_a_container() {
        let files = [
            MACHINE,
            (
                "/proc/self/cgroup",
                "9:cpu,cpuacct:/\n4:memory:/docker/abc\n",
            ),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "40000\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "39000\n"),
            (
                "/sys/fs/cgroup/memory/memory.stat",
                "total_inactive_file 100\n",
            ),
        ];
        assert_eq!(left(&files), Some(1100));
    }
}
