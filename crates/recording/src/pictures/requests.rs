//! Pictures that users ask for: `residue holders --pid`.
//!
//! ```text
//!   who asks                      the run that records              the program
//!   PICTURE_REQUESTS + 1  ──────► state ASKED, a bit that calls see ──► takes it
//!                                 reads it, writes it beside the arena ◄── TAKEN
//!   reads the profile     ◄────── PICTURE_ANSWERED
//! ```
//!
//! The run reads it, and not who asks: many kernels let nobody but an ancestor stop threads.

use super::{IDLE_PERIOD, start_with};
use crate::arenas::ArenaDirectory;
use crate::repeated::Repeated;
use crate::sighting::Process;
use anyhow::{Context, Result, bail};
use residue_arena::header;
use residue_finish::pictures;
use residue_symbols::Search;
use residue_window::Window;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The number of a request that nobody has answered; `None` where there is none.
pub fn open(window: &Window) -> Option<u64> {
    let latest = window.get(header::PICTURE_REQUESTS);
    (latest > window.get(header::PICTURE_ANSWERED)).then_some(latest)
}

/// The pictures of a run whose programs take none by themselves: nothing is done before the first
/// request.
pub struct OnRequest {
    directory: PathBuf,
    search: Search,
    started: Option<Repeated>,
}

impl OnRequest {
    pub fn new(directory: PathBuf, search: Search) -> OnRequest {
        OnRequest {
            directory,
            search,
            started: None,
        }
    }

    /// Where no thread can be started now, the next look tries again.
    pub fn look(&mut self, process: &Process) {
        if self.started.is_none() && open(&process.window).is_some() {
            let (directory, search) = (self.directory.clone(), self.search.clone());
            self.started = start_with(directory, search, IDLE_PERIOD).ok();
        }
    }
}

/// How long who asks waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the program to allocate, or to end an event.
    pub program: Duration,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The program allocates nothing and ends no event.
    Program,
    /// So many bytes of all were read.
    Read { bytes: u64, of: u64 },
}

const LOOK: Duration = Duration::from_millis(10);
/// For the run that records the program to see the request, at most.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);
/// A copy lives for ten minutes, and what was read of it is looked through after that.
const LONGEST_READING: Duration = Duration::from_secs(1200);
/// Whether all are still there is looked at once in so many looks.
const LOOKS_PER_CHECK: u32 = 20;

/// Has a picture of a running program taken and read. `pid` is the number that the user knows.
pub fn ask(
    process: &Process,
    pid: u32,
    patience: Patience,
    show: &mut dyn FnMut(Shown),
) -> Result<()> {
    let window = &process.window;
    let run = process.arena.parent().map(PathBuf::from);
    let run = run
        .map(ArenaDirectory::at)
        .context("no directory of arenas")?;
    if window.get(header::WITHOUT_HEAP) != 0 {
        bail!(
            "process {pid}: allocations are not recorded (--no-heap), so nothing is known of blocks"
        );
    }
    let request = Request {
        number: 1 + window
            .word(header::PICTURE_REQUESTS)
            .fetch_add(1, Ordering::AcqRel),
        window,
    };
    let asked = Instant::now();
    // Since when the program is the one that is waited for.
    let mut waits_since: Option<Instant> = None;
    for look in 0_u32.. {
        if window.get(header::PICTURE_ANSWERED) >= request.number {
            break;
        }
        if look % LOOKS_PER_CHECK == 0 {
            if !run.is_owned() {
                bail!(
                    "process {pid}: the `residue run` that records it is gone, which would have taken \
                     the picture"
                );
            }
            if !process.is_running() {
                bail!(
                    "process {pid} ended before a picture could be taken; `residue run --holders` takes \
                     one at the end"
                );
            }
        }
        let state = window.get(header::PICTURE_STATE);
        if state == header::PICTURE_ASKED {
            let waited = waits_since.get_or_insert_with(Instant::now).elapsed();
            if waited > patience.program {
                bail!(
                    "process {pid} neither allocated nor ended an event for {} s, where a picture could be \
                     taken; try again while it works, or wait longer with --wait",
                    patience.program.as_secs()
                );
            }
            show(Shown::Program);
        } else {
            waits_since = None;
            show(Shown::Read {
                bytes: window.get(header::PICTURE_READ_BYTES),
                of: window.get(header::PICTURE_TO_READ_BYTES),
            });
        }
        let is_seen = window.get(header::PICTURE_SEEN) >= request.number;
        if !is_seen && asked.elapsed() > LONGEST_SILENCE {
            bail!(
                "process {pid}: the `residue run` that records it does not answer; is it stopped, or of \
                 another version?"
            );
        }
        if asked.elapsed() > LONGEST_READING + patience.program {
            bail!("process {pid}: the picture could not be read in time");
        }
        std::thread::sleep(LOOK);
    }
    let answer = pictures::read_answer(&process.arena).unwrap_or_default();
    if answer.request >= request.number && !answer.trouble.is_empty() {
        bail!(
            "process {pid}: no picture could be taken: {}",
            answer.trouble
        );
    }
    Ok(())
}

/// One request; taken back where it goes unanswered, unless somebody else has asked since.
struct Request<'a> {
    number: u64,
    window: &'a Window,
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if self.window.is_whole() && open(self.window) == Some(self.number) {
            let answered = self.window.word(header::PICTURE_ANSWERED);
            answered.fetch_max(self.number, Ordering::AcqRel);
        }
    }
}
