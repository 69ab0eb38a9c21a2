//! What was added in equal parts of a run, and how much of the clock passed in each.

use crate::series::Series;
use crate::shape::Birth;

/// Parts that a run is cut into: enough to see a rate fall, and each long enough that what lingers
/// over a few events stays within one.
const MOST_PARTS: usize = 24;
const FEWEST_PARTS: usize = 6;
/// Events of a part, where there are enough.
const LEAST_EVENTS: f64 = 2.0;

/// Where the parts of a run begin and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Events; one more than there are parts.
    edges: Vec<f64>,
    /// Share of the clock at each edge, from 0 to 1. The clock is the number of events, or what a
    /// counter has counted.
    clock: Vec<f64>,
}

impl Parts {
    /// Equal parts of the events from reading `first` on, with edges at readings; `None` where
    /// there are too few. `clock` tells the time at an event, and rises.
    pub fn of(series: &Series, first: usize, clock: &dyn Fn(f64) -> f64) -> Option<Parts> {
        let events = series.events().get(first..)?;
        let (&from, &to) = (events.first()?, events.last()?);
        let count = (((to - from) / LEAST_EVENTS) as usize).min(MOST_PARTS);
        let mut edges = vec![from];
        for part in 1..=count {
            let wanted = from + (to - from) * part as f64 / count as f64;
            let at = events.partition_point(|&event| event + 0.5 <= wanted);
            let edge = events[at.min(events.len() - 1)];
            if edge > edges[edges.len() - 1] {
                edges.push(edge);
            }
        }
        let begin = clock(from);
        let whole = clock(to) - begin;
        if edges.len() <= FEWEST_PARTS || whole.is_nan() || whole <= 0.0 {
            return None;
        }
        let clock: Vec<f64> = edges
            .iter()
            .map(|&at| (clock(at) - begin) / whole)
            .collect();
        let passes = clock.windows(2).all(|part| part[1] > part[0]);
        passes.then_some(Parts { edges, clock })
    }

    /// The first event, and the one at whose begin the last part ends.
    pub fn span(&self) -> (f64, f64) {
        (self.edges[0], self.edges[self.edges.len() - 1])
    }

    /// What a series rose by in each.
    pub fn rises(&self, series: &Series) -> Amounts {
        let at = |edge: &f64| {
            let place = series.events().partition_point(|event| event < edge);
            series.values()[place.min(series.len() - 1)]
        };
        let levels: Vec<f64> = self.edges.iter().map(at).collect();
        self.amounts(levels.windows(2).map(|level| level[1] - level[0]))
    }

    /// What is left of what was made in each.
    pub fn survivors(&self, births: &[Birth], size: impl Fn(&Birth) -> u64) -> Amounts {
        let from = |edge: f64| births.partition_point(|birth| (birth.event as f64) < edge);
        let of_part = |edges: &[f64]| {
            let born = &births[from(edges[0])..from(edges[1])];
            born.iter().map(|birth| size(birth) as f64).sum()
        };
        self.amounts(self.edges.windows(2).map(of_part))
    }

    fn amounts(&self, added: impl Iterator<Item = f64>) -> Amounts {
        Amounts {
            clock: self.clock.clone(),
            added: added.collect(),
        }
    }
}

/// What was added in each part.
#[derive(Debug, Clone, PartialEq)]
pub struct Amounts {
    /// Share of the clock at the edges, one more than there are parts.
    pub clock: Vec<f64>,
    pub added: Vec<f64>,
}

impl Amounts {
    pub fn count(&self) -> usize {
        self.added.len()
    }

    pub fn total(&self) -> f64 {
        self.added.iter().sum()
    }

    /// Share of the clock that passes in each part.
    pub fn widths(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.clock.windows(2).map(|edges| edges[1] - edges[0])
    }

    /// The last parts alone, from the first edge at or after this share of the clock.
    pub fn after(&self, share: f64) -> Amounts {
        let from = self.clock.partition_point(|&at| at < share - 1e-9);
        let from = from.min(self.count());
        let (begin, end) = (self.clock[from], self.clock[self.count()]);
        let whole = (end - begin).max(f64::MIN_POSITIVE);
        Amounts {
            clock: self.clock[from..]
                .iter()
                .map(|at| (at - begin) / whole)
                .collect(),
            added: self.added[from..].to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_all_that_is_added() {
        let series = Series::consecutive(1, (0..301).map(|i| f64::from(i * i)).collect());
        let parts = Parts::of(&series, 0, &|event| event).unwrap();
        assert_eq!(parts.span(), (1.0, 301.0));
        let rises = parts.rises(&series);
        assert_eq!((rises.count(), rises.total()), (24, 90_000.0));
        let births: Vec<Birth> = (1..=300)
            .map(|event| Birth {
                event,
                bytes: 10 * event,
                blocks: 1,
            })
            .collect();
        let blocks = parts.survivors(&births, |birth| birth.blocks);
        assert_eq!(blocks.total(), 300.0);
        for (added, width) in blocks.added.iter().zip(blocks.widths()) {
            assert!((added - 300.0 * width).abs() < 1e-9);
        }
        let later = rises.after(0.5);
        assert_eq!(later.count(), 12);
        assert_eq!((later.clock[0], later.clock[12]), (0.0, 1.0));
    }

    #[test]
    fn too_few_events_have_no_parts() {
        let short = Series::consecutive(1, vec![0.0; 12]);
        assert_eq!(Parts::of(&short, 0, &|event| event), None);
        let still = Series::consecutive(1, vec![0.0; 100]);
        assert_eq!(Parts::of(&still, 0, &|_| 1.0), None);
    }
}
