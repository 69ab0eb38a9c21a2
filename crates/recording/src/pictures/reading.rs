//! A picture is read: in a thread of its own, while the program goes on.

use super::answer;
use super::stop::Registers;
use crate::sighting::Process;
use crate::users;
use residue_arena::header;
use residue_finish::pictures::{self, Answer};
use residue_profile::holders::Picture;
use residue_symbols::Search;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

/// The other threads of the program.
#[derive(Debug, Default)]
pub struct Others {
    /// What their registers held while they stood.
    pub registers: Vec<Registers>,
    /// They were let go before the copy was made.
    pub went_on_early: bool,
}

pub struct Reader {
    thread: JoinHandle<()>,
    is_given_up: Arc<AtomicBool>,
}

impl Reader {
    pub fn start(
        process: &Process,
        others: Others,
        request: Option<u64>,
        search: &Search,
    ) -> io::Result<Reader> {
        let is_given_up = Arc::new(AtomicBool::new(false));
        let (search, seen) = (search.clone(), Arc::clone(&is_given_up));
        let (arena, pid) = (process.arena.clone(), process.pid());
        let thread = std::thread::Builder::new()
            .name("picture".to_string())
            .spawn(move || {
                let Some(process) = Process::open(&arena) else {
                    return;
                };
                let number = process.window.get(header::PICTURES);
                let picture = read(&process, number, pid, &others, &search, &seen);
                hand_over(&process, number, request, picture);
            })?;
        Ok(Reader {
            thread,
            is_given_up,
        })
    }

    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// The copy goes: what is read from now on is nothing.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Release);
    }
}

/// Writes a picture of this number beside the arena, and answers the request for it, if there was
/// one.
pub fn hand_over(process: &Process, number: u64, request: Option<u64>, picture: Picture) {
    let mut trouble = picture.trouble.clone();
    if let Err(error) = pictures::write(&process.arena, picture) {
        trouble = format!("it could not be written: {error}");
    }
    // Without the answer the picture is there all the same, and that is what counts.
    if let Some(request) = request {
        let _ = pictures::write_answer(&process.arena, &Answer { request, trouble });
    }
    for (word, number) in [
        (header::PICTURES_WRITTEN, number),
        (header::PICTURE_ANSWERED, request.unwrap_or(0)),
    ] {
        if process.window.is_whole() {
            let word = process.window.word(word);
            word.fetch_max(number, Ordering::AcqRel);
        }
    }
}

fn read(
    process: &Process,
    number: u64,
    pid: Option<u32>,
    others: &Others,
    search: &Search,
    is_given_up: &AtomicBool,
) -> Picture {
    let (arena, window) = (&process.arena, &process.window);
    let started = Instant::now();
    let child = window.get(header::PICTURE_PID) as u32;
    let child = users::writer(arena, child).filter(|&child| Some(child) != pid);
    let moment = answer::moment(window);
    let mut read_ns = 0;
    // Of this picture alone: a later one may have been taken by then.
    let is_over = || {
        let state = window.word(header::PICTURE_STATE);
        if window.get(header::PICTURES) == number {
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
            let_die_first(child);
            answer::read(arena, child, &others.registers, window, search, is_read)
        }
        None => Err(anyhow::anyhow!("the copy of the process cannot be found")),
    };
    let picture = match is_given_up.load(Ordering::Acquire) {
        true => Err(anyhow::anyhow!("memory ran short while it was read")),
        false => picture,
    };
    let picture = picture.unwrap_or_else(|error| {
        is_over();
        Picture {
            trouble: format!("{error:#}"),
            ..moment
        }
    });
    Picture {
        // The program writes it when it goes on, which may be after the child was there.
        took_ns: window.get(header::PICTURE_TOOK_NS),
        read_ns,
        others_ran: picture.others_ran || others.went_on_early,
        ..picture
    }
}

/// Should memory run out, the picture goes first.
fn let_die_first(child: u32) {
    let score = format!("/proc/{child}/oom_score_adj");
    let _ = fs::write(Path::new(&score), "1000");
}
