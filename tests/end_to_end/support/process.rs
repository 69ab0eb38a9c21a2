//! Processes that run while a test looks at them.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far beyond anything that should happen, so that only a hang meets it.
const DEADLINE: Duration = Duration::from_secs(120);

/// Waits until a condition holds, and says what did not happen if it never does.
pub fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(started.elapsed() < DEADLINE, "{what}: this never happened");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Runs a command to its end. One that hangs is killed, with its children.
pub fn finish(mut command: Command) -> Output {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let watchdog = Watchdog::watch(child.id());
    let output = child
        .wait_with_output()
        .expect("the command can be waited for");
    let hung = watchdog.call_off();
    assert!(
        !hung,
        "this never ended: {command:?}: {}",
        super::describe(&output)
    );
    output
}

/// Kills a process that hangs, with its children, so that a test that waits for it
/// fails instead of hanging too.
struct Watchdog {
    ended: mpsc::Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    fn watch(pid: u32) -> Watchdog {
        let (ended, end) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let hangs = end.recv_timeout(DEADLINE) == Err(mpsc::RecvTimeoutError::Timeout);
            if hangs {
                kill_with_children(pid);
            }
            hangs
        });
        Watchdog { ended, thread }
    }

    /// The process has ended; whether it had to be killed.
    fn call_off(self) -> bool {
        drop(self.ended);
        self.thread.join().expect("the watchdog does not panic")
    }
}

fn kill_with_children(pid: u32) {
    let children = children_of(pid);
    for pid in children.into_iter().chain([pid]) {
        let _ = kill(Pid::from_raw(pid as i32), Signal::SIGKILL);
    }
}

pub fn send(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid as i32), signal)
        .unwrap_or_else(|error| panic!("cannot send {signal} to process {pid}: {error}"));
}

/// A started `residue run` (or other command) that is talked to through pipes. It
/// is killed if the test fails before its end.
pub struct Running {
    child: Child,
    /// Apart from the child: waiting for that would close it.
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    heard: String,
    watchdog: Option<Watchdog>,
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command can be started");
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        Running {
            watchdog: Some(Watchdog::watch(child.id())),
            child,
            stdin,
            stdout: BufReader::new(stdout),
            heard: String::new(),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its first child: the recorded program, where this is `residue run`.
    pub fn program(&self) -> u32 {
        wait_for("residue starts the program", || {
            children_of(self.pid()).first().copied()
        })
    }

    /// Reads lines up to one that begins like this, and returns its rest.
    pub fn hear(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            let length = self.stdout.read_line(&mut line).expect("stdout is text");
            assert!(
                length > 0,
                "no line {beginning:?} came, but {:?}",
                self.heard
            );
            self.heard.push_str(&line);
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.trim().to_string();
            }
        }
    }

    /// All that it has said so far.
    pub fn heard(&self) -> &str {
        &self.heard
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the program reads its stdin");
    }

    /// Waits until nobody can write to its stdout any more: everything that had it
    /// has ended. Returns all that was ever written there.
    pub fn hear_all(&mut self) -> String {
        self.stdout
            .read_to_string(&mut self.heard)
            .expect("stdout is text");
        self.heard.clone()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let status = self.child.wait().expect("the command can be waited for");
        if let Some(watchdog) = self.watchdog.take() {
            let hung = watchdog.call_off();
            assert!(!hung, "this never ended, but wrote {:?}", self.heard);
        }
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            kill_with_children(self.pid());
            let _ = self.child.wait();
        }
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.call_off();
        }
    }
}

/// Children of a process, whichever of its threads made them.
fn children_of(pid: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|line| {
            line.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}
