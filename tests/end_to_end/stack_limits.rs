//! Stacks at their limits: overflows that the program handles, ends of mappings, code without
//! unwind tables, depths beyond all bounds.

use crate::support::{Lab, workloads};
use residue_profile::{Stack, StackKind};

/// Everything that returned is recorded, and what the program jumped out of is dropped.
fn expect_all_accounted_for(arguments: &[&str]) {
    let lab = Lab::new();
    let recorded = lab.record(&[], arguments);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    assert_eq!(
        ledger.profile.recorder.dropped,
        truths.get("abandoned"),
        "{}",
        recorded.describe()
    );
    let on_the_way = ledger.sum("overflow_down");
    assert_eq!(on_the_way.calls, truths.get("returned"));
    assert_eq!(on_the_way.live_blocks, 0);
}

#[test]
fn an_overflow_that_the_program_handles_is_survived_and_recording_goes_on() {
    expect_all_accounted_for(&["overflows", "50"]);
}

#[test]
fn an_overflow_of_a_small_stack_of_a_thread_is_survived_and_recording_goes_on() {
    expect_all_accounted_for(&["overflows", "50", "thread"]);
}

#[test]
fn nothing_is_read_above_a_stack_that_ends_with_its_mapping() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["stack_ends"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let (ledger, truths) = recorded.expect_exact();
    assert_eq!(
        ledger.total_of(StackKind::Heap).calls,
        truths.get("stack_end_leaf.calls")
    );
}

/// Above code that has no unwind table the frame pointer leads on, where it is one; else the
/// stack ends, and is counted.
#[test]
fn frame_pointers_lead_through_code_without_unwind_tables() {
    let calls = 1000;
    let lab = Lab::new();
    let recorded = lab.record(&["--verify-stacks"], &["frame_pointers"]);
    let (ledger, _) = recorded.expect_exact();
    for function in ["main", "pointed_outer", "pointed_middle", "pointed_inner"] {
        let below = ledger.sum_under("pointed_leaf", function).calls;
        let expected = if function == "main" { 2 * calls } else { calls };
        assert_eq!(below, expected, "below {function}");
    }
    assert_eq!(ledger.sum_under("lost_leaf", "lost_caller").calls, calls);
    assert_eq!(ledger.sum_under("lost_leaf", "main").calls, 0);
    let recorder = &ledger.profile.recorder;
    assert_eq!(recorder.early_stacks, calls, "{recorder:?}");
    assert_eq!(recorder.guessed_stacks, calls, "{recorder:?}");
    assert_eq!(recorder.verify_differences, 0, "{recorder:?}");
    let report = lab.residue().arg("report").arg(&recorded.profile).output();
    let text = String::from_utf8_lossy(&report.expect("residue runs").stdout).into_owned();
    assert!(
        text.contains("unwound stacks end before the root"),
        "{text}"
    );
    assert!(
        text.contains("unwound stacks rely on frame pointers"),
        "{text}"
    );
}

/// Each frame that a frame pointer led to is marked, on its path and nowhere else: the same
/// functions stand unmarked on paths that unwind tables led to.
#[test]
fn frames_that_a_frame_pointer_led_to_are_marked() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["frame_pointers"]);
    let marked = ["pointed_middle", "pointed_outer", "frames_root"];
    let read = |arguments: &[&str]| {
        let output = lab
            .residue()
            .args(arguments)
            .arg(&recorded.profile)
            .output();
        String::from_utf8(output.expect("residue runs").stdout).expect("UTF-8")
    };
    let json: serde_json::Value = serde_json::from_str(&read(&[
        "report", "--view", "stacks", "--top", "all", "--json",
    ]))
    .expect("JSON");
    let mut seen = 0;
    for stack in json["top"].as_array().expect("stacks") {
        let frames = stack["frames"].as_array().expect("frames");
        let names = |is_marked: bool| -> Vec<&str> {
            let frames = frames
                .iter()
                .filter(|frame| frame["by_frame_pointer"] == is_marked);
            frames
                .filter_map(|frame| frame["function"].as_str())
                .collect()
        };
        let is_pointed = frames
            .iter()
            .any(|frame| frame["function"] == "pointed_inner");
        let expected = if is_pointed { &marked[..] } else { &[] };
        assert_eq!(names(true), expected, "{stack}");
        seen += usize::from(is_pointed);
    }
    assert_eq!(seen, 1);
    let text = read(&["report", "--view", "stacks", "--top", "all"]);
    let lines = text
        .lines()
        .filter(|line| line.ends_with("(by frame pointer)"));
    assert_eq!(lines.count(), marked.len(), "{text}");
    assert!(text.contains("(by frame pointer): the function below has no unwind table"));
    let dump = read(&["dump"]);
    let lines = dump
        .lines()
        .filter(|line| line.ends_with("(by frame pointer)"));
    assert_eq!(lines.count(), marked.len(), "{dump}");
}

