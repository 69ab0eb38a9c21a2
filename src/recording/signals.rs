//! Signals while the program runs: `residue` stays out of their way.
//!
//! What a terminal sends goes to the program too, being in the same group, so
//! `residue` only has to survive it. What somebody sends to `residue` alone is
//! passed on.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

#[derive(Clone)]
pub struct Forwarding {
    /// The program's process; zero while there is none.
    target: Arc<AtomicI32>,
    interrupted: Arc<AtomicBool>,
}

impl Forwarding {
    /// Takes the signals from now on.
    pub fn start() -> std::io::Result<Forwarding> {
        let forwarding = Forwarding {
            target: Arc::new(AtomicI32::new(0)),
            interrupted: Arc::new(AtomicBool::new(false)),
        };
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
        let target = self.target.load(Ordering::Acquire);
        if target == 0 {
            self.interrupted.store(true, Ordering::Release);
            return;
        }
        let from_terminal = matches!(signal, SIGINT | SIGQUIT);
        if !from_terminal && let Ok(signal) = Signal::try_from(signal) {
            let _ = kill(Pid::from_raw(target), signal);
        }
    }

    /// Passes signals on to this process; zero to keep them.
    pub fn set_target(&self, pid: u32) {
        self.target.store(pid as i32, Ordering::Release);
    }

    /// Whether a signal came while there was no program to pass it on to.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}
