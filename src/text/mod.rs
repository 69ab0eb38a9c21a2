//! Profiles in words, lines and tables.
//!
//! ```text
//!   input ──► Profile ──► select ──► summary, paths, bins ──► output
//!                                    names, units, words
//! ```
//!
//! What is shown and how it is put, for every command that prints; the commands
//! only choose.

pub mod arguments;
pub mod bins;
pub mod counter;
pub mod dump_json;
pub mod dump_papers;
pub mod dump_stacks;
pub mod dump_text;
pub mod dump_timeline;
pub mod dump_timeline_json;
pub mod export_csv;
pub mod export_npy;
pub mod export_stamps;
pub mod folded;
pub mod ignore;
pub mod input;
pub mod leaks_json;
pub mod leaks_text;
pub mod moment_view;
pub mod moments;
pub mod names;
pub mod output;
pub mod paths;
pub mod report_json;
pub mod select;
pub mod stages_json;
pub mod stages_table;
pub mod stages_text;
pub mod summary;
pub mod units;
pub mod words;

#[cfg(test)]
pub mod sample;
