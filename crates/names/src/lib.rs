//! From linkage names to names that a person reads.
//!
//! Profiles hold linkage names, the exact spelling that the linker knows. Everything
//! here happens when they are read, and may change without touching what is stored.
#![forbid(unsafe_code)]

mod columns;
mod cpp;
mod demangle;
mod fit;
mod glob;
mod rules;
mod shorten;
mod tokens;

pub use columns::{columns, cut_end, cut_middle};
pub use demangle::{DemangleStyle, demangle};
pub use glob::glob;
pub use rules::{Action, FrameName, NameStyle, RuleError, Rules, Shown};
