//! The `.residue` file. [`model`] is what a finished recording says; the codec
//! writes it to disk and reads it back, whole or in part.
//!
//! ```text
//!   write_to ── encode ──► layout ──► file
//!
//!   read, read_lossy ── scan ──► decode ──► recover ──► check
//!                       which     each       fill in     no id may
//!                       sections  section's  for lost    point out of
//!                       are whole table      sections    its table
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
mod decode;
mod decode_timeline;
mod encode;
mod encode_timeline;
mod error;
mod file;
mod layout;
pub mod model;
mod parts;
mod recover;
mod scan;
pub mod timeline;

pub use decode::{decode, decode_lossy};
pub use encode::{encode, encode_into};
pub use error::{Damage, Error, Reason};
pub use file::{read, read_lossy, write_to};
pub use layout::{MAGIC, Tag, VERSION};
pub use model::*;
pub use timeline::Timeline;
