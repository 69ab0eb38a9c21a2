//! Commands that cannot be run, and profiles that cannot be put where they should go.

use crate::support::root::install;
use crate::support::{Lab, ledger::Ledger, workloads};

#[test]
fn a_command_that_is_not_found_is_named() {
    for command in ["residue-has-no-such-command", "/no/such/directory/command"] {
        let recorded = Lab::new().record(&[], &[command]);
        assert_eq!(
            recorded.output.status.code(),
            Some(127),
            "{}",
            recorded.describe()
        );
        assert!(
            recorded.stderr().contains(command),
            "{}",
            recorded.describe()
        );
        assert!(!recorded.profile.exists());
    }
}

#[test]
fn a_file_that_is_not_executable_is_named() {
    let lab = Lab::new();
    let file = lab.path("plain-file");
    install(&workloads::find("hello"), &file, "644");
    for command in [
        file.display().to_string(),
        lab.directory().display().to_string(),
    ] {
        let recorded = lab.record(&[], &[&command]);
        assert_eq!(
            recorded.output.status.code(),
            Some(126),
            "{}",
            recorded.describe()
        );
        assert!(
            recorded.stderr().contains(&command),
            "{}",
            recorded.describe()
        );
    }
}

#[test]
fn a_profile_with_nowhere_to_go_is_written_elsewhere_and_the_program_runs() {
    let lab = Lab::new();
    let mut residue = lab.residue();
    residue
        .args(["run", "-o", "no-such-directory/job.residue", "--"])
        .arg(workloads::find("hello"))
        .arg("9");
    let recorded = lab.record_by(residue);
    assert_eq!(
        recorded.output.status.code(),
        Some(9),
        "{}",
        recorded.describe()
    );
    let stderr = recorded.stderr();
    assert!(stderr.contains("no-such-directory/job.residue"), "{stderr}");
    assert!(stderr.contains("will go to"), "{stderr}");
    Ledger::read(&lab.path("job.residue")).expect_truths(&recorded.truths());
}

#[test]
fn an_arena_directory_that_is_not_there_lets_the_program_run_unrecorded() {
    let recorded = Lab::new().record(&["--arena-dir", "/no/such/directory"], &["hello", "3"]);
    assert_eq!(
        recorded.output.status.code(),
        Some(3),
        "{}",
        recorded.describe()
    );
    assert!(
        recorded.stderr().contains("/no/such/directory"),
        "{}",
        recorded.describe()
    );
    assert!(
        recorded.stderr().contains("unrecorded"),
        "{}",
        recorded.describe()
    );
    assert_eq!(recorded.truths().get("hello_alloc.calls"), 3);
}

#[test]
fn without_a_name_the_profile_is_called_after_the_program_and_its_process() {
    let lab = Lab::new();
    let mut residue = lab.residue();
    residue.args(["run", "--"]).arg(workloads::find("hello"));
    let recorded = lab.record_by(residue);
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 1, "{}", recorded.describe());
    let (path, ledger) = &profiles[0];
    let pid = ledger.profile.meta.pid;
    assert_eq!(*path, lab.path(&format!("hello.{pid}.residue")));
    assert!(recorded.stderr().contains(&format!("hello.{pid}.residue")));
}
