//! Where CPU time goes: samples beside what programs measured themselves.

use crate::support::ledger::Ledger;
use crate::support::process::Running;
use crate::support::truth::Truths;
use crate::support::{Lab, describe};
use nix::sys::signal::Signal;
use residue_profile::StackKind;

const FUNCTIONS: [&str; 3] = ["burn_one", "burn_two", "burn_five"];

/// The kernel looks at its timers a hundred times a second at least.
const RATE: &str = "--cpu=97";

fn sampled_ns(ledger: &Ledger, function: &str) -> u64 {
    ledger.sum_of(StackKind::Cpu, function).cpu_ns
}

/// A sample is a point of CPU time drawn at random, so that those of a part of the time are
/// binomially distributed. Six standard errors: a test that is run every day must not fail by chance.
fn expect_share(ledger: &Ledger, truths: &Truths, function: &str) {
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

/// The note of a recording that only ticks brought samples to.
fn has_ticks_only(ledger: &Ledger) -> bool {
    let notes = &ledger.profile.meta.notes;
    notes.iter().any(|note| note.contains("stands for several"))
}

#[test]
fn beyond_the_kernels_ticks_each_sample_is_one_period() {
    let lab = Lab::new();
    let options = [FINE, "--no-heap", "--verify-stacks"];
    let recorded = lab.record(&options, &["cpu_split", "400", "3"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    expect_all(&ledger, &truths, 3);
    for function in FUNCTIONS {
        expect_share(&ledger, &truths, function);
    }
    let recorder = &ledger.profile.recorder;
    assert_eq!((recorder.early_stacks, recorder.verify_differences), (0, 0));
    if !has_ticks_only(&ledger) {
        // Each sample was compared. Ticks pay for what was spent in the kernel, some at a time.
        let sampled_ns = ledger.total_of(StackKind::Cpu).cpu_ns;
        let periods = sampled_ns / ledger.profile.meta.options.cpu_period_ns;
        let samples = recorder.verified_stacks;
        assert!(samples * 10 > periods * 8, "{samples} for {periods}");
    }
}

/// Where events do not strike: the kernel's time is known by its ticks alone.
#[test]
fn time_in_the_kernel_is_its_callers_at_any_rate() {
    for rate in [RATE, FINE] {
        let lab = Lab::new();
        let recorded = lab.record(&[rate], &["cpu_split", "1000", "2", "calls"]);
        let (ledger, truths) = (recorded.ledger(), recorded.truths());
        expect_all(&ledger, &truths, 2);
        let truth = truths.get("burn_two.cpu_ns") as f64;
        let sampled = sampled_ns(&ledger, "burn_two") as f64;
        // A quarter of two seconds, by 125 ticks a second: six standard errors of a share.
        let all = truths.get("cpu_ns") as f64;
        let share = truth / all;
        let error = (share * (1.0 - share) / (all / 10e6)).sqrt() * all;
        assert!(
            (sampled - truth).abs() < 6.0 * error,
            "{rate}: {sampled} sampled, {truth} used, standard error {error}"
        );
    }
}

#[test]
fn a_program_that_handles_sigio_gets_its_own_and_ticks_bring_the_samples() {
    let lab = Lab::new();
    let recorded = lab.record(&[FINE], &["cpu_split", "300", "2", "taken_io"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    assert_eq!(truths.get("own_ticks"), 1);
    assert!(has_ticks_only(&ledger));
    expect_all(&ledger, &truths, 2);
}

/// Then the kernel sends SIGIO in place of an event's signal, which would end the program.
#[test]
fn a_full_queue_of_signals_ends_nobody() {
    let lab = Lab::new();
    let recorded = lab.record(&[FINE], &["cpu_split", "300", "1", "full"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    // Timers have their place in the queue from the start.
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

/// By the command, which takes any number.
fn send_number(pid: u32, signal: u32) -> bool {
    std::process::Command::new("kill")
        .arg(format!("-{signal}"))
        .arg(pid.to_string())
        .status()
        .is_ok_and(|status| status.success())
}
