//! The page of a recording: the server that answers it, the gate before it, and the page
//! with its data in one file.
//!
//! ```text
//!   browser ──► gate: host, origin, link or cookie, method ──► server ──► residue_query::page
//!                                                       │
//!   running program ── live: read again while somebody looks
//! ```
#![forbid(unsafe_code)]

mod assets;
pub mod browser;
mod connections;
mod gate;
pub mod live;
pub mod page_file;
mod peer;
pub mod server;
pub mod source_files;
mod token;
