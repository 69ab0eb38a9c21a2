//! Addresses of moments: `FILE@51`, `FILE@51..end`, `FILE@snapshot-name`.

use super::{input, moment_view};
use anyhow::{Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::Profile;
use residue_profile::timeline::{EventNumber, MomentId, MomentKind, Timeline};
use std::path::PathBuf;
use std::str::FromStr;

/// A file, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub path: PathBuf,
    pub part: Option<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    At(String),
    Between(String, String),
}

impl FromStr for Address {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Address, Self::Err> {
        // A file of that very name is meant if there is one.
        let split = text.rsplit_once('@').filter(|(path, part)| {
            !path.is_empty() && !part.contains('/') && !PathBuf::from(text).exists()
        });
        let Some((path, part)) = split else {
            return Ok(Address {
                path: PathBuf::from(text),
                part: None,
            });
        };
        let part = match part.split_once("..") {
            None => Part::At(part.to_string()),
            Some((from, to)) => Part::Between(from.to_string(), to.to_string()),
        };
        Ok(Address {
            path: PathBuf::from(path),
            part: Some(part),
        })
    }
}

impl Address {
    /// The events meant: all without a part; from the event on for a single moment.
    pub fn range(&self, timeline: &Timeline) -> Result<EventRange> {
        let event = |name: &str| event_of(timeline, name);
        Ok(match &self.part {
            None => EventRange::ALL,
            Some(Part::At(from)) => EventRange {
                from: event(from)?,
                to: EventNumber::MAX,
            },
            Some(Part::Between(from, to)) => EventRange {
                from: if from.is_empty() { 0 } else { event(from)? },
                to: match to.as_str() {
                    "" | "end" => EventNumber::MAX,
                    to => event(to)?,
                },
            },
        })
    }

    /// The profile at this address: as it was at the moment, or as it changed between
    /// the two.
    pub fn load(&self) -> Result<Profile> {
        let profile = input::load(&self.path)?;
        if self.part.is_none() {
            return Ok(profile);
        }
        let (from, to) = self.moments(&profile.timeline)?;
        Ok(moment_view::between(&profile, from, to))
    }

    /// The moments meant: what came between them is the difference. `None` for the
    /// first stands for nothing before it, for the second for the end.
    fn moments(&self, timeline: &Timeline) -> Result<(Option<MomentId>, Option<MomentId>)> {
        let moment = |name: &str| moment_of(timeline, name);
        Ok(match &self.part {
            None => (None, None),
            Some(Part::At(name)) => (None, moment(name)?),
            Some(Part::Between(from, to)) => (
                if from.is_empty() { None } else { moment(from)? },
                moment(if to.is_empty() { "end" } else { to })?,
            ),
        })
    }
}

fn event_of(timeline: &Timeline, name: &str) -> Result<EventNumber> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    if name == "end" {
        return Ok(EventNumber::MAX);
    }
    match snapshot(timeline, name) {
        Some(moment) => Ok(timeline.moments[moment as usize].event),
        None => bail!("there is no snapshot `{name}`{}", known(timeline)),
    }
}

/// The moment of that name: a snapshot, the begin of the event of that number, or
/// the end of the last event. `None` where it is the end of the recording.
fn moment_of(timeline: &Timeline, name: &str) -> Result<Option<MomentId>> {
    if let Some(moment) = snapshot(timeline, name) {
        return Ok(Some(moment));
    }
    let numbered = |test: &dyn Fn(MomentKind, EventNumber) -> bool| {
        let moments = timeline.moments.iter();
        let found = moments
            .enumerate()
            .filter(|(_, moment)| moment.has_changes && test(moment.kind, moment.event))
            .map(|(place, _)| place as MomentId);
        found.collect::<Vec<MomentId>>()
    };
    if name == "exit" {
        return Ok(None);
    }
    if name == "end" {
        let ends = numbered(&|kind, _| !matches!(kind, MomentKind::Last | MomentKind::Snapshot));
        return Ok(ends.last().copied());
    }
    let Ok(number) = name.parse::<EventNumber>() else {
        bail!("there is no snapshot `{name}`{}", known(timeline));
    };
    let is_begin = |kind: MomentKind| matches!(kind, MomentKind::Begin | MomentKind::Tick);
    let begins = numbered(&|kind, event| is_begin(kind) && event >= number);
    match begins.first() {
        Some(&moment) if timeline.moments[moment as usize].event == number => Ok(Some(moment)),
        Some(&moment) => bail!(
            "event {number} was thinned out; the next that was kept is {}",
            timeline.moments[moment as usize].event
        ),
        None => bail!(
            "there is no event {number}; the last is {}",
            timeline.about.events
        ),
    }
}

fn snapshot(timeline: &Timeline, name: &str) -> Option<MomentId> {
    let moments = timeline.moments.iter();
    let place = moments.rev().position(|moment| {
        let named = moment
            .name
            .and_then(|name| timeline.names.get(name as usize));
        moment.kind == MomentKind::Snapshot && named.is_some_and(|named| named == name)
    })?;
    Some((timeline.moments.len() - 1 - place) as MomentId)
}

fn known(timeline: &Timeline) -> String {
    let names: Vec<&str> = timeline
        .snapshots
        .iter()
        .filter_map(|snapshot| timeline.names.get(snapshot.name as usize))
        .map(String::as_str)
        .take(8)
        .collect();
    match names.is_empty() {
        true => "; the recording has none".to_string(),
        false => format!("; there are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_are_files_with_parts() {
        let plain = address("job.residue");
        assert_eq!(plain.path, PathBuf::from("job.residue"));
        assert_eq!(plain.part, None);
        let at = address("a@b/job.residue@51");
        assert_eq!(at.path, PathBuf::from("a@b/job.residue"));
        assert_eq!(at.part, Some(Part::At("51".to_string())));
        let between = address("job.residue@51..end");
        let part = Part::Between("51".to_string(), "end".to_string());
        assert_eq!(between.part, Some(part));
        assert_eq!(address("a@b/job.residue").part, None);
    }
}
