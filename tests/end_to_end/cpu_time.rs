//! Where CPU time goes: samples beside what programs measured themselves.

use crate::support::ledger::Ledger;
use crate::support::process::Running;
use crate::support::truth::Truths;
use crate::support::{Lab, describe};
use nix::sys::signal::Signal;
use residue_profile::StackKind;

pub const FUNCTIONS: [&str; 3] = ["burn_one", "burn_two", "burn_five"];

/// The kernel looks at its timers a hundred times a second at least.
const RATE: &str = "--cpu=97";

fn sampled_ns(ledger: &Ledger, function: &str) -> u64 {
    ledger.sum_of(StackKind::Cpu, function).cpu_ns
}

/// A sample is a point of CPU time drawn at random, so that those of a part of the time are
/// binomially distributed. Six standard errors: a test that is run every day must not fail by chance.
pub fn expect_share(ledger: &Ledger, truths: &Truths, function: &str) {
    let period = ledger.profile.meta.options.cpu_period_ns as f64;
    let (all, truth) = (
        truths.get("cpu_ns") as f64,
        truths.get(&format!("{function}.cpu_ns")) as f64,
    );
    let share = truth / all;
    let error = period * (all / period * share * (1.0 - share)).sqrt();
    let sampled = sampled_ns(ledger, function) as f64;
    assert!(
        (sampled - truth).abs() < 6.0 * error + 2.0 * period,
        "{function}: {sampled} sampled, {truth} used, standard error {error}"
    );
}

/// What the threads used, which each thread's samples miss by two periods at most: the one that runs
/// when it ends, and one that has ended and waits for the kernel's next look. Where the kernel ticks
/// less often it is two ticks.
fn expect_all(ledger: &Ledger, truths: &Truths, threads: u64) {
    const LONGEST_TICK_NS: u64 = 10_000_000;
    let period = ledger
        .profile
        .meta
        .options
        .cpu_period_ns
        .max(LONGEST_TICK_NS);
    let sampled = ledger.total_of(StackKind::Cpu).cpu_ns;
    let truth = truths.get("cpu_ns");
    // Beside its work a program starts and ends, and the recorder takes its time.
    let most = truth + truth / 20 + (threads + 2) * period;
    let least = truth.saturating_sub((2 * threads + 2) * period);
    assert!(
        (least..=most).contains(&sampled),
        "{sampled} sampled, {truth} used"
    );
}

#[test]
fn samples_say_where_threads_spent_their_time() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "400", "3"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 3);
    for function in FUNCTIONS {
        expect_share(&ledger, &truths, function);
    }
    // The kernel's clocks of the threads agree with what they said.
    let clocks: u64 = ledger
        .profile
        .threads
        .iter()
        .map(|thread| thread.cpu_ns)
        .sum();
    let truth = truths.get("cpu_ns");
    assert!(
        (truth..truth + truth / 10 + 50_000_000).contains(&clocks),
        "{clocks} by the clocks, {truth} said"
    );
    // Every stack reaches the root, by way of the function that the thread was made for.
    for (_, stack) in ledger.stacks_with("burn_five") {
        let names = ledger.names_leaf_first(stack);
        assert!(names.contains(&"work"), "{names:?}");
        assert!(
            names.contains(&"main") || names.contains(&"start_thread"),
            "{names:?}"
        );
    }
    assert_eq!(ledger.profile.recorder.early_stacks, 0);
}

#[test]
fn threads_that_live_shorter_than_a_period_are_sampled_too() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "600", "2", "short"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    for function in FUNCTIONS {
        expect_share(&ledger, &truths, function);
    }
}

#[test]
fn a_program_with_signals_and_timers_of_its_own_keeps_them() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "300", "2", "own_signals"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    assert_eq!(truths.get("had_ticks"), 1);
    expect_all(&ledger, &truths, 2);
}

#[test]
fn nothing_that_waits_is_interrupted() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "300", "2", "restless"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    assert_eq!(truths.get("interrupted"), 0);
    expect_all(&ledger, &truths, 2);
}

