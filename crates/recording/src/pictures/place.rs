//! One recorded process: its pictures, from the thread that waits for the others to be stopped to
//! the reader.

use super::PERIOD;
use super::answer;
use super::reading::{self, Others, Reader};
use super::requests;
use super::room::{self, Room};
use super::stop;
use crate::sighting::Process;
use crate::users;
use residue_arena::header;
use residue_profile::holders::Picture;
use residue_profile::units;
use residue_symbols::Search;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long making the child may take, at most, while the others stand.
const LONGEST_COPY: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_micros(20);
/// With less memory left nothing is read any more.
const SHORT_BYTES: u64 = 16 << 20;

pub struct Place {
    process: Process,
    /// The other threads when the latest picture was taken.
    others: Others,
    /// Of the picture that is being read.
    reader: Option<Reader>,
    /// The request that was passed on to the program.
    request: Option<u64>,
}

impl Place {
    pub fn new(process: Process) -> Place {
        Place {
            process,
            others: Others::default(),
            reader: None,
            request: None,
        }
    }

    /// Whether there is, or soon may be, something to do.
    pub fn is_busy(&self) -> bool {
        self.reader.is_some()
            || self.process.window.is_whole()
                && (self.request.is_some() || requests::open(&self.process.window).is_some())
    }

    /// `left_bytes` is the memory that is left, where that is known.
    pub fn look(&mut self, search: &Search, left_bytes: Option<u64>) {
        if !self.process.window.is_whole() {
            return;
        }
        if self.reader.as_ref().is_some_and(Reader::is_finished) {
            self.reader = None;
        }
        if let Some(left_bytes) = left_bytes {
            self.tell_room(left_bytes);
        }
        self.pass_request_on();
        self.read_taken(search);
    }

    /// Whatever the program has taken, or is about to take.
    pub fn read_taken(&mut self, search: &Search) {
        if !self.process.window.is_whole() {
            return;
        }
        if self.state() == header::PICTURE_WAITS {
            self.others = self.copy_while_others_stand();
        }
        match self.state() {
            header::PICTURE_TAKEN if self.reader.is_none() => self.read(search),
            header::PICTURE_FAILED => self.give_up(),
            _ => {}
        }
    }

    /// Waits for what is being read, and gives it up where memory runs short.
    pub fn finish_reading(&mut self, room: &mut Room) {
        while self.reader.as_ref().is_some_and(|it| !it.is_finished()) {
            if let Some(left_bytes) = room.look()
                && self.process.window.is_whole()
            {
                self.tell_room(left_bytes);
            }
            std::thread::sleep(PERIOD);
        }
        self.reader = None;
    }

    fn state(&self) -> u64 {
        self.process.window.get(header::PICTURE_STATE)
    }

