//! `residue diff`: two moments of a run, two runs, two releases, against what the
//! workload says it left.

use crate::support::truth::Truths;
use crate::support::{Lab, describe, process, workloads};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

fn run(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = lab.residue();
    command.args(arguments);
    process::finish(command)
}

/// A successful `residue diff`, as text.
fn text(lab: &Lab, arguments: &[&str]) -> String {
    let output = run(lab, &[&["diff"], arguments].concat());
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// A successful `residue diff --json`.
fn json(lab: &Lab, arguments: &[&str]) -> Value {
    let text = text(lab, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("JSON")
}

fn failure(lab: &Lab, arguments: &[&str]) -> String {
    let output = run(lab, &[&["diff"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    assert!(output.stdout.is_empty(), "{}", describe(&output));
    String::from_utf8(output.stderr).expect("text")
}

/// Rows by the workload's function in them: class, change, and change of the counter
/// beside it.
fn rows(document: &Value) -> BTreeMap<String, (String, i64, i64)> {
    let rows = document["rows"].as_array().expect("rows");
    let row = |row: &Value| {
        let name = match row["frames"].as_array() {
            Some(frames) => frames[0].as_str().expect("a name"),
            None => row["name"].as_str().expect("a name"),
        };
        let delta = |value: &Value| value["delta"].as_i64().expect("a number");
        let class = row["class"].as_str().expect("a class").to_string();
        (name.to_string(), (class, delta(row), delta(&row["beside"])))
    };
    let by_name: BTreeMap<_, _> = rows.iter().map(row).collect();
    assert_eq!(by_name.len(), rows.len(), "a function is in two rows");
    by_name
}

fn expected(rows: &[(&str, &str, i64, i64)]) -> BTreeMap<String, (String, i64, i64)> {
    rows.iter()
        .map(|&(name, class, bytes, blocks)| (name.to_string(), (class.to_string(), bytes, blocks)))
        .collect()
}

/// What the workload says happened to each function's blocks since event 51.
fn since(truths: &Truths) -> BTreeMap<String, (i64, i64)> {
    let functions: Vec<&str> = truths
        .of_functions()
        .filter(|(_, what, _)| *what == "calls")
        .map(|(function, _, _)| function)
        .collect();
    assert!(functions.len() >= 7);
    let change = |function: &str, unit: &str| {
        let number = |what: &str| truths.get(&format!("{function}.since.{what}_{unit}")) as i64;
        number("made") - number("freed")
    };
    functions
        .into_iter()
        .map(|name| {
            (
                name.to_string(),
                (change(name, "bytes"), change(name, "blocks")),
            )
        })
        .filter(|(_, change)| *change != (0, 0))
        .collect()
}

#[test]
fn between_two_snapshots_is_what_the_events_left_and_nothing_of_the_set_up() {
    let lab = Lab::new();
    let recorded = lab.record(&["--snapshot-at", "1,51,101"], &["event_residue", "150"]);
    let (_, truths) = recorded.expect_exact();
    let diff = json(&lab, &["profile.residue@51", "profile.residue@end"]);
    let said: BTreeMap<String, (i64, i64)> = rows(&diff)
        .into_iter()
        .map(|(name, (_, bytes, blocks))| (name, (bytes, blocks)))
        .collect();
    assert_eq!(said, since(&truths));
    let classes = [
        ("make_buffer", "shrunk", -20_000, -20),
        ("store::leave_hit", "grown", 48 * 199, 199),
        ("store::leave_log", "grown", 5000, 50),
    ];
    assert_eq!(rows(&diff), expected(&classes));
    assert_eq!(diff["events_between"], 100);
    assert_eq!(diff["growth"], 48 * 199 + 5000);
    assert_eq!(diff["fall"], 20_000);
    assert_eq!(diff["change"]["delta"], 48 * 199 + 5000 - 20_000);
    assert_eq!(diff["rows_unchanged"], 2);
    // The paths are the workload's own.
    let frames = |row: usize| {
        let frames = diff["rows"][row]["frames"].as_array().expect("frames");
        let names: Vec<&str> = frames.iter().filter_map(Value::as_str).collect();
        names[..4].join(" < ")
    };
    assert_eq!(frames(0), "store::leave_hit < simulate < process < main");
    assert_eq!(frames(1), "store::leave_log < digitise < process < main");

    // The set-up and the warm-up are there when one looks from the first event on.
    let all = json(&lab, &["profile.residue@1", "profile.residue@101"]);
    let cache = &rows(&all)["fill_cache"];
    assert_eq!(*cache, ("new".to_string(), 655_360, 10));
    assert!(!rows(&all).contains_key("make_geometry"));

    // Blocks are a counter too, with bytes beside them.
    let blocks = json(
        &lab,
        &[
            "profile.residue@51",
            "profile.residue@end",
            "--counter",
            "live-blocks",
        ],
    );
    assert_eq!(
        rows(&blocks)["make_buffer"],
        ("shrunk".to_string(), -20, -20_000)
    );
}

#[test]
fn every_way_to_look_at_a_difference_has_the_same_sum() {
    let lab = Lab::new();
    lab.record(&["--snapshot-every", "50"], &["event_residue", "150"]);
    let sides = ["profile.residue@50", "profile.residue@150"];
    for by in ["stack", "function", "library"] {
        let diff = json(&lab, &[&sides[..], &["--by", by]].concat());
        let rows = diff["rows"].as_array().expect("rows");
        let sum: i64 = rows.iter().filter_map(|row| row["delta"].as_i64()).sum();
        assert_eq!(Some(sum), diff["change"]["delta"].as_i64(), "{by}");
        for is_growth in [true, false] {
            let shares: Vec<f64> = rows
                .iter()
                .filter(|row| (row["delta"].as_i64() > Some(0)) == is_growth)
                .filter_map(|row| row["share"].as_f64())
                .collect();
            let sum: f64 = shares.iter().sum();
            assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-9, "{by}: {sum}");
        }
    }
    let folded = text(&lab, &[&sides[..], &["--folded"]].concat());
    let mut delta = 0;
    for line in folded.lines() {
        let mut words = line.rsplit(' ').map(|word| word.parse::<i64>());
        let (after, before) = (words.next(), words.next());
        delta += after.unwrap().unwrap() - before.unwrap().unwrap();
    }
    let diff = json(&lab, &sides);
    assert_eq!(Some(delta), diff["change"]["delta"].as_i64());
    // Functions with all they called: process has what both of its callees left.
    let functions = json(
        &lab,
        &[&sides[..], &["--by", "function", "--cumulative"]].concat(),
    );
    let changes = rows(&functions);
    let of = |name: &str| changes[name].1;
    let left = of("store::leave_hit") + of("store::leave_log");
    assert_eq!(of("process"), left);
    assert_eq!(of("main"), left + of("make_buffer"));
    // The lines of the text add up: what is not shown is in "others".
    let short = text(&lab, &[&sides[..], &["--top", "1"]].concat());
    assert!(short.contains("1 other grown"), "{short}");
    assert!(short.contains("2 unchanged"), "{short}");
}

/// Compiles the workload with its store as a library of that name, and records it.
fn record_release(lab: &Lab, release: &str, library: &str, events: &str) -> Truths {
    let folder = lab.folder(&format!("release{release}"));
    let defined = format!("-DRELEASE={release}");
    let library_path = folder.join(library);
    workloads::compile(
        "event_residue_store.cpp",
        &library_path,
        &["-shared", "-fPIC", &defined],
    );
    let program = folder.join("event_residue");
    let path = |path: &Path| path.display().to_string();
    workloads::compile(
        "event_residue.cpp",
        &program,
        &[
            &defined,
            "-DSEPARATE_STORE",
            &path(&library_path),
            &format!("-Wl,-rpath,{}", path(&folder)),
        ],
    );
    let output = format!("release{release}.residue");
    let mut command = lab.residue();
    command
        .args(["run", "-o", &output, "--"])
        .arg(&program)
        .arg(events);
    let output = process::finish(command);
    assert!(output.status.success(), "{}", describe(&output));
    Truths::parse(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn two_releases_are_compared_by_name() {
    let lab = Lab::new();
    let before = record_release(&lab, "1", "libstore.so", "150");
    let after = record_release(&lab, "2", "libstorage.so", "150");
    let diff = json(&lab, &["release1.residue", "release2.residue"]);
    let change = |function: &str, what: &str| {
        let number = |truths: &Truths| truths.get(&format!("{function}.{what}")) as i64;
        number(&after) - number(&before)
    };
    let functions = [
        "store::leave_hit",
        "store::leave_log",
        "leave_trace",
        "fill_cache",
    ];
    let truth: BTreeMap<String, (i64, i64)> = functions
        .into_iter()
        .map(|name| {
            (
                name.to_string(),
                (change(name, "live"), change(name, "live_blocks")),
            )
        })
        .collect();
    let said: BTreeMap<String, (i64, i64)> = rows(&diff)
        .into_iter()
        .map(|(name, (_, bytes, blocks))| (name, (bytes, blocks)))
        .collect();
    assert_eq!(said, truth);
    let classes = [
        ("leave_trace", "new", 32 * 150, 150),
        ("store::leave_hit", "grown", 16 * 300, 0),
        ("store::leave_log", "gone", -7500, -75),
        ("fill_cache", "shrunk", -327_680, 0),
    ];
    assert_eq!(rows(&diff), expected(&classes));
    assert_eq!(diff["per"], Value::Null);
    // Against the baseline, in percent: hits grew by a third, caches are half as large.
    let percent = |name: &str| {
        let rows = diff["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["frames"][0] == name);
        row.expect("the row")["to_before"].as_f64()
    };
    assert_eq!(percent("store::leave_hit"), Some(1.0 / 3.0));
    assert_eq!(percent("fill_cache"), Some(-0.5));
    assert_eq!(percent("leave_trace"), None);
    let table = text(
        &lab,
        &["release1.residue", "release2.residue", "--by", "function"],
    );
    assert!(table.contains("+33.3 %"), "{table}");
    // By library the renamed one is another.
    let libraries = json(
        &lab,
        &["release1.residue", "release2.residue", "--by", "library"],
    );
    let classes = rows(&libraries);
    assert_eq!(classes["libstore.so"].0, "gone");
    assert_eq!(classes["libstorage.so"].0, "new");
}

#[test]
fn runs_of_different_length_are_compared_by_event() {
    let lab = Lab::new();
    for (events, profile) in [("100", "short.residue"), ("300", "long.residue")] {
        let recorded = lab.record(&[], &["event_residue", events]);
        recorded.expect_exact();
        std::fs::rename(lab.path("profile.residue"), lab.path(profile)).expect("a profile");
    }
    let diff = json(&lab, &["short.residue", "long.residue"]);
    assert_eq!(diff["per"], "event");
    // The same log in every second event: no change, though there is three times as much.
    assert!(!rows(&diff).contains_key("store::leave_log"));
    // What is made once a run is the same to the byte, and not divided by events.
    assert!(!rows(&diff).contains_key("make_geometry"));
    let absolute = json(&lab, &["short.residue", "long.residue", "--absolute"]);
    let log = &rows(&absolute)["store::leave_log"];
    assert_eq!(*log, ("grown".to_string(), 10_000, 100));
    assert!(!rows(&absolute).contains_key("make_geometry"));
    // From event 51 on there is no set-up; the buffers are given back once a run, to the byte.
    let parts = ["short.residue@51..end", "long.residue@51..end"];
    let parts = json(&lab, &parts);
    assert_eq!(parts["before"]["events"], 50);
    assert_eq!(parts["after"]["events"], 250);
    let changes = rows(&parts);
    assert!(!changes.contains_key("store::leave_log"), "{changes:?}");
    assert!(!changes.contains_key("make_geometry"), "{changes:?}");
    assert!(!changes.contains_key("make_buffer"), "{changes:?}");
    let by_option = json(
        &lab,
        &["short.residue", "long.residue", "--events", "51..end"],
    );
    assert_eq!(by_option["rows"], parts["rows"]);
}

#[test]
fn a_gate_names_what_grew() {
    let lab = Lab::new();
    lab.record(&[], &["event_residue", "150"]);
    let sides = ["profile.residue@51", "profile.residue@end"];
    let gate = |limit: &str| {
        run(
            &lab,
            &[&["diff"], &sides[..], &["--fail-above", limit]].concat(),
        )
    };
    let passed = gate("9552");
    assert_eq!(passed.status.code(), Some(0), "{}", describe(&passed));
    let failed = gate("9551");
    assert_eq!(failed.status.code(), Some(1), "{}", describe(&failed));
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        said.contains("+9.33 KiB: store::leave_hit < simulate"),
        "{said}"
    );
    assert!(!said.contains("leave_log"), "{said}");
    assert_eq!(gate("50B/event").status.code(), Some(1));
    assert_eq!(gate("96B/event").status.code(), Some(0));
    let json = json(&lab, &[&sides[..], &["--fail-above", "1MiB"]].concat());
    assert_eq!(json["above"], false);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let lab = Lab::new();
    lab.record(&[], &["event_residue", "60"]);
    let file = "profile.residue";
    let at = "profile.residue@51";
    let said = failure(&lab, &[at, file, "--counter", "peak"]);
    assert!(
        said.contains("`peak` was not recorded for moments"),
        "{said}"
    );
    let said = failure(&lab, &[at, "profile.residue@61"]);
    assert!(
        said.contains("there is no event 61; the last is 60"),
        "{said}"
    );
    let said = failure(&lab, &[at, file, "--thread", "main"]);
    assert!(said.contains("--thread"), "{said}");
    let said = failure(&lab, &[at, file, "--events", "1..2"]);
    assert!(said.contains("not both"), "{said}");
    let said = failure(&lab, &[file, "nothing.residue"]);
    assert!(said.contains("nothing.residue"), "{said}");
    let end = "profile.residue@end";
    let said = failure(&lab, &[at, end, "--per-event", "--fail-above", "1MiB"]);
    assert!(said.contains("per event"), "{said}");
    let same = text(&lab, &[file, file]);
    assert!(same.contains("no stack differs"), "{same}");
}

#[test]
fn the_text_fits_and_adds_up() {
    let lab = Lab::new();
    lab.record(&[], &["event_residue", "150"]);
    let sides = ["profile.residue@51", "profile.residue@end"];
    let text = text(&lab, &[&sides[..], &["--by", "function"]].concat());
    let expected = "
             before        after       change  to before    share  function
grown      4.73 KiB     14.1 KiB    +9.33 KiB   +197.0 %   65.6 %  store::leave_hit
grown      2.44 KiB     7.32 KiB    +4.88 KiB   +200.0 %   34.4 %  store::leave_log
shrunk     97.7 KiB     78.1 KiB    -19.5 KiB    -20.0 %  100.0 %  make_buffer
           4.44 MiB     4.44 MiB         +0 B        0 %           2 unchanged
           4.54 MiB     4.54 MiB    -5.32 KiB     -0.1 %           all
";
    assert!(text.ends_with(expected), "{text}");
    let head = "\
compared   live bytes by function
before     profile.residue@51, when event 51 began: event_residue, 50 events, 4.54 MiB (4 762 708 bytes)
after      profile.residue@end, after the last event: event_residue, 150 events, 4.54 MiB (4 757 260 bytes)
change     -5.32 KiB (-5 448 bytes), -0.1 %; -54.5 B per event over 100 events
           growth +14.2 KiB (0 new, 2 grown), fall -19.5 KiB (0 gone, 1 shrunk); 2 functions unchanged
";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_difference_can_be_drawn() {
    let lab = Lab::new();
    lab.record(&[], &["event_residue", "150"]);
    let sides = ["profile.residue@51", "profile.residue@end"];
    text(
        &lab,
        &[&sides[..], &["--flamegraph", "change.svg"]].concat(),
    );
    let picture = std::fs::read_to_string(lab.path("change.svg")).expect("a picture");
    assert!(picture.contains("<svg"));
    assert!(picture.contains("store::leave_hit"));
}
