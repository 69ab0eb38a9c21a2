//! What changed from moment to moment, also where the program was killed.

use super::*;
use residue_arena::region;
use residue_profile::timeline::Change;
use residue_testkit::random::Random;

fn change(moment: u32, stack: u32, bytes: i64, blocks: i64) -> Change {
    Change {
        moment,
        stack,
        bytes,
        blocks,
    }
}

#[test]
fn changes_belong_to_the_moment_that_ended_their_interval() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let (grows, rests) = (arena.path(0x1001), arena.path(0x2001));
    arena.made(state, rests, 1000);
    arena.moment(moment(KIND_BEGIN, 1, 10));
    arena.made(state, grows, 16);
    arena.moment(moment(KIND_END, 1, 20));
    arena.moment(moment(KIND_BEGIN, 2, 30));
    arena.made(state, grows, 16);
    arena.made(state, grows, 8);
    arena.freed(state, grows, 8);
    let profile = profile(arena);
    let kinds: Vec<MomentKind> = profile
        .timeline
        .moments
        .iter()
        .map(|moment| moment.kind)
        .collect();
    let (begin, end) = (MomentKind::Begin, MomentKind::End);
    assert_eq!(kinds, [begin, end, begin, MomentKind::Last]);
    let expected = [
        change(0, 1, 1000, 1),
        change(1, 0, 16, 1),
        change(3, 0, 16, 1),
    ];
    assert_eq!(profile.timeline.changes, expected);
    let live: Vec<Option<u64>> = profile
        .timeline
        .moments
        .iter()
        .map(|moment| moment.live_bytes)
        .collect();
    assert_eq!(live, [1000, 1016, 1016, 1032].map(Some));
}

/// Live bytes and blocks of each stack at the end, by the log of changes alone.
fn sums_of_changes(profile: &Profile) -> Vec<(i64, i64)> {
    let mut sums = vec![(0, 0); profile.stacks.len()];
    for change in &profile.timeline.changes {
        let sum = &mut sums[change.stack as usize];
        sum.0 += change.bytes;
        sum.1 += change.blocks;
    }
    sums
}

fn live(profile: &Profile) -> Vec<(i64, i64)> {
    let stacks = profile.stacks.iter();
    let live = stacks.map(|stack| (stack.counters.live_bytes, stack.counters.live_blocks));
    live.map(|(bytes, blocks)| (bytes as i64, blocks as i64))
        .collect()
}

#[test]
fn what_a_kill_left_between_log_and_record_is_made_good_at_the_last_moment() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.made(state, stack, 100);
    arena.moment(moment(KIND_BEGIN, 1, 10));
    arena.moment(moment(KIND_END, 1, 20));
    // Logged, and killed before the record knew.
    arena.log(state, stack);
    let profile = profile(arena);
    assert_eq!(sums_of_changes(&profile), live(&profile));
    let expected = [change(0, 0, 200, 2), change(2, 0, -100, -1)];
    assert_eq!(profile.timeline.changes, expected);
}

#[test]
fn what_is_torn_costs_itself_only() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.made(state, stack, 100);
    arena.moment(moment(KIND_BEGIN, 1, 10));
    // Appended, and killed before the first word, which is written last.
    arena.append_words(Region::Changes, &[0, pack_change(5, 5).0]);
    arena.row(Region::Moments, moment(0, 2, 15), 0);
    arena.append_words(Region::Accounts, &[0, 7, 7]);
    arena.append_words(Region::Snapshots, &[0, 0, 0, 1]);
    arena.append_words(Region::CounterKeys, &[0]);
    arena.append(Region::CounterPages);
    // Handed out, but the memory never came.
    let nodes = Region::Nodes.word(region::USED);
    arena.set(nodes, arena.get(nodes) + 1000);
    let profile = profile(arena);
    assert_eq!(profile.timeline.changes, [change(0, 0, 100, 1)]);
    assert_eq!(profile.timeline.moments.len(), 2);
    assert!(profile.timeline.accounts.is_empty() && profile.timeline.snapshots.is_empty());
}

fn sums_of_blocks(blocks: &[(usize, u64)]) -> BTreeMap<usize, i64> {
    let mut sums = BTreeMap::new();
    for &(stack, bytes) in blocks {
        *sums.entry(stack).or_default() += bytes as i64;
    }
    sums
}

/// A program that makes and frees at random, cut off anywhere: what the changes add up
/// to at each moment is what was live there.
#[test]
fn changes_add_up_to_what_was_live_at_every_moment() {
    for seed in 1..200_u64 {
        let mut random = Random::new(seed);
        let mut below = |limit| random.below(limit);
        let mut arena = ArenaBytes::new();
        let states = [arena.state(7, "main"), arena.state(8, "worker")];
        let stacks: Vec<u32> = (1..=20).map(|place| arena.path(place << 12)).collect();
        let mut blocks: Vec<(usize, u64)> = Vec::new();
        let mut truth: Vec<BTreeMap<usize, i64>> = Vec::new();
        for step in 0..below(300) {
            let state = states[below(2) as usize];
            match below(8) {
                0 => {
                    arena.moment(moment(KIND_BEGIN, truth.len() as u32 + 1, step + 1));
                    truth.push(sums_of_blocks(&blocks));
                }
                1..4 if !blocks.is_empty() => {
                    let (stack, bytes) = blocks.swap_remove(below(blocks.len() as u64) as usize);
                    arena.freed(state, stacks[stack], bytes);
                }
                _ => {
                    let (stack, bytes) = (below(20) as usize, 1 + below(5000));
                    arena.made(state, stacks[stack], bytes);
                    blocks.push((stack, bytes));
                }
            }
        }
        truth.push(sums_of_blocks(&blocks));
        let profile = profile(arena);
        let path =
            |stack: u32| addresses(&profile, stack as usize)[0].div_ceil(1 << 12) as usize - 1;
        let mut live: BTreeMap<usize, i64> = BTreeMap::new();
        let mut changes = profile.timeline.changes.iter().peekable();
        for (at, expected) in truth.iter().enumerate() {
            while let Some(change) = changes.next_if(|change| change.moment as usize == at) {
                *live.entry(path(change.stack)).or_default() += change.bytes;
            }
            live.retain(|_, bytes| *bytes != 0);
            assert_eq!(&live, expected, "seed {seed}, moment {at}");
        }
        let at_peak: u64 = profile
            .stacks
            .iter()
            .map(|stack| stack.counters.at_peak_bytes)
            .sum();
        assert_eq!(at_peak, profile.heap.peak_bytes, "seed {seed}");
    }
}

