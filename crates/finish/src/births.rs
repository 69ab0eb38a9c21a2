//! Births: from the recorder's numbers to events.
//!
//! Of a very long run the births between the first and the last thousands are put
//! together in bins, so that a leak in each of a million events stays a small list.

use crate::arena_file::ArenaFile;
use crate::timeline::line_events::LineEvents;
use residue_arena::header;
use residue_profile::timeline::WHOLE_BIRTH_EVENTS as WHOLE_EVENTS;

const MOST_BINS: u32 = 8192;
const NS_PER_SECOND: u64 = 1_000_000_000;

pub struct Births {
    base: u32,
    line_events: LineEvents,
    events: u32,
    bin_events: u32,
}

/// What one unit of birth is called.
pub fn unit(arena: &ArenaFile) -> &'static str {
    match arena.word(header::SOURCE) {
        header::SOURCE_NONE | header::SOURCE_TICKS => match arena.word(header::TICK_NS) {
            NS_PER_SECOND => "second",
            _ => "tick",
        },
        _ => "event",
    }
}

impl Births {
    pub fn of(arena: &ArenaFile, line_events: LineEvents) -> Births {
        Births::new(
            arena.word(header::EVENT_BASE) as u32,
            arena.word(header::BIRTH) as u32,
            line_events,
        )
    }

    fn new(base: u32, last: u32, line_events: LineEvents) -> Births {
        let events = last.saturating_sub(base);
        Births {
            base,
            line_events,
            events,
            bin_events: events.div_ceil(MOST_BINS).next_power_of_two(),
        }
    }

    /// Events per bin where births are put together.
    pub fn bin_events(&self) -> u32 {
        match self.events <= 4 * WHOLE_EVENTS {
            true => 1,
            false => self.bin_events,
        }
    }

    /// The first birth of the bin of a birth.
    pub fn first_of_bin(&self, birth: u32) -> u32 {
        self.base.saturating_add(self.bin(birth))
    }

    /// The event of a birth, or the first of its bin; zero before the first event.
    pub fn bin(&self, birth: u32) -> u32 {
        let event = self.line_events.event(birth.saturating_sub(self.base));
        let is_near_an_end =
            event <= WHOLE_EVENTS || event > self.events.saturating_sub(WHOLE_EVENTS);
        if is_near_an_end || self.events <= 4 * WHOLE_EVENTS {
            event
        } else {
            let first = event / self.bin_events * self.bin_events;
            first.max(WHOLE_EVENTS + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_of_a_short_run_are_events() {
        let births = Births::new(3, 1003, LineEvents::default());
        assert_eq!(births.bin(0), 0);
        assert_eq!(births.bin(3), 0);
        assert_eq!(births.bin(4), 1);
        assert_eq!(births.bin(1003), 1000);
    }

    #[test]
    fn a_million_births_are_bins_between_whole_ends() {
        let births = Births::new(0, 1_000_000, LineEvents::default());
        assert_eq!(births.bin(4096), 4096);
        assert_eq!(births.bin(5000), 4992);
        assert_eq!(births.bin(999_999), 999_999);
        let mut bins: Vec<u32> = (0..=1_000_000).map(|birth| births.bin(birth)).collect();
        bins.dedup();
        assert!(bins.is_sorted());
        assert_eq!(bins.len(), 15_942);
    }

    #[test]
    fn births_that_are_put_together_early_fall_into_the_same_bins_later() {
        let early = Births::new(3, 300_003, LineEvents::default());
        let late = Births::new(3, 5_000_003, LineEvents::default());
        for birth in (0..300_003).step_by(7) {
            let first = early.first_of_bin(birth);
            assert!(first <= birth.max(3), "{birth}");
            assert_eq!(late.bin(first), late.bin(birth), "{birth}");
        }
    }

    #[test]
    fn births_between_lines_belong_to_the_event_that_the_next_line_ends() {
        let births = Births::new(0, 3, LineEvents::ended(3));
        let events: Vec<u32> = (0..=3).map(|lines| births.bin(lines)).collect();
        assert_eq!(events, [1, 2, 3, 3]);
    }
}
