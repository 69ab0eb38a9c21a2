//! Pure functions from a profile to what it means: growth, shapes, stages, accounts, verdicts.

pub mod account;
pub mod churn;
pub mod follow;
pub mod growth;
pub mod series;
pub mod shape;
pub mod stages;
