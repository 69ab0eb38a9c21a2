//! Source lines with what each of them allocated.

use crate::reports::line_of;
use crate::support::{Lab, PROFILE, describe, workloads};
use serde_json::Value;
use std::process::Output;

fn list(lab: &Lab, arguments: &[&str]) -> Output {
    let mut residue = lab.residue();
    residue.args(["list", PROFILE]).args(arguments);
    residue.env("COLUMNS", "140");
    residue.output().expect("residue can be started")
}

fn text(lab: &Lab, arguments: &[&str]) -> String {
    let output = list(lab, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        describe(&output)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn json(lab: &Lab, arguments: &[&str]) -> Value {
    serde_json::from_str(&text(lab, &[arguments, &["--json"]].concat())).expect("JSON")
}

/// The number of the only line with a text in it, and what the listing says of it.
fn line<'a>(function: &'a Value, source: &str, text: &str) -> &'a Value {
    let number = line_of(source, text) as u64;
    let lines = function["lines"].as_array().expect("lines");
    let found = lines.iter().find(|line| line["line"] == number);
    found.unwrap_or_else(|| panic!("line {number} is not among {lines:?}"))
}

#[test]
fn lines_have_what_they_allocated() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["leaky_events"]).expect_exact();
    let leaked = truths.get("leaked_bytes");
    let document = json(
        &lab,
        &["SEvt::getPhotonFrame", "--counter", "total,live,calls"],
    );
    assert_eq!(document["format"], "residue-list");
    let function = &document["functions"][0];
    assert_eq!(function["function"], "SEvt::getPhotonFrame");
    let new = line(function, "leaky_events.cpp", "new SFrame{}");
    assert_eq!(new["self"]["live"], leaked);
    assert_eq!(new["self"]["total"], leaked);
    assert_eq!(new["cumulative"]["total"], leaked);
    assert_eq!(new["self"]["calls"], truths.get("leaked_blocks"));
    assert_eq!(new["text"], "    auto* frame = new SFrame{};");

    let document = json(&lab, &["QSim::simulate"]);
    let function = &document["functions"][0];
    let whole = ledger.sum("QSim::simulate");
    assert_eq!(function["cumulative"]["total"], whole.total_bytes);
    let call = line(function, "leaky_events.cpp", "evt->getLocalHit(i)");
    assert_eq!(call["self"]["total"], 0);
    let below = ledger.sum("SEvt::getLocalHit");
    assert_eq!(call["cumulative"]["total"], below.total_bytes);
    assert_eq!(call["cumulative"]["live"], below.live_bytes);
    // Lines do not overlap, so they add up.
    let lines = function["lines"].as_array().expect("lines");
    let sum: u64 = lines
        .iter()
        .filter_map(|line| line["cumulative"]["total"].as_u64())
        .sum();
    assert_eq!(sum, whole.total_bytes);
}

#[test]
fn the_source_stands_beside_the_numbers() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events", "20"]).expect_exact();
    let shown = text(&lab, &["SEvt::getPhotonFrame", "--context", "1"]);
    let at = line_of("leaky_events.cpp", "new SFrame{}");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "SEvt::getPhotonFrame  leaky_events");
    let source: Vec<&&str> = lines.iter().rev().take(3).collect();
    assert!(
        source[2].ends_with(&format!(
            "{}  NAMED SFrame* SEvt::getPhotonFrame(unsigned index) {{",
            at - 1
        )),
        "{shown}"
    );
    assert!(
        source[1].ends_with(&format!("{at}      auto* frame = new SFrame{{}};")),
        "{shown}"
    );
    assert!(
        source[0].ends_with(&format!("{}      HIDE(frame);", at + 1)),
        "{shown}"
    );
}

/// Functions that the compiler put into others have lines too.
#[test]
fn inlined_functions_are_listed() {
    let lab = Lab::new();
    let (_, truths) = lab.record(&[], &["map_growth"]).expect_exact();
    let document = json(&lab, &["fill<*"]);
    let functions = document["functions"].as_array().expect("functions");
    let total: u64 = functions
        .iter()
        .filter_map(|it| it["cumulative"]["total"].as_u64())
        .sum();
    assert_eq!(total, truths.get("fill_map.total"));
}

#[test]
fn sources_elsewhere_are_found_or_said_to_be_missing() {
    let lab = Lab::new();
    // Compiled from a copy that is gone afterwards.
    let folder = lab.folder("sources");
    for file in ["hello.c", "truth.h"] {
        let from = workloads::sources().join(file);
        std::fs::copy(from, folder.join(file)).expect("the lab is writable");
    }
    let program = lab.path("hello");
    let compiled = std::process::Command::new("cc")
        .args(["-O2", "-g", "-o"])
        .arg(&program)
        .arg(folder.join("hello.c"))
        .output()
        .expect("there is a compiler");
    assert!(compiled.status.success(), "{}", describe(&compiled));
    let program = program.to_str().expect("a path");
    let recorded = lab.record(&[], &[program]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    std::fs::rename(&folder, lab.path("moved")).expect("the lab is writable");

    let missing = text(&lab, &["hello_alloc"]);
    assert!(
        missing.contains("hello.c not found; give the source folder with --source\n"),
        "{missing}"
    );
    let at = line_of("hello.c", "malloc(");
    let numbers = missing
        .lines()
        .filter(|line| line.trim_end().ends_with(&format!(" {at}")));
    assert_eq!(numbers.count(), 1, "numbers without sources: {missing}");
    let found = text(&lab, &["hello_alloc", "--source", ".", "--source", "moved"]);
    assert!(found.contains("malloc("), "{found}");
    assert!(found.contains("\n  moved/hello.c\n"), "{found}");
    // The file is younger than the recording now.
    std::fs::write(lab.path("moved/hello.c"), "changed\n").expect("the lab is writable");
    let changed = text(&lab, &["hello_alloc", "--source", "moved"]);
    assert!(changed.contains("changed after the recording"), "{changed}");
}

#[test]
fn a_function_that_is_not_there_is_an_error_with_its_neighbours() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events", "20"]).expect_exact();
    let refused = |name: &str| {
        let output = list(&lab, &[name]);
        assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(
        refused("SEvt::getPhotonFrme"),
        "residue: no function is called `SEvt::getPhotonFrme`; there are SEvt::getPhotonFrame\n"
    );
    assert!(refused("zzz_nothing").contains("and none is similar"));
    assert!(refused("operator new").contains("--no-rules shows every frame"));
    let shown = text(&lab, &["operator new", "--no-rules"]);
    assert!(shown.starts_with("operator new"), "{shown}");
}
