//! One file per subcommand.

pub mod attach;
pub mod check;
pub mod dump;
pub mod export;
pub mod import;
pub mod leaks;
pub mod recover;
pub mod report;
pub mod run;
pub mod selftest;
pub mod snapshot;
pub mod stages;
