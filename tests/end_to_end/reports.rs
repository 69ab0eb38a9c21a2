//! Reports of recorded programs: every view says what the program says, and every
//! counter adds up to what was recorded.

use crate::dumped::{Dump, total};
use crate::support::ledger::Ledger;
use crate::support::{Lab, PROFILE, Recorded, describe};
use residue_profile::{Counter, Kind};
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
    let heap = stacks.filter(|stack| Kind::Heap.holds(stack.kind));
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
        for counter in Counter::ALL {
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

#[test]
fn several_profiles_are_added_up() {
    let lab = Lab::new();
    let ledger = recorded(&lab, &["map_growth"]).ledger();
    std::fs::copy(lab.path(PROFILE), lab.path("again.residue")).expect("the lab is writable");
    let both = json(&lab, &[PROFILE, "again.residue", "--top", "all"]);
    let one = json(&lab, &[PROFILE, "--top", "all"]);
    for counter in ["calls", "total", "live", "live_blocks", "frees"] {
        let of = |document: &Value| number(&document["selection"]["sums"][counter]);
        assert_eq!(of(&both), 2 * of(&one), "{counter}");
    }
    assert_eq!(both["self"]["found"], one["self"]["found"]);
    assert_eq!(
        number(&both["heap"]["total_bytes"]),
        2 * ledger.profile.heap.total_bytes
    );
}

/// Case 3: what the numbers of a growing table prove.
#[test]
fn a_container_that_grew_is_advice() {
    let lab = Lab::new();
    let (_, truths) = recorded(&lab, &["map_growth"]).expect_exact();
    let document = json(&lab, &[PROFILE]);
    let advice = rows(&document["advice"]);
    assert_eq!(advice.len(), 1, "{advice:?}");
    assert_eq!(
        number(&advice[0]["allocations"]),
        truths.get("buckets_calls")
    );
    assert_eq!(
        number(&advice[0]["bytes_allocated"]),
        truths.get("buckets_total")
    );
    assert_eq!(
        number(&advice[0]["saved_allocations"]),
        truths.get("buckets_calls") - 1
    );
    let final_bytes = truths.get("buckets_live");
    let saved = truths.get("buckets_total") - final_bytes;
    assert_eq!(number(&advice[0]["saved_bytes_low"]), saved);
    let text = report(&lab, &[PROFILE]);
    assert!(
        text.contains("\nadvice: containers that grow by making themselves anew\n"),
        "{text}"
    );
    assert!(text.contains("  reserve the capacity of a container: 10 allocations fewer, 155 KiB (158 816 bytes) less\n"), "{text}");
}

#[test]
fn scopes_threads_and_sizes_have_views() {
    let lab = Lab::new();
    let (ledger, truths) = recorded(&lab, &["crossfree", "4", "2000"]).expect_exact();
    let document = json(&lab, &[PROFILE, "--view", "thread,size"]);
    let threads = rows(&document["threads"]);
    assert_eq!(
        threads.len() as u64,
        truths.get("threads") + 1,
        "and the main thread"
    );
    let of_heap = |key: &str| sum(threads.iter().map(|row| &row[key]));
    assert_eq!(of_heap("calls"), ledger.profile.heap.calls);
    assert_eq!(of_heap("total"), ledger.profile.heap.total_bytes);
    assert_eq!(of_heap("frees"), ledger.profile.heap.frees);
    let net: i64 = threads
        .iter()
        .map(|row| row["net"].as_i64().expect("a number"))
        .sum();
    assert_eq!(net as u64, ledger.profile.heap.live_bytes);
    let sizes = rows(&document["sizes"]);
    assert_eq!(
        sum(sizes.iter().map(|row| &row["calls"])),
        ledger.profile.heap.calls
    );
    assert_eq!(
        sum(sizes.iter().map(|row| &row["live_blocks"])),
        ledger.profile.heap.live_blocks
    );

    let lab = Lab::new();
    let (_, truths) = recorded(&lab, &["scopes"]).expect_exact();
    let document = json(&lab, &[PROFILE, "--view", "scope", "--counter", "calls"]);
    let scopes = rows(&document["scopes"]);
    let names: HashSet<&str> = scopes
        .iter()
        .filter_map(|row| row["scope"].as_str())
        .collect();
    assert!(
        names.contains("outer") && names.contains("(in no scope)"),
        "{names:?}"
    );
    assert!(
        !names.contains("inner"),
        "only the outermost counts: {names:?}"
    );
    let all = recorded_sum(&Ledger::read(&lab.path(PROFILE)), Counter::Calls);
    assert_eq!(sum(scopes.iter().map(|row| &row["calls"])), all);
    let scoped = json(&lab, &[PROFILE, "--view", "summary", "--scope", "inner"]);
    assert_eq!(
        number(&scoped["selection"]["sums"]["calls"]),
        truths.get("rounds")
    );
}

/// Text is made for where it is read.
#[test]
fn text_fits_the_page_and_colour_is_asked_for() {
    let lab = Lab::new();
    recorded(&lab, &["leaky_events", "20"]);
    let text_of = |columns: &str, more: &[&str]| {
        let mut residue = lab.residue();
        residue.args([
            "report",
            PROFILE,
            "--counter",
            "total",
            "--view",
            "self,cumulative,callers,tree,stacks,library,size",
        ]);
        residue
            .args(more)
            .env("COLUMNS", columns)
            .env_remove("NO_COLOR");
        let output = residue.output().expect("residue can be started");
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    for columns in [80, 120] {
        let text = text_of(&columns.to_string(), &[]);
        let headings = |line: &&str| !line.contains(" of ") && !line.contains("; --no-rules");
        for line in text.lines().filter(headings) {
            let is_numbers = line.contains(" calls, ") || line.starts_with("      sizes: ");
            assert!(
                is_numbers || line.chars().count() <= columns,
                "{columns}: {line}"
            );
        }
        assert!(!text.contains('\u{1b}'), "no colour without a terminal");
    }
    assert!(text_of("80", &["--color", "always"]).contains("\u{1b}[1m"));
    let full = text_of("80", &["--full-names", "--no-rules"]);
    assert!(!full.contains('…'), "{full}");
}

#[test]
fn tables_have_a_head_and_exact_numbers() {
    let lab = Lab::new();
    let ledger = recorded(&lab, &["hello"]).ledger();
    let text = report(
        &lab,
        &[PROFILE, "--csv", "--top", "all", "--counter", "total"],
    );
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("function,library,self_total,cumulative_total,self_calls")
    );
    let total: u64 = lines
        .map(|line| {
            let fields: Vec<&str> = line.rsplitn(4, ',').collect();
            fields[2].parse::<u64>().expect("a number")
        })
        .sum();
    assert_eq!(total, recorded_sum(&ledger, Counter::Total));
}

#[test]
fn what_cannot_be_reported_is_an_error() {
    let lab = Lab::new();
    recorded(&lab, &["hello"]);
    for (arguments, reason) in [
        (&[PROFILE, "--focus", "("][..], "--focus"),
        (
            &[PROFILE, "--thread", "nobody"],
            "no thread is called `nobody`",
        ),
        (&[PROFILE, "--rules", "nowhere.rules"], "nowhere.rules"),
        (&[PROFILE, "--view", "everything"], "everything"),
        (&["nowhere.residue"], "nowhere.residue"),
    ] {
        let mut residue = lab.residue();
        let output = residue
            .arg("report")
            .args(arguments)
            .output()
            .expect("residue can be started");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            describe(&output)
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(reason), "{arguments:?}: {stderr}");
    }
}

/// Blocks that a pool of the program's own reports.
#[test]
fn blocks_of_a_pool_are_exact_and_apart_from_the_heap() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["pool"]);
    // The slabs are the heap's, exact to the byte, with pool blocks at their addresses.
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let reported = || dump.stacks.iter().filter(|stack| stack.kind == "reported");
    let keys = ["calls", "total", "frees", "live", "live_blocks"];
    let expected = keys.map(|key| truths.get(&format!("reported_{key}")));
    assert_eq!(total(reported()), expected);
    for stack in dump.stacks_with("pool_take") {
        assert_eq!(dump.stacks[stack].kind, "reported");
        assert_eq!(dump.names(stack)[0], "pool_take");
    }
    let heap = total(dump.stacks.iter().filter(|stack| stack.kind == "heap"));
    assert_eq!([heap[0], heap[2]], [dump.heap.calls, dump.heap.frees]);
    assert_eq!(
        [heap[3], heap[4]],
        [dump.heap.live_bytes, dump.heap.live_blocks]
    );
    assert_eq!(dump.heap.calls, truths.get("slab_make.calls"));
    let last = dump.timeline.moments.last().expect("the last moment");
    assert_eq!(last.live_bytes, Some(dump.heap.live_bytes));
}
