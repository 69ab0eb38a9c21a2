//! What tests are made of. Nothing here is part of the product.
#![forbid(unsafe_code)]

pub mod builder;
pub mod counters;
pub mod files;
pub mod hostile;
pub mod long_names;
pub mod random;
pub mod sample;
pub mod synthetic;
