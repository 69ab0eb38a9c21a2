//! What is recorded and what is dropped add up to what the program did, whatever room the
//! recorder has.

use crate::support::root::SmallDisk;
use crate::support::{Lab, Recorded, workloads};
use std::sync::OnceLock;

/// Threads, and what each of them does: the smaller runs have the most stacks by thread.
const PROGRAMS: [[&str; 2]; 4] = [["1", "3000"], ["8", "500"], ["100", "60"], ["1000", "10"]];

/// Calls and bytes, recorded and dropped.
fn accounted_for(recorded: &Recorded) -> (u64, u64) {
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let profile = &recorded.ledger().profile;
    assert_eq!(profile.recorder.missed_frees, 0);
    assert_eq!(
        profile.heap.frees + profile.heap.live_blocks,
        profile.heap.calls
    );
    (
        profile.heap.calls + profile.recorder.dropped,
        profile.heap.total_bytes + profile.recorder.dropped_bytes,
    )
}

/// What the program did itself is what it says. Libc makes more for its threads, the same
/// in every run: as much as a recorder with room enough has seen.
fn truth_of(program: [&str; 2]) -> (u64, u64) {
    static TRUTHS: [OnceLock<(u64, u64)>; PROGRAMS.len()] =
        [const { OnceLock::new() }; PROGRAMS.len()];
    let place = PROGRAMS.iter().position(|&known| known == program);
    *TRUTHS[place.expect("one of the programs")].get_or_init(|| {
        let lab = Lab::new();
        let recorded = lab.record(&[], &["conservation", program[0], program[1]]);
        recorded.expect_exact();
        accounted_for(&recorded)
    })
}

fn expect_conserved(kibibytes: u64) {
    for program in PROGRAMS {
        let lab = Lab::new();
        let disk = SmallDisk::mount(lab.folder("small"), kibibytes);
        let directory = disk.path.display().to_string();
        let command = ["conservation", program[0], program[1]];
        let recorded = lab.record(&["--arena-dir", &directory], &command);
        let said = recorded.truths().get("one_turn.calls");
        assert!(said >= 3000, "{program:?} did {said} calls");
        assert_eq!(
            accounted_for(&recorded),
            truth_of(program),
            "calls and bytes of {program:?} on {kibibytes} KiB"
        );
    }
}

#[test]
fn nothing_is_lost_unseen_on_40_kib() {
    expect_conserved(40);
}

#[test]
fn nothing_is_lost_unseen_on_64_kib() {
    expect_conserved(64);
}

#[test]
fn nothing_is_lost_unseen_on_256_kib() {
    expect_conserved(256);
}

#[test]
fn nothing_is_lost_unseen_on_1_mib() {
    expect_conserved(1 << 10);
}

#[test]
fn nothing_is_lost_unseen_on_8_mib() {
    expect_conserved(8 << 10);
}

#[test]
fn nothing_is_lost_unseen_where_files_are_limited() {
    let program = PROGRAMS[1];
    let truth = truth_of(program);
    for limit_bytes in [4 << 10, 40 << 10, 200 << 10, 1 << 20, 3 << 20] {
        let limit = format!("--fsize={limit_bytes}");
        let conservation = workloads::find("conservation").display().to_string();
        let command = ["prlimit", &limit, &conservation, program[0], program[1]];
        let options = ["-t", "conservation"];
        let lab = Lab::new();
        let recorded = lab.record(&options, &command);
        assert_eq!(accounted_for(&recorded), truth, "{limit}");
    }
}
