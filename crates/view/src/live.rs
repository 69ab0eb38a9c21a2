//! What is open now. A running program is read again while somebody looks at it; who
//! asks gets the latest reading, whole.
//!
//! ```text
//!   asked ──► read ──► rest: a second, or nine times as long as reading took ──► asked? ─┐
//!               ▲________________________________________________________________________│
//! ```
//!
//! Reading takes nothing from the program but memory bandwidth and, where processors are
//! few, a tenth of one.

use std::fs;
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use residue_query::choice::Names;

use residue_query::page::open_profiles::OpenProfiles;
use residue_query::page::opened::Opened;
use residue_recording::attach;
use residue_recording::users::process_started_ticks;

/// Readings do not follow each other faster.
const SHORTEST_REST: Duration = Duration::from_secs(1);
/// Times what a reading took: at most a tenth of the time is spent on readings.
const RESTS_PER_READING: u32 = 9;
/// Who has not asked for so long looks elsewhere.
const ATTENTION: Duration = Duration::from_secs(5);

/// What is open, and when somebody last asked for it.
pub struct Current {
    profiles: RwLock<Arc<OpenProfiles>>,
    asked: Mutex<Instant>,
    somebody_asks: Condvar,
}

impl Current {
    pub fn new(profiles: OpenProfiles) -> Current {
        Current {
            profiles: RwLock::new(Arc::new(profiles)),
            asked: Mutex::new(Instant::now()),
            somebody_asks: Condvar::new(),
        }
    }

    /// What is open now, for somebody who asks.
    pub fn profiles(&self) -> Arc<OpenProfiles> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.somebody_asks.notify_all();
        self.now()
    }

    fn now(&self) -> Arc<OpenProfiles> {
        let profiles = self.profiles.read().unwrap_or_else(PoisonError::into_inner);
        profiles.clone()
    }

    fn replace(&self, profiles: OpenProfiles) {
        let profiles = Arc::new(profiles);
        let mut here = self
            .profiles
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *here, profiles);
        drop(here);
        // Taking a large profile apart takes a while, in which nobody should wait.
        drop(before);
    }

    fn wait_until_somebody_looks(&self) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        while asked.elapsed() > ATTENTION {
            let woken = self.somebody_asks.wait(asked);
            asked = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A program that is being recorded, and how its functions are named.
pub struct Program {
    pid: u32,
    /// Numbers of processes come back; together with this they do not.
    started_ticks: u64,
    names: Names,
}

impl Program {
    pub fn find(pid: u32, names: Names) -> Result<Program> {
        let started_ticks =
            process_started_ticks(pid).with_context(|| format!("there is no process {pid}"))?;
        Ok(Program {
            pid,
            started_ticks,
            names,
        })
    }

    /// The first reading.
    pub fn open(&self) -> Result<OpenProfiles> {
        let mut profiles = OpenProfiles::new(self.read()?, None);
        profiles.is_live = true;
        Ok(profiles)
    }

    fn read(&self) -> Result<Opened> {
        let profile = attach::profile_of(self.pid)?;
        let name = profile.meta.program.clone();
        Ok(Opened::new(name, profile, self.names.clone()))
    }

    /// A process that has ended has no memory, even while its number is kept.
    fn has_ended(&self) -> bool {
        let maps = fs::read(format!("/proc/{}/maps", self.pid));
        process_started_ticks(self.pid) != Some(self.started_ticks)
            || maps.is_ok_and(|maps| maps.is_empty())
    }

    /// Reads the program again and again, as long as it runs.
    pub fn follow(&self, current: &Current) {
        let mut took = Duration::ZERO;
        loop {
            std::thread::sleep(SHORTEST_REST.max(took * RESTS_PER_READING));
            current.wait_until_somebody_looks();
            let started = Instant::now();
            let mut next = OpenProfiles::clone(&current.now());
            // What is found under a number that was given away is another's.
            next.has_ended = self.has_ended();
            if !next.has_ended {
                match self.read() {
                    Ok(opened) => {
                        next.first = Arc::new(opened);
                        next.generation += 1;
                        next.trouble = None;
                    }
                    Err(_) if self.has_ended() => next.has_ended = true,
                    Err(error) => next.trouble = Some(format!("{error:#}")),
                }
            }
            took = started.elapsed();
            let has_ended = next.has_ended;
            // That it has ended is news too.
            next.generation += u64::from(has_ended);
            current.replace(next);
            if has_ended {
                return;
            }
        }
    }
}
