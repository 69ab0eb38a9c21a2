//! Programs that confine themselves with seccomp end as they do unrecorded, and everything they
//! allocate afterwards is recorded or counted.

use crate::support::Lab;

/// The program's status and output are what they are without `residue`, and what it allocated
/// before and after the filter is there.
fn expect_harmless(action: &str, call: &str) {
    const BLOCKS: u64 = 300_000;
    let command = ["confined", action, call, "300000"];
    let lab = Lab::new();
    let native = lab.native(&command);
    assert_eq!(native.status.code(), Some(7));
    let recorded = lab.record(&[], &command);
    assert_eq!(
        recorded.output.status.code(),
        Some(7),
        "{}",
        recorded.describe()
    );
    assert_eq!(recorded.output.stdout, native.stdout);
    let profile = recorded.ledger().profile;
    let truths = recorded.truths();
    // Blocks of 128 bytes before the filter, and what is told of after it.
    let calls = BLOCKS + truths.get("all_in_fill");
    let bytes = BLOCKS * 128 + truths.get("bytes_in_fill");
    let dropped = (profile.recorder.dropped, profile.recorder.dropped_bytes);
    // Libc allocates for a thread of its own.
    let of_libc = if call == "names" { (1, 288) } else { (0, 0) };
    assert_eq!(
        (
            profile.heap.calls + dropped.0,
            profile.heap.total_bytes + dropped.1
        ),
        (calls + of_libc.0, bytes + of_libc.1)
    );
}

#[test]
fn a_filter_that_kills_on_growth_does_not_kill() {
    expect_harmless("kill", "growth");
}

#[test]
fn a_filter_that_kills_on_mmap_does_not_kill() {
    expect_harmless("kill", "memory");
}

#[test]
fn a_filter_that_kills_on_prctl_and_tkill_does_not_kill_new_threads() {
    expect_harmless("kill", "names");
}

#[test]
fn a_filter_that_traps_is_never_met() {
    for call in ["growth", "memory", "names"] {
        expect_harmless("trap", call);
    }
}

#[test]
fn strict_mode_does_not_kill() {
    expect_harmless("kill", "strict");
}
