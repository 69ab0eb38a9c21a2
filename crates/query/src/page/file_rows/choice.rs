//! Which groups of stacks have rows of their own in a file.

use std::collections::HashSet;

use anyhow::Result;
use residue_analysis::groups::GroupId;
use residue_analysis::history::EventRange;
use residue_profile::{Counter, MemoryKind};

use crate::page::answers::stacks::{Found, Named, Sort, find};
use crate::page::opened::Opened;
use crate::page::selection::{Selection, StackFilter};

/// The groups that rank highest by any measure, in turn.
pub fn choose(opened: &Opened, most: usize) -> Result<Vec<GroupId>> {
    let selection = |events| Selection {
        opened,
        kind: MemoryKind::All,
        filter: StackFilter::default(),
        counter: Counter::Live,
        events,
        thread: None,
    };
    let known = opened.profile.timeline.known_events();
    let events = known.map(|(from, to)| EventRange { from, to });
    let grown = selection(events);
    // Where no event was measured to its end, it is not known what grew.
    let span = grown.span().ok().flatten();
    let live = span.map(|span| opened.live(span));
    let live = live.as_ref().map(|live| live.as_slice());
    let highest = |found: Found| found.first(most, false, &Named::default());
    let mut lists = vec![highest(find(&grown, Sort::Growth, live))];
    let whole = selection(None);
    lists.push(by_cpu(opened, most));
    for sort in [
        Sort::Live,
        Sort::Total,
        Sort::Calls,
        Sort::Peak,
        Sort::AtPeak,
    ] {
        lists.push(highest(find(&whole, sort, None)));
    }
    Ok(in_turn(lists, most))
}

/// Those with the most CPU time.
fn by_cpu(opened: &Opened, most: usize) -> Vec<GroupId> {
    let groups = opened.groups();
    let mut sums = vec![0_u64; groups.count()];
    for (stack, &group) in opened.profile.stacks.iter().zip(&groups.of_stack) {
        let sum = &mut sums[group as usize];
        *sum = sum.saturating_add(Counter::Cpu.value(stack));
    }
    let mut used: Vec<GroupId> = (0..groups.count() as GroupId).collect();
    used.retain(|group| sums[*group as usize] > 0);
    used.sort_by_key(|group| std::cmp::Reverse(sums[*group as usize]));
    used.truncate(most);
    used
}

/// The first of each list, the second of each, and so on; each once.
fn in_turn(lists: Vec<Vec<GroupId>>, most: usize) -> Vec<GroupId> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut known = HashSet::new();
    let ranks = (0..longest).flat_map(|rank| lists.iter().filter_map(move |list| list.get(rank)));
    let new = ranks.copied().filter(|group| known.insert(*group));
    new.take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_turns() {
        let lists = vec![vec![5, 6, 7], vec![6, 5], vec![], vec![9, 8]];
        assert_eq!(in_turn(lists.clone(), 10), [5, 6, 9, 8, 7]);
        assert_eq!(in_turn(lists, 4), [5, 6, 9, 8]);
        assert!(in_turn(Vec::new(), 4).is_empty());
    }
}
