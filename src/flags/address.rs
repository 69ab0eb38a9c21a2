//! Addresses: `FILE`, `FILE@51`, `FILE@51..end`, `FILE@id:7`, `FILE@snapshot-name`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::{Part, Timeline};

/// A file, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub path: PathBuf,
    pub part: Option<Part>,
}

impl FromStr for Address {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Address, Self::Err> {
        // A file of that very name is meant if there is one.
        let split = text.rsplit_once('@').filter(|(path, part)| {
            !path.is_empty() && !part.contains('/') && !PathBuf::from(text).exists()
        });
        let (path, part) = match split {
            Some((path, part)) => (path, Some(part.parse()?)),
            None => (text, None),
        };
        Ok(Address {
            path: PathBuf::from(path),
            part,
        })
    }
}

/// As it was given.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.part {
            None => Ok(()),
            Some(part) => write!(f, "@{part}"),
        }
    }
}

impl Address {
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
            path: self.path.clone(),
            part: Some(part),
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
    fn events_narrow_a_file_that_has_no_part_yet() {
        let narrowed = address("a.residue").narrowed(Some("51..end")).unwrap();
        assert_eq!(narrowed, address("a.residue@51..end"));
        let plain = address("a.residue@51");
        assert_eq!(plain.narrowed(None).unwrap(), plain);
        assert!(plain.narrowed(Some("1..2")).is_err());
        assert!(address("a.residue").narrowed(Some("51")).is_err());
    }
}