#[test]
fn events_that_are_not_kept_leave_their_changes_to_the_next_moment() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.set(header::SOURCE, header::SOURCE_MARKS);
    arena.set(header::STRIDE, 4);
    for event in 1..=8 {
        arena.set(header::EVENTS, event.into());
        let row = moment(KIND_BEGIN, event, u64::from(event) * 10);
        match event % 4 {
            0 => {
                arena.moment(row);
            }
            _ => arena.row(Region::LatestMoments, row, 0),
        }
        arena.made(state, stack, 1);
    }
    let profile = profile(arena);
    let timeline = &profile.timeline;
    assert_eq!((timeline.about.events, timeline.about.stride), (8, 4));
    let events: Vec<u32> = timeline.moments.iter().map(|moment| moment.event).collect();
    assert_eq!(events, [1, 2, 3, 4, 5, 6, 7, 8, 8]);
    let with_changes = timeline.moments.iter().filter(|moment| moment.has_changes);
    let with_changes: Vec<u32> = with_changes.map(|moment| moment.event).collect();
    assert_eq!(with_changes, [4, 8, 8]);
    let expected = [change(3, 0, 3, 3), change(7, 0, 4, 4), change(8, 0, 1, 1)];
    assert_eq!(timeline.changes, expected);
}

/// What was allocated between moments with totals: of a stack that each interval touches, of one
/// that rests for two of them, and of one by two threads.
#[test]
fn what_was_allocated_is_known_between_moments_with_totals() {
    let mut arena = ArenaBytes::new();
    let (one, other) = (arena.state(7, "main"), arena.state(8, "worker"));
    let (busy, rare) = (arena.path(0x1001), arena.path(0x1002));
    let moment = |arena: &mut ArenaBytes, event: u32, has_totals: bool| {
        arena.moment(MomentRow {
            kind: KIND_BEGIN,
            event,
            time_ns: u64::from(event),
            has_totals,
            ..MomentRow::default()
        })
    };
    let turn = |arena: &mut ArenaBytes, state: u32, bytes: u64| {
        arena.made(state, busy, bytes);
        arena.temporary(state, busy);
        arena.freed(state, busy, bytes);
    };
    turn(&mut arena, one, 1000);
    arena.made(one, rare, 5);
    moment(&mut arena, 1, true);
    turn(&mut arena, one, 10);
    turn(&mut arena, other, 20);
    moment(&mut arena, 2, false);
    turn(&mut arena, one, 30);
    moment(&mut arena, 3, true);
    moment(&mut arena, 4, true);
    turn(&mut arena, other, 40);
    arena.made(one, rare, 6);
    let profile = profile(arena);
    let rows: Vec<(u32, u32, u64, u64, u64)> = profile
        .timeline
        .allocated
        .iter()
        .map(|row| (row.moment, row.stack, row.calls, row.bytes, row.temporaries))
        .collect();
    let expected = [
        (0, 0, 1, 1000, 1),
        (0, 1, 1, 5, 0),
        (2, 0, 3, 60, 3),
        (4, 0, 1, 40, 1),
        (4, 1, 1, 6, 0),
    ];
    assert_eq!(rows, expected);
    let between = |from, to| {
        let rows = profile.timeline.allocated_between(from, to)?;
        Some(rows.iter().map(|row| row.bytes).sum::<u64>())
    };
    assert_eq!(between(None, None), Some(1111));
    assert_eq!(between(Some(0), Some(2)), Some(60));
    assert_eq!(between(Some(2), Some(3)), Some(0));
    assert_eq!(between(Some(3), None), Some(46));
    // The second begin keeps none.
    assert_eq!(between(Some(1), None), None);
}

/// Killed between the two halves of a first touch: the log has it, the record does not know.
#[test]
fn what_was_allocated_is_not_counted_twice_after_a_kill() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.made(state, stack, 100);
    arena.moment(MomentRow {
        kind: KIND_BEGIN,
        event: 1,
        time_ns: 1,
        has_totals: true,
        ..MomentRow::default()
    });
    arena.log(state, stack);
    let profile = profile(arena);
    let rows: Vec<(u32, u64, u64)> = profile
        .timeline
        .allocated
        .iter()
        .map(|row| (row.moment, row.calls, row.bytes))
        .collect();
    assert_eq!(rows, [(0, 1, 100)]);
}
