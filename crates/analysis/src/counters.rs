//! The counters of a run, and which of them memory follows.

use crate::follow::{Dependence, Follow, best_counter, follow as follow_of};
use crate::growth::Growth;
use crate::history::History;
use crate::series::{Series, mean};
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

/// How probable it may be that growth follows the ups and downs of a counter by chance.
const LEAST_TOGETHER: f64 = 0.01;
/// Changes from event to event, against the variance of a counter, below which it is its trend.
/// Of independent counts they have twice its variance.
const SMOOTH: f64 = 0.02;

/// The running totals of a run's counters at begins.
#[derive(Default)]
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
        let (index, follow) = self.best(series, growth)?;
        Some(Followed {
            name: self.names[index],
            follow,
        })
    }

    /// What the counter that a series follows lets it grow by up to every begin, where a rate that
    /// falls with that counter is no slower growth. A counter that falls for reasons of its own
    /// beside a cache that fills up has the same trend, but not the same ups and downs: growth
    /// must follow it from one event to the next, too, unless it has none.
    pub fn pace_of(&self, series: &Series, growth: &Growth) -> Option<Series> {
        let (index, follow) = self.best(series, growth)?;
        let totals = &self.totals[index];
        let counts = means_between(totals, series.events());
        let changes = |of: &[f64]| -> Vec<f64> { of.windows(2).map(|it| it[1] - it[0]).collect() };
        let count_changes = changes(&counts);
        let events = vec![1.0; count_changes.len()];
        let together = follow_of(&changes(&series.increments()), &count_changes, &events);
        let moves_along = together.bytes_per_unit > 0.0 && together.chance < LEAST_TOGETHER;
        if !moves_along && !is_smooth(&counts, &count_changes) {
            return None;
        }
        let (constant, unit) = match follow.dependence {
            Dependence::Proportional => (0.0, follow.bytes_per_unit),
            _ => (follow.constant_bytes, follow.bytes_per_unit),
        };
        let expected = totals.events().iter().zip(totals.values());
        let expected = expected.map(|(event, total)| constant * event + unit * total);
        Some(Series::new(totals.events().to_vec(), expected.collect()))
    }

    /// The counter that a series follows most closely, by its place.
    fn best(&self, series: &Series, growth: &Growth) -> Option<(usize, Follow)> {
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
        let is_clear = follow.dependence != Dependence::Unclear;
        is_clear.then_some((index, follow))
    }
}

/// Whether a counter has a trend and hardly anything else.
fn is_smooth(counts: &[f64], changes: &[f64]) -> bool {
    let mean = mean(counts);
    let variance: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
    let of_changes: f64 = changes.iter().map(|change| change * change).sum();
    of_changes <= SMOOTH * variance
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
    use residue_testkit::random::Random;

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

    /// 300 events of hits that become fewer, by chance up and down or smoothly, beside memory that
    /// follows them or goes its own way, as a cache that fills up.
    fn pace(is_noisy: bool, bytes: impl Fn(f64, f64) -> f64) -> Option<Series> {
        let mut random = Random::new(5);
        let (mut live, mut total) = (0.0, 0.0);
        let (mut lives, mut totals) = (Vec::new(), Vec::new());
        for event in 0..300 {
            lives.push(live);
            totals.push(total);
            let noise = if is_noisy {
                random.uniform() - 0.5
            } else {
                0.0
            };
            let hits = (100.0 - f64::from(event) / 4.0) * (1.0 + noise);
            let fills = 5000.0 * (-f64::from(event) / 150.0).exp() * (0.5 + random.uniform());
            total += hits;
            live += bytes(hits, fills);
        }
        let series = |values| Series::consecutive(1, values);
        let counters = Counters {
            names: vec![1],
            totals: vec![series(totals)],
        };
        let live = series(lives);
        let growth = assess(&live, &GrowthOptions::default());
        counters.pace_of(&live, &growth)
    }

    #[test]
    fn a_counter_that_falls_sets_the_pace_of_what_follows_it_only() {
        for is_noisy in [true, false] {
            let expected = pace(is_noisy, |hits, _| 64.0 * hits).expect("it follows the counter");
            let steps = expected.increments();
            let fall = steps[290] / steps[5];
            assert!(is_noisy || (fall - 27.5 / 98.75).abs() < 0.01, "{fall}");
        }
        // The same trend, but none of its ups and downs.
        assert!(pace(true, |_, fills| fills).is_none());
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
