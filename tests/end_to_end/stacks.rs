//! Call stacks in every condition: thrown through, jumped out of, switched, realigned,
//! generated, deep, and in code that is gone by the time it is named.

use crate::support::Lab;
use crate::support::ledger::Ledger;
use residue_profile::StackKind;

#[test]
fn exceptions_through_many_frames_leave_exact_counts() {
    let (_, truths) = Lab::new().record(&[], &["exceptions"]).expect_exact();
    // An exception thrown again is caught again.
    assert!(truths.get("catches") > truths.get("throws"));
}

#[test]
fn jumps_out_of_frames_and_of_signal_handlers_leave_exact_counts() {
    let (_, truths) = Lab::new().record(&[], &["jumps"]).expect_exact();
    assert!(truths.get("jumps") > 0 && truths.get("ticks") > 0);
}

#[test]
fn coroutines_on_stacks_of_their_own_leave_exact_counts() {
    let (_, truths) = Lab::new().record(&[], &["coroutines"]).expect_exact();
    assert!(truths.get("switches") > 0 && truths.get("stacks_reused") > 0);
}

#[test]
fn exceptions_jumps_signals_and_coroutines_mixed_leave_exact_counts() {
    Lab::new().record(&[], &["chaos", "200000"]).expect_exact();
}

#[test]
fn frames_realigned_for_vectors_are_passed() {
    let (_, truths) = Lab::new().record(&[], &["realigned"]).expect_exact();
    assert_eq!(truths.get("misaligned"), 0);
}

#[test]
fn generated_code_with_an_unwind_table_of_its_own_is_passed() {
    Lab::new().record(&[], &["jit"]).expect_exact();
}

/// Calls under the generated code reach `main` in every generation.
#[test]
fn code_generated_anew_at_one_address_is_never_taken_for_the_old() {
    let (ledger, _) = Lab::new().record(&[], &["jit", "200"]).expect_exact();
    assert_eq!(
        ledger.sum("jit_callee"),
        ledger.sum_under("jit_callee", "main")
    );
}

#[test]
fn fifty_and_a_thousand_frames_are_kept_whole() {
    for depth in [50, 1000] {
        let text = depth.to_string();
        let (ledger, _) = Lab::new().record(&[], &["deep", &text]).expect_exact();
        assert_eq!(ledger.profile.recorder.cut_stacks, 0, "depth {depth}");
        assert_eq!(steps(&ledger, "deep_leaf"), depth, "depth {depth}");
    }
}

/// Frames of the recursion in the one stack with this function.
fn steps(ledger: &Ledger, function: &str) -> usize {
    let stacks: Vec<_> = ledger
        .stacks_with(function)
        .filter(|(_, stack)| stack.kind == StackKind::Heap)
        .collect();
    assert_eq!(stacks.len(), 1, "one stack has {function}");
    let names = ledger.names_leaf_first(stacks[0].1);
    names.iter().filter(|&&name| name == "deep_step").count()
}

/// A stack of `frames` at most with its leaf, its root and one cut in between.
fn expect_cut(ledger: &Ledger, frames: usize) {
    assert!(
        ledger.profile.recorder.cut_stacks > 0,
        "cut stacks are counted"
    );
    for (_, stack) in ledger.stacks_with("deep_leaf") {
        let names = ledger.names_leaf_first(stack);
        let kept = names.iter().filter(|&&name| name != "...").count();
        assert!(kept <= frames, "{kept} frames are kept of {frames}");
        assert!(kept >= frames / 2, "{kept} frames are kept of {frames}");
        let place = |wanted| {
            names
                .iter()
                .position(|&name| name == wanted)
                .unwrap_or_else(|| panic!("{wanted} is not in the stack"))
        };
        assert!(place("deep_leaf") < place("...") && place("...") < place("deep_root"));
        assert!(place("deep_root") < place("main"));
        let on_leaf_side = names[..place("...")].contains(&"deep_step");
        let on_root_side = names[place("...")..].contains(&"deep_step");
        assert!(on_leaf_side && on_root_side, "both sides of the recursion");
    }
}

#[test]
fn a_stack_deeper_than_the_default_limit_keeps_its_root_and_its_leaf() {
    let (ledger, _) = Lab::new().record(&[], &["deep", "5000"]).expect_exact();
    expect_cut(&ledger, 4096);
}

#[test]
fn a_stack_deeper_than_the_limit_asked_for_keeps_its_root_and_its_leaf() {
    let options = ["--max-depth", "100"];
    let (ledger, _) = Lab::new()
        .record(&options, &["deep", "1000"])
        .expect_exact();
    expect_cut(&ledger, 100);
}

/// Both plugins had the same addresses in turn, and neither got the other's blocks.
fn expect_plugins_apart(arguments: &[&str]) {
    expect_plugins_apart_with(&[], arguments);
}

fn expect_plugins_apart_with(options: &[&str], arguments: &[&str]) {
    let (ledger, truths) = Lab::new().record(options, arguments).expect_exact();
    assert_eq!(truths.get("reused"), 1, "the addresses were not used again");
    for (_, stack) in ledger.stacks_with("plugin_a_alloc") {
        let names = ledger.names_leaf_first(stack);
        assert!(!names.contains(&"plugin_b_alloc"), "mixed: {names:?}");
        assert!(names.contains(&"main"), "not rooted: {names:?}");
    }
}

#[test]
fn plugins_at_the_same_addresses_in_turn_are_told_apart() {
    expect_plugins_apart(&["plugin_host"]);
}

#[test]
fn plugins_found_beside_the_program_by_origin_are_told_apart() {
    expect_plugins_apart(&["plugin_host", "50", "origin"]);
}

/// A module that was opened with `RTLD_DEEPBIND` calls libc's `dlclose`.
#[test]
fn plugins_closed_where_nobody_sees_it_are_told_apart() {
    expect_plugins_apart(&["plugin_host", "50", "unseen"]);
}

/// The blocks by which the dynamic linker gives itself away are below the limit.
#[test]
fn plugins_closed_unseen_are_told_apart_where_small_blocks_are_not_recorded() {
    let options = ["--min-size", "4000"];
    expect_plugins_apart_with(&options, &["plugin_host", "50", "unseen", "5000"]);
}

/// The same file is the same code, whenever and wherever it is loaded.
#[test]
fn a_plugin_that_is_loaded_again_and_again_makes_no_new_stacks() {
    for mode in ["", "moving", "unseen"] {
        let few = nodes_and_stacks_of_plugins(&["plugin_host", "5", mode]);
        let many = nodes_and_stacks_of_plugins(&["plugin_host", "200", mode]);
        assert_eq!(few, many, "nodes and stacks of 5 and of 200 rounds, {mode}");
    }
}

/// Nodes of the trie, and stacks in the plugins: one in each.
fn nodes_and_stacks_of_plugins(arguments: &[&str]) -> (u64, usize) {
    let (ledger, _) = Lab::new().record(&[], arguments).expect_exact();
    let plugins = ["plugin_a_alloc", "plugin_b_alloc"];
    let stacks = plugins.map(|function| ledger.stacks_with(function).count());
    assert_eq!(stacks, [1, 1]);
    (
        ledger.profile.recorder.trie_nodes,
        ledger.profile.stacks.len(),
    )
}

#[test]
fn a_hundred_thousand_distinct_stacks_are_all_kept() {
    let (ledger, truths) = Lab::new()
        .record(&[], &["million_stacks", "100000"])
        .expect_exact();
    let kept = ledger.stacks_with("million_leak").count();
    assert_eq!(kept as u64, truths.get("stacks"));
}
