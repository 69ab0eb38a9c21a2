//! Who allocates most in each event, and what of it need not be.

use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use serde_json::Value;

fn reported(lab: &Lab, arguments: &[&str]) -> String {
    let mut residue = lab.residue();
    residue.args(["report", "--top", "all"]).args(arguments);
    let output = residue.output().expect("residue can be started");
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).expect("text")
}

pub fn churn_and_advice(lab: &Lab, file: &str) -> Value {
    let text = reported(lab, &[file, "--view", "churn,advice", "--json"]);
    serde_json::from_str(&text).expect("JSON")
}

/// The rows of stacks that pass through a function.
fn through<'a>(rows: &'a Value, function: &str) -> Vec<&'a Value> {
    let is_named = |row: &&Value| {
        let path = row["path"].as_array().expect("a path");
        path.iter().any(|name| name == function)
    };
    let rows = rows.as_array().expect("rows").iter();
    rows.filter(is_named).collect()
}

fn only<'a>(rows: &'a Value, function: &str) -> &'a Value {
    match through(rows, function)[..] {
        [row] => row,
        ref others => panic!("{function}: {others:#?}"),
    }
}

fn recorded() -> (Lab, Truths) {
    let lab = Lab::new();
    let (_, truths) = lab.record(&[], &["churn"]).expect_exact();
    (lab, truths)
}

#[test]
fn rates_are_of_events_and_say_what_is_freed_in_them() {
    let (lab, truths) = recorded();
    let document = churn_and_advice(&lab, PROFILE);
    let churn = &document["churn"];
    assert_eq!(churn["unit"], "event");
    assert_eq!(churn["events"], 20);
    assert_eq!(truths.get("events"), 20);

    // Thirty buffers of the set-up are no part of it.
    let buffers = only(&churn["rows"], "buffer_site");
    let in_events = truths.get("buffer_site.calls") - truths.get("buffers_in_setup");
    assert_eq!(in_events, 200);
    assert_eq!(buffers["calls"], in_events);
    assert_eq!(buffers["bytes"], 200 * 4096);
    assert_eq!(buffers["calls_per_event"], 10.0);
    assert_eq!(buffers["bytes_per_event"], 40_960.0);
    assert_eq!(buffers["temporaries"], 200);
    assert_eq!(buffers["freed_in_event"], 200);

    let mixed = only(&churn["rows"], "mixed_site");
    assert_eq!(mixed["calls"], truths.get("mixed_site.calls"));
    assert_eq!(mixed["bytes"], truths.get("mixed_site.total"));
    assert_eq!(mixed["bytes_per_event"], 2500.0);
    assert_eq!(mixed["freed_in_event"], 100);

    // Nineteen are freed by the next event, and one stays.
    let later = only(&churn["rows"], "later_site");
    assert_eq!(later["calls"], truths.get("later_site.calls"));
    assert_eq!(later["calls_per_event"], 1.0);
    assert_eq!(later["freed_in_event"], 0);

    let tables = through(&churn["rows"], "table_site");
    let of_all = |key: &str| -> Vec<u64> {
        let numbers = tables
            .iter()
            .map(|row| row[key].as_u64().expect("a number"));
        numbers.collect()
    };
    // Nodes of 48 bytes, and buckets.
    let arrays = truths.get("table_arrays") * 20;
    assert_eq!(of_all("calls"), [20_000, arrays]);
    let buckets = truths.get("table_buckets") * 20;
    assert_eq!(of_all("bytes"), [20_000 * 48, buckets]);
    assert_eq!(of_all("freed_in_event"), [20_000, arrays]);

    let text = reported(&lab, &[PROFILE, "--view", "churn"]);
    let mut lines = text.lines();
    let heading = lines.next().expect("a heading");
    assert!(
        heading.ends_with(" stacks by bytes allocated per event, 20 events"),
        "{text}"
    );
    assert!(
        text.contains("\n  bytes/event       %  calls/event  freed in event  stack\n"),
        "{text}"
    );
    let line = |function: &str| {
        let found = text.lines().find(|line| line.contains(function));
        found.unwrap_or_else(|| panic!("{function}: {text}"))
    };
    let buffers: Vec<&str> = line("buffer_site").split_whitespace().collect();
    assert_eq!(buffers[..2], ["40.0", "KiB"]);
    assert_eq!(buffers[4..7], ["10", "100", "%"]);
}

#[test]
fn a_part_of_the_events_has_rates_too() {
    let (lab, _) = recorded();
    let document = churn_and_advice(&lab, &format!("{PROFILE}@11..16"));
    assert_eq!(document["churn"]["events"], 5);
    let buffers = only(&document["churn"]["rows"], "buffer_site");
    assert_eq!(buffers["calls"], 50);
    assert_eq!(buffers["calls_per_event"], 10.0);
    // Which blocks live on is known at the end alone.
    assert_eq!(buffers["freed_in_event"], Value::Null);
}

#[test]
fn blocks_that_could_be_reused_and_tables_that_could_reserve_are_advice() {
    let (lab, truths) = recorded();
    let document = churn_and_advice(&lab, PROFILE);
    let advice = &document["advice"];
    let buffers = only(advice, "buffer_site");
    assert_eq!(buffers["action"], "reuse");
    assert_eq!(buffers["evidence"], "one-size");
    assert_eq!(buffers["block_bytes"], 4096);
    assert_eq!(buffers["allocations"], 230);
    assert_eq!(buffers["allocations_per_event"], 10.0);
    assert_eq!(buffers["saved_allocations"], 229);
    assert_eq!(buffers["saved_bytes_low"], 229 * 4096);
    assert_eq!(buffers["saved_bytes_high"], 229 * 4096);

    // Twenty tables of 1000 elements, each known from the nodes.
    let tables = only(advice, "table_site");
    assert_eq!(tables["action"], "reserve");
    assert_eq!(tables["evidence"], "hash-table");
    assert_eq!(tables["containers"], 20);
    assert_eq!(tables["elements_low"], 20_000);
    assert_eq!(tables["elements_high"], 20_000);
    let saved = (truths.get("table_buckets") - truths.get("table_reserved")) * 20;
    assert_eq!(saved, 176_640);
    assert_eq!(tables["saved_bytes_low"], saved);
    assert_eq!(tables["saved_bytes_high"], saved);
    assert_eq!(tables["saved_allocations"], 120);

    // Of other sizes, or two at a time: nothing is proven.
    assert!(through(advice, "mixed_site").is_empty());
    assert!(through(advice, "later_site").is_empty());

    let text = reported(&lab, &[PROFILE, "--view", "advice", "--full-names"]);
    for line in [
        "  reuse    one block of 4.00 KiB at a time was allocated 230 times (10/event); reusing it would save 229 allocations and 916 KiB (937 984 bytes)",
        "  reserve  20 hash tables grew 140 times (7/event); reserving 20 000 elements would save 120 allocations and 172 KiB (176 640 bytes)",
    ] {
        let unwrapped = text.replace("\n           ", " ");
        assert!(unwrapped.contains(line), "{line}: {text}");
    }
}
