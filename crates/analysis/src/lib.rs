//! Pure functions from a profile to what it means: growth, shapes, stages, accounts, verdicts.

pub mod account;
mod bytes_text;
pub mod churn;
pub mod counters;
pub mod follow;
pub mod groups;
pub mod growth;
pub mod history;
pub mod judged;
pub mod merge;
pub mod series;
pub mod shape;
pub mod stages;
pub mod verdict;

pub use bytes_text::bytes_text;
