//! Pictures of recorded programs: frozen by the recorder, read here while the program goes on.
//!
//! ```text
//!   recorder: a thread waits ──► stop (the other threads) ──► child is there ──► they go on
//!                                                                 │
//!   table (what was live) ──┐                                     ▼
//!   roots (where pointers hold blocks) ──► reach ──► answer ──► file beside the arena ──► finish
//!   memory (of the child) ──┤       variables (names of what holds)
//!   pages (which are there) ┘ ──► pins
//! ```

mod answer;
mod memory;
mod pages;
mod private;
mod ranges;
mod roots;
mod stop;
mod table;
mod variables;

use crate::arenas::ArenaDirectory;
use crate::repeated::Repeated;
use crate::sighting::Process;
use crate::users;
use residue_arena::header;
use residue_finish::pictures;
use residue_profile::holders::Picture;
use residue_symbols::Search;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stop::Registers;

/// A thread that waits for the others to be stopped holds its program up.
const PERIOD: Duration = Duration::from_millis(2);
/// How long making the child may take, at most, while the others stand.
const LONGEST_COPY: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_micros(20);

/// Reads the pictures of the processes that record into a directory, from now on.
pub fn start(directory: PathBuf, search: Search) -> io::Result<Repeated> {
    let directory = ArenaDirectory::at(directory);
    let mut watched = Watched {
        search,
        places: BTreeMap::new(),
    };
    Repeated::start("pictures", move |_| {
        watched.look(&directory);
        PERIOD
    })
}

/// The processes known so far, by arena, and where names are looked for.
struct Watched {
    places: BTreeMap<PathBuf, Place>,
    search: Search,
}

struct Place {
    process: Process,
    /// What the registers of other threads held when the latest picture was taken.
    others: Vec<Registers>,
    /// Of the picture that is being read.
    reader: Option<JoinHandle<()>>,
}

impl Watched {
    fn look(&mut self, directory: &ArenaDirectory) {
        let files = directory.files();
        self.places.retain(|path, _| files.contains(path));
        for path in files {
            if !self.places.contains_key(&path) {
                let Some(process) = Process::open(&path) else {
                    continue;
                };
                let place = Place {
                    process,
                    others: Vec::new(),
                    reader: None,
                };
                self.places.insert(path.clone(), place);
            }
            if let Some(place) = self.places.get_mut(&path)
                && place.process.window.is_whole()
            {
                place.look(&self.search);
            }
        }
    }
}

/// What is being read is read to its end.
impl Drop for Watched {
    fn drop(&mut self) {
        for place in self.places.values_mut() {
            // One that is being read, then one that was taken meanwhile.
            for _ in 0..2 {
                if let Some(reader) = place.reader.take() {
                    let _ = reader.join();
                }
                if place.process.window.is_whole() {
                    place.look(&self.search);
                }
            }
            if let Some(reader) = place.reader.take() {
                let _ = reader.join();
            }
        }
    }
}

impl Place {
    fn look(&mut self, search: &Search) {
        if self.reader.as_ref().is_some_and(JoinHandle::is_finished) {
            self.reader = None;
        }
        if self.state() == header::PICTURE_WAITS {
            self.others = self.copy_while_others_stand();
        }
        match self.state() {
            header::PICTURE_TAKEN if self.reader.is_none() => self.read(search),
            header::PICTURE_FAILED => {
                let error = self.process.window.get(header::PICTURE_ERROR) as i32;
                let reason = io::Error::from_raw_os_error(error);
                let picture = Picture {
                    trouble: format!("the process could not be copied: {reason}"),
                    ..answer::moment(&self.process.window)
                };
                let _ = pictures::write(&self.process.arena, picture);
                self.process
                    .window
                    .word(header::PICTURE_STATE)
                    .store(header::PICTURE_NONE, Ordering::Release);
            }
            _ => {}
        }
    }

    fn state(&self) -> u64 {
        self.process.window.get(header::PICTURE_STATE)
    }

    /// Stops all threads but the one that waits, and lets that one make the child. Returns what
    /// the registers of the others held; nothing where they could not be stopped, and ran on.
    fn copy_while_others_stand(&self) -> Vec<Registers> {
        let window = &self.process.window;
        let Some(pid) = self.process.pid() else {
            return Vec::new();
        };
        let taker = window.get(header::PICTURE_TID) as u32;
        let copied = thread_called(pid, taker).map(|tid| {
            stop::while_others_stand(pid, tid, || self.let_copy(pid, header::PICTURE_STANDS))
        });
        match copied {
            Some(Ok(registers)) => registers,
            _ => {
                self.let_copy(pid, header::PICTURE_RUN_ON);
                Vec::new()
            }
        }
    }

    /// Tells the thread that waits how the others are, and waits until it has made the child.
    fn let_copy(&self, pid: u32, others: u64) {
        let state = self.process.window.word(header::PICTURE_STATE);
        let is_let = state.compare_exchange(
            header::PICTURE_WAITS,
            others,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        let deadline = Instant::now() + LONGEST_COPY;
        let is_busy = || [others, header::PICTURE_READY].contains(&self.state());
        let is_there = || Path::new(&format!("/proc/{pid}/stat")).exists();
        while is_let.is_ok() && is_busy() && is_there() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
    }

    /// Reads the picture in a thread of its own: other programs may wait for theirs.
    fn read(&mut self, search: &Search) {
        let (search, threads) = (search.clone(), std::mem::take(&mut self.others));
        let arena = self.process.arena.clone();
        let pid = self.process.pid();
        let read = std::thread::Builder::new()
            .name("picture".to_string())
            .spawn(move || read(&arena, pid, &threads, &search));
        self.reader = read.ok();
        if self.reader.is_none() {
            self.process
                .window
                .word(header::PICTURE_STATE)
                .store(header::PICTURE_OVER, Ordering::Release);
        }
    }
}

fn read(arena: &Path, pid: Option<u32>, threads: &[Registers], search: &Search) {
    let Some(process) = Process::open(arena) else {
        return;
    };
    let started = Instant::now();
    let child = process.window.get(header::PICTURE_PID) as u32;
    let child = users::writer(arena, child).filter(|&child| Some(child) != pid);
    let moment = answer::moment(&process.window);
    let mut read_ns = 0;
    let number = process.window.get(header::PICTURES);
    // Of this picture alone: a later one may have been taken by then.
    let is_over = || {
        let state = process.window.word(header::PICTURE_STATE);
        if process.window.get(header::PICTURES) == number {
            let _ = state.compare_exchange(
                header::PICTURE_TAKEN,
                header::PICTURE_OVER,
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
        }
    };
    let is_read = || {
        read_ns = started.elapsed().as_nanos() as u64;
        is_over();
    };
    let picture = match child {
        Some(child) => {
            // Should memory run out, the picture goes first.
            let _ = fs::write(format!("/proc/{child}/oom_score_adj"), "1000");
            answer::read(arena, child, threads, &process.window, search, is_read)
        }
        None => Err(anyhow::anyhow!("the copy of the process cannot be found")),
    };
    let picture = picture.unwrap_or_else(|error| {
        is_over();
        Picture {
            trouble: format!("{error:#}"),
            ..moment
        }
    });
    // The program writes it when it goes on, which may be after the child was there.
    let took_ns = process.window.get(header::PICTURE_TOOK_NS);
    let picture = Picture {
        took_ns,
        read_ns,
        ..picture
    };
    let _ = pictures::write(arena, picture);
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
