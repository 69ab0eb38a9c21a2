//! `residue merge`: sums over the processes of a family, to the byte.

use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use crate::support::{Lab, describe, process};
use residue_profile::{Counters, StackKind};
use std::collections::BTreeMap;
use std::process::Output;

fn merge(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = lab.residue();
    command.arg("merge").args(arguments);
    process::finish(command)
}

/// A family in a directory of its own, and what all its processes did.
fn record_family(lab: &Lab, modes: &[&str]) -> BTreeMap<u32, Truths> {
    lab.folder("family");
    let program = crate::support::workloads::find("fork_family");
    let mut command = lab.residue();
    command
        .args(["run", "-o", "family/first.residue", "--"])
        .arg(program)
        .args(modes);
    let output = process::finish(command);
    assert!(output.status.success(), "{}", describe(&output));
    Truths::parse_by_process(&String::from_utf8_lossy(&output.stdout))
}

fn members(lab: &Lab) -> Vec<Ledger> {
    let others = lab.names_in("family/first.processes").into_iter();
    let others = others.map(|name| lab.path("family/first.processes").join(name));
    let first = lab.path("family/first.residue");
    others
        .chain([first])
        .map(|path| Ledger::read(&path))
        .collect()
}

/// Every function's truth, added over all processes.
fn added(truths: &BTreeMap<u32, Truths>) -> Truths {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for truths in truths.values() {
        for (function, what, value) in truths.of_functions() {
            *sums.entry(format!("{function}.{what}")).or_default() += value;
        }
    }
    let lines = sums
        .iter()
        .map(|(key, value)| format!("truth {key} {value}\n"));
    Truths::parse(&lines.collect::<String>())
}

#[test]
fn the_sum_of_a_family_is_exact_in_every_counter() {
    let lab = Lab::new();
    let truths = record_family(&lab, &["fork", "exec", "threads"]);
    assert_eq!(truths.len(), 24);
    let output = merge(&lab, &["family", "-o", "sum.residue", "--json"]);
    assert!(output.status.success(), "{}", describe(&output));
    let sum = Ledger::read(&lab.path("sum.residue"));
    sum.expect_truths(&added(&truths));

    let members = members(&lab);
    assert_eq!(members.len(), 24);
    let mut sums = [Counters::default(); 2];
    let kinds = [StackKind::Heap, StackKind::Mapping];
    for member in &members {
        for (sum, kind) in sums.iter_mut().zip(kinds) {
            sum.add(&member.total_of(kind));
        }
    }
    for (expected, kind) in sums.into_iter().zip(kinds) {
        assert_eq!(sum.total_of(kind), expected, "{kind:?}");
    }
    let number = |of: fn(&Ledger) -> u64| members.iter().map(of).sum::<u64>();
    let profile = &sum.profile;
    assert_eq!(profile.heap.calls, number(|it| it.profile.heap.calls));
    assert_eq!(
        profile.heap.peak_bytes,
        number(|it| it.profile.heap.peak_bytes)
    );
    assert_eq!(
        profile.recorder.captures,
        number(|it| it.profile.recorder.captures)
    );
    let blocks = |ledger: &Ledger| {
        let bins = ledger.profile.sizes_total.items().iter();
        bins.map(|bin| bin.blocks).sum::<u64>()
    };
    assert_eq!(blocks(&sum), members.iter().map(blocks).sum::<u64>());
    // The children's paths are the same, though each was another process.
    let paths = sum.stacks_with("be_child").count();
    let of_one = members
        .iter()
        .map(|member| member.stacks_with("be_child").count())
        .max();
    assert!(paths <= 2 * of_one.expect("members"), "{paths} paths");
    assert_eq!(profile.meta.pid, 0);
    assert!(profile.meta.notes[0].starts_with("the sum of 24 profiles: fork_family (pid "));

    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["heap"]["calls"], profile.heap.calls);
    assert_eq!(document["profiles"].as_array().map(Vec::len), Some(24));
}

#[test]
fn damaged_profiles_are_named_and_left_out_only_when_asked() {
    let lab = Lab::new();
    record_family(&lab, &["fork"]);
    let whole = std::fs::read(lab.path("family/first.residue")).expect("a profile");
    std::fs::write(lab.path("family/half.residue"), &whole[..whole.len() / 2]).expect("a file");
    std::fs::write(lab.path("family/notes.txt"), "no profile").expect("a file");
    let output = merge(&lab, &["family", "-o", "sum.residue"]);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("family/half.residue"), "{said}");
    assert!(said.contains("1 of 4 profiles could not be read"), "{said}");
    assert!(!lab.path("sum.residue").exists());

    let output = merge(&lab, &["family", "-o", "sum.residue", "--keep-going"]);
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    let sum = Ledger::read(&lab.path("sum.residue"));
    assert_eq!(sum.sum("grandchild_alloc").calls, 30);
    let notes = sum.profile.meta.notes.join("\n");
    assert!(
        notes.contains("not included, because it is damaged: family/half.residue"),
        "{notes}"
    );
}

#[test]
fn profiles_come_from_arguments_directories_and_lists() {
    let lab = Lab::new();
    record_family(&lab, &["fork"]);
    let names = std::fs::read_dir(lab.path("family")).expect("a directory");
    let names: Vec<String> = names
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            format!("family/{}", name.display())
        })
        .collect();
    std::fs::write(lab.path("list.txt"), names.join("\n") + "\n\n").expect("a list");
    let by_list = merge(&lab, &["--from-list", "list.txt", "-o", "list.residue"]);
    assert!(by_list.status.success(), "{}", describe(&by_list));
    let arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    let by_name = merge(&lab, &[&arguments[..], &["-o", "names.residue"]].concat());
    assert!(by_name.status.success(), "{}", describe(&by_name));
    let read = |name: &str| std::fs::read(lab.path(name)).expect("a profile");
    assert_eq!(read("list.residue"), read("names.residue"));

    let onto_itself = merge(&lab, &["family", "-o", "family/first.residue"]);
    assert_eq!(
        onto_itself.status.code(),
        Some(2),
        "{}",
        describe(&onto_itself)
    );
    lab.folder("empty");
    let nothing = merge(&lab, &["empty", "-o", "x.residue"]);
    let said = String::from_utf8_lossy(&nothing.stderr).into_owned();
    assert!(said.contains("no profiles found"), "{said}");
}
