//! Where a recorder inside the process could be in the way: locked memory, limits of the
//! address space, handlers of signals, the first call of a child, a program that replaces itself.

use crate::support::truth::Truths;
use crate::support::{Lab, workloads};
use residue_profile::End;

#[test]
fn locking_all_memory_does_not_fill_the_arena() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["corners", "locked"]);
    let (ledger, _) = recorded.expect_exact();
    let arena = ledger.profile.recorder.arena_bytes;
    assert!(arena < 8 << 20, "{arena} bytes of arena");
    let resident = ledger.profile.meta.max_rss_bytes.unwrap_or(0);
    assert!(resident < 300 << 20, "{resident} bytes resident");
}

/// The kernel compares the limit with all that is mapped: the recorder's share does not count.
#[test]
fn who_may_lock_little_can_lock_all_memory_of_a_small_program() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["corners", "locked_little"]);
    let (ledger, truths) = recorded.expect_exact();
    assert_eq!(truths.get("locked_after"), 64);
    assert_eq!(ledger.profile.recorder.dropped, 0);
}

#[test]
fn address_space_is_taken_in_proportion_to_use() {
    let lab = Lab::new();
    let command = ["grep", "VmSize:", "/proc/self/status"];
    let kilobytes = |stdout: &[u8]| -> u64 {
        let text = String::from_utf8_lossy(stdout);
        let number = text.split_whitespace().nth(1).expect("VmSize: N kB");
        number.parse().expect("a number")
    };
    let native = kilobytes(&lab.native(&command).stdout);
    let recorded = kilobytes(&lab.record(&[], &command).output.stdout);
    let taken = recorded - native;
    assert!(taken < 32 << 10, "{taken} kB of address space");
}

/// valgrind answers for the kernel and makes no mapping of a file longer: the arena is mapped
/// whole there.
#[test]
fn a_program_under_valgrind_is_recorded_whole() {
    let lab = Lab::new();
    let bench = workloads::find("bench").display().to_string();
    let bench = [&*bench, "60", "25", "1", "40000"];
    let command = [&["valgrind", "-q", "--tool=none"][..], &bench].concat();
    let (ledger, _) = lab.record(&[], &command).expect_exact();
    assert_eq!(ledger.profile.recorder.dropped, 0);
}

/// valgrind says what it does not know of a system call.
#[test]
fn valgrind_says_nothing_of_stacks_whose_ends_are_looked_for() {
    let lab = Lab::new();
    for workload in ["jumps", "stack_ends", "threads_exit"] {
        let program = workloads::find(workload).display().to_string();
        let command = ["valgrind", "-q", "--tool=none", &program];
        let native = lab.native(&command);
        let recorded = lab.record(&["-q"], &command);
        let said = String::from_utf8_lossy(&recorded.output.stderr);
        let theirs = said
            .lines()
            .filter(|line| !line.starts_with("residue: "))
            .count();
        let before = String::from_utf8_lossy(&native.stderr).lines().count();
        assert_eq!(theirs, before, "{workload}: {said}");
        assert_eq!(recorded.output.status, native.status, "{workload}");
    }
}

#[test]
fn a_limit_that_the_program_sets_on_itself_leaves_it_room() {
    let lab = Lab::new();
    let script = "ulimit -v 200000; x=$(printf '%*s' 5000000 x); echo ${#x}";
    let recorded = lab.record(&[], &["bash", "-c", script]);
    assert_eq!(recorded.stdout(), "5000000\n", "{}", recorded.describe());
}

#[test]
fn an_executable_with_its_own_malloc_runs_as_ever() {
    let lab = Lab::new();
    let native = lab.native(&["own_malloc"]);
    for options in [&[][..], &["--no-children"], &["-t", "another"]] {
        let recorded = lab.record(options, &["own_malloc"]);
        assert_eq!(
            recorded.output.status.code(),
            Some(3),
            "{}",
            recorded.describe()
        );
        assert_eq!(recorded.output.stdout, native.stdout);
    }
}

#[test]
fn the_first_new_while_another_thread_is_inside_dlopen() {
    let lab = Lab::new();
    let plugin = |name| workloads::find(name).display().to_string();
    let (new, waits) = (plugin("plugin_new.so"), plugin("plugin_waits.so"));
    let recorded = lab.record(&[], &["new_during_dlopen", &new, &waits]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(recorded.truths().get("blocks"), 1);
    assert_eq!(recorded.ledger().sum("make_new").calls, 1);
}

#[test]
fn a_child_whose_first_call_is_reallocarray_is_recorded() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["corners", "first"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let by_process = Truths::parse_by_process(&recorded.stdout());
    assert_eq!(by_process.len(), 1);
    let (pid, truths) = by_process.iter().next().unwrap();
    let profiles = lab.profiles();
    let (_, ledger) = profiles
        .iter()
        .find(|(_, ledger)| ledger.profile.meta.pid == *pid)
        .expect("the child has a profile");
    ledger.expect_truths(truths);
}

#[test]
fn the_peak_counts_what_a_waiting_thread_holds() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["corners", "peak"]);
    let (truths, ledger) = (recorded.truths(), recorded.ledger());
    let (found, truth) = (ledger.profile.heap.peak_bytes, truths.get("peak"));
    // Two threads, each of which may hold back 16 KiB; and what libc allocates.
    let slack = 2 * (16 << 10) + (4 << 10);
    assert!(
        found.abs_diff(truth) <= slack,
        "peak {found}, the program's {truth}"
    );
    let at_peak = ledger.sum("corner_alloc").at_peak_bytes;
    assert!(
        at_peak.abs_diff(truth) <= slack + (64 << 10),
        "at peak {at_peak}, the program's {truth}"
    );
}

#[test]
fn a_program_that_replaces_itself_leaves_two_profiles_without_a_name_given() {
    let lab = Lab::new();
    let mut command = lab.residue();
    command.args(["run", "--"]);
    command.arg(crate::support::workloads::find("corners"));
    command.arg("again");
    let output = command.output().expect("residue can be started");
    assert!(output.status.success(), "{output:?}");
    let profiles = lab.profiles();
    let mut ends: Vec<(u64, End)> = profiles
        .iter()
        .map(|(_, ledger)| {
            let calls = ledger.sum("corner_alloc").calls;
            (calls, ledger.profile.meta.end.clone())
        })
        .collect();
    ends.sort_by_key(|(calls, _)| *calls);
    assert_eq!(ends, [(10, End::Exec), (20, End::Exited { code: 0 })]);
}

#[test]
fn handlers_that_map_memory_do_not_wait_for_ever() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["corners", "suspended"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(recorded.truths().get("all_joined"), 1);
    let mappings = recorded.ledger().profile.mappings;
    let mapped = recorded.truths().get("mapped");
    assert_eq!([mappings.calls, mappings.frees], [mapped; 2]);
}

#[test]
fn limited_address_space_is_left_to_the_program() {
    let lab = Lab::new();
    let hello = crate::support::workloads::find("hello");
    let mut command = std::process::Command::new("prlimit");
    lab.prepare(&mut command);
    // 1 GiB of address space: an arena of full size would not even fit.
    command.args([
        "--as=1073741824",
        env!("CARGO_BIN_EXE_residue"),
        "run",
        "-o",
    ]);
    command
        .arg(lab.path(crate::support::PROFILE))
        .arg("--")
        .arg(hello);
    let recorded = lab.record_by(command);
    recorded.expect_exact();
}
