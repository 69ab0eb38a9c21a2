//! No room for the profile, and no room for the recorder.

use crate::support::ledger::Ledger;
use crate::support::root::SmallDisk;
use crate::support::{Lab, describe, workloads};
use residue_profile::StackKind;

#[test]
fn a_full_disk_keeps_the_recording_and_says_where_it_is() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("full"), 64);
    disk.fill();
    let arenas = lab.folder("arenas");
    let mut residue = lab.residue();
    residue
        .arg("run")
        .arg("-o")
        .arg(disk.path.join("job.residue"))
        .arg("--arena-dir")
        .arg(&arenas)
        .arg("--")
        .arg(workloads::find("hello"))
        .arg("6");
    let recorded = lab.record_by(residue);
    assert_eq!(
        recorded.output.status.code(),
        Some(6),
        "{}",
        recorded.describe()
    );
    let stderr = recorded.stderr();
    let (_, rest) = stderr
        .split_once("kept in ")
        .unwrap_or_else(|| panic!("it does not say where: {stderr}"));
    let arena = rest.split(';').next().expect("a path");
    assert!(arena.starts_with(&arenas.display().to_string()), "{stderr}");

    let wanted = lab.path("job.residue");
    let mut recover = lab.residue();
    recover.args(["recover", arena, "-o"]).arg(&wanted);
    let recovered = recover.output().expect("residue can be started");
    assert!(recovered.status.success(), "{}", describe(&recovered));
    Ledger::read(&wanted).expect_truths(&recorded.truths());
}

/// Everything the program did is in the ledger or counted as dropped.
fn expect_complete_with_losses(command: &[&str]) {
    let whole = Lab::new();
    let (whole, _) = whole.record(&[], command).expect_exact();
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 2048);
    let directory = disk.path.display().to_string();
    let recorded = lab.record(&["--arena-dir", &directory], command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let native = lab.native(command);
    let truths = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let lines = text.lines().filter(|line| line.starts_with("truth"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(truths(&recorded.output.stdout), truths(&native.stdout));

    let ledger = recorded.ledger();
    let recorder = &ledger.profile.recorder;
    let overflow = ledger.total_of(StackKind::Overflow);
    assert!(
        recorder.dropped + overflow.calls > 0,
        "this did not fit, and nothing says so: {recorder:?}"
    );
    assert!(
        ledger
            .profile
            .meta
            .notes
            .iter()
            .any(|note| note.contains("full")),
        "{:?}",
        ledger.profile.meta.notes
    );
    let said = "residue: note: the recorder ran out of memory (its file system is full, or a limit";
    assert!(recorded.stderr().contains(said), "{}", recorded.describe());
    assert_eq!(
        ledger.profile.heap.calls + recorder.dropped,
        whole.profile.heap.calls,
        "calls recorded and dropped; {recorder:?}"
    );
    assert_eq!(
        ledger.profile.heap.total_bytes + recorder.dropped_bytes,
        whole.profile.heap.total_bytes,
        "bytes recorded and dropped; {recorder:?}"
    );
}

#[test]
fn a_full_arena_directory_drops_blocks_that_it_counts_and_the_program_runs_to_its_end() {
    expect_complete_with_losses(&["live_blocks", "150000"]);
}

#[test]
fn a_full_arena_directory_gives_up_stacks_but_no_counts() {
    expect_complete_with_losses(&["million_stacks", "300000"]);
}

#[test]
fn threads_on_a_full_arena_directory_run_to_their_end() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 2048);
    let directory = disk.path.display().to_string();
    let recorded = lab.record(
        &["--arena-dir", &directory],
        &["crossfree", "64", "1000000"],
    );
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let ledger = recorded.ledger();
    let recorded_calls = ledger.profile.heap.calls + ledger.profile.recorder.dropped;
    assert!(recorded_calls >= recorded.truths().get("make_block.calls"));
}
