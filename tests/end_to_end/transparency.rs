//! The program notices nothing: its signals, its streams and its descriptors are as
//! they would be without `residue`.

use crate::support::process::{Running, send};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe, ledger::Ledger, workloads};
use nix::sys::signal::Signal;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

/// The program's end after a signal that it was waiting for.
fn expect_received(lab: &Lab, mut run: Running, signal: Signal) {
    let told = run.hear_all();
    assert!(told.contains(&format!("got {signal}\n")), "{told}");
    assert_eq!(run.wait().code(), Some(42));
    let truths = Truths::parse(&told);
    assert_eq!(truths.get("signal"), signal as u64);
    Ledger::read(&lab.path(PROFILE)).expect_truths(&truths);
}

#[test]
fn signals_sent_to_residue_alone_are_passed_on() {
    for signal in [Signal::SIGTERM, Signal::SIGUSR1] {
        let lab = Lab::new();
        let mut run = Running::start(lab.run(&[], &["signals_pass"]));
        run.hear("ready ");
        send(run.pid(), signal);
        expect_received(&lab, run, signal);
    }
}

/// A socket of its own tells `residue` that a signal came. Whatever befalls it, nothing ends.
#[test]
fn signals_are_passed_on_where_the_socket_that_tells_of_them_fails() {
    let lab = Lab::new();
    let run = lab.run(&[], &["signals_pass"]);
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "--detach-on=execve", "-o", "/dev/null"]);
    command.args(["-e", "inject=recvfrom:error=ECONNRESET:when=1+"]);
    command.arg(run.get_program()).args(run.get_args());
    lab.prepare(&mut command);
    let mut run = Running::start(command);
    run.hear("ready ");
    send(run.pid(), Signal::SIGTERM);
    expect_received(&lab, run, Signal::SIGTERM);
}

/// A terminal sends SIGINT to the whole group, so that the program has it already.
#[test]
fn an_interrupt_of_the_group_reaches_the_program_once_and_residue_survives_it() {
    let lab = Lab::new();
    let mut command = lab.run(&[], &["signals_pass"]);
    command.process_group(0);
    let mut run = Running::start(command);
    run.hear("ready ");
    nix::sys::signal::killpg(nix::unistd::Pid::from_raw(run.pid() as i32), Signal::SIGINT)
        .expect("the group can be sent a signal");
    expect_received(&lab, run, Signal::SIGINT);
}

#[test]
fn a_signal_sent_to_the_program_alone_is_its_own() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["signals_pass"]));
    let pid = run.hear("ready ").parse().expect("the number of a process");
    assert_eq!(pid, run.program());
    send(pid, Signal::SIGINT);
    expect_received(&lab, run, Signal::SIGINT);
}

/// Runs a command with this on its stdin.
fn output_with_input(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    writer
        .join()
        .expect("the writer does not panic")
        .expect("the program reads all of its stdin");
    output
}

#[test]
fn the_streams_of_the_program_are_untouched() {
    let lab = Lab::new();
    let input: Vec<u8> = (0..300_000_u32)
        .flat_map(|n| n.wrapping_mul(n).to_le_bytes())
        .collect();
    let script = "cat; printf 'to stderr\\n\\000\\377' >&2";
    let mut native = Command::new("sh");
    native.args(["-c", script]);
    lab.prepare(&mut native);
    let native = output_with_input(native, &input);
    let recorded = output_with_input(lab.run(&["--quiet"], &["sh", "-c", script]), &input);
    assert!(native.stdout == input, "cat copies");
    assert!(recorded.stdout == native.stdout, "stdout is the program's");
    assert_eq!(recorded.stderr, native.stderr, "{}", describe(&recorded));
}

#[test]
fn residue_writes_nothing_to_stdout_and_marks_its_lines_on_stderr() {
    let lab = Lab::new();
    let native = lab.native(&["hello"]);
    let recorded = lab.record(&[], &["hello"]);
    assert_eq!(recorded.output.stdout, native.stdout);
    let (own, others): (Vec<String>, Vec<String>) = recorded
        .stderr()
        .lines()
        .map(str::to_string)
        .partition(|line| line.starts_with("residue: "));
    assert!(!own.is_empty(), "a summary is written");
    assert_eq!(
        others.join("\n") + "\n",
        String::from_utf8_lossy(&native.stderr)
    );
}

#[test]
fn python_gives_the_same_results() {
    let lab = Lab::new();
    let script = workloads::find("pyjson.py").display().to_string();
    let command = ["/usr/bin/python3", &script, "20"];
    let native = lab.native(&command);
    let recorded = lab.record(&[], &command);
    assert!(native.status.success(), "{}", describe(&native));
    assert_eq!(
        recorded.output.stdout,
        native.stdout,
        "{}",
        recorded.describe()
    );
}

#[test]
fn the_program_has_the_same_descriptors_open() {
    let lab = Lab::new();
    let command = ["ls", "/proc/self/fd"];
    let native = lab.native(&command);
    let recorded = lab.record(&[], &command);
    assert_eq!(
        recorded.output.stdout,
        native.stdout,
        "{}",
        recorded.describe()
    );
}

#[test]
fn every_way_to_become_another_program_hands_on_its_arguments() {
    let lab = Lab::new();
    for how in ["execl", "execlp", "execle", "execv", "execvp", "fexecve"] {
        let command = ["starts", how, "/bin/echo", "unharmed"];
        let recorded = lab.record(&[], &command);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        assert_eq!(recorded.stdout(), "unharmed\n", "{how}");
        assert_eq!(lab.profiles().len(), 2, "{how}: both images");
    }
    let command = ["starts", "execl", "/bin/echo", "many"];
    let native = lab.native(&command);
    assert_eq!(native.stdout.len(), 600);
    assert_eq!(lab.record(&[], &command).output.stdout, native.stdout);
}
