//! The counters of a run, and which of them memory follows.

use crate::follow::{Dependence, Follow, best_counter};
use crate::growth::Growth;
use crate::history::History;
use crate::series::Series;
use residue_profile::timeline::NameId;

/// A counter, and how.
#[derive(Debug, Clone)]
pub struct Followed {
    pub name: NameId,
    pub follow: Follow,
}

/// The counters of a run, by begin.
pub struct Counters {
    names: Vec<NameId>,
    counts: Vec<Vec<f64>>,
}

impl Counters {
    pub fn new(history: &History) -> Counters {
        let names = history.counters();
        let counts = names.iter().map(|&name| history.counts(name)).collect();
        Counters { names, counts }
    }

    /// The counter that a series follows after its warm-up.
    pub fn followed(&self, series: &Series, growth: &Growth) -> Option<Followed> {
        let first = series
            .events()
            .partition_point(|&event| event < growth.first_event as f64);
        let values = series.values().get(first..)?;
        let increments: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let labelled: Vec<(&str, &[f64])> = self
            .counts
            .iter()
            .map(|counts| ("", counts.get(first..).unwrap_or(&[])))
            .collect();
        let (index, follow) = best_counter(&increments, &labelled)?;
        (follow.dependence != Dependence::Unclear).then(|| Followed {
            name: self.names[index],
            follow,
        })
    }
}
