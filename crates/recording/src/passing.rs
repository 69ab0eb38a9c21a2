//! The program's output passes through `residue`, byte for byte and at once, and is
//! looked at on the way.
//!
//! ```text
//!   program --stdout--> channel --thread--> our stdout
//!           --stderr--> channel --thread--> our stderr
//!                                  |
//!                                  +--> lines --> events
//! ```
//!
//! Where both streams lead to the same place (a terminal, `2>&1`), they share one
//! channel, so that what is written first comes first. Their lines are then looked at
//! as they arrive, in that order.
//!
//! **When nobody reads our output any more** (a closed pipe, a terminal that is gone),
//! the program must see what it would have seen without `residue`: its own pipe
//! closed. So the thread stops reading and closes the channel, and the next write
//! ends the program or fails, as it would have, only later by what was under way.
//! Where writing fails otherwise (a full disk), the program's own write would have
//! failed and it may have gone on; that error cannot be handed back. The program must
//! not be stopped or ended for it, so reading goes on, each write is tried, and what
//! could not be written is counted.
//!
//! **When the program has ended**, all that it wrote itself is in the channel and is
//! passed on. Processes that it left behind may hold the channel open for ever: they
//! are listened to until nothing came for [`QUIET`], and at most for [`LONGEST`].
//! After that the channel is closed, and what they write later fails.

use crate::channel::{self, Channel};
use crate::lines::{LineEvent, LineEvents};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{pipe2, read, write};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const QUIET: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(2);
/// No channel holds more; a larger pipe takes a privilege.
const LARGEST_CHANNEL_BYTES: usize = 1024 * 1024;
const BUFFER_BYTES: usize = 64 * 1024;

/// The output of a running program.
pub struct Passing {
    /// Closed when the program has ended.
    running: OwnedFd,
    threads: Vec<JoinHandle<Passed>>,
}

/// How it went.
#[derive(Debug, Default)]
pub struct Passed {
    /// What our own output did not take, and why.
    pub lost_bytes: u64,
    pub first_error: Option<io::Error>,
    /// Groups of matching lines that were not numbers.
    pub not_numbers: u64,
}

/// Where the program writes.
pub struct Inlets {
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Inlets {
    /// Starts the program with its output passing through. Takes the command, which must not
    /// keep the program's ends of the channels open.
    pub fn spawn(self, mut command: Command) -> io::Result<Child> {
        command.stdout(self.stdout).stderr(self.stderr).spawn()
    }
}

impl Passing {
    /// Begins to listen. `on_event` is called before the line that tells of the event is
    /// passed on, because passing may have to wait for the reader and the program does not.
    pub fn start(
        lines: &LineEvents,
        on_event: impl FnMut(LineEvent) + Send + 'static,
    ) -> io::Result<(Inlets, Passing)> {
        let sinks = [
            io::stdout().as_fd().try_clone_to_owned()?,
            io::stderr().as_fd().try_clone_to_owned()?,
        ];
        Passing::start_to(sinks, lines, on_event)
    }

    fn start_to(
        [stdout, stderr]: [OwnedFd; 2],
        lines: &LineEvents,
        on_event: impl FnMut(LineEvent) + Send + 'static,
    ) -> io::Result<(Inlets, Passing)> {
        let (has_ended, running) = pipe2(OFlag::O_CLOEXEC)?;
        let mut streams = Vec::new();
        let Channel { inlet, outlet } = Channel::like(&stdout)?;
        let stderr_inlet = if channel::is_same_place(&stdout, &stderr) {
            inlet.try_clone()?
        } else {
            let Channel { inlet, outlet } = Channel::like(&stderr)?;
            streams.push(Stream::new(outlet, stderr, has_ended.try_clone()?, lines));
            inlet
        };
        streams.push(Stream::new(outlet, stdout, has_ended, lines));

        let inlets = Inlets {
            stdout: inlet,
            stderr: stderr_inlet,
        };
        let mut passing = Passing {
            running,
            threads: Vec::new(),
        };
        let on_event = Arc::new(Mutex::new(on_event));
        for stream in streams {
            let on_event = Arc::clone(&on_event);
            let thread = std::thread::Builder::new().spawn(move || {
                stream.pass(&mut |event| {
                    on_event.lock().unwrap_or_else(PoisonError::into_inner)(event);
                })
            });
            match thread {
                Ok(thread) => passing.threads.push(thread),
                // Not half of it: the program may need the thread that there was.
                Err(error) => {
                    drop(inlets);
                    passing.join();
                    return Err(error);
                }
            }
        }
        Ok((inlets, passing))
    }

