//! Which moments are shown where there are more than a picture has room for.
//!
//! ```text
//!   moments  ........ ........ ........    groups of equal length
//!   kept     .  .  .   ..   .  . .    .    the lowest and the highest of each, by size
//! ```
//!
//! Every one that is kept was really read; nothing is averaged.

use std::collections::BTreeSet;
use std::ops::Range;

use residue_profile::timeline::{Moment, Timeline};

/// Readings of a group that are kept at most: two of each size.
const KEPT_OF_GROUP: usize = 4;
/// Accounts take at most this part of all that is kept.
const PART_OF_ACCOUNTS: usize = 3;

/// So many numbers below `length` at equal distances, the first among them; all of them
/// if they are no more.
pub fn evenly(length: usize, most: usize) -> impl Iterator<Item = usize> {
    let kept = length.min(most);
    // In 128 bits: a length times another may not fit.
    (0..kept).map(move |place| (place as u128 * length as u128 / kept as u128) as usize)
}

/// At most `points` moments of a range, in the order of time.
pub fn chosen(timeline: &Timeline, range: Range<usize>, points: usize) -> Vec<usize> {
    if range.len() <= points {
        return range.collect();
    }
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let first_begin = range
        .clone()
        .find(|&at| timeline.moments[at].kind.is_begin());
    kept.extend([range.start, range.end - 1].into_iter().chain(first_begin));
    let accounts = timeline.accounts.iter();
    let accounts: Vec<usize> = accounts
        .map(|account| account.moment as usize)
        .filter(|moment| range.contains(moment))
        .collect();
    kept.extend(evenly(accounts.len(), points / PART_OF_ACCOUNTS).map(|place| accounts[place]));
    let groups = points.saturating_sub(kept.len()) / KEPT_OF_GROUP;
    let mut starts: Vec<usize> = evenly(range.len(), groups)
        .map(|place| range.start + place)
        .collect();
    starts.push(range.end);
    for group in starts.windows(2) {
        kept.extend(extremes(timeline, group[0]..group[1]));
    }
    kept.into_iter().collect()
}

/// The moments with the lowest and the highest of each size.
fn extremes(timeline: &Timeline, group: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let sizes: [fn(&Moment) -> Option<u64>; 2] =
        [|moment| moment.live_bytes, |moment| moment.rss_bytes];
    sizes.into_iter().flat_map(move |size| {
        let read = group.clone().filter_map(move |at| {
            let bytes = size(&timeline.moments[at])?;
            Some((bytes, at))
        });
        let (lowest, highest) = (read.clone().min(), read.max());
        [lowest, highest].into_iter().flatten().map(|(_, at)| at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_at_equal_distances() {
        let taken = |length, most| evenly(length, most).collect::<Vec<usize>>();
        assert_eq!(taken(10, 5), [0, 2, 4, 6, 8]);
        assert_eq!(taken(3, 5), [0, 1, 2]);
        assert_eq!(taken(7, 3), [0, 2, 4]);
        assert_eq!(taken(0, 3), [0; 0]);
        assert_eq!(taken(3, 0), [0; 0]);
    }
}
