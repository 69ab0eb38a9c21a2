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
//!
//! A run with `--holders` looks for pictures all the time. In any other the first request of
//! `residue holders --pid` starts it (`requests.rs`).

mod answer;
mod memory;
mod pages;
mod place;
mod private;
mod ranges;
mod reading;
mod requests;
mod room;
mod roots;
mod stop;
mod table;
mod variables;

pub use requests::{OnRequest, Patience, Shown, ask};

use crate::arenas::ArenaDirectory;
use crate::repeated::Repeated;
use crate::sighting::Process;
use place::Place;
use residue_symbols::Search;
use room::Room;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A thread that waits for the others to be stopped holds its program up.
const PERIOD: Duration = Duration::from_millis(2);
/// Where no program takes pictures by itself.
const IDLE_PERIOD: Duration = Duration::from_millis(50);

/// Reads the pictures of the processes that record into a directory, from now on.
pub fn start(directory: PathBuf, search: Search) -> io::Result<Repeated> {
    start_with(directory, search, PERIOD)
}

/// `rest` is the time between two looks while there is no picture and no request.
fn start_with(directory: PathBuf, search: Search, rest: Duration) -> io::Result<Repeated> {
    let directory = ArenaDirectory::at(directory);
    let mut watched = Watched {
        search,
        places: BTreeMap::new(),
        room: Room::default(),
    };
    Repeated::start("pictures", move |_| {
        watched.find(&directory);
        let is_idle = rest > PERIOD && !watched.is_busy();
        watched.look(is_idle);
        match watched.is_busy() {
            true => PERIOD,
            false => rest,
        }
    })
}

/// The processes known so far, by arena, and where names are looked for.
struct Watched {
    places: BTreeMap<PathBuf, Place>,
    search: Search,
    room: Room,
}

impl Watched {
    fn find(&mut self, directory: &ArenaDirectory) {
        let files = directory.files();
        self.places.retain(|path, _| files.contains(path));
        for path in files {
            if let Entry::Vacant(place) = self.places.entry(path)
                && let Some(process) = Process::open(place.key())
            {
                place.insert(Place::new(process));
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.places.values().any(Place::is_busy)
    }

    fn look(&mut self, is_idle: bool) {
        let left_bytes = match is_idle {
            true => None,
            false => self.room.look(),
        };
        for place in self.places.values_mut() {
            place.look(&self.search, left_bytes);
        }
    }
}

/// What is being read is read to its end.
impl Drop for Watched {
    fn drop(&mut self) {
        for place in self.places.values_mut() {
            // One that is being read, then one that was taken meanwhile.
            place.finish_reading(&mut self.room);
            place.read_taken(&self.search);
            place.finish_reading(&mut self.room);
        }
    }
}
