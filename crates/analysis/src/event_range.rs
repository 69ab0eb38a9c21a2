//! Which events are looked at.

use residue_profile::Profile;
use residue_profile::timeline::EventNumber;

/// The events looked at, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRange {
    pub from: EventNumber,
    pub to: EventNumber,
}

impl EventRange {
    pub const ALL: EventRange = EventRange {
        from: 0,
        to: EventNumber::MAX,
    };

    /// Those that were recorded: of the others it is not known what they did.
    pub fn recorded(profile: &Profile) -> EventRange {
        let options = &profile.meta.options;
        let number = |event: u64| EventNumber::try_from(event).unwrap_or(EventNumber::MAX);
        EventRange {
            // What comes before the first event is not looked at anyway.
            from: match options.recorded_from_event {
                0 | 1 if options.recorded_to_event == 0 => 0,
                first => number(first.max(1)),
            },
            to: match options.recorded_to_event {
                0 => EventNumber::MAX,
                first_missing => number(first_missing - 1),
            },
        }
    }

    /// The events that are in both.
    pub fn within(self, other: EventRange) -> EventRange {
        EventRange {
            from: self.from.max(other.from),
            to: self.to.min(other.to),
        }
    }
}
