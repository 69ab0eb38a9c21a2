//! What `residue run` is made of: the library it preloads, the directory the
//! arenas live in, the program it starts, the watch it keeps, the profiles it
//! finishes.

#![forbid(unsafe_code)]

pub mod allocators;
pub mod arenas;
pub mod as_owner;
pub mod attach;
pub mod channel;
pub mod destination;
pub mod ended;
pub mod ending;
pub mod event_rows;
pub mod family;
pub mod finishing;
pub mod functions;
pub mod library;
pub mod line_moments;
pub mod lines;
pub mod output_name;
pub mod own_names;
pub mod passing;
pub mod pausing;
pub mod pictures;
pub mod prepared;
pub mod program;
pub mod repeated;
pub mod settings;
pub mod sighting;
pub mod signals;
pub mod snapshots;
pub mod threads;
pub mod triggers;
pub mod users;
pub mod watch;
