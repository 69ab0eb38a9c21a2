//! Exports for other tools, read by those tools and by `residue import`: whatever the
//! rules for names, every counter adds up to what was recorded.
//!
//! Needs valgrind for callgrind_annotate and ms_print, and graphviz.

use std::collections::BTreeMap;
use std::process::Command;

use residue_profile::{Counter, Profile};
use serde_json::Value;

use crate::support::ledger::Ledger;
use crate::support::{Lab, PROFILE, describe, process};
use crate::verdicts::{said, said_json};

/// A program with templates, inlined code and events; one that calls itself 60 times;
/// one with every function that allocates.
const PROGRAMS: [&[&str]; 3] = [&["leaky_events", "20"], &["deep", "60"], &["c_alloc"]];
const RULES: [&[&str]; 2] = [&[], &["--no-rules"]];

/// Runs a test on every program, with the default rules and without.
fn for_each_recording(test: impl Fn(&Lab, &Ledger, &[&str])) {
    for program in PROGRAMS {
        let lab = Lab::new();
        let (ledger, _) = lab.record(&[], program).expect_exact();
        for rules in RULES {
            test(&lab, &ledger, rules);
        }
    }
}

fn export(lab: &Lab, format: &str, file: &str, options: &[&str]) {
    let command = ["export", PROFILE, "--format", format, "-o", file];
    said(lab, &[&command, options].concat());
}

/// What a reader prints; it must be installed, succeed, and have nothing to complain of.
fn read_by(lab: &Lab, command: &[&str]) -> String {
    let mut reader = Command::new(command[0]);
    reader.args(&command[1..]);
    lab.prepare(&mut reader);
    let output = process::finish(reader);
    let is_content = output.status.success() && output.stderr.is_empty();
    assert!(is_content, "{command:?}: {}", describe(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// What a counter of all that is heap comes to.
fn sum(profile: &Profile, counter: Counter) -> u64 {
    let stacks = profile.stacks.iter();
    let heap = stacks.filter(|stack| stack.kind.is_heap());
    counter.merge().all(heap.map(|stack| counter.value(stack)))
}

fn sums(profile: &Profile) -> Vec<u64> {
    let counters = Counter::MEMORY.into_iter();
    counters.map(|counter| sum(profile, counter)).collect()
}

/// callgrind_annotate's rows: what they are of, and their values. `FILE:NAME [LIBRARY]`
type Rows = BTreeMap<String, Vec<u64>>;

fn annotated(lab: &Lab, file: &str, options: &[&str]) -> Rows {
    let command = ["callgrind_annotate", "--threshold=100", "--show-percs=no"];
    let text = read_by(lab, &[&command, options, &[file]].concat());
    let number = |word: &str| match word {
        "." => Some(0),
        word => word.replace(',', "").parse::<u64>().ok(),
    };
    let mut rows = Rows::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((values, name)) = words.split_at_checked(Counter::MEMORY.len()) else {
            continue;
        };
        let values: Option<Vec<u64>> = values.iter().map(|word| number(word)).collect();
        if let (Some(values), false) = (values, name.is_empty()) {
            let before = rows.insert(name.join(" "), values);
            assert_eq!(before, None, "{line}");
        }
    }
    rows
}

#[test]
fn callgrind_annotate_has_every_counter_of_every_function() {
    for_each_recording(|lab, ledger, rules| {
        export(lab, "callgrind", "job.callgrind", rules);
        let truth = sums(&ledger.profile);
        let mut own = annotated(lab, "job.callgrind", &["--auto=no"]);
        assert_eq!(own.remove("PROGRAM TOTALS"), Some(truth.clone()));
        for (at, whole) in truth.iter().enumerate() {
            assert_eq!(own.values().map(|values| values[at]).sum::<u64>(), *whole);
        }
        let inclusive = annotated(lab, "job.callgrind", &["--auto=no", "--inclusive=yes"]);
        assert_eq!(inclusive["???:[root] [???]"], truth);
        expect_functions_as_reported(lab, rules, &own, &inclusive);
    });
}

/// Whatever calls itself, a function has the values that `residue report` shows.
fn expect_functions_as_reported(lab: &Lab, rules: &[&str], own: &Rows, inclusive: &Rows) {
    let names = Counter::MEMORY.map(Counter::name);
    let counters = names.join(",");
    let report = ["report", PROFILE, "--json", "--top", "all"];
    let chosen = ["--view", "self,cumulative", "--counters", &counters];
    let report = said_json(lab, &[&report, &chosen[..], rules].concat());
    let mut checked = 0;
    for (view, rows) in [("self", own), ("cumulative", inclusive)] {
        let reported = report[view]["rows"].as_array().expect("rows");
        for function in reported {
            let text = |key: &str| function[key].as_str().unwrap_or_default();
            let (name, library) = (text("function"), text("library"));
            let library = if library.is_empty() { "???" } else { library };
            let is_it = |row: &str| {
                let rest = row.strip_suffix(&format!(":{name} [{library}]"));
                rest.is_some_and(|file| !file.contains(':'))
            };
            let found: Vec<_> = rows.iter().filter(|(row, _)| is_it(row)).collect();
            let [(_, values)] = found[..] else {
                // Lines of a function in a second file have a row of their own.
                assert!(view == "self", "{name} [{library}]: {found:?}");
                continue;
            };
            for (counter, value) in names.iter().zip(values) {
                let key = format!("{view}_{}", counter.replace('-', "_"));
                assert_eq!(function[&key], Value::from(*value), "{name}: {key}");
                checked += 1;
            }
        }
    }
    // The path of `deep` is seven functions long, and one of them allocates.
    let least = (7 + 1) * names.len();
    assert!(checked >= least, "only {checked} values were compared");
}

#[test]
fn a_function_that_calls_itself_is_counted_once() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["deep", "60"]).expect_exact();
    assert_eq!(truths.get("depth"), 60);
    export(&lab, "callgrind", "job.callgrind", &["--no-rules"]);
    let inclusive = annotated(&lab, "job.callgrind", &["--auto=no", "--inclusive=yes"]);
    let row = inclusive
        .iter()
        .find(|(row, _)| row.contains(":deep_step "));
    assert_eq!(row.expect("deep_step").1, &sums(&ledger.profile));
    assert_eq!(row.expect("deep_step").1[0], truths.get("deep_leaf.calls"));
}

