//! Who keeps pages of the heap resident, as every surface shows it: what a picture of the process
//! said of them.

mod advice;
pub mod document;
mod words;

pub use document::{Document, Limits, document};
pub use words::of_growth;
