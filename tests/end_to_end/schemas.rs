//! What `--json` writes is what docs/schemas say, for recordings of many kinds.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Lab, PROFILE, describe, process};

/// Compares documents with the published schemas of the commands that wrote them.
fn validate<'a>(documents: impl IntoIterator<Item = (&'a str, &'a Path)>) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut validate = Command::new("python3");
    validate.arg(root.join("tests/end_to_end/schemas/validate.py"));
    for (command, document) in documents {
        validate
            .arg(root.join(format!("docs/schemas/{command}.schema.json")))
            .arg(document);
    }
    validate.output().expect("python3 can be started")
}

/// What commands wrote, each with its command. They are compared together: starting Python and
/// reading a schema take longer than most documents.
#[derive(Default)]
pub struct Documents(Vec<(String, PathBuf)>);

impl Documents {
    /// Takes a document as a file.
    pub fn add(&mut self, lab: &Lab, command: &str, name: &str, document: &[u8]) -> PathBuf {
        let file = lab.path(&format!("{name}.json"));
        std::fs::write(&file, document).expect("a file can be written");
        self.0.push((command.to_string(), file.clone()));
        file
    }

    /// Takes what a command writes.
    fn ask(&mut self, lab: &Lab, arguments: &[&str]) -> PathBuf {
        let mut residue = lab.residue();
        residue.args(arguments).arg("--json");
        let output = process::finish(residue);
        // A gate may fail, and still has its document.
        assert!(!output.stdout.is_empty(), "{}", describe(&output));
        let name = arguments.join("_").replace('/', "_");
        self.add(lab, arguments[0], &name, &output.stdout)
    }

    /// Each is what the schema of its command says.
    pub fn expect_valid(&self) {
        assert!(!self.0.is_empty());
        let documents = self.0.iter();
        let validated =
            validate(documents.map(|(command, file)| (command.as_str(), file.as_path())));
        assert!(validated.status.success(), "{}", describe(&validated));
    }
}

/// Everything that can be asked of a profile.
fn ask_everything(documents: &mut Documents, lab: &Lab) {
    let views =
        "summary,self,cumulative,callers,tree,stacks,library,scope,thread,size,churn,advice";
    documents.ask(lab, &["report", PROFILE]);
    documents.ask(lab, &["report", PROFILE, "--view", views, "--top", "all"]);
    let counters = "calls,total,live,live-blocks,peak,at-peak,at-peak-blocks,frees";
    documents.ask(
        lab,
        &["report", PROFILE, "--view", views, "--counters", counters],
    );
    documents.ask(lab, &["report", PROFILE, "--view", views, "--kind", "all"]);
    documents.ask(lab, &["dump", PROFILE]);
    documents.ask(lab, &["diff", PROFILE, PROFILE]);
    documents.ask(
        lab,
        &["diff", PROFILE, PROFILE, "--by", "function", "--cumulative"],
    );
    documents.ask(lab, &["merge", PROFILE, "-o", "sum.residue"]);
    documents.ask(lab, &["symbolize", PROFILE]);
    documents.ask(lab, &["processes", PROFILE]);
    documents.ask(lab, &["check", PROFILE]);
    documents.ask(lab, &["list", PROFILE, "main"]);
}

/// What needs events.
fn ask_of_events(documents: &mut Documents, lab: &Lab) {
    documents.ask(lab, &["slow", PROFILE]);
    documents.ask(lab, &["leaks", PROFILE]);
    let part = format!("{PROFILE}@3..end");
    documents.ask(lab, &["leaks", &part]);
    documents.ask(lab, &["report", &part]);
    documents.ask(
        lab,
        &["report", &part, "--view", "self,callers,tree,library"],
    );
    documents.ask(lab, &["dump", &part]);
    documents.ask(lab, &["stages", PROFILE]);
    documents.ask(lab, &["stages", PROFILE, "--value", "time"]);
    let moments = [format!("{PROFILE}@3"), format!("{PROFILE}@end")];
    documents.ask(lab, &["diff", &moments[0], &moments[1]]);
    documents.ask(lab, &["diff", &part, PROFILE, "--per-event"]);
}

#[test]
fn of_a_leak_with_counters_and_stamps() {
    let lab = Lab::new();
    lab.record(&["--holders", "--snapshot-at", "5"], &["leaky_events"]);
    let mut documents = Documents::default();
    ask_everything(&mut documents, &lab);
    ask_of_events(&mut documents, &lab);
    documents.ask(&lab, &["holders", PROFILE]);
    documents.expect_valid();
}

#[test]
fn of_shapes_that_do_not_leak() {
    let mut documents = Documents::default();
    // Their files are read at the end.
    let mut labs = Vec::new();
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
        ask_of_events(&mut documents, &lab);
        documents.ask(&lab, &["dump", PROFILE]);
        labs.push(lab);
    }
    documents.expect_valid();
}

#[test]
fn of_a_program_without_events() {
    let lab = Lab::new();
    lab.record(&["--tick", "0"], &["hello", "0"]);
    let mut documents = Documents::default();
    ask_everything(&mut documents, &lab);
    documents.expect_valid();
}

#[test]
fn of_one_thread_of_a_program() {
    let lab = Lab::new();
    lab.record(&[], &["by_thread"]);
    let mut documents = Documents::default();
    documents.ask(&lab, &["report", PROFILE, "--view", "thread,self,stacks"]);
    documents.ask(
        &lab,
        &["report", PROFILE, "--thread", "*", "--view", "self,stacks"],
    );
    documents.expect_valid();
}

#[test]
fn of_the_selftest() {
    let lab = Lab::new();
    let mut documents = Documents::default();
    documents.ask(&lab, &["selftest", "--leak", "64KiB", "--events", "20"]);
    documents.expect_valid();
}

/// The schema is strict: it fails when a member is renamed, missing, or of another type.
#[test]
fn another_document_is_refused() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events"]);
    let mut documents = Documents::default();
    let file = documents.ask(&lab, &["leaks", PROFILE]);
    documents.expect_valid();
    let text = std::fs::read_to_string(&file).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let refused = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut changed = document.clone();
        change(&mut changed);
        let file = lab.path("changed.json");
        std::fs::write(&file, changed.to_string()).unwrap();
        let validated = validate([("leaks", file.as_path())]);
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
