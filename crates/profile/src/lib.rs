//! The `.residue` file. [`model`] is what a finished recording says; the codec
//! writes it to disk and reads it back, whole or in part.
//!
//! ```text
//!   write_to ── encode ──► layout ──► file
//!
//!   read, read_lossy,  ── scan ──► decode ──► recover ──► check ──► multiplied
//!   read_needed           which     each       fill in     no id may  little may
//!                         sections  section's  for lost    point out  not become
//!                         are whole table      sections    of its     too much
//!                                                          table
//! ```
//!
//! There is one reader. It always reads all it can and lists what it could
//! not; [`read`] is the caller that takes nothing less than an empty list.
#![forbid(unsafe_code)]

mod changes;
mod check;
mod check_timeline;
mod codes;
mod columns;
mod counter;
mod counters;
mod decode;
mod decode_timeline;
mod encode;
mod encode_timeline;
mod error;
mod event_cost;
mod file;
pub mod harmless;
pub mod holders;
mod jobs;
mod layout;
mod measured;
mod merge;
pub mod model;
mod multiplied;
mod needs;
mod parts;
pub mod path_text;
pub mod pins;
mod places;
mod processes;
mod recover;
mod scan;
pub mod span;
mod threads;
pub mod timeline;
pub mod units;
mod unpack;

pub use counter::{Counter, MemoryKind};
pub use decode::{decode, decode_lossy, decode_needed};
pub use encode::{encode, encode_into};
pub use error::{Damage, Error, Reason};
pub use event_cost::EventCost;
pub use file::{read, read_lossy, read_needed, write_to};
pub use layout::{MAGIC, Tag, VERSION};
pub use measured::Measured;
pub use merge::Merge;
pub use model::*;
pub use needs::Needs;
pub use processes::{ListedProcess, processes_in, read_all, read_process, write_processes};
pub use span::{Part, Point, Span, SpanError};
pub use timeline::Timeline;
