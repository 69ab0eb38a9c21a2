//! Answers on paper: what is shown is decided elsewhere, how it looks is decided here.

pub mod amount;
pub mod check;
pub mod csv;
pub mod diff;
pub mod dump;
pub mod holders;
pub mod junit;
pub mod leaks;
pub mod list;
pub mod output;
pub mod pager;
pub mod paths;
pub mod pins;
pub mod report;
pub mod slow;
pub mod stages;
pub mod terminal;
pub mod words;
