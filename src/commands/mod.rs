//! One file per subcommand.

pub mod check;
pub mod completions;
pub mod diff;
pub mod dump;
pub mod export;
pub mod holders;
pub mod import;
pub mod leaks;
pub mod list;
pub mod man;
pub mod merge;
pub mod pausing;
pub mod pins;
pub mod plot;
pub mod processes;
pub mod recover;
pub mod report;
pub mod run;
pub mod selftest;
pub mod slow;
pub mod snapshot;
pub mod stages;
pub mod symbolize;
pub mod view;