#[test]
fn threads_that_block_all_signals_are_sampled_all_the_same() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "300", "2", "blocked"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 2);
    // The program sees what it would see: it blocked all, and the signal is nobody's.
    assert_eq!(truths.get("handled"), 0);
}

/// Faster than any kernel ticks.
const FINE: &str = "--cpu=4999";

/// Where stacks are compared, samples may come more often than ticks.
#[test]
fn stacks_of_samples_are_those_of_libgcc() {
    let lab = Lab::new();
    let options = [FINE, "--no-heap", "--verify-stacks"];
    let recorded = lab.record(&options, &["cpu_split", "400", "3"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 3);
    let recorder = &ledger.profile.recorder;
    assert_eq!(recorder.verify_differences, 0);
    // Libgcc, which is loaded to compare with, was linked with a few functions that have no unwind table
    // and run when it comes and goes.
    let profile = &ledger.profile;
    let is_in_libgcc = |frame: u32| {
        let module = profile.frames[frame as usize].module;
        let module = profile.modules.get(module as usize);
        module.is_some_and(|module| module.path.contains("libgcc_s"))
    };
    let alone = profile.stacks.iter().filter(|stack| {
        let frames: Vec<u32> = profile.frames_leaf_first(stack.node).collect();
        frames.len() == 1 && is_in_libgcc(frames[0])
    });
    let alone_ns: u64 = alone.map(|stack| stack.counters.cpu_ns).sum();
    let period_ns = profile.meta.options.cpu_period_ns;
    assert!(recorder.early_stacks * period_ns <= alone_ns);
    // 1.2 s in three threads, of which two run at any time.
    assert!(
        recorder.verified_stacks > 1000,
        "{}",
        recorder.verified_stacks
    );
}

/// Libgcc holds a lock and allocates where it looks for frames that a program registered. Asked for the
/// stack of a sample that interrupted `malloc`, it ruined the heap.
#[test]
fn samples_of_a_program_with_generated_code_are_not_put_to_libgcc() {
    let lab = Lab::new();
    let options = [FINE, "--no-heap", "--verify-stacks"];
    let recorded = lab.record(&options, &["jit", "20000"]);
    assert_eq!(recorded.truths().get("generations"), 20000);
    let recorder = &recorded.ledger().profile.recorder;
    // Those before the first table was registered.
    assert!(
        recorder.verified_stacks < 50,
        "{}",
        recorder.verified_stacks
    );
}

/// At a rate beyond the kernel's ticks a sample stands for several periods.
#[test]
fn time_in_the_kernel_is_its_callers_at_any_rate() {
    for rate in [RATE, FINE] {
        let lab = Lab::new();
        let recorded = lab.record(&[rate], &["cpu_split", "1000", "2", "calls"]);
        let (ledger, truths) = (recorded.ledger(), recorded.truths());
        expect_all(&ledger, &truths, 2);
        let truth = truths.get("burn_two.cpu_ns") as f64;
        let sampled = sampled_ns(&ledger, "burn_two") as f64;
        // Two seconds, a hundred ticks each at least: six standard errors of a share.
        let all = truths.get("cpu_ns") as f64;
        let share = truth / all;
        let error = (share * (1.0 - share) / (all / 10e6)).sqrt() * all;
        assert!(
            (sampled - truth).abs() < 6.0 * error,
            "{rate}: {sampled} sampled, {truth} used, standard error {error}"
        );
    }
}

/// Timers have their place in the queue from the start.
#[test]
fn a_full_queue_of_signals_loses_no_samples() {
    let lab = Lab::new();
    let recorded = lab.record(&[FINE], &["cpu_split", "300", "1", "full"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 1);
}

#[test]
fn a_program_that_wants_the_signal_gets_it_and_that_is_said() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "300", "2", "taken"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    // What it sent itself, and nothing else.
    assert_eq!(truths.get("own_ticks"), 1);
    assert!(ledger.total_of(StackKind::Cpu).cpu_ns < truths.get("cpu_ns") / 4);
    let notes = &ledger.profile.meta.notes;
    let note = notes.iter().find(|note| note.contains("samples ended"));
    assert!(note.is_some(), "{notes:?}");
}

#[test]
fn events_have_the_cpu_time_of_their_own() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["cpu_split", "1000", "1", "events"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_share(&ledger, &truths, "burn_five");
    let half = truths.get("half");
    let folded = |part: &str| {
        let mut export = lab.residue();
        let file = format!("profile.residue@{part}");
        export.args(["export", "--format", "folded", "--counter", "cpu", &file]);
        let output = crate::support::process::finish(export);
        assert!(output.status.success(), "{}", describe(&output));
        let text = String::from_utf8(output.stdout).expect("folded stacks are text");
        let mut sums = [0_u64; 2];
        for line in text.lines() {
            let (path, value) = line.rsplit_once(' ').expect("a path and a value");
            let value: u64 = value.parse().expect("a number");
            sums[0] += value;
            sums[1] += if path.contains("burn_five") { value } else { 0 };
        }
        sums
    };
    let [before, late_before] = folded(&format!("1..{half}"));
    let [after, late_after] = folded(&format!("{half}..exit"));
    assert_eq!(late_before, 0);
    assert_eq!(late_after, sampled_ns(&ledger, "burn_five"));
    assert!(
        before > 0 && after > late_after,
        "{before} {after} {late_after}"
    );
    let all = ledger.total_of(StackKind::Cpu).cpu_ns;
    let [whole_before, _] = folded("..1");
    assert_eq!(whole_before + before + after, all);
}

#[test]
fn cpu_time_alone_touches_no_allocation() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE, "--no-heap"], &["cpu_split", "300", "2"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 2);
    assert_eq!(ledger.profile.heap.calls, 0);
    assert!(
        ledger
            .profile
            .stacks
            .iter()
            .all(|stack| stack.kind == StackKind::Cpu)
    );
    assert!(ledger.profile.meta.options.without_heap);
}

