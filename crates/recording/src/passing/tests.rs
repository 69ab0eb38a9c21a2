use super::*;
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;

const EVENT: &str = r"^event (?<id>\d+)$";

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null());
    command
}

fn python(script: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", script]).stdin(Stdio::null());
    command
}

fn pipe() -> (File, OwnedFd) {
    let (outlet, inlet) = pipe2(OFlag::O_CLOEXEC).unwrap();
    (outlet.into(), inlet)
}

/// Reads what arrives while the program runs.
fn reading(mut file: File) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pseudo terminal fails where a pipe ends; what came before is kept.
        let _ = file.read_to_end(&mut bytes);
        bytes
    })
}

struct Outcome {
    status: ExitStatus,
    passed: Passed,
    event_ids: Vec<u64>,
}

fn run_to(sinks: [OwnedFd; 2], command: Command) -> Outcome {
    let (sender, events) = mpsc::channel();
    let lines = LineEvents::new(EVENT).unwrap();
    let on_event = move |event: LineEvent| sender.send(event.id.unwrap()).unwrap();
    let (inlets, passing) = Passing::start_to(sinks, &lines, on_event).unwrap();
    let mut child = inlets.spawn(command).unwrap();
    let status = child.wait().unwrap();
    let passed = passing.join();
    Outcome {
        status,
        passed,
        event_ids: events.iter().collect(),
    }
}

/// Stdout and stderr as they arrive at two pipes.
fn run(command: Command) -> (Vec<u8>, Vec<u8>, Outcome) {
    let (stdout, stdout_sink) = pipe();
    let (stderr, stderr_sink) = pipe();
    let (stdout, stderr) = (reading(stdout), reading(stderr));
    let outcome = run_to([stdout_sink, stderr_sink], command);
    (stdout.join().unwrap(), stderr.join().unwrap(), outcome)
}