#[test]
fn a_function_that_is_being_bound_has_a_caller() {
    let (ledger, _) = Lab::new()
        .record(&["--verify-stacks"], &["lazy_binding"])
        .expect_exact();
    let recorder = &ledger.profile.recorder;
    assert_eq!(recorder.early_stacks, 0, "{recorder:?}");
    assert_eq!(recorder.verify_differences, 0, "{recorder:?}");
}

/// Of a stack deeper than can be kept at all, the side of the leaf is.
#[test]
fn a_stack_of_seventy_thousand_frames_is_cut_and_keeps_its_leaf() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["deep", "70000"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_nothing_lost();
    assert_eq!(
        ledger.sum("deep_leaf").calls,
        truths.get("deep_leaf.calls"),
        "{}",
        recorded.describe()
    );
    assert!(ledger.profile.recorder.cut_stacks > 0);
    let stacks: Vec<_> = ledger.stacks_with("deep_leaf").collect();
    assert_eq!(stacks.len(), 1);
    let names = ledger.names_leaf_first(stacks[0].1);
    let (cut, kept) = names.split_last().expect("a path");
    assert_eq!(*cut, "...");
    assert!((1025..=2048).contains(&kept.len()), "{} frames", kept.len());
    assert_eq!(kept[0], "deep_leaf");
    assert!(kept[1..].iter().all(|&name| name == "deep_step"));
}

/// Depths change by one from call to call, in all of them and beyond each limit: what is kept
/// of the paths stays a matter of the stack alone, whichever way it was reached.
#[test]
fn paths_of_deep_stacks_are_the_same_on_the_way_down_and_up() {
    let lab = Lab::new();
    let recorded = lab.record(&["--max-depth", "100"], &["deep_and_back", "70000", "997"]);
    let (ledger, _) = recorded.expect_exact();
    for function in ["down_leaf", "up_leaf"] {
        assert!(ledger.stacks_with(function).count() > 0);
    }
    let paths = |function: &str| {
        let mut paths: Vec<(usize, bool, u64)> = ledger
            .stacks_with(function)
            .map(|(_, stack)| {
                let names = ledger.names_leaf_first(stack);
                let is_rooted = names.contains(&"main");
                (names.len(), is_rooted, stack.counters.calls)
            })
            .collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(paths("down_leaf"), paths("up_leaf"));
}

/// Generated code of V8 has frame pointers and no unwind tables.
#[test]
fn stacks_of_node_reach_the_root() {
    let lab = Lab::new();
    let script = workloads::find("calls.js");
    let script = script.to_str().expect("a path in UTF-8");
    let recorded = lab.record(&["--verify-stacks"], &["node", script]);
    let ledger = recorded.ledger();
    let is_rooted = |stack: &Stack| {
        let names = ledger.names_leaf_first(stack);
        let mut outermost = names.iter().rev().take(3);
        outermost.any(|name| {
            name.starts_with("_start") || name.contains("clone") || *name == "_dl_start_user"
        })
    };
    let heap = || {
        let stacks = ledger.profile.stacks.iter();
        stacks.filter(|stack| stack.kind == StackKind::Heap)
    };
    let all: u64 = heap().map(|stack| stack.counters.calls).sum();
    let rooted = heap().filter(|stack| is_rooted(stack));
    let rooted: u64 = rooted.map(|stack| stack.counters.calls).sum();
    assert!(all > 10_000, "{}", recorded.describe());
    assert!(rooted * 100 >= all * 99, "{rooted} of {all} calls");
    let recorder = &ledger.profile.recorder;
    assert!(recorder.guessed_stacks > 0, "{recorder:?}");
    assert_eq!(recorder.verify_differences, 0, "{recorder:?}");
}