    /// To be called when the program has ended: passes on what is still under way.
    pub fn join(self) -> Passed {
        drop(self.running);
        let mut all = Passed::default();
        for thread in self.threads {
            let Ok(passed) = thread.join() else { continue };
            all.lost_bytes += passed.lost_bytes;
            all.not_numbers += passed.not_numbers;
            all.first_error = all.first_error.or(passed.first_error);
        }
        all
    }
}

struct Stream {
    outlet: OwnedFd,
    sink: OwnedFd,
    /// Readable when the program has ended.
    has_ended: OwnedFd,
    lines: LineEvents,
    passed: Passed,
}

/// Nobody reads our output any more.
struct Closed;

impl Stream {
    fn new(outlet: OwnedFd, sink: OwnedFd, has_ended: OwnedFd, lines: &LineEvents) -> Stream {
        Stream {
            outlet,
            sink,
            has_ended,
            lines: lines.clone(),
            passed: Passed::default(),
        }
    }

    fn pass(mut self, on_event: &mut dyn FnMut(LineEvent)) -> Passed {
        let mut came = Vec::new();
        let mut waiting = Waiting::Program;
        let mut is_open = true;
        while is_open && waiting.for_output(&self.outlet, &self.has_ended) {
            came.clear();
            // All that is there, before any of it is an event: lines that came together
            // cannot be told apart.
            let mut is_more = true;
            while is_open && is_more && came.len() < LARGEST_CHANNEL_BYTES {
                is_open = self.read_into(&mut came);
                is_more = has_output(&self.outlet, Duration::ZERO);
            }
            waiting.came(came.len());
            self.lines.feed(&came, is_open && is_more, on_event);
            if let Err(Closed) = self.write_all(&came) {
                break;
            }
        }
        self.lines.end(on_event);
        self.passed.not_numbers = self.lines.not_numbers();
        self.passed
    }

    /// Reads what fits into a buffer. False at the end.
    fn read_into(&mut self, came: &mut Vec<u8>) -> bool {
        let before = came.len();
        came.resize(before + BUFFER_BYTES, 0);
        let result = read(&self.outlet, &mut came[before..]);
        came.truncate(before + result.unwrap_or(0));
        match result {
            // A pseudo terminal without writers fails, a pipe ends.
            Ok(0) | Err(Errno::EIO) => false,
            Ok(_) | Err(Errno::EINTR | Errno::EAGAIN) => true,
            Err(error) => {
                self.passed.first_error.get_or_insert(error.into());
                false
            }
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), Closed> {
        while !bytes.is_empty() {
            match write(&self.sink, bytes) {
                Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
                Err(Errno::EINTR) => {}
                // Somebody who shares our output has made it return at once.
                Err(Errno::EAGAIN) => {
                    let mut sink = [PollFd::new(self.sink.as_fd(), PollFlags::POLLOUT)];
                    let _ = poll(&mut sink, PollTimeout::NONE);
                }
                Err(Errno::EPIPE | Errno::EIO) => return Err(Closed),
                Err(error) => {
                    self.passed.first_error.get_or_insert(error.into());
                    self.passed.lost_bytes += bytes.len() as u64;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Whose output is waited for, and how long.
enum Waiting {
    Program,
    /// The program has ended; so much came since. What it wrote is still there.
    ItsLast(usize),
    /// All that the program wrote is passed on; others are listened to until then.
    Others(Instant),
}

impl Waiting {
    /// Returns true when there is output, or its end, and false to stop.
    fn for_output(&mut self, outlet: &OwnedFd, has_ended: &OwnedFd) -> bool {
        loop {
            match self {
                Waiting::Program => {
                    let flags = PollFlags::POLLIN;
                    let mut both = [outlet, has_ended].map(|end| PollFd::new(end.as_fd(), flags));
                    let _ = poll(&mut both, PollTimeout::NONE);
                    let [has_output, has_ended] = both.map(|end| end.any().unwrap_or(false));
                    // The end comes first: others may write without a pause.
                    if has_ended {
                        *self = Waiting::ItsLast(0);
                    } else if has_output {
                        return true;
                    }
                }
                Waiting::ItsLast(came) => {
                    if *came <= LARGEST_CHANNEL_BYTES && has_output(outlet, Duration::ZERO) {
                        return true;
                    }
                    *self = Waiting::Others(Instant::now() + LONGEST);
                }
                Waiting::Others(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    return !left.is_zero() && has_output(outlet, left.min(QUIET));
                }
            }
        }
    }

    fn came(&mut self, bytes: usize) {
        if let Waiting::ItsLast(came) = self {
            *came += bytes;
        }
    }
}

fn has_output(outlet: &OwnedFd, timeout: Duration) -> bool {
    let timeout = PollTimeout::try_from(timeout).unwrap_or(PollTimeout::ZERO);
    let mut outlet = [PollFd::new(outlet.as_fd(), PollFlags::POLLIN)];
    loop {
        match poll(&mut outlet, timeout) {
            Err(Errno::EINTR) => {}
            answer => return answer.is_ok_and(|ready| ready > 0),
        }
    }
}

#[cfg(test)]
mod tests;