/// The lines with arrows of ms_print's tree: depth from 1, and bytes.
fn arrows(text: &str) -> Vec<(usize, u64)> {
    let arrow = |line: &str| {
        let (blanks, rest) = line.split_once("->")?;
        let (_, rest) = rest.split_once("% (")?;
        let (value, _) = rest.split_once("B) ")?;
        let value = value.replace(',', "").parse().expect("bytes");
        Some((blanks.len() / 2 + 1, value))
    };
    text.lines().filter_map(arrow).collect()
}

#[test]
fn ms_print_shows_who_held_the_heap_at_its_end_and_at_its_peak() {
    for_each_recording(|lab, ledger, rules| {
        for (name, counter) in [("live", Counter::Live), ("at-peak", Counter::AtPeak)] {
            let options = [rules, &["--counter", name, "--min-percent", "0"]].concat();
            export(lab, "massif", "massif.out", &options);
            let printed = read_by(lab, &["ms_print", "--threshold=0", "massif.out"]);
            let arrows = arrows(&printed);
            let outermost = arrows.iter().filter(|(depth, _)| *depth == 1);
            let whole: u64 = outermost.map(|(_, value)| value).sum();
            assert_eq!(whole, sum(&ledger.profile, counter), "{printed}");
            let back = imported(lab, "massif.out");
            assert_eq!(sum(&back.profile, counter), whole);
        }
    });
}

#[test]
fn graphviz_draws_every_function_that_is_hot() {
    for_each_recording(|lab, ledger, rules| {
        let options = [rules, &["--min-percent", "0"]].concat();
        export(lab, "dot", "job.dot", &options);
        let picture = read_by(lab, &["dot", "-Tsvg", "job.dot"]);
        let values = picture.split("xlink:title=\"").skip(1).map(|rest| {
            let (title, _) = rest.split_once('"').expect("an end");
            let (_, values) = title.split_once("&#10;").expect("a second line");
            let (own, _) = values.split_once(' ').expect("a value");
            own.parse::<u64>().expect("a value")
        });
        assert_eq!(
            values.sum::<u64>(),
            sum(&ledger.profile, Counter::Live),
            "{picture}"
        );
    });
}

fn imported(lab: &Lab, file: &str) -> Ledger {
    said(lab, &["import", file, "-o", "imported.residue"]);
    Ledger::read(&lab.path("imported.residue"))
}

#[test]
fn what_is_exported_can_be_imported_with_every_counter_that_the_form_has() {
    const IGPROF: &[Counter] = &[
        Counter::Calls,
        Counter::Total,
        Counter::LiveBlocks,
        Counter::Live,
        Counter::Peak,
        Counter::Largest,
    ];
    const MDR: &[Counter] = &[Counter::Calls, Counter::Total, Counter::Live, Counter::Peak];
    for_each_recording(|lab, ledger, rules| {
        for (format, counters) in [
            ("pprof", &Counter::MEMORY[..]),
            ("igprof", IGPROF),
            ("mdr", MDR),
            ("mdr-detail", MDR),
        ] {
            export(lab, format, "exported", rules);
            let back = imported(lab, "exported");
            for &counter in counters {
                let (found, truth) = (sum(&back.profile, counter), sum(&ledger.profile, counter));
                assert_eq!(found, truth, "{format} {}", counter.name());
            }
        }
    });
}

#[test]
fn the_table_in_heaptracks_words_adds_up() {
    for_each_recording(|lab, ledger, rules| {
        export(lab, "heaptrack-csv", "job.csv", rules);
        let text = std::fs::read_to_string(lab.path("job.csv")).expect("a table");
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().expect("a head").split(',').collect();
        // Names may hold commas; what follows them does not.
        let rows: Vec<Vec<&str>> = lines.map(|line| line.rsplit(',').collect()).collect();
        for (name, counter) in [
            ("self_allocations", Counter::Calls),
            ("self_temporary", Counter::Temporaries),
            ("self_peak_bytes", Counter::AtPeak),
            ("self_leaked_bytes", Counter::Live),
            ("self_leaked_blocks", Counter::LiveBlocks),
            ("self_allocated_bytes", Counter::Total),
        ] {
            let place = columns.iter().rev().position(|column| *column == name);
            let place = place.expect("a column");
            let values = rows.iter().map(|row| row[place].parse::<u64>());
            let total: u64 = values.map(|value| value.expect("a value")).sum();
            assert_eq!(total, sum(&ledger.profile, counter), "{name}");
        }
    });
}
