//! Who holds what: pictures of programs that know it themselves.

use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use residue_profile::End;
use serde_json::Value;

const FUNCTIONS: [&str; 13] = [
    "keep_in_array",
    "drop",
    "drop_chain",
    "drop_cycles",
    "fill_vector",
    "fill_list",
    "fill_map",
    "fill_hash",
    "reserve_hash",
    "keep_in_thread_local",
    "keep_tagged",
    "keep_inside",
    "element",
];
const OF_THREADS: [&str; 2] = ["made_for_stack", "made_for_register"];
const STATES: [(&str, &str); 5] = [
    ("held", "held"),
    ("held_inside", "inside"),
    ("lost", "lost"),
    ("lost_in_cycle", "in_cycle"),
    ("held_by_lost", "held_by_lost"),
];

fn document(lab: &Lab) -> Value {
    let output = lab.residue().args(["holders", "--json", PROFILE]).output();
    let output = output.expect("residue starts");
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The stacks in which a function occurs.
fn stacks_of<'a>(document: &'a Value, function: &'a str) -> impl Iterator<Item = &'a Value> {
    let stacks = document["stacks"].as_array().expect("stacks").iter();
    stacks.filter(move |stack| {
        let path = stack["path"].as_array().expect("a path");
        path.iter().any(|name| name == function)
    })
}

fn expect_truth(document: &Value, truths: &Truths, functions: &[&str]) {
    for function in functions {
        for (state, key) in STATES {
            let blocks = stacks_of(document, function).map(|stack| stack[state]["blocks"].as_u64());
            let blocks: u64 = blocks.map(Option::unwrap_or_default).sum();
            let truth = truths.get(&format!("{function}.{key}"));
            assert_eq!(blocks, truth, "{function}.{key}");
        }
    }
}

/// Who holds most of what a function left, in words.
fn holder_of(document: &Value, function: &str) -> String {
    let chains = stacks_of(document, function).flat_map(|stack| stack["chains"].as_array());
    let chains = chains.flatten();
    let largest = chains.max_by_key(|chain| chain["bytes"].as_u64());
    let words = largest.and_then(|chain| chain["words"].as_str());
    words.unwrap_or_default().to_string()
}

#[test]
fn every_block_is_lost_or_held_as_the_program_knows() {
    let lab = Lab::new();
    let native = lab.native(&["who_holds"]);
    let recorded = lab.record(&["--holders"], &["who_holds"]);
    assert_eq!(recorded.output.status, native.status);
    assert_eq!(recorded.output.stdout, native.stdout);
    recorded.ledger().expect_nothing_lost();
    let document = document(&lab);
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    assert_eq!(document["at_exit"], true);
    assert_eq!(document["unread_bytes"], 0);
}

#[test]
fn variables_and_containers_are_named() {
    let lab = Lab::new();
    lab.record(&["--holders"], &["who_holds"]);
    let document = document(&lab);
    for (function, variable, container) in [
        (
            "keep_in_array",
            "variable kept in who_holds (who_holds.cpp:",
            "",
        ),
        (
            "fill_vector",
            "variable names in who_holds (who_holds.cpp:",
            "an array of 100 pointers",
        ),
        (
            "fill_list",
            "variable items in who_holds (who_holds.cpp:",
            "nodes of a doubly linked list",
        ),
        (
            "fill_map",
            "variable store::shelves in who_holds",
            "nodes of a tree",
        ),
        (
            "fill_hash",
            "variable store::shelves[1].by_hash in who_holds",
            "nodes of a hash map",
        ),
        (
            "keep_in_thread_local",
            "thread-local variable of_thread (who_holds.cpp:",
            "",
        ),
        ("keep_tagged", "variable tagged in who_holds", ""),
        ("keep_inside", "variable behind_header in who_holds", ""),
    ] {
        let words = holder_of(&document, function);
        assert!(
            words.starts_with(&format!("held by {variable}")),
            "{function}: {words}"
        );
        assert!(words.contains(container), "{function}: {words}");
    }
    let retained = document["retained"].as_array().expect("retained");
    let most = retained[0]["holder"]["words"].as_str().unwrap_or_default();
    assert!(most.starts_with("variable store::shelves"), "{most}");
}

/// Of threads that wait, with a pointer that is nowhere else.
#[test]
fn stacks_and_registers_of_other_threads_hold() {
    let lab = Lab::new();
    let native = lab.native(&["who_holds", "threads"]);
    let recorded = lab.record(&["--holders"], &["who_holds", "threads"]);
    assert_eq!(recorded.output.status, native.status);
    assert_eq!(recorded.output.stdout, native.stdout);
    let document = document(&lab);
    assert_eq!(document["other_threads_ran"], false, "{document}");
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    expect_truth(&document, &recorded.truths(), &OF_THREADS);
    for (function, place) in [
        ("made_for_stack", "the stack"),
        ("made_for_register", "a register"),
    ] {
        let words = holder_of(&document, function);
        assert!(
            words.starts_with(&format!("held by {place} of thread")),
            "{words}"
        );
    }
}

/// Pictures of events are there when the program is killed, and are no children of it.
#[test]
fn a_killed_program_has_the_picture_of_an_event() {
    let lab = Lab::new();
    let recorded = lab.record(&["--holders-at", "8,20"], &["who_holds", "killed"]);
    assert_eq!(
        recorded.ledger().profile.meta.end,
        End::Killed { signal: 9 }
    );
    let document = document(&lab);
    let event = document["event"].as_u64();
    assert!(matches!(event, Some(8 | 20)), "{event:?}");
    assert_eq!(document["at_exit"], false);
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    assert_eq!(recorded.truths().get("children"), 0);
}

/// While pictures are read the live table is frozen, and the program goes on.
#[test]
fn counts_stay_exact_while_pictures_are_read() {
    let events: Vec<String> = (1..=60).map(|event: u32| event.to_string()).collect();
    for program in [&["leaky_events"][..], &["overlap"]] {
        let lab = Lab::new();
        let native = lab.native(program);
        let recorded = lab.record(&["--holders-at", &events.join(",")], program);
        assert_eq!(recorded.output.status, native.status);
        let (ledger, _) = recorded.expect_exact();
        let picture = ledger.profile.picture.as_ref().expect("a picture");
        assert_eq!(picture.trouble, "");
        assert!(!picture.others_ran && !picture.is_incomplete);
    }
}

#[test]
fn leaks_say_in_a_line_that_a_leak_is_lost() {
    let lab = Lab::new();
    let recorded = lab.record(&["--holders"], &["leaky_events"]);
    let leaks = lab.residue().args(["leaks", PROFILE]).output();
    let text = describe(&leaks.expect("residue starts"));
    assert!(
        text.contains(" % of it lost: nothing points to it"),
        "{text}{}",
        recorded.describe()
    );
}

/// The verdict asks the picture where the growth alone leaves open what it is.
#[test]
fn growth_that_slows_down_is_a_leak_where_it_is_lost_and_may_be_a_cache_where_it_is_held() {
    for (way, options, verdicts) in [
        ("lost", &["--holders"][..], &["leak"][..]),
        ("kept", &["--holders"], &["filling", "slowing"]),
        ("lost", &[], &["filling", "slowing"]),
    ] {
        let lab = Lab::new();
        let recorded = lab.record(options, &["dwindling", way]);
        recorded.expect_exact();
        let leaks = lab.residue().args(["leaks", "--json", PROFILE]).output();
        let leaks = leaks.expect("residue starts");
        let json: Value = serde_json::from_slice(&leaks.stdout).expect("JSON");
        let verdict = json["verdict"].as_str().expect("a word");
        assert!(verdicts.contains(&verdict), "{way} {options:?}: {verdict}");
    }
}

#[test]
fn without_a_picture_that_is_said() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events"]);
    let told = |file: &str| {
        let output = lab.residue().args(["holders", file]).output();
        let output = output.expect("residue starts");
        assert_eq!(output.status.code(), Some(2));
        describe(&output)
    };
    let text = told(PROFILE);
    assert!(
        text.contains("record with `residue run --holders`"),
        "{text}"
    );
    let text = told(&format!("{PROFILE}@3"));
    assert!(text.contains("a picture is of one moment"), "{text}");
}
