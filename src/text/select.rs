//! The stacks worth showing.

use residue_profile::Profile;

use super::counter::{Counter, Kind};

/// The highest stacks of one kind by one counter.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// Indices into [`Profile::stacks`], highest first; equal ones in their order.
    pub top: Vec<usize>,
    /// Stacks of that kind whose value is not zero.
    pub stacks: usize,
    /// What the values are shares of.
    pub whole: u64,
}

pub fn select(profile: &Profile, counter: Counter, kind: Kind, limit: usize) -> Selection {
    let mut ranked: Vec<(u64, usize)> = profile
        .stacks
        .iter()
        .enumerate()
        .filter(|(_, stack)| kind.holds(stack.kind))
        .map(|(index, stack)| (counter.value(stack), index))
        .filter(|&(value, _)| value > 0)
        .collect();
    let stacks = ranked.len();
    let order = |&(value, index): &(u64, usize)| (std::cmp::Reverse(value), index);
    // Sorting a million stacks to show ten would take longer than all the rest.
    if limit > 0 && limit < stacks {
        ranked.select_nth_unstable_by_key(limit - 1, order);
    }
    ranked.truncate(limit);
    ranked.sort_unstable_by_key(order);
    Selection {
        top: ranked.into_iter().map(|(_, index)| index).collect(),
        stacks,
        whole: counter.whole(profile, kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;

    #[test]
    fn the_highest_come_first_and_zeros_not_at_all() {
        let profile = sample::profile();
        let live = |kind, limit| select(&profile, Counter::Live, kind, limit).top;
        assert_eq!(live(Kind::Heap, 10), [0, 2, 4]);
        assert_eq!(live(Kind::Heap, 2), [0, 2]);
        assert_eq!(live(Kind::Heap, 0), [0; 0]);
        assert_eq!(live(Kind::All, 10), [3, 0, 2, 4]);
        assert_eq!(live(Kind::Mapping, 10), [3]);
    }

    #[test]
    fn a_partial_sort_is_the_beginning_of_the_whole_one() {
        let mut profile = sample::profile();
        let stack = profile.stacks[0];
        profile.stacks = (0..1000_u64)
            .map(|index| {
                let mut stack = stack;
                stack.counters.calls = index * 7919 % 50;
                stack
            })
            .collect();
        let all = select(&profile, Counter::Calls, Kind::Heap, usize::MAX);
        assert_eq!(all.stacks, 980);
        let values: Vec<_> = all
            .top
            .iter()
            .map(|&index| profile.stacks[index].counters.calls)
            .collect();
        assert!(values.is_sorted_by(|a, b| a >= b));
        for limit in [1, 10, 979, 980, 981] {
            let some = select(&profile, Counter::Calls, Kind::Heap, limit);
            assert_eq!(some.top, all.top[..limit.min(980)]);
        }
    }
}
