//! Addresses: `FILE`, `FILE@51`, `FILE@51..end`, `FILE@id:7`, `FILE@snapshot-name`, and of a
//! file with several processes `FILE@process:4711`, `FILE@process:4711@51..end`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::{Part, Timeline};

/// A file, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub path: PathBuf,
    pub process: Option<Process>,
    pub part: Option<Part>,
}

/// Which process of a file that holds several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Process {
    Pid(u32),
    /// One of the programs that a process was, after `exec`: `4711:cc1plus`.
    Image(u32, String),
    /// File name of the program; `*` and `?` for any text.
    Program(String),
    /// The sum of all.
    All,
}

const PROCESS: &str = "process:";

impl Process {
    fn of(text: &str) -> Process {
        if text == "all" {
            return Process::All;
        }
        if let Ok(pid) = text.parse() {
            return Process::Pid(pid);
        }
        let image = text.split_once(':');
        match image.and_then(|(pid, program)| Some((pid.parse().ok()?, program))) {
            Some((pid, program)) => Process::Image(pid, program.to_owned()),
            None => Process::Program(text.to_owned()),
        }
    }
}

/// As it was given.
impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Process::Pid(pid) => write!(f, "{PROCESS}{pid}"),
            Process::Image(pid, program) => write!(f, "{PROCESS}{pid}:{program}"),
            Process::Program(program) => write!(f, "{PROCESS}{program}"),
            Process::All => write!(f, "{PROCESS}all"),
        }
    }
}

impl FromStr for Address {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Address, Self::Err> {
        // A file of that very name is meant if there is one.
        let split = text.rsplit_once('@').filter(|(path, part)| {
            !path.is_empty() && !part.contains('/') && !PathBuf::from(text).exists()
        });
        let Some((path, last)) = split else {
            return Ok(Address::of(text));
        };
        if let Some(process) = last.strip_prefix(PROCESS) {
            return Ok(Address {
                process: Some(Process::of(process)),
                ..Address::of(path)
            });
        }
        let part = Some(last.parse()?);
        let (path, process) = match path.rsplit_once("@process:") {
            Some((file, process)) if !file.is_empty() && !process.contains('/') => {
                (file, Some(Process::of(process)))
            }
            _ => (path, None),
        };
        Ok(Address {
            process,
            part,
            ..Address::of(path)
        })
    }
}

/// As it was given.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(process) = &self.process {
            write!(f, "@{process}")?;
        }
        match &self.part {
            None => Ok(()),
            Some(part) => write!(f, "@{part}"),
        }
    }
}

impl Address {
    /// All of a file.
    pub fn of(path: impl Into<PathBuf>) -> Address {
        Address {
            path: path.into(),
            process: None,
            part: None,
        }
    }

    /// The whole events that are meant: all without a part. One moment is refused.
    pub fn events(&self, timeline: &Timeline) -> Result<EventRange> {
        let Some(part) = &self.part else {
            return Ok(EventRange::ALL);
        };
        let events = timeline.events_of(part);
        let (from, to) = events.with_context(|| self.path.display().to_string())?;
        Ok(EventRange { from, to })
    }

    /// The same file, between two moments: `51..end`.
    pub fn narrowed(&self, events: Option<&str>) -> Result<Address> {
        let Some(events) = events else {
            return Ok(self.clone());
        };
        if self.part.is_some() {
            bail!("give a part after `@` or with --events, not both");
        }
        let part @ Part::Between { .. } = events.parse()? else {
            bail!("--events needs two events or snapshots: 51..end, id:7..id:9");
        };
        Ok(Address {
            part: Some(part),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn part(text: &str) -> Option<Part> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn addresses_are_files_with_parts() {
        let plain = address("job.residue");
        assert_eq!(plain.path, PathBuf::from("job.residue"));
        assert_eq!(plain.part, None);
        let at = address("a@b/job.residue@51");
        assert_eq!(at.path, PathBuf::from("a@b/job.residue"));
        assert_eq!(at.part, part("51"));
        assert_eq!(address("job.residue@51..end").part, part("51..end"));
        assert_eq!(address("a@b/job.residue").part, None);
        assert_eq!(address("a.residue@51..").to_string(), "a.residue@51..end");
    }

    #[test]
    fn a_process_stands_between_the_file_and_its_part() {
        let of = |text: &str| {
            (
                address(text).path,
                address(text).process,
                address(text).part,
            )
        };
        let file = || PathBuf::from("a@b/job.residue");
        let pid = Some(Process::Pid(4711));
        assert_eq!(
            of("a@b/job.residue@process:4711"),
            (file(), pid.clone(), None)
        );
        assert_eq!(
            of("a@b/job.residue@process:4711@51..end"),
            (file(), pid, part("51..end"))
        );
        assert_eq!(of("job@process:all").1, Some(Process::All));
        let program = Some(Process::Program("cc1*".into()));
        assert_eq!(of("job@process:cc1*").1, program);
        let image = Some(Process::Image(4711, "cc1plus".into()));
        assert_eq!(of("job@process:4711:cc1plus").1, image);
        for text in [
            "job.residue@process:cc1plus@51",
            "job@process:4711:sh@1..end",
        ] {
            assert_eq!(address(text).to_string(), text);
        }
    }

    #[test]
    fn events_narrow_a_file_that_has_no_part_yet() {
        let narrowed = address("a.residue").narrowed(Some("51..end")).unwrap();
        assert_eq!(narrowed, address("a.residue@51..end"));
        let plain = address("a.residue@51");
        assert_eq!(plain.narrowed(None).unwrap(), plain);
        assert!(plain.narrowed(Some("1..2")).is_err());
        assert!(address("a.residue").narrowed(Some("51")).is_err());
    }
}
