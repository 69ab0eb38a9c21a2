//! Profiles in words, lines and tables.
//!
//! ```text
//!   input ──► Profile ──► select ──► summary, paths, bins ──► output
//!                                    names, units, words
//! ```
//!
//! What is shown and how it is put, for every command that prints; the commands
//! only choose.

pub mod bins;
pub mod counter;
pub mod dump_json;
pub mod dump_stacks;
pub mod dump_text;
pub mod folded;
pub mod input;
pub mod names;
pub mod output;
pub mod paths;
pub mod report_json;
pub mod select;
pub mod summary;
pub mod units;
pub mod words;

#[cfg(test)]
pub mod sample;
