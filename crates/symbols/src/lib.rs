//! From addresses in modules to function names.
//!
//! The recorder writes down raw addresses, because naming them takes time that
//! the profiled program should not pay for. This crate does the naming later,
//! in two steps that are kept apart:
//!
//! 1. [`resolve_all`] (or a [`SymbolTable`] for one file) turns addresses into
//!    *linkage names*, the exact spelling that the linker knows. They are the
//!    identity of a function, so they are what gets stored and compared.
//! 2. [`demangle`] turns a linkage name into the one a person wrote. It is only
//!    for showing, and may be changed without touching what is stored.
#![forbid(unsafe_code)]

mod cpp;
mod debug_file;
mod demangle;
mod elf;
mod error;
mod find;
mod image;
mod mini_debug;
mod pattern;
mod plt;
mod resolve;
mod table;

pub use demangle::{DemangleStyle, demangle};
pub use elf::{SymbolTable, build_id};
pub use error::Error;
pub use find::{FoundFunction, find_functions};
pub use pattern::glob;
pub use resolve::{ModuleRequest, Resolution, resolve_all};
