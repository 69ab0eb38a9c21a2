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
pub mod builds;
pub mod comparison;
pub mod counter;
pub mod csv;
pub mod diff_head;
pub mod diff_json;
pub mod diff_numbers;
pub mod diff_table;
pub mod diff_text;
pub mod dump_json;
pub mod dump_papers;
pub mod dump_stacks;
pub mod dump_text;
pub mod dump_timeline;
pub mod dump_timeline_json;
pub mod function_names;
pub mod ignore;
pub mod input;
pub mod leaks_json;
pub mod leaks_text;
pub mod list_lines;
pub mod list_text;
pub mod moment_view;
pub mod moments;
pub mod names;
pub mod naming;
pub mod output;
pub mod pager;
pub mod paths;
pub mod reading;
pub mod report_advice;
pub mod report_callers;
pub mod report_callers_text;
pub mod report_csv;
pub mod report_flat;
pub mod report_grid;
pub mod report_groups;
pub mod report_json;
pub mod report_source;
pub mod report_stacks;
pub mod report_text;
pub mod report_tree;
pub mod report_view;
pub mod select;
pub mod source_files;
pub mod sparkline;
pub mod stages_json;
pub mod stages_table;
pub mod stages_text;
pub mod summary;
pub mod terminal;
pub mod thread_view;
pub mod units;
pub mod words;

#[cfg(test)]
pub mod sample;
