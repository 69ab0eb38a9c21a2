//! Signals while the program runs: `residue` stays out of their way.
//!
//! What a terminal sends goes to the program too, being in the same group, so
//! `residue` only has to survive it. What somebody sends to `residue` alone is
//! passed on.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone)]
pub struct Forwarding(Arc<Mutex<State>>);

enum State {
    /// The program is about to start; what comes is kept for it.
    Starting(Vec<i32>),
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

impl Forwarding {
    /// Takes the signals from now on.
    pub fn start() -> std::io::Result<Forwarding> {
        let forwarding = Forwarding(Arc::new(Mutex::new(State::Starting(Vec::new()))));
        let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2])?;
        let shared = forwarding.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                shared.take(signal);
            }
        });
        Ok(forwarding)
    }

    fn take(&self, signal: i32) {
        match &mut *self.state() {
            State::Starting(kept) => kept.push(signal),
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program runs: passes signals on to it, first those that came before.
    pub fn program_runs(&self, pid: u32) {
        let pid = Pid::from_raw(pid as i32);
        let before = std::mem::replace(&mut *self.state(), State::Running(pid));
        if let State::Starting(kept) = before {
            for signal in kept {
                pass_on(pid, signal);
            }
        }
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
