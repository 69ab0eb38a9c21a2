//! What a counter explains of the times: so much per hit, so much per event.
//!
//! A few slow events would bend the line, so that it is fitted again without those that lie above
//! the bulk of what is left.

use super::EventTime;
use super::bulk;
use crate::counters::Followed;
use crate::follow::best_counter;
use residue_profile::Timeline;
use residue_profile::timeline::NameId;
use rustc_hash::FxHashMap;

const MOST_FITS: usize = 4;
/// Counters that are heard; a made-up file may have any number.
const MOST_COUNTERS: usize = 64;

/// A counter that times follow, with what it counted in each event.
pub(super) struct Explained {
    pub followed: Followed,
    pub counts: Vec<f64>,
}

impl Explained {
    /// What the counter says of an event beyond the mean of all.
    pub fn beyond_mean(&self) -> Vec<f64> {
        let mean = crate::series::mean(&self.counts);
        let unit = self.followed.follow.bytes_per_unit;
        self.counts
            .iter()
            .map(|count| unit * (count - mean))
            .collect()
    }
}

/// The counter that times in nanoseconds follow most closely, if any.
pub(super) fn explain(
    timeline: &Timeline,
    times: &[EventTime],
    values: &[f64],
) -> Option<Explained> {
    let place: FxHashMap<u32, usize> = times.iter().map(|it| it.event).zip(0..).collect();
    let mut counts: FxHashMap<NameId, Vec<f64>> = FxHashMap::default();
    for count in &timeline.counts {
        if let Some(&place) = place.get(&count.event)
            && (counts.len() < MOST_COUNTERS || counts.contains_key(&count.name))
        {
            let of_name = counts.entry(count.name);
            of_name.or_insert_with(|| vec![0.0; times.len()])[place] += count.value;
        }
    }
    let mut counters: Vec<(NameId, Vec<f64>)> = counts.into_iter().collect();
    counters.sort_by_key(|(name, _)| *name);
    let mut used: Vec<usize> = (0..values.len()).collect();
    let mut found = None;
    for _ in 0..MOST_FITS {
        let chosen = |from: &[f64]| used.iter().map(|&at| from[at]).collect::<Vec<f64>>();
        let fitted: Vec<Vec<f64>> = counters.iter().map(|(_, counts)| chosen(counts)).collect();
        let labelled: Vec<(&str, &[f64])> = fitted.iter().map(|it| ("", it.as_slice())).collect();
        let (index, follow) = best_counter(&chosen(values), &labelled, &vec![1.0; used.len()])?;
        let counts = &counters[index].1;
        let expected = |&at: &usize| follow.constant_bytes + follow.bytes_per_unit * counts[at];
        let expected: Vec<f64> = used.iter().map(expected).collect();
        let above = bulk::above_both_ways(&chosen(values), &expected);
        let before = used.len();
        let mut is_above = above.into_iter();
        used.retain(|_| is_above.next() != Some(true));
        found = Some((index, follow));
        if used.len() == before {
            break;
        }
    }
    let (index, follow) = found?;
    let (name, counts) = counters.swap_remove(index);
    Some(Explained {
        followed: Followed { name, follow },
        counts,
    })
}
