//! Addresses of moments: `FILE@51`, `FILE@51..end`, `FILE@snapshot-name`.

use super::{input, moment_view};
use anyhow::{Context, Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::timeline::{EventNumber, MomentId, MomentKind, Timeline};
use residue_profile::{Needs, Profile};
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

/// As it was given.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.part {
            None => Ok(()),
            Some(Part::At(moment)) => write!(f, "@{moment}"),
            Some(Part::Between(from, to)) => write!(f, "@{from}..{to}"),
        }
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
        if self.part.is_none() {
            return input::load(&self.path);
        }
        let profile = input::load_needed(&self.path, OF_A_MOMENT)?;
        let span = self.span(&profile.timeline)?;
        Ok(moment_view::of(profile, span))
    }

    /// The same file, between two events or snapshots: `51..end`.
    pub fn narrowed(&self, events: Option<&str>) -> Result<Address> {
        let Some(events) = events else {
            return Ok(self.clone());
        };
        if self.part.is_some() {
            bail!("give a moment after `@` or by --events, not both");
        }
        let (from, to) = events
            .split_once("..")
            .context("--events takes two events or snapshots with `..` between them: 51..end")?;
        Ok(Address {
            path: self.path.clone(),
            part: Some(Part::Between(from.to_string(), to.to_string())),
        })
    }

    /// The time that is meant: everything up to a moment, or between two.
    pub fn span(&self, timeline: &Timeline) -> Result<Span> {
        let moment = |name: &str| moment_of(timeline, name);
        let (from, to) = match &self.part {
            None => (None, None),
            Some(Part::At(name)) => (None, moment(name)?),
            Some(Part::Between(from, to)) => (
                if from.is_empty() { None } else { moment(from)? },
                moment(if to.is_empty() { "end" } else { to })?,
            ),
        };
        Ok(Span { from, to })
    }
}

/// What the views of a moment are made from.
pub const OF_A_MOMENT: Needs = Needs {
    places: true,
    changes: true,
    ..Needs::LEAST
};

/// What came after one moment and up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// `None` for the start of the recording.
    pub from: Option<MomentId>,
    /// `None` for its end.
    pub to: Option<MomentId>,
}

impl Span {
    /// Events that began in it.
    pub fn events(self, timeline: &Timeline) -> u64 {
        let begun = |moment: MomentId| events_begun(timeline, moment);
        let from = self.from.map_or(0, begun);
        let to = self.to.map_or(timeline.about.events, begun);
        to.saturating_sub(from)
    }
}

/// Events that had begun before a moment. An event whose begin it is has not: nothing
/// of it has happened.
fn events_begun(timeline: &Timeline, moment: MomentId) -> u64 {
    let Some(here) = timeline.moments.get(moment as usize) else {
        return timeline.about.events;
    };
    let is_begin = match here.kind {
        MomentKind::Begin | MomentKind::Tick => true,
        // Those that are named by the event are taken as it begins.
        MomentKind::Snapshot => {
            let name = here.name.and_then(|name| timeline.names.get(name as usize));
            name.is_some_and(|name| *name == here.event.to_string())
        }
        MomentKind::End | MomentKind::Last => false,
    };
    u64::from(here.event).saturating_sub(u64::from(is_begin))
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
    let begins = numbered(&|kind, event| kind.is_begin() && event >= number);
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
    use crate::text::sample::NO_MOMENT;
    use residue_profile::timeline::Moment;

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

    #[test]
    fn events_narrow_a_file_that_has_no_moment_yet() {
        let narrowed = address("a.residue").narrowed(Some("51..end")).unwrap();
        assert_eq!(narrowed, address("a.residue@51..end"));
        let plain = address("a.residue@51");
        assert_eq!(plain.narrowed(None).unwrap(), plain);
        assert!(plain.narrowed(Some("1..2")).is_err());
        assert!(address("a.residue").narrowed(Some("51")).is_err());
    }

    #[test]
    fn spans_hold_the_events_that_began_in_them() {
        let mut timeline = Timeline {
            names: vec!["3".to_string(), "half".to_string()],
            ..Timeline::default()
        };
        timeline.about.events = 9;
        let moment = |kind, event, name| Moment {
            kind,
            event,
            name,
            ..NO_MOMENT
        };
        timeline.moments = vec![
            moment(MomentKind::Begin, 1, None),
            moment(MomentKind::End, 1, None),
            moment(MomentKind::Begin, 3, None),
            moment(MomentKind::Snapshot, 3, Some(0)),
            moment(MomentKind::Snapshot, 3, Some(1)),
            moment(MomentKind::End, 8, None),
        ];
        let events = |from, to| Span { from, to }.events(&timeline);
        assert_eq!(events(None, None), 9);
        assert_eq!(events(None, Some(0)), 0);
        assert_eq!(events(None, Some(1)), 1);
        assert_eq!(events(Some(1), Some(2)), 1);
        assert_eq!(events(Some(2), Some(3)), 0);
        assert_eq!(events(Some(3), Some(4)), 1);
        assert_eq!(events(Some(3), Some(5)), 6);
        assert_eq!(events(Some(5), None), 1);
        assert_eq!(events(Some(5), Some(0)), 0);
    }
}
