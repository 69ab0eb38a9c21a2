//! The counters of a run, and which of them memory follows.

use crate::follow::{Dependence, Follow, best_counter};
use crate::growth::Growth;
use crate::history::History;
use crate::series::Series;
use residue_profile::timeline::{EventNumber, NameId};

/// A counter, and how.
#[derive(Debug, Clone)]
pub struct Followed {
    pub name: NameId,
    pub follow: Follow,
}

/// What was counted from the begin of one event to that of another. Of a long run not every
/// event is kept, so that a count may be of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    pub first_event: EventNumber,
    /// How many events the sum is of.
    pub events: u32,
    pub sum: f64,
}

impl Counted {
    pub fn mean(&self) -> f64 {
        self.sum / f64::from(self.events)
    }

    /// From running totals at begins.
    pub fn between(totals: &Series) -> Vec<Counted> {
        let steps = totals.events().windows(2).zip(totals.values().windows(2));
        let counted = |(events, totals): (&[f64], &[f64])| Counted {
            first_event: events[0] as EventNumber,
            events: (events[1] - events[0]) as u32,
            sum: totals[1] - totals[0],
        };
        steps.map(counted).collect()
    }
}

/// Totals that are kept at once: counters by events, of which a made-up file may have any
/// number. Of more counters the first are heard.
const MOST_TOTALS: usize = 1 << 21;

/// The running totals of a run's counters at begins.
pub struct Counters {
    names: Vec<NameId>,
    totals: Vec<Series>,
}

impl Counters {
    pub fn new(history: &History) -> Counters {
        let mut names = history.counters();
        names.truncate((MOST_TOTALS / history.moments().count().max(1)).max(1));
        let totals = names.iter().map(|&name| history.totals(name)).collect();
        Counters { names, totals }
    }

    /// The counter that a series follows after its warm-up. Both are compared by event: of
    /// several events together memory and counts are large for the same reason, that these are
    /// several.
    pub fn followed(&self, series: &Series, growth: &Growth) -> Option<Followed> {
        let first = series
            .events()
            .partition_point(|&event| event < growth.first_event as f64);
        let series = series.skip(first);
        let increments = series.increments();
        let counts: Vec<Vec<f64>> = self
            .totals
            .iter()
            .map(|totals| means_between(totals, series.events()))
            .collect();
        let labelled: Vec<(&str, &[f64])> = counts
            .iter()
            .map(|counts| ("", counts.as_slice()))
            .collect();
        let (index, follow) = best_counter(&increments, &labelled, &series.steps())?;
        (follow.dependence != Dependence::Unclear).then(|| Followed {
            name: self.names[index],
            follow,
        })
    }
}

/// Means per event between some begins; a size may not have been read at all of them.
fn means_between(totals: &Series, events: &[f64]) -> Vec<f64> {
    let at = |event: &f64| {
        let later = totals.events().partition_point(|known| known <= event);
        let total = later.checked_sub(1).map(|place| totals.values()[place]);
        total.unwrap_or(0.0)
    };
    let at_events = Series::new(events.to_vec(), events.iter().map(at).collect());
    let counted = Counted::between(&at_events);
    counted.iter().map(Counted::mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::{GrowthOptions, assess};

    #[test]
    fn a_count_says_how_many_events_it_is_of() {
        let totals = Series::new(vec![1.0, 2.0, 6.0], vec![0.0, 3.0, 23.0]);
        let counted = Counted::between(&totals);
        let expected = Counted {
            first_event: 2,
            events: 4,
            sum: 20.0,
        };
        assert_eq!(counted[1], expected);
        assert_eq!((counted[0].mean(), counted[1].mean()), (3.0, 5.0));
    }

    /// 100 whole events, then every second, then every fourth; the counter goes its own way.
    fn thinned(bytes: impl Fn(f64) -> f64) -> Option<Followed> {
        let events: Vec<f64> = (1..=100)
            .chain((102..=300).step_by(2))
            .chain((304..=700).step_by(4))
            .map(f64::from)
            .collect();
        let count_of = |event: u32| f64::from(event * 7919 % 101);
        let total_at = |event: f64| (1..event as u32).map(count_of).sum::<f64>();
        let totals: Vec<f64> = events.iter().map(|&event| total_at(event)).collect();
        let live = events.iter().zip(&totals);
        let live = live
            .map(|(event, total)| 64.0 * event + bytes(*total))
            .collect();
        let live = Series::new(events.clone(), live);
        let counters = Counters {
            names: vec![5],
            totals: vec![Series::new(events, totals)],
        };
        let growth = assess(&live, &GrowthOptions::default());
        counters.followed(&live, &growth)
    }

    #[test]
    fn thinned_events_follow_a_counter_only_if_they_do() {
        // The same in every event: four together are not four times as many for the counter.
        let constant = thinned(|_| 0.0);
        assert!(constant.is_none(), "{constant:?}");
        let followed = thinned(|total| 3.0 * total).expect("a counter");
        assert_eq!(followed.name, 5);
        assert!((followed.follow.bytes_per_unit - 3.0).abs() < 1e-9);
        assert!((followed.follow.constant_bytes - 64.0).abs() < 1e-6);
        assert_eq!(followed.follow.dependence, Dependence::Both);
    }
}
