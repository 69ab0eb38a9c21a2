//! Programs that are linked with musl, as those of Alpine Linux are: recorded as exactly as others.
//! `musl-gcc` links them without an index of their unwind tables, and musl itself has no tables.

use crate::allocation_functions::expect_reallocs;
use crate::support::ledger::Ledger;
use crate::support::{Lab, Recorded, describe, workloads};
use crate::{by_thread, cpu_time, forks, kills};
use residue_profile::{End, StackKind};
use std::process::Command;

const LINKER: &str = "ld-musl-x86_64.so.1";

/// Builds a workload for musl into the lab; its path.
fn build(lab: &Lab, name: &str, more: &[&str]) -> String {
    let program = lab.path(name);
    workloads::compile_for_musl(&format!("{name}.c"), &program, more);
    program.display().to_string()
}

/// Records it, and checks that it did what it does unrecorded, to the byte.
fn record(lab: &Lab, options: &[&str], command: &[&str]) -> (Recorded, Ledger) {
    let native = lab.native(command);
    let recorded = lab.record(options, command);
    assert_eq!(recorded.output.status, native.status);
    assert_eq!(
        recorded.output.stdout,
        native.stdout,
        "{}",
        recorded.describe()
    );
    let (ledger, _) = recorded.expect_exact();
    (recorded, ledger)
}

/// Every stack was unwound to its root, by rules.
fn expect_whole_stacks(ledger: &Ledger) {
    let recorder = &ledger.profile.recorder;
    let counts = [
        recorder.early_stacks,
        recorder.guessed_stacks,
        recorder.cut_stacks,
    ];
    assert_eq!(counts, [0; 3], "{recorder:?}");
}

/// Also those that musl itself calls for the program: `strdup` and its kin.
#[test]
fn every_function_is_counted_and_behaves_as_without_recorder() {
    let lab = Lab::new();
    let program = build(&lab, "c_alloc", &[]);
    let (ledger, truths) = lab.record(&[], &[&program]).expect_exact();
    for key in ["errno_ok", "failures_ok", "contents_ok"] {
        assert_eq!(truths.get(key), 1, "{key}");
    }
    expect_reallocs(&ledger, &truths);
    assert_eq!(ledger.profile.meta.allocator, LINKER);
    expect_whole_stacks(&ledger);
}

/// With an index of the tables and without, at a fixed address and not.
#[test]
fn stacks_reach_their_root_however_a_program_was_linked() {
    for how in [&[][..], &["-Wl,--eh-frame-hdr"], &["-no-pie", "-fno-pie"]] {
        let lab = Lab::new();
        let program = build(&lab, "deep", how);
        let (_, ledger) = record(&lab, &[], &[&program]);
        expect_whole_stacks(&ledger);
        let (_, stack) = ledger.stacks_with("deep_leaf").next().expect("a stack");
        let names = ledger.names_leaf_first(stack);
        let main = names.iter().position(|&name| name == "main");
        assert_eq!(main, Some(1002), "{how:?}: {names:?}");
    }
}

#[test]
fn a_leak_is_found_by_marks() {
    let lab = Lab::new();
    let program = build(&lab, "marks_c", &[]);
    let (recorded, ledger) = record(&lab, &[], &[&program]);
    let stderr = recorded.stderr();
    assert!(stderr.contains("LEAK  1000 B/event"), "{stderr}");
    assert!(stderr.contains("leak_here"), "{stderr}");
    assert_eq!(ledger.profile.meta.end, End::Exited { code: 0 });
}

#[test]
fn events_are_found_by_a_function() {
    let lab = Lab::new();
    let program = build(&lab, "marks_c", &["-DRESIDUE_OFF"]);
    let options = ["--event-function", "leak_here"];
    let (recorded, _) = record(&lab, &options, &[&program]);
    let stderr = recorded.stderr();
    assert!(stderr.contains("100 events"), "{stderr}");
    assert!(stderr.contains("LEAK  1000 B/event"), "{stderr}");
}

#[test]
fn threads_have_their_parts_under_their_names() {
    let lab = Lab::new();
    let program = build(&lab, "by_thread", &[]);
    for how in ["together", "running"] {
        let (ledger, truths) = lab.record(&[], &[&program, how]).expect_exact();
        by_thread::expect_parts(&ledger, &truths, &by_thread::ALL);
        expect_whole_stacks(&ledger);
    }
}

#[test]
fn processes_by_fork_clone_exec_and_spawn_have_profiles_of_their_own() {
    let lab = Lab::new();
    let program = build(&lab, "fork_family", &[]);
    forks::record_program(&lab, &program, &["fork"], 3);
    for (mode, processes) in [("clone", 2), ("exec", 2), ("spawn", 2), ("threads", 21)] {
        let lab = Lab::new();
        let program = build(&lab, "fork_family", &[]);
        forks::record_program(&lab, &program, &[mode], processes);
    }
}

