//! Pure functions from a profile to what it means: growth, shapes, stages, accounts, verdicts.

pub mod account;
pub mod churn;
pub mod counters;
mod event_range;
pub mod follow;
pub mod groups;
pub mod growth;
pub mod history;
pub mod judged;
pub mod lost;
pub mod merge;
pub mod pace;
pub mod readings;
pub mod sentences;
pub mod series;
pub mod shape;
pub mod stages;
pub mod time;
pub mod verdict;
