//! Processes that leave the program behind.

use crate::support::Lab;
use crate::support::process::Running;
use crate::support::truth::Truths;

#[test]
fn a_daemon_that_closes_every_descriptor_is_waited_for_and_exact() {
    let lab = Lab::new();
    let file = lab.path("truth");
    let recorded = lab.record(&[], &["daemon", &file.display().to_string()]);
    assert_eq!(
        recorded.output.status.code(),
        Some(0),
        "{}",
        recorded.describe()
    );
    let text = std::fs::read_to_string(&file).expect("the daemon was waited for");
    let truths = Truths::parse(&text);
    let pid = truths.get("pid") as u32;
    let profiles = lab.profiles();
    let (path, daemon) = profiles
        .iter()
        .find(|(_, ledger)| ledger.profile.meta.pid == pid)
        .unwrap_or_else(|| panic!("the daemon has no profile; {}", recorded.describe()));
    // It had the most memory; the process that started it lies in the folder.
    assert_eq!(*path, recorded.profile);
    daemon.expect_truths(&truths);
    daemon.expect_nothing_lost();
}

/// A shell ends and leaves a program behind that waits; with `--no-wait` residue
/// finishes what there is so far, and says that the program still runs.
#[test]
fn without_waiting_the_profile_of_what_is_left_behind_says_it_still_runs() {
    let lab = Lab::new();
    let live_blocks = crate::support::workloads::find("live_blocks");
    // The descriptor 3 is kept from the shell's habit of giving `&` no stdin.
    let script = format!(
        "exec 3<&0; {} 1000 wait <&3 >told & while ! grep -q vmrss told; do :; done",
        live_blocks.display()
    );
    let mut run = Running::start(lab.run(&["--no-wait"], &["sh", "-c", &script]));
    assert!(run.wait().success());
    let profiles = lab.profiles();
    let (_, left) = profiles
        .iter()
        .find(|(_, ledger)| ledger.profile.meta.program == "live_blocks")
        .expect("what was left behind has a profile");
    let text = std::fs::read_to_string(lab.path("told")).expect("it told its truth");
    left.expect_truths(&Truths::parse(&text));
    assert_eq!(left.profile.meta.end, residue_profile::End::Running);
    run.say("go on");
}
