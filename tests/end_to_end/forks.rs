//! Families of processes: each has a profile of its own, with its own blocks and
//! nobody else's.

use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE};
use residue_profile::End;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub struct Family {
    /// By process.
    truths: BTreeMap<u32, Truths>,
    profiles: Vec<(PathBuf, Ledger)>,
}

const FUNCTIONS: [&str; 6] = [
    "parent_alloc",
    "child_alloc",
    "grandchild_alloc",
    "exec_alloc",
    "vfork_alloc",
    "busy_alloc",
];

/// Records the family and checks every process against its own truth.
fn record(modes: &[&str], processes: usize) -> Family {
    record_program(&Lab::new(), "fork_family", modes, processes)
}

/// The same for any build of it.
pub fn record_program(lab: &Lab, program: &str, modes: &[&str], processes: usize) -> Family {
    let command: Vec<&str> = [program].iter().chain(modes).copied().collect();
    let recorded = lab.record(&[], &command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let family = Family {
        truths: Truths::parse_by_process(&recorded.stdout()),
        profiles: lab.profiles(),
    };
    assert_eq!(family.truths.len(), processes, "{}", recorded.describe());
    let found: Vec<_> = family.profiles.iter().map(|(path, _)| path).collect();
    assert_eq!(found.len(), processes, "one profile each: {found:?}");
    for (&pid, truths) in &family.truths {
        let ledger = family.of(pid);
        let only_told = truths.of_functions().next().is_some();
        assert!(only_told, "process {pid} told its truth");
        ledger.expect_truths(truths);
        ledger.expect_nothing_lost();
        expect_no_others(pid, ledger, truths);
    }
    family
}

/// What a process did not do itself is not in its profile.
fn expect_no_others(pid: u32, ledger: &Ledger, truths: &Truths) {
    for function in FUNCTIONS {
        if truths.find(&format!("{function}.calls")).is_none() {
            let calls = ledger.sum(function).calls;
            assert_eq!(calls, 0, "{function} in the profile of process {pid}");
        }
    }
}

impl Family {
    fn of(&self, pid: u32) -> &Ledger {
        let (path, ledger) = self
            .profiles
            .iter()
            .find(|(_, ledger)| ledger.profile.meta.pid == pid)
            .unwrap_or_else(|| panic!("process {pid} has no profile"));
        let name = path.file_name().unwrap_or_default().display().to_string();
        let is_named = name == PROFILE || name == format!("{pid}.fork_family.residue");
        assert!(is_named, "process {pid} has the profile {name}");
        ledger
    }

    /// The one process that told of this function.
    fn who(&self, function: &str) -> (u32, &Ledger) {
        let key = format!("{function}.calls");
        let mut who = self
            .truths
            .iter()
            .filter(|(_, truths)| truths.find(&key).is_some());
        let (&pid, _) = who
            .next()
            .unwrap_or_else(|| panic!("nobody told of {function}"));
        assert!(who.next().is_none(), "more than one told of {function}");
        (pid, self.of(pid))
    }
}

#[test]
fn a_child_and_a_grandchild_by_fork_have_profiles_of_their_own() {
    let family = record(&["fork"], 3);
    let (parent, _) = family.who("parent_alloc");
    let (child, childs) = family.who("child_alloc");
    let (_, grandchilds) = family.who("grandchild_alloc");
    assert_eq!(childs.profile.meta.parent_pid, parent);
    assert_eq!(grandchilds.profile.meta.parent_pid, child);
    let inherited = family.truths[&child].get("inherited_frees");
    assert!(inherited > 0);
    let recorder = |ledger: &Ledger| ledger.profile.recorder;
    assert_eq!(recorder(childs).inherited_frees, inherited);
    for ledger in [family.of(parent), childs, grandchilds] {
        assert_eq!(recorder(ledger).unknown_frees, 0);
    }
    assert_eq!(recorder(family.of(parent)).inherited_frees, 0);
    for ledger in [childs, grandchilds] {
        assert_eq!(ledger.profile.meta.end, End::Exited { code: 0 });
    }
}

/// The states of the parent's threads are nobody's in a child, whichever of its threads comes
/// first.
#[test]
fn a_childs_other_thread_may_allocate_before_the_one_that_forked() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["fork_then_thread"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let truths = Truths::parse_by_process(&recorded.stdout());
    let (&child, truths) = truths.first_key_value().expect("the child told its truth");
    let profiles = lab.profiles();
    let ledger = profiles
        .iter()
        .map(|(_, ledger)| ledger)
        .find(|ledger| ledger.profile.meta.pid == child)
        .expect("the child has a profile");
    ledger.expect_truths(truths);
    ledger.expect_nothing_lost();
}

#[test]
fn a_child_by_the_bare_system_call_has_a_profile_of_its_own() {
    let family = record(&["clone"], 2);
    family.who("child_alloc");
}

#[test]
fn a_child_by_vfork_and_exec_has_a_profile_of_its_own() {
    let family = record(&["exec"], 2);
    family.who("exec_alloc");
}

#[test]
fn a_child_by_posix_spawn_has_a_profile_of_its_own() {
    let family = record(&["spawn"], 2);
    family.who("exec_alloc");
}

#[test]
fn children_forked_while_other_threads_allocate_are_exact() {
    record(&["threads"], 21);
}

#[test]
fn a_vfork_childs_block_is_its_parents() {
    let family = record(&["vfork"], 1);
    let (_, ledger) = family.who("vfork_alloc");
    assert_eq!(ledger.sum("vfork_alloc").live_bytes, 777);
}

#[test]
fn a_whole_family_at_once_is_exact() {
    // fork 2, clone 1, exec 1, spawn 1, threads 20, and the first.
    record(&["all"], 26);
}

#[test]
fn a_program_that_replaces_itself_has_one_profile_per_image() {
    let lab = Lab::new();
    let hello = crate::support::workloads::find("hello");
    let script = format!("exec {} 5", hello.display());
    let recorded = lab.record(&[], &["sh", "-c", &script]);
    assert_eq!(
        recorded.output.status.code(),
        Some(5),
        "{}",
        recorded.describe()
    );
    let last = recorded.ledger();
    last.expect_truths(&recorded.truths());
    assert_eq!(last.profile.meta.end, End::Exited { code: 5 });
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 2, "{}", recorded.describe());
    let (path, first) = profiles
        .iter()
        .find(|(path, _)| *path != recorded.profile)
        .expect("the other image");
    assert_eq!(first.profile.meta.pid, last.profile.meta.pid);
    assert_eq!(first.profile.meta.end, End::Exec, "{}", path.display());
    assert_eq!(first.sum("hello_alloc").calls, 0);
    assert!(first.profile.heap.calls > 0);
}
