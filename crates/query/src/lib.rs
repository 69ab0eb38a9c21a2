//! One reading of a profile. Every question that a surface can ask is answered here, once,
//! as plain data that serialises; text, JSON, CSV, the page and its file only render.
//!
//! ```text
//!   Profile ── choice: kind, filters, names ──► report: tables, trees, stacks, advice
//!      │                                        list: lines of a function
//!      ├────── moment_view, thread_view         leaks: the verdict with its paths
//!      ├────── compare: two sides joined        suspects: whom to look at first, whatever it is
//!      └────── page: what is kept open ──► answers of bounded size
//! ```
//!
//! Where in a recording is the business of `residue_profile::span`; what functions are
//! called, of `residue_calltree`.
#![forbid(unsafe_code)]

pub mod advice;
pub mod builds;
pub mod check;
pub mod check_time;
pub mod choice;
pub mod compare;
pub mod dump;
pub mod function_names;
pub mod gate;
pub mod holders;
mod known_counters;
pub mod known_names;
pub mod leaks;
pub mod list;
pub mod moment_view;
pub mod no_events;
pub mod page;
pub mod paths;
pub mod pins;
pub mod processes;
pub mod report;
#[cfg(feature = "schema")]
pub mod schema;
pub mod select;
pub mod size_bins;
pub mod slow;
pub mod sources;
pub mod stages;
pub mod suspects;
pub mod table;
pub mod thread_view;
pub mod visible;
pub mod warnings;
