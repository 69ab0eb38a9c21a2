//! Which events are looked at: the same options for every command that judges a range.

use anyhow::{Context, Result, bail};
use residue_analysis::history::EventRange;
use residue_profile::{Point, Timeline};

use super::address::Address;

#[derive(Debug, Clone, Default, clap::Args)]
pub struct EventFlags {
    /// First event: its number, or id:N for the program's own id
    #[arg(long, value_name = "EVENT", value_parser = event)]
    pub from: Option<Point>,
    /// Last event, included: its number, id:N, or end
    #[arg(long, value_name = "EVENT", value_parser = event)]
    pub to: Option<Point>,
    /// Only events between two moments, as in FILE@A..B: `51..end`, `id:7..id:9`
    #[arg(long, value_name = "A..B", conflicts_with_all = ["from", "to"])]
    pub events: Option<String>,
}

impl EventFlags {
    /// The events that the address and the options choose.
    pub fn range(&self, address: &Address, timeline: &Timeline) -> Result<EventRange> {
        let addressed = address.narrowed(self.events.as_deref())?;
        let mut range = addressed.events(timeline)?;
        let number = |point: &Point| {
            let number = timeline.event_at(point);
            number.with_context(|| address.path.display().to_string())
        };
        if let Some(from) = &self.from {
            range.from = number(from)?;
        }
        if let Some(to) = &self.to {
            range.to = number(to)?;
        }
        match range.from <= range.to {
            true => Ok(range),
            false => bail!(
                "--from {} is after --to {}",
                self.from
                    .as_ref()
                    .map_or(range.from.to_string(), Point::to_string),
                self.to
                    .as_ref()
                    .map_or(range.to.to_string(), Point::to_string),
            ),
        }
    }
}

fn event(text: &str) -> Result<Point, String> {
    match text.parse() {
        Ok(point @ (Point::Event(_) | Point::Id(_) | Point::End)) => Ok(point),
        _ => Err(format!(
            "`{text}` is not an event; give its number, id:N for the program's own id, or end"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::{Moment, MomentKind};

    fn flags(from: Option<&str>, to: Option<&str>, events: Option<&str>) -> EventFlags {
        EventFlags {
            from: from.map(|text| event(text).unwrap()),
            to: to.map(|text| event(text).unwrap()),
            events: events.map(str::to_string),
        }
    }

    /// Ten events with the ids 101 to 110.
    fn timeline() -> Timeline {
        let moment = |event: u32| Moment {
            id: 100 + u64::from(event),
            has_changes: true,
            ..Moment::unread(MomentKind::Begin, event, 0)
        };
        let mut timeline = Timeline {
            moments: (1..=10).map(moment).collect(),
            ..Timeline::default()
        };
        timeline.about.events = 10;
        timeline
    }

    #[test]
    fn events_are_chosen_by_number_or_by_the_programs_id() {
        let address: Address = "a.residue".parse().unwrap();
        let of = |flags: EventFlags| {
            let range = flags.range(&address, &timeline());
            range
                .map(|range| (range.from, range.to))
                .map_err(|error| format!("{error:#}"))
        };
        assert_eq!(of(flags(Some("id:103"), Some("id:105"), None)), Ok((3, 5)));
        assert_eq!(of(flags(Some("3"), Some("end"), None)), Ok((3, u32::MAX)));
        assert_eq!(of(flags(None, None, Some("id:103..id:105"))), Ok((3, 4)));
        assert_eq!(of(flags(None, None, Some("3..end"))), Ok((3, u32::MAX)));
        assert_eq!(
            of(flags(Some("id:7"), None, None)).unwrap_err(),
            "a.residue: no event has the id 7"
        );
        assert_eq!(
            of(flags(None, Some("11"), None)).unwrap_err(),
            "a.residue: there is no event 11; the last is 10"
        );
        assert_eq!(
            of(flags(Some("id:105"), Some("2"), None)).unwrap_err(),
            "--from id:105 is after --to 2"
        );
        assert!(event("half").unwrap_err().contains("id:N"));
    }
}
