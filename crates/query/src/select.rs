//! The stacks worth showing.

use residue_profile::Profile;

use residue_profile::Counter;

/// The highest stacks by one counter.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// Indices into [`Profile::stacks`], highest first; equal ones in their order.
    pub top: Vec<usize>,
    /// Stacks that are meant and whose value is not zero.
    pub stacks: usize,
}

/// Of the stacks that are meant.
pub fn select(
    profile: &Profile,
    counter: Counter,
    is_meant: impl Fn(usize) -> bool,
    limit: usize,
) -> Selection {
    let mut ranked: Vec<(u64, usize)> = profile
        .stacks
        .iter()
        .enumerate()
        .map(|(index, stack)| (counter.value(stack), index))
        .filter(|&(value, index)| value > 0 && is_meant(index))
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::MemoryKind;
    use residue_testkit::sample;

    #[test]
    fn the_highest_come_first_and_zeros_not_at_all() {
        let profile = sample::profile();
        let live = |kind: MemoryKind, limit| {
            let is_meant = |stack: usize| kind.holds(profile.stacks[stack].kind);
            select(&profile, Counter::Live, is_meant, limit).top
        };
        assert_eq!(live(MemoryKind::Heap, 10), [0, 2, 4]);
        assert_eq!(live(MemoryKind::Heap, 2), [0, 2]);
        assert_eq!(live(MemoryKind::Heap, 0), [0; 0]);
        assert_eq!(live(MemoryKind::All, 10), [3, 0, 2, 4]);
        assert_eq!(live(MemoryKind::Mapping, 10), [3]);
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
        let by_calls = |limit| select(&profile, Counter::Calls, |_| true, limit);
        let all = by_calls(usize::MAX);
        assert_eq!(all.stacks, 980);
        let values: Vec<_> = all
            .top
            .iter()
            .map(|&index| profile.stacks[index].counters.calls)
            .collect();
        assert!(values.is_sorted_by(|a, b| a >= b));
        for limit in [1, 10, 979, 980, 981] {
            assert_eq!(by_calls(limit).top, all.top[..limit.min(980)]);
        }
    }
}