#[test]
fn the_heap_is_exact_beside_samples() {
    let lab = Lab::new();
    let (ledger, _) = lab
        .record(&["--cpu=997"], &["by_thread", "together"])
        .expect_exact();
    ledger.expect_nothing_lost();
}

#[test]
fn a_killed_program_has_its_samples() {
    let lab = Lab::new();
    let mut running = Running::start(lab.run(&[RATE], &["cpu_split", "100000", "2"]));
    let program = running.program();
    crate::support::process::wait_for("half a second of CPU time", || {
        let stat = std::fs::read_to_string(format!("/proc/{program}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let ticks: u64 = rest.split_whitespace().nth(11)?.parse().ok()?;
        (ticks > 50).then_some(())
    });
    crate::support::process::send(program, Signal::SIGKILL);
    running.wait();
    let ledger = Ledger::read(&lab.path("profile.residue"));
    let sampled = ledger.total_of(StackKind::Cpu).cpu_ns;
    assert!(sampled > 300_000_000, "{sampled}");
    let clocks: u64 = ledger
        .profile
        .threads
        .iter()
        .map(|thread| thread.cpu_ns)
        .sum();
    let period = ledger.profile.meta.options.cpu_period_ns;
    assert!(sampled.abs_diff(clocks) < 4 * period, "{sampled} {clocks}");
}

#[test]
fn a_signal_of_somebody_else_ends_the_program_as_it_would() {
    let lab = Lab::new();
    let mut running = Running::start(lab.run(&[RATE], &["cpu_split", "100000", "1"]));
    let program = running.program();
    let stat = || std::fs::read_to_string(format!("/proc/{program}/status")).ok();
    crate::support::process::wait_for("a handler", || {
        let text = stat()?;
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
        (caught >> 60 & 1 == 1).then_some(())
    });
    // No name of its own: the 61st.
    let sent = send_number(program, 61);
    assert!(sent);
    running.wait();
    let ledger = Ledger::read(&lab.path("profile.residue"));
    assert_eq!(
        ledger.profile.meta.end,
        residue_profile::End::Killed { signal: 61 }
    );
}

/// Records a way of `signal_users` and compares the samples of `burn_here` with what it used, where
/// it says so.
fn signal_user(options: &[&str], way: &str) -> (Ledger, Truths) {
    let lab = Lab::new();
    let options = [&[RATE], options].concat();
    let recorded = lab.record(&options, &["signal_users", way]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    if let Some(truth) = truths.find("burn_here.cpu_ns") {
        let sampled = sampled_ns(&ledger, "burn_here");
        let period = ledger.profile.meta.options.cpu_period_ns;
        // Samples are taken at ticks, which a busy virtual machine may leave out for a while: what
        // a thread ran since its last tick is nobody's when it ends.
        let since_tick = truth / 5;
        assert!(
            (truth - since_tick..truth + 3 * period).contains(&sampled),
            "{way}: {sampled} sampled, {truth} used"
        );
    }
    (ledger, truths)
}

#[test]
fn a_sample_needs_no_room_on_the_programs_stacks() {
    signal_user(&[], "small_alternate");
    signal_user(&[], "small_stack");
}

#[test]
fn a_signal_that_the_program_waits_for_comes() {
    assert_eq!(signal_user(&[], "named").1.get("got"), 7);
    assert_eq!(signal_user(&[], "all").1.get("got"), 61);
    assert_eq!(signal_user(&[], "holds").1.get("got"), 61);
}

#[test]
fn a_signal_that_the_program_ignores_ends_samples_and_that_is_said() {
    let (ledger, truths) = signal_user(&[], "ignores");
    assert_eq!(truths.get("got"), 1);
    let notes = &ledger.profile.meta.notes;
    assert!(
        notes.iter().any(|note| note.contains("samples ended")),
        "{notes:?}"
    );
}

#[test]
fn usual_actions_of_signals_change_nothing() {
    signal_user(&[], "vfork");
    signal_user(&[], "restores");
    signal_user(&[], "interrupts");
}

#[test]
fn a_handler_that_holds_all_signals_back_is_sampled() {
    let (ledger, truths) = signal_user(&[], "masked");
    let sampled = sampled_ns(&ledger, "burn_masked");
    let truth = truths.get("burn_masked.cpu_ns");
    assert!(sampled.abs_diff(truth) < truth / 4, "{sampled} {truth}");
}

/// By a system call that is not seen: what is not known is nobody's, and said.
#[test]
fn time_without_samples_is_charged_to_nobody() {
    let lab = Lab::new();
    let recorded = lab.record(&[RATE], &["signal_users", "raw_masked", "1000"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    let truth = truths.get("burn_here.cpu_ns");
    let sampled = sampled_ns(&ledger, "burn_here");
    // The program reads its clock all the time: some of it is spent in the kernel.
    assert!(sampled < truth + truth / 2, "{sampled} {truth}");
    let notes = &ledger.profile.meta.notes;
    let note = notes.iter().find(|note| note.contains("not sampled"));
    assert!(note.is_some(), "{notes:?}");
}

#[test]
fn threads_of_c11_and_children_without_a_block_are_sampled() {
    assert_eq!(signal_user(&["--no-heap"], "c11").1.get("got"), 5);
    let lab = Lab::new();
    lab.record(&[RATE, "--no-heap"], &["signal_users", "forks"]);
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 2);
    let sampled = profiles
        .iter()
        .map(|(_, ledger)| sampled_ns(ledger, "burn_child"));
    let sampled: u64 = sampled.sum();
    assert!(sampled > 200_000_000, "{sampled}");
}

/// No clock can be read there, and no handler could return.
#[test]
fn seccomps_strict_mode_ends_samples_and_that_is_said() {
    let (ledger, truths) = signal_user(&[], "strict");
    let clocks: u64 = ledger.profile.threads.iter().map(|it| it.cpu_ns).sum();
    let truth = truths.get("burn_here.cpu_ns");
    assert!(clocks < 3 * truth, "{clocks} {truth}");
    let notes = &ledger.profile.meta.notes;
    let note = notes.iter().find(|note| note.contains("samples ended"));
    assert!(note.is_some(), "{notes:?}");
}

/// By the command, which takes any number.
fn send_number(pid: u32, signal: u32) -> bool {
    std::process::Command::new("kill")
        .arg(format!("-{signal}"))
        .arg(pid.to_string())
        .status()
        .is_ok_and(|status| status.success())
}
