//! What `--json` writes is what docs/schemas say, for recordings of many kinds.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Lab, PROFILE, describe, process};

/// Compares documents with a published schema.
fn validate(schema: &str, documents: &[PathBuf]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new("python3")
        .arg(root.join("tests/end_to_end/schemas/validate.py"))
        .arg(root.join(format!("docs/schemas/{schema}.schema.json")))
        .args(documents)
        .output()
        .expect("python3 can be started")
}

/// A document as a file, which is what the schema of its command says.
pub fn expect_valid_document(lab: &Lab, command: &str, name: &str, document: &[u8]) -> PathBuf {
    let file = lab.path(&format!("{name}.json"));
    std::fs::write(&file, document).expect("a file can be written");
    let validated = validate(command, std::slice::from_ref(&file));
    assert!(validated.status.success(), "{}", describe(&validated));
    file
}

/// What a command writes, as a file that is valid.
fn expect_valid(lab: &Lab, arguments: &[&str]) -> PathBuf {
    let mut residue = lab.residue();
    residue.args(arguments).arg("--json");
    let output = process::finish(residue);
    // A gate may fail, and still has its document.
    assert!(!output.stdout.is_empty(), "{}", describe(&output));
    let name = arguments.join("_").replace('/', "_");
    expect_valid_document(lab, arguments[0], &name, &output.stdout)
}

/// Everything that can be asked of a profile.
fn expect_all_valid(lab: &Lab) {
    let views = "summary,self,cumulative,callers,tree,stacks,library,scope,thread,size,advice";
    expect_valid(lab, &["report", PROFILE]);
    expect_valid(lab, &["report", PROFILE, "--view", views, "--top", "all"]);
    let counters = "calls,total,live,live-blocks,peak,at-peak,at-peak-blocks,frees";
    expect_valid(
        lab,
        &["report", PROFILE, "--view", views, "--counters", counters],
    );
    expect_valid(lab, &["report", PROFILE, "--view", views, "--kind", "all"]);
    expect_valid(lab, &["dump", PROFILE]);
    expect_valid(lab, &["diff", PROFILE, PROFILE]);
    expect_valid(
        lab,
        &["diff", PROFILE, PROFILE, "--by", "function", "--cumulative"],
    );
    expect_valid(lab, &["merge", PROFILE, "-o", "sum.residue"]);
    expect_valid(lab, &["symbolize", PROFILE]);
    expect_valid(lab, &["processes", PROFILE]);
    expect_valid(lab, &["check", PROFILE]);
    expect_valid(lab, &["list", PROFILE, "main"]);
}

/// What needs events.
fn expect_events_valid(lab: &Lab) {
    expect_valid(lab, &["leaks", PROFILE]);
    let part = format!("{PROFILE}@3..end");
    expect_valid(lab, &["leaks", &part]);
    expect_valid(lab, &["report", &part]);
    expect_valid(
        lab,
        &["report", &part, "--view", "self,callers,tree,library"],
    );
    expect_valid(lab, &["dump", &part]);
    expect_valid(lab, &["stages", PROFILE]);
    expect_valid(lab, &["stages", PROFILE, "--value", "time"]);
    let moments = [format!("{PROFILE}@3"), format!("{PROFILE}@end")];
    expect_valid(lab, &["diff", &moments[0], &moments[1]]);
    expect_valid(lab, &["diff", &part, PROFILE, "--per-event"]);
}

#[test]
fn of_a_leak_with_counters_and_stamps() {
    let lab = Lab::new();
    lab.record(&["--snapshot-at", "5"], &["leaky_events"]);
    expect_all_valid(&lab);
    expect_events_valid(&lab);
}

#[test]
fn of_shapes_that_do_not_leak() {
    for shape in [
        "flat",
        "cache-saturates",
        "sawtooth",
        "deferred-5",
        "fragmentation",
    ] {
        let lab = Lab::new();
        let recorded = lab.record(&[], &["shapes", shape, "60", "1"]);
        assert!(recorded.profile.is_file(), "{}", recorded.describe());
        expect_events_valid(&lab);
        expect_valid(&lab, &["dump", PROFILE]);
    }
}

#[test]
fn of_a_program_without_events() {
    let lab = Lab::new();
    lab.record(&["--tick", "0"], &["hello", "0"]);
    expect_all_valid(&lab);
}

#[test]
fn of_one_thread_of_a_program() {
    let lab = Lab::new();
    lab.record(&[], &["by_thread"]);
    expect_valid(&lab, &["report", PROFILE, "--view", "thread,self,stacks"]);
    expect_valid(
        &lab,
        &["report", PROFILE, "--thread", "*", "--view", "self,stacks"],
    );
}

#[test]
fn of_the_selftest() {
    expect_valid(
        &Lab::new(),
        &["selftest", "--leak", "64KiB", "--events", "20"],
    );
}

/// The schema is strict: it fails when a member is renamed, missing, or of another type.
#[test]
fn another_document_is_refused() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events"]);
    let file = expect_valid(&lab, &["leaks", PROFILE]);
    let text = std::fs::read_to_string(&file).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let refused = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut changed = document.clone();
        change(&mut changed);
        let file = lab.path("changed.json");
        std::fs::write(&file, changed.to_string()).unwrap();
        let validated = validate("leaks", &[file]);
        let told = describe(&validated);
        assert_eq!(validated.status.code(), Some(1), "{told}");
        assert!(told.contains(expected), "{told}");
    };
    let rename = |value: &mut Value, from: &str, to: &str| {
        let members = value.as_object_mut().unwrap();
        let moved = members.remove(from).unwrap();
        members.insert(to.to_string(), moved);
    };
    refused(&|it| rename(it, "verdict", "judgement"), "judgement");
    refused(&|it| rename(&mut it["stacks"][0], "share", "part"), "part");
    refused(&|it| it["stacks"][0]["shape"] = "leaking".into(), "shape");
    refused(&|it| it["version"] = 2.into(), "version");
    refused(&|it| it["events"] = "200".into(), "events");
}