/// Both streams as they arrive at one terminal of 41 rows and 97 columns.
fn run_in_terminal(command: Command) -> (Vec<u8>, Outcome) {
    let size = Winsize {
        ws_row: 41,
        ws_col: 97,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pair = openpty(&size, None).unwrap();
    let output = reading(pair.master.into());
    let second = pair.slave.try_clone().unwrap();
    let outcome = run_to([pair.slave, second], command);
    (output.join().unwrap(), outcome)
}

#[test]
fn both_streams_arrive_and_their_events_are_found() {
    let (stdout, stderr, outcome) = run(shell(
        "echo event 1; echo event 2 >&2; echo other; printf 'event 3'; exit 7",
    ));
    assert_eq!(stdout, b"event 1\nother\nevent 3");
    assert_eq!(stderr, b"event 2\n");
    assert_eq!(outcome.status.code(), Some(7));
    let mut ids = outcome.event_ids;
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
}

#[test]
fn part_of_a_line_is_passed_on_at_once() {
    let (mut stdout, sink) = pipe();
    let (_stderr, stderr_sink) = pipe();
    let (sender, events) = mpsc::channel();
    let mut command = shell("printf 'event '; read answer; echo 5; read answer");
    command.stdin(Stdio::piped());
    let lines = LineEvents::new(EVENT).unwrap();
    let on_event = move |event: LineEvent| sender.send(event.id).unwrap();
    let (inlets, passing) = Passing::start_to([sink, stderr_sink], &lines, on_event).unwrap();
    let mut child = inlets.spawn(command).unwrap();
    let mut stdin = child.stdin.take().unwrap();

    let mut first = [0; 6];
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"event ");
    assert!(events.try_recv().is_err());
    stdin.write_all(b"\n").unwrap();
    // The line ends while the program still runs.
    assert_eq!(events.recv().unwrap(), Some(5));
    stdin.write_all(b"\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(passing.join().lost_bytes, 0);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "5\n");
}

#[test]
fn every_byte_value_arrives() {
    let (stdout, stderr, outcome) = run(python(
        "import os; b = bytes(range(256)) * 3; os.write(1, b); os.write(2, b[::-1])",
    ));
    let expected = Vec::from_iter((0..=255u8).cycle().take(3 * 256));
    assert_eq!(stdout, expected);
    assert_eq!(stderr, Vec::from_iter(expected.into_iter().rev()));
    assert!(outcome.status.success());
}

/// Ten million bytes of lines, with an event in every thousandth.
const MUCH: &str = "import sys\n\
    for i in range(100000):\n    \
    sys.stdout.write(f'event {i // 1000}\\n'.rjust(100, '.') if i % 1000 else f'event {i // 1000}\\n')\n";

fn much() -> (Vec<u8>, Vec<u64>) {
    let mut text = String::new();
    for line in 0..100_000 {
        let event = format!("event {}\n", line / 1000);
        if line % 1000 == 0 {
            text.push_str(&event);
        } else {
            text.push_str(&format!("{event:.>100}"));
        }
    }
    (text.into_bytes(), (0..100).collect())
}

#[test]
fn ten_megabytes_arrive_unchanged_in_a_pipe() {
    let (stdout, _, outcome) = run(python(MUCH));
    let (expected, ids) = much();
    assert!(expected.len() > 9_900_000);
    assert!(stdout == expected, "{} bytes arrived", stdout.len());
    assert_eq!(outcome.event_ids, ids);
}

#[test]
fn ten_megabytes_arrive_in_a_terminal_as_it_shows_them() {
    let (output, outcome) = run_in_terminal(python(MUCH));
    let (expected, ids) = much();
    // The terminal itself turns the end of a line into two characters, once.
    let shown = String::from_utf8(expected).unwrap().replace('\n', "\r\n");
    assert!(output == shown.as_bytes(), "{} bytes arrived", output.len());
    assert_eq!(outcome.event_ids, ids);
}

const ASK: &str = "import os\n\
    print(os.isatty(0), os.isatty(1), os.isatty(2))\n\
    if os.isatty(1): print(*os.get_terminal_size(1))";

#[test]
fn the_program_sees_a_terminal_where_there_is_one() {
    let (output, _) = run_in_terminal(python(ASK));
    assert_eq!(output, b"False True True\r\n97 41\r\n");
    let (output, _, _) = run(python(ASK));
    assert_eq!(output, b"False False False\n");
}

#[test]
fn each_stream_gets_its_own_kind() {
    let pair = openpty(None, None).unwrap();
    let (stderr, stderr_sink) = pipe();
    let (terminal, stderr) = (reading(pair.master.into()), reading(stderr));
    run_to(
        [pair.slave, stderr_sink],
        python("import os; print(os.isatty(1), os.isatty(2))"),
    );
    assert_eq!(terminal.join().unwrap(), b"True False\r\n");
    assert_eq!(stderr.join().unwrap(), b"");
}

#[test]
fn streams_to_one_place_keep_their_order() {
    let (both, sink) = pipe();
    let both = reading(both);
    let second = sink.try_clone().unwrap();
    run_to(
        [sink, second],
        shell("for i in $(seq 500); do echo out $i; echo err $i >&2; done"),
    );
    let expected: String = (1..=500).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(both.join().unwrap(), expected.as_bytes());
}

#[test]
fn a_process_left_behind_does_not_hold_us() {
    let (stdout, _, outcome) = run(shell("sleep 1000 & echo $!; echo event 9"));
    let text = String::from_utf8(stdout).unwrap();
    let (pid, rest) = text.split_once('\n').unwrap();
    let left_behind = Pid::from_raw(pid.parse().unwrap());
    assert_eq!(rest, "event 9\n");
    assert_eq!(outcome.event_ids, [9]);
    assert_eq!(kill(left_behind, Signal::SIGKILL), Ok(()));
}

#[test]
fn a_process_left_behind_that_never_stops_writing_does_not_hold_us() {
    let (stdout, _, _) = run(shell("echo first; while :; do echo more; done & exit 0"));
    assert!(stdout.starts_with(b"first\nmore\nmore\n"));
}

#[test]
fn what_is_waited_for_when_the_program_has_ended() {
    let (outlet, inlet) = pipe2(OFlag::O_CLOEXEC).unwrap();
    let (has_ended, running) = pipe2(OFlag::O_CLOEXEC).unwrap();
    drop(running);
    let mut waiting = Waiting::Program;
    // Somebody holds the channel open and writes nothing.
    assert!(!waiting.for_output(&outlet, &has_ended));
    assert!(matches!(waiting, Waiting::Others(_)));

    write(&inlet, b"more").unwrap();
    assert!(waiting.for_output(&outlet, &has_ended));
    let mut too_long = Waiting::Others(Instant::now());
    assert!(!too_long.for_output(&outlet, &has_ended));

    let mut last = Waiting::ItsLast(LARGEST_CHANNEL_BYTES);
    assert!(last.for_output(&outlet, &has_ended));
    last.came(1);
    assert!(last.for_output(&outlet, &has_ended));
    assert!(matches!(last, Waiting::Others(_)));
}

#[test]
fn a_closed_output_is_closed_to_the_program_too() {
    let (stdout, sink) = pipe();
    let (_stderr, stderr_sink) = pipe();
    drop(stdout);
    let outcome = run_to([sink, stderr_sink], Command::new("yes"));
    assert_eq!(outcome.status.signal(), Some(Signal::SIGPIPE as i32));
    assert_eq!(outcome.passed.lost_bytes, 0);
}

#[test]
fn a_full_disk_does_not_end_the_program() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (_stderr, stderr_sink) = pipe();
    let script = "head -c 300000 /dev/zero && echo && echo event 1";
    let outcome = run_to([full.into(), stderr_sink], shell(script));
    assert!(outcome.status.success());
    assert_eq!(outcome.event_ids, [1]);
    assert_eq!(outcome.passed.lost_bytes, 300_009);
    let error = outcome.passed.first_error.unwrap();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let (_stdout, sink) = pipe();
    let (_stderr, stderr_sink) = pipe();
    let command = Command::new("/nonexistent/program");
    let lines = LineEvents::new(EVENT).unwrap();
    let (inlets, _passing) = Passing::start_to([sink, stderr_sink], &lines, |_| {}).unwrap();
    let error = inlets.spawn(command).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}
