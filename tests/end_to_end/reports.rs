//! Reports of recorded programs: every view says what the program says, and every
//! counter adds up to what was recorded.

mod views_and_text;

use crate::support::ledger::Ledger;
use crate::support::{Lab, PROFILE, Recorded, describe};
use residue_profile::{Counter, MemoryKind};
use serde_json::Value;
use std::collections::HashSet;

/// What `residue report` writes to standard output.
fn report(lab: &Lab, arguments: &[&str]) -> String {
    let mut residue = lab.residue();
    residue.arg("report").args(arguments);
    let output = residue.output().expect("residue can be started");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        describe(&output)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn json(lab: &Lab, arguments: &[&str]) -> Value {
    let text = report(lab, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("JSON")
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn rows(table: &Value) -> &[Value] {
    table.as_array().expect("rows").as_slice()
}

/// The row of a function.
fn row<'a>(table: &'a Value, function: &str) -> &'a Value {
    let mut found = rows(table).iter().filter(|row| row["function"] == function);
    let row = found
        .next()
        .unwrap_or_else(|| panic!("{function} has no row: {table}"));
    assert!(found.next().is_none(), "{function} has two rows: {table}");
    row
}

fn sum<'a>(values: impl Iterator<Item = &'a Value>) -> u64 {
    values.map(number).sum()
}

/// The sum over all stacks of the heap, as they were recorded.
fn recorded_sum(ledger: &Ledger, counter: Counter) -> u64 {
    let stacks = ledger.profile.stacks.iter();
    let heap = stacks.filter(|stack| MemoryKind::Heap.holds(stack.kind));
    heap.map(|stack| counter.value(stack)).sum()
}

