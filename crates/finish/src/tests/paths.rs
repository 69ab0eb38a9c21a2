//! Nodes, frames, and what kinds of stacks there are.

use super::*;
use residue_arena::node::GENERATION_SHIFT;
use residue_arena::tables;

#[test]
fn nothing_recorded_is_an_empty_profile() {
    let profile = profile(ArenaBytes::new());
    assert!(profile.stacks.is_empty() && profile.frames.is_empty());
    assert_eq!(profile.nodes.len(), 1);
    assert_eq!(profile.timeline.moments.len(), 1);
}

#[test]
fn kinds_of_stacks_come_from_their_ids_and_nodes() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let path = arena.node(ROOT, 0x1001);
    let heap = arena.heap_stack(path);
    let mapping = arena.map_stack(path);
    let below = arena.node(path, node::REPORTED_KEY);
    let reported = arena.heap_stack(below);
    let never_used = arena.node(path, 0x2001);
    arena.heap_stack(never_used);
    for stack in [
        heap,
        mapping,
        reported,
        node::POOLED_STACK,
        node::OVERFLOW_STACK,
    ] {
        arena.made(state, stack, 8);
    }
    let profile = profile(arena);
    let found: BTreeMap<&str, NodeId> = profile
        .stacks
        .iter()
        .map(|stack| (stack.kind.name(), stack.node))
        .collect();
    let expected = [
        ("heap", 1),
        ("mapping", 1),
        ("overflow", 0),
        ("pooled", 0),
        ("reported", 1),
    ];
    assert_eq!(found, BTreeMap::from(expected));
    // Nodes that lead nowhere are left out, and so is that of the reported block.
    assert_eq!(profile.nodes.len(), 2);
    assert_eq!(profile.heap.calls, 3);
    assert_eq!(profile.mappings.calls, 1);
}

#[test]
fn whole_duplicate_branches_fold_together() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let mut stacks = Vec::new();
    let main = arena.node(ROOT, 0x1001);
    let run = arena.node(main, 0x2001);
    stacks.push(arena.heap_stack(run));
    let copy = arena.run(ROOT, &[0x1001, 0x2001]) + 1;
    stacks.push(arena.heap_stack(copy));
    // A third below the second copy, which has no twin.
    let leaf = arena.node(copy, 0x3001);
    stacks.push(arena.heap_stack(leaf));
    for (stack, bytes) in stacks.into_iter().zip([10, 20, 40]) {
        arena.made(state, stack, bytes);
        arena.live_block(stack, bytes, 0);
    }
    let profile = profile(arena);
    assert_eq!(profile.stacks.len(), 2);
    assert_eq!(profile.stacks[0].counters.total_bytes, 30);
    assert_eq!(addresses(&profile, 0), [0x1000, 0x2000]);
    assert_eq!(addresses(&profile, 1), [0x1000, 0x2000, 0x3000]);
    assert_eq!(profile.nodes.len(), 4);
    assert_eq!(profile.births.row(0)[0].blocks, 2);
    assert_eq!(profile.by_thread.row(0).len(), 1);
}

#[test]
fn a_run_that_was_being_written_ends_where_it_was_not() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let torn = arena.run(ROOT, &[0x1001, 0, 0x2001]);
    let (above, below) = (arena.heap_stack(torn), arena.heap_stack(torn + 2));
    let next = arena.run(torn, &[0x3001, 0x4001]);
    let after = arena.heap_stack(next + 1);
    for stack in [above, below, after] {
        arena.made(state, stack, 8);
    }
    let profile = profile(arena);
    assert_eq!(profile.stacks.len(), 2);
    assert_eq!(addresses(&profile, 0), [0x1000]);
    assert_eq!(addresses(&profile, 1), [0x1000, 0x3000, 0x4000]);
    assert_eq!(profile.recorder.trie_nodes, 4);
}

/// A node in the middle of a run, and one with both kinds of stacks, have them elsewhere.
#[test]
fn stacks_of_nodes_without_room_behind_them_have_runs_of_their_own() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let first = arena.run(ROOT, &[0x1001, 0x2001, 0x3001]);
    let stacks = [
        arena.heap_stack(first + 2),
        arena.map_stack(first + 2),
        arena.heap_stack(first + 1),
        arena.map_stack(first + 1),
    ];
    for (stack, bytes) in stacks.into_iter().zip([1, 2, 4, 8]) {
        arena.made(state, stack, bytes);
    }
    let profile = profile(arena);
    let found = profile.stacks.iter().enumerate();
    let found = found.map(|(number, stack)| {
        let depth = addresses(&profile, number).len();
        (stack.kind.name(), depth, stack.counters.total_bytes)
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    let expected = [
        ("heap", 2, 4),
        ("heap", 3, 1),
        ("mapping", 2, 8),
        ("mapping", 3, 2),
    ];
    assert_eq!(found, expected);
}

#[test]
fn frames_belong_to_the_module_of_their_generation() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    arena.module("/old.so", 0x1000..0x2000, 0);
    let torn = arena.module("/torn.so", 0x1000..0x2000, 1);
    arena.set_word(Region::Modules, torn, tables::MODULE_END, 0);
    arena.module("/new.so", 0x1000..0x2000, 1);
    let scope = arena.name("loading");
    let keys = [
        0x1101,
        1 << GENERATION_SHIFT | 0x1101,
        1 << GENERATION_SHIFT | node::EXACT_BIT | 0x1101,
        0x9001,
        node::CUT_KEY,
        node::FIRST_SCOPE_KEY + u64::from(scope),
    ];
    for key in keys {
        let stack = arena.path(key);
        arena.made(state, stack, 8);
    }
    let profile = profile(arena);
    let places: Vec<(Option<&str>, u64)> = profile
        .frames
        .iter()
        .map(|frame| (profile.module_name(frame.module), frame.address))
        .collect();
    let scope_address = node::FIRST_SCOPE_KEY - 1;
    let expected = [
        (Some("old.so"), 0x100),
        (Some("new.so"), 0x100),
        (Some("new.so"), 0x101),
        (None, 0x9000),
        (None, scope_address),
    ];
    assert_eq!(places, expected);
    assert_eq!(profile.nodes[5].frame, CUT);
    assert_eq!(profile.functions, ["[loading]"]);
    assert_eq!(profile.frames[4].function, 0);
}

#[test]
fn late_frees_keep_the_path_that_frees() {
    let mut arena = ArenaBytes::new();
    let state = arena.state(7, "main");
    let stack = arena.path(0x1001);
    arena.node(ROOT, 0x2001);
    // The recorder may have noted a second node of the same path.
    let again = arena.node(ROOT, 0x2001);
    arena.made(state, stack, 8);
    arena.freed(state, stack, 8);
    let packed = 9 << 32 | u64::from(again);
    let words = [
        (OVERFLOW_DEFERRED_FREES, 3),
        (OVERFLOW_DEFERRED_EVENTS, 12),
        (OVERFLOW_FREED_AT_AND_LONGEST, packed),
    ];
    arena.set_overflow(state, stack, &words);
    let profile = profile(arena);
    let deferral = profile.timeline.deferrals[0];
    assert_eq!(
        (deferral.frees, deferral.events, deferral.longest_events),
        (3, 12, 9)
    );
    assert_eq!(deferral.freed_at, Some(2));
    assert_eq!(profile.nodes.len(), 3);
}
