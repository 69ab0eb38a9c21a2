//! From addresses to source places, by the debug information that compilers leave.
//!
//! ```text
//!   sections ──► units ──► per unit: lines (address to file and line)
//!   (bytes)     (ranges)            calls (address to functions inlined there)
//!                                   names (of those functions)
//!
//!   sections ──► locations ──► per unit: variable_entries (address to variable)
//!   (bytes)      (mentions)              types, members   (offset to member)
//! ```
//!
//! Debug information may have gigabytes, so nothing of it is kept: each unit is read
//! when its addresses are asked for, on any thread, and forgotten when they are
//! answered. A damaged part costs what it described, and nothing else.

mod alternate;
mod calls;
mod entries;
mod files;
mod language;
mod lines;
mod locations;
mod members;
mod names;
mod references;
mod scopes;
mod sections;
mod split;
mod type_units;
mod types;
mod unit;
mod units;
mod variable_entries;
mod variables;

pub(crate) use alternate::alternate_link;
pub(crate) use locations::Wanted;
pub(crate) use sections::Sections;
pub(crate) use unit::resolve_unit;
pub(crate) use units::{DebugInfo, UnitId};
pub(crate) use variables::{Described, Mentions, Questions, VariableInfo};
