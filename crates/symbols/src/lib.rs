//! From addresses in modules to functions and variables, source files and lines.
//!
//! The recorder writes down raw addresses, because naming them takes time that
//! the profiled program should not pay for. This crate does the naming later:
//! [`resolve_all`] (or a [`SymbolTable`] for one file) turns addresses into
//! *linkage names*, the exact spelling that the linker knows. They are the
//! identity of a function, so they are what gets stored and compared. Where there
//! is debug information, each address also gets its *places*: the functions that
//! were inlined there, with their source files and lines.
//!
//! Words of a module's data have names too: [`resolve_variables`] tells which variable an
//! address of data is in, where that is declared, and which member is there.
//!
//! ```text
//!   search, directory, debug_file ──► module ──► table (symbols) ──► resolve ──► cache
//!   (which files)                    (files)     dwarf (places)     (answers)
//!                                       └─────────────────────────► variables
//! ```
#![deny(unsafe_code)]

mod answer;
mod cache;
mod cache_entry;
mod debug_file;
mod directory;
mod dwarf;
mod elf;
mod error;
mod find;
mod image;
mod mapping;
mod mini_debug;
mod module;
mod named;
mod out_of_reach;
mod parallel;
mod pattern;
mod plt;
mod resolve;
mod resolve_module;
mod search;
mod table;
mod variables;
mod witness;

pub use answer::{NONE, ResolvedPlace};
pub use cache::Cache;
pub use elf::{SymbolTable, build_id};
pub use error::Error;
pub use find::{FoundFunction, find_functions, fits};
pub use named::{NamedFunction, find_named};
pub use out_of_reach::is_out_of_reach;
pub use resolve::{ModuleAnswer, ModuleRequest, Resolution, resolve_all};
pub use search::Search;
pub use variables::{DataAddress, Variable, VariablesRequest, resolve_variables};
