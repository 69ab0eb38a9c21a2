//! The verdict of time as every surface shows it.

pub mod document;
pub mod words;

pub use document::{Document, Limits, document};
pub use words::headline;