#[test]
fn program_residue_or_both_killed_leave_whole_profiles() {
    let lab = Lab::new();
    let program = build(&lab, "kill_me", &[]);
    for threads in [1, 4] {
        kills::kill_program_often(program.as_ref(), threads, 6);
    }
}

/// One becomes the other, in every way there is.
#[test]
fn programs_of_musl_and_of_glibc_start_each_other() {
    let lab = Lab::new();
    let [hello, starts] = ["hello", "starts"].map(|name| build(&lab, name, &[]));
    for (first, second) in [("starts", hello.as_str()), (&starts, "hello")] {
        let second = workloads::find(second).display().to_string();
        for how in ["execl", "execlp", "execle", "execv", "execvp", "fexecve"] {
            let (_, ledger) = record(&lab, &["-q"], &[first, how, &second]);
            let sum = ledger.sum("hello_alloc");
            assert_eq!(
                [sum.calls, sum.total_bytes, sum.frees],
                [3, 600, 1],
                "{how}"
            );
        }
    }
    // A shell of glibc that starts one of musl that starts one of glibc.
    let native = workloads::find("hello").display().to_string();
    let script = format!("{hello}; {starts} execv {native}; exit 3");
    let recorded = lab.record(&["-q"], &["sh", "-c", &script]);
    assert_eq!(recorded.output.status.code(), Some(3));
    let exact = lab.profiles().into_iter().filter(|(_, ledger)| {
        let sum = ledger.sum("hello_alloc");
        [sum.calls, sum.total_bytes, sum.frees] == [3, 600, 1]
    });
    assert_eq!(exact.count(), 2, "{}", recorded.describe());
}

/// Started as a program, with the one to run as its argument.
#[test]
fn a_program_of_the_dynamic_linker_is_recorded() {
    let lab = Lab::new();
    let program = build(&lab, "hello", &[]);
    let linker = format!("/lib/{LINKER}");
    let (recorded, ledger) = record(&lab, &["-q"], &[&linker, &program]);
    assert_eq!(recorded.stderr(), "hello, stderr\n");
    let (_, stack) = ledger.stacks_with("hello_alloc").next().expect("a stack");
    assert!(ledger.names_leaf_first(stack).contains(&"main"));
    expect_whole_stacks(&ledger);
    let lab = Lab::new();
    let child = format!("{linker} {program}; exit $?");
    let recorded = lab.record(&["-q"], &["sh", "-c", &child]);
    assert_eq!(recorded.stderr(), "hello, stderr\n");
    assert_eq!(lab.profiles().len(), 2, "{}", recorded.describe());
}

#[test]
fn samples_say_where_time_was_spent() {
    let lab = Lab::new();
    let program = build(&lab, "cpu_split", &[]);
    let recorded = lab.record(&["--cpu=97"], &[&program, "800", "2"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    // By what the program's own clock said: a processor that is taken away for long goes to one of them.
    for function in cpu_time::FUNCTIONS {
        cpu_time::expect_share(&recorded.ledger(), &recorded.truths(), function);
    }
}

/// Functions that musl has in assembler, without a size.
#[test]
fn samples_in_its_assembler_have_their_callers() {
    let lab = Lab::new();
    let program = build(&lab, "signal_users", &[]);
    let recorded = lab.record(&["--cpu=97"], &[&program, "copies", "600"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let ledger = recorded.ledger();
    let all = ledger.total_of(StackKind::Cpu).cpu_ns;
    let below = ledger.sum_of(StackKind::Cpu, "burn_copying").cpu_ns;
    assert!(below * 10 > all * 9, "{below} of {all}");
}

/// Code of the program that the C library calls, and through it the program's own callers.
#[test]
fn stacks_lead_through_the_library() {
    let lab = Lab::new();
    let for_musl = build(&lab, "callbacks", &[]);
    let counts = [for_musl.as_str(), "callbacks"].map(|program| {
        let (_, ledger) = record(&lab, &[], &[program]);
        expect_whole_stacks(&ledger);
        ["compares", "walks"].map(|function| {
            let below = ledger.sum_under(function, "called_here").calls;
            assert_eq!(below, ledger.sum(function).calls, "{program} {function}");
            below
        })
    });
    assert!(
        counts.iter().flatten().all(|&calls| calls > 0),
        "{counts:?}"
    );
}

#[test]
fn a_program_of_musl_ends_as_it_does_unrecorded() {
    let lab = Lab::new();
    let program = build(&lab, "hello", &[]);
    for status in ["0", "7"] {
        let native = lab.native(&[&program, status]);
        let mut run = Command::new(env!("CARGO_BIN_EXE_residue"));
        lab.prepare(&mut run);
        run.args(["run", "-q", "--", &program, status]);
        let recorded = run.output().expect("residue can be started");
        assert_eq!(recorded, native, "{}", describe(&recorded));
    }
}
