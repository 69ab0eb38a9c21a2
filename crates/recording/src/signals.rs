//! Signals while the program runs: `residue` stays out of their way.
//!
//! What a terminal sends goes to the program too, being in the same group, so
//! `residue` only has to survive it. What somebody sends to `residue` alone is
//! passed on, but for one that asks for a snapshot.

use super::triggers::Requests;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Signals that came, or will come.
pub struct Signals(SignalDelivery<UnixStream, SignalOnly>);

#[derive(Clone)]
pub struct Forwarding {
    state: Arc<Mutex<State>>,
    for_snapshots: Option<(Signal, Requests)>,
}

enum State {
    Running(Pid),
    /// The program ended; a signal now is meant for `residue`.
    Ended {
        interrupted: bool,
    },
    /// The profile is being written from the recordings in this directory, which may take
    /// for ever where a pipe or a file system is stuck.
    Writing {
        arenas: PathBuf,
        was_told: bool,
    },
}

/// Takes the signals from now on; they are kept until somebody listens.
///
/// Those that are ignored stay so: a program under `nohup` has to inherit that. What is taken
/// here is not inherited. A file that becomes too long is an error of the write, without the
/// signal that would end `residue`.
pub fn take() -> io::Result<Signals> {
    let ignored = ignored();
    let taken = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ];
    let taken = taken.into_iter();
    let taken = taken.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let (read, write) = UnixStream::pair()?;
    let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, taken)?;
    Ok(Signals(delivery))
}

/// Waits for a signal. Where that fails, whether one has come is asked now and then: nothing that
/// happens to the socket may end `residue`, as it would in `signal_hook`'s own loop.
fn wait_for_one(socket: &mut UnixStream) -> io::Result<bool> {
    const ASKED_EVERY: Duration = Duration::from_millis(20);
    let read = socket.read(&mut [0]);
    if read.is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
        std::thread::sleep(ASKED_EVERY);
    }
    Ok(true)
}

/// Whether this process, and with it the program, ignores a signal.
pub fn is_ignored(signal: Signal) -> bool {
    ignored() >> (signal as i32 - 1) & 1 != 0
}

/// The signals that this process ignores, one bit each, from signal 1.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or(0)
}

impl Forwarding {
    /// For a program that runs now. A signal that asks for snapshots is never passed on.
    pub fn to(pid: u32, for_snapshots: Option<(Signal, Requests)>) -> Forwarding {
        let pid = Pid::from_raw(pid as i32);
        Forwarding {
            state: Arc::new(Mutex::new(State::Running(pid))),
            for_snapshots,
        }
    }

    /// Passes signals on, first those that came before. Fails where no thread can be started.
    pub fn listen(&self, signals: Signals) -> io::Result<()> {
        let shared = self.clone();
        let Signals(mut delivery) = signals;
        let listening = std::thread::Builder::new().name("signals".to_string());
        listening.spawn(move || {
            while let Ok(pending) = delivery.poll_pending(&mut wait_for_one) {
                pending
                    .into_iter()
                    .flatten()
                    .for_each(|signal| shared.take(signal));
            }
        })?;
        Ok(())
    }

    fn take(&self, signal: i32) {
        if signal == SIGXFSZ {
            return;
        }
        if let Some((asks, requests)) = &self.for_snapshots
            && *asks as i32 == signal
        {
            return requests.add();
        }
        match &mut *self.state() {
            State::Running(pid) => pass_on(*pid, signal),
            State::Ended { interrupted } => *interrupted = true,
            _ if matches!(signal, SIGUSR1 | SIGUSR2) => {}
            State::Writing { arenas, was_told } => match was_told {
                false => {
                    *was_told = true;
                    tell_how_to_end(arenas);
                }
                // The recordings stay where they are.
                true => {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            },
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn program_ended(&self) {
        *self.state() = State::Ended { interrupted: false };
    }

    /// From now on the first signal says what is going on, and the second ends it.
    pub fn writes_profile(&self, arenas: &Path) {
        *self.state() = State::Writing {
            arenas: arenas.to_path_buf(),
            was_told: false,
        };
    }

    /// Whether a signal came after the program had ended.
    pub fn was_interrupted(&self) -> bool {
        matches!(*self.state(), State::Ended { interrupted: true })
    }
}

fn tell_how_to_end(arenas: &Path) {
    // Nobody may be there to read it.
    let _ = writeln!(
        std::io::stderr(),
        "residue: writing the profile; interrupt again to stop, and `residue recover {}` \
         writes it later",
        arenas.display()
    );
}

/// Sends a signal to the program, unless the terminal has sent it already.
fn pass_on(pid: Pid, signal: i32) {
    let from_terminal = matches!(signal, SIGINT | SIGQUIT);
    if !from_terminal && let Ok(signal) = Signal::try_from(signal) {
        let _ = kill(pid, signal);
    }
}