fn recorded(lab: &Lab, command: &[&str]) -> Recorded {
    let recorded = lab.record(&[], command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    recorded
}

/// The sums of `residue export --format folded`.
fn folded_sum(lab: &Lab, counter: &str) -> u64 {
    let mut residue = lab.residue();
    residue.args([
        "export",
        PROFILE,
        "--format",
        "folded",
        "--counter",
        counter,
    ]);
    let output = residue.output().expect("residue can be started");
    assert!(output.status.success(), "{}", describe(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    let value = |line: &str| -> u64 {
        let (_, value) = line.rsplit_once(' ').expect("a path and a value");
        value.parse().expect("a number")
    };
    text.lines().map(value).sum()
}

/// What the rows of a tree add up to that have nothing below them.
fn leaves(tree: &Value) -> u64 {
    let rows = rows(&tree["rows"]);
    let parents: HashSet<u64> = rows
        .iter()
        .filter_map(|row| row["parent"].as_u64())
        .collect();
    let leaves = (0..)
        .zip(rows)
        .filter(|(index, _)| !parents.contains(index));
    sum(leaves.map(|(_, row)| &row["value"]))
}

/// Whatever is asked for, and whatever rules are in force, no byte is lost.
#[test]
fn every_counter_has_one_sum_in_every_view() {
    for command in [
        &["leaky_events", "50"][..],
        &["new_delete", "20"],
        &["exceptions", "500"],
    ] {
        let lab = Lab::new();
        let ledger = recorded(&lab, command).ledger();
        for counter in Counter::SUMS {
            let truth = recorded_sum(&ledger, counter);
            let (name, key) = (counter.name(), counter.name().replace('-', "_"));
            assert_eq!(
                folded_sum(&lab, name),
                truth,
                "folded {name} of {command:?}"
            );
            for rules in [&[][..], &["--no-rules"]] {
                let views = [
                    PROFILE,
                    "--counter",
                    name,
                    "--top",
                    "all",
                    "--view",
                    "self,cumulative,callers,tree,stacks,library,scope",
                ];
                let document = json(&lab, &[&views, rules].concat());
                let context = format!("{name} of {command:?} {rules:?}");
                assert_eq!(
                    number(&document["selection"]["sums"][&key]),
                    truth,
                    "{context}"
                );
                let own = format!("self_{key}");
                let of_rows =
                    |table: &Value| sum(rows(&table["rows"]).iter().map(|row| &row[&own]));
                assert_eq!(of_rows(&document["self"]), truth, "self: {context}");
                assert_eq!(
                    of_rows(&document["libraries"]),
                    truth,
                    "libraries: {context}"
                );
                assert_eq!(leaves(&document["tree"]), truth, "tree: {context}");
                let stacks = rows(&document["top"]).iter().map(|stack| &stack["value"]);
                assert_eq!(sum(stacks), truth, "stacks: {context}");
                let scopes = rows(&document["scopes"]).iter().map(|row| &row[&key]);
                assert_eq!(sum(scopes), truth, "scopes: {context}");
                expect_callers_add_up(&document["callers"]);
                let inverted = json(
                    &lab,
                    &[
                        &[PROFILE, "--counter", name, "--view", "tree", "--inverted"],
                        rules,
                    ]
                    .concat(),
                );
                assert_eq!(leaves(&inverted["tree"]), truth, "inverted tree: {context}");
            }
        }
    }
}

/// What callers gave a function is all it did.
fn expect_callers_add_up(callers: &Value) {
    for function in rows(&callers["functions"]) {
        let callers = rows(&function["callers"]).iter();
        let given: u64 = callers
            .map(|caller| number(&caller["value"]) - number(&caller["recursive"]))
            .sum();
        assert_eq!(given, number(&function["cumulative"]), "{function}");
    }
}

/// The views that readers of large jobs had, each with the program's own numbers.
#[test]
fn functions_have_what_the_program_says_they_allocated() {
    let lab = Lab::new();
    let recorded = recorded(&lab, &["leaky_events"]);
    let (ledger, truths) = recorded.expect_exact();
    let leaked = truths.get("leaked_bytes");
    let document = json(
        &lab,
        &[
            PROFILE,
            "--top",
            "all",
            "--counters",
            "calls,total,live-blocks",
            "--view",
            "self,cumulative,callers,tree,stacks,library",
        ],
    );
    // Self: the function that calls `new`, not `new` itself.
    let own = row(&document["self"]["rows"], "SEvt::getPhotonFrame");
    assert_eq!(number(&own["self_live"]), leaked);
    assert_eq!(number(&own["self_total"]), leaked);
    assert_eq!(number(&own["self_calls"]), truths.get("leaked_blocks"));
    assert_eq!(
        number(&own["self_live_blocks"]),
        truths.get("leaked_blocks")
    );
    // Cumulative: all that was allocated below, as the stacks say.
    let below = row(&document["cumulative"]["rows"], "QSim::simulate");
    let simulate = ledger.sum("QSim::simulate");
    assert_eq!(number(&below["self_live"]), 0);
    assert_eq!(number(&below["cumulative_live"]), simulate.live_bytes);
    assert_eq!(number(&below["cumulative_calls"]), simulate.calls);
    assert_eq!(number(&below["cumulative_total"]), simulate.total_bytes);
    // Callers and callees.
    let function = row(&document["callers"]["functions"], "SEvt::getLocalHit");
    assert_eq!(function["callers"][0]["function"], "QSim::simulate");
    assert_eq!(number(&function["callers"][0]["value"]), leaked);
    let callee = row(&function["callees"], "SEvt::getPhotonFrame");
    assert_eq!(number(&callee["value"]), leaked);
    assert_eq!(number(&callee["calls"]), truths.get("leaked_blocks"));
    // The hottest stack, with the lines of its calls.
    let top = &document["top"][0];
    assert_eq!(number(&top["value"]), leaked);
    let path = rows(&top["path"]);
    let tail: Vec<&str> = path
        .iter()
        .rev()
        .take(4)
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        tail,
        [
            "SEvt::getPhotonFrame",
            "SEvt::getLocalHit",
            "QSim::simulate",
            "DetSim::run"
        ]
    );
    let text = report(&lab, &[PROFILE, "--view", "stacks", "--top", "1"]);
    let line = line_of("leaky_events.cpp", "new SFrame{}");
    let frame =
        format!("#0 SEvt::getPhotonFrame  leaky_events  workloads/leaky_events.cpp:{line}\n");
    assert!(text.contains(&frame), "{text}");
    // Libraries.
    let libraries = rows(&document["libraries"]["rows"]);
    let program = libraries
        .iter()
        .find(|row| row["library"] == "leaky_events");
    assert_eq!(number(&program.expect("the program")["self_live"]), leaked);
}

/// The number of the line of a workload in which a text stands.
pub fn line_of(source: &str, text: &str) -> usize {
    let path = crate::support::workloads::sources().join(source);
    let lines = std::fs::read_to_string(path).expect("a source");
    let place = lines.lines().position(|line| line.contains(text));
    place.expect("the line is there") + 1
}

#[test]
fn a_function_that_calls_itself_is_counted_once() {
    let lab = Lab::new();
    let recorded = recorded(&lab, &["deep", "300", "40"]);
    let (_, truths) = recorded.expect_exact();
    let total = truths.get("deep_root.total");
    let document = json(
        &lab,
        &[
            PROFILE,
            "--counter",
            "total",
            "--view",
            "cumulative,callers",
            "--top",
            "all",
        ],
    );
    let step = row(&document["cumulative"]["rows"], "deep_step");
    assert_eq!(number(&step["cumulative_total"]), total);
    assert_eq!(number(&step["self_total"]), 0);
    let function = row(&document["callers"]["functions"], "deep_step");
    let itself = row(&function["callers"], "deep_step");
    assert_eq!(number(&itself["value"]), total);
    assert_eq!(number(&itself["recursive"]), total);
    let root = row(&function["callers"], "deep_root");
    assert_eq!(
        [number(&root["value"]), number(&root["recursive"])],
        [total, 0]
    );
    expect_callers_add_up(&document["callers"]);
    let text = report(
        &lab,
        &[
            PROFILE,
            "--counter=total",
            "--view=callers",
            "--function=deep_step",
        ],
    );
    assert!(text.contains("deep_step (recursive)  deep\n"), "{text}");
}

#[test]
fn filters_choose_what_the_ledger_chooses() {
    let lab = Lab::new();
    let ledger = recorded(&lab, &["leaky_events", "50"]).ledger();
    let calls = |filters: &[&str]| {
        let arguments = [&[PROFILE, "--view", "summary"], filters].concat();
        number(&json(&lab, &arguments)["selection"]["sums"]["calls"])
    };
    let all = recorded_sum(&ledger, Counter::Calls);
    let frames = ledger.sum("SEvt::getPhotonFrame").calls;
    assert_eq!(calls(&[]), all);
    assert_eq!(calls(&["--focus", "^SEvt::getPhotonFrame$"]), frames);
    assert_eq!(calls(&["--ignore", "^SEvt::getPhotonFrame$"]), all - frames);
    assert_eq!(
        calls(&["--focus", "getLocalHit", "--ignore", "PhotonFrame"]),
        ledger.sum("SEvt::getLocalHit").calls - frames
    );
    assert_eq!(calls(&["--module", "leaky_ev*"]), ledger.sum("main").calls);
    let under = json(
        &lab,
        &[
            PROFILE,
            "--view",
            "tree",
            "--counter",
            "calls",
            "--under",
            "QSim::generate",
            "--min-percent",
            "0",
        ],
    );
    assert_eq!(under["tree"]["rows"][0]["function"], "QSim::generate");
    assert_eq!(
        number(&under["tree"]["rows"][0]["value"]),
        ledger.sum("QSim::generate").calls
    );
    assert_eq!(leaves(&under["tree"]), ledger.sum("QSim::generate").calls);
    // Only what is live is known of a part of the run.
    let events = json(&lab, &[PROFILE, "--view", "self", "--events", "11..21"]);
    let before = json(&lab, &[&format!("{PROFILE}@11"), "--view", "self"]);
    let after = json(&lab, &[&format!("{PROFILE}@21"), "--view", "self"]);
    let live = |document: &Value| {
        number(&row(&document["self"]["rows"], "SEvt::getPhotonFrame")["self_live"])
    };
    assert_eq!(live(&events), live(&after) - live(&before));
    assert!(live(&events) > 0);
}
