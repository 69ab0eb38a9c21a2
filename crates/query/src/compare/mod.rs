//! Two sides of a comparison: two runs, two builds, two moments of one run.

pub mod comparison;
pub mod document;
pub mod rows;

pub use comparison::{Comparison, Given, PerEvent, Request, Side, compare, compare_parts};
pub use rows::{By, Table};
