//! The page of a recording: the server that answers it, the gate before it, and the page
//! with its data in one file.
//!
//! ```text
//!   browser ──► gate: host, origin, token, method ──► server ──► residue_query::page
//!                                                       │
//!   running program ── live: read again while somebody looks
//! ```
#![forbid(unsafe_code)]

mod assets;
pub mod browser;
mod gate;
pub mod live;
pub mod page_file;
pub mod server;
pub mod source_files;
mod token;