    fn change_state(&self, from: u64, to: u64) -> bool {
        let state = self.process.window.word(header::PICTURE_STATE);
        state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Tells the program how much memory is left for a copy. One that is being read is given up
    /// before there is none.
    fn tell_room(&self, left_bytes: u64) {
        let room = self.process.window.word(header::PICTURE_ROOM_BYTES);
        room.store(left_bytes.max(1), Ordering::Relaxed);
        if left_bytes < SHORT_BYTES
            && let Some(reader) = &self.reader
            && self.change_state(header::PICTURE_TAKEN, header::PICTURE_OVER)
        {
            reader.give_up();
        }
    }

    /// Of what a user asks for the program learns when no earlier picture is read any more.
    fn pass_request_on(&mut self) {
        let window = &self.process.window;
        let open = requests::open(window);
        if let Some(number) = open {
            let seen = window.word(header::PICTURE_SEEN);
            seen.store(number, Ordering::Release);
        }
        match (self.request, open) {
            (None, Some(number)) if self.reader.is_none() => {
                let is_passed_on = [header::PICTURE_NONE, header::PICTURE_OVER]
                    .into_iter()
                    .any(|free| self.change_state(free, header::PICTURE_ASKED));
                self.request = is_passed_on.then_some(number);
            }
            // Taken back. What was frozen for an earlier picture is let go by the program.
            (Some(_), None) => {
                self.change_state(header::PICTURE_ASKED, header::PICTURE_OVER);
                self.request = None;
            }
            _ => {}
        }
        if self.request.is_some() && self.state() == header::PICTURE_ASKED {
            // Each time: a pause or its end may have lost it.
            let word = window.word(header::PAUSED);
            word.fetch_or(header::ASKS_FOR_PICTURE, Ordering::Release);
        }
    }

    /// There is no picture: says why.
    fn give_up(&mut self) {
        let window = &self.process.window;
        let picture = Picture {
            trouble: trouble(&self.process),
            ..answer::moment(window)
        };
        let number = window.get(header::PICTURES);
        reading::hand_over(&self.process, number, self.request.take(), picture);
        let state = self.process.window.word(header::PICTURE_STATE);
        state.store(header::PICTURE_NONE, Ordering::Release);
    }

    /// Stops all threads but the one that waits, and lets that one make the child.
    fn copy_while_others_stand(&self) -> Others {
        let window = &self.process.window;
        let Some(pid) = self.process.pid() else {
            self.change_state(header::PICTURE_WAITS, header::PICTURE_RUN_ON);
            return Others::default();
        };
        let taker = window.get(header::PICTURE_TID) as u32;
        let mut is_copied = false;
        let copied = thread_called(pid, taker).map(|tid| {
            stop::while_others_stand(pid, tid, || {
                is_copied = self.let_copy(pid);
            })
        });
        match copied {
            Some(Ok(registers)) => Others {
                registers,
                went_on_early: !is_copied,
            },
            _ => {
                self.change_state(header::PICTURE_WAITS, header::PICTURE_RUN_ON);
                Others::default()
            }
        }
    }

    /// Tells the thread that waits that the others stand, and waits until it has made the child.
    /// False where that takes too long.
    fn let_copy(&self, pid: u32) -> bool {
        if !self.change_state(header::PICTURE_WAITS, header::PICTURE_STANDS) {
            return true;
        }
        let deadline = Instant::now() + LONGEST_COPY;
        let is_busy = || [header::PICTURE_STANDS, header::PICTURE_READY].contains(&self.state());
        let is_there = || Path::new(&format!("/proc/{pid}/stat")).exists();
        while is_busy() && is_there() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }

    /// Reads the picture in a thread of its own: other programs may wait for theirs.
    fn read(&mut self, search: &Search) {
        let others = std::mem::take(&mut self.others);
        let request = self.request.take();
        self.reader = Reader::start(&self.process, others, request, search).ok();
        if self.reader.is_none() {
            self.change_state(header::PICTURE_TAKEN, header::PICTURE_OVER);
            let picture = Picture {
                trouble: "residue could start no thread to read it".to_string(),
                ..answer::moment(&self.process.window)
            };
            let number = self.process.window.get(header::PICTURES);
            reading::hand_over(&self.process, number, request, picture);
        }
    }
}

/// Why the recorder could make no copy.
fn trouble(process: &Process) -> String {
    let word = |word| process.window.get(word);
    match word(header::PICTURE_ERROR) {
        header::NO_ROOM_FOR_PICTURE => format!(
            "too little memory is left: {} on this machine or below the limit of its control group, \
             and the program has {} of its own, of which a copy may take half",
            units::bytes(word(header::PICTURE_ROOM_BYTES)),
            units::bytes(word(header::PICTURE_OWN_BYTES)),
        ),
        number => {
            let reason = io::Error::from_raw_os_error(number as i32);
            let strictly = match room::is_promised_strictly() {
                true => {
                    " (the kernel promises no more memory than it has: vm.overcommit_memory is 2)"
                }
                false => "",
            };
            format!("the process could not be copied: {reason}{strictly}")
        }
    }
}

/// The thread of a process that knows itself by this number.
fn thread_called(pid: u32, own_number: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let mut tids = tasks
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    tids.find(|tid: &u32| {
        users::own_number_at(&format!("/proc/{pid}/task/{tid}")) == Some(own_number)
    })
}
