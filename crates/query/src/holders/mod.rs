//! Who holds what is live, as every surface shows it: what a picture of the process said.

pub mod document;
mod holds;
mod picture;
pub mod words;

pub use document::{Document, Limits, document, unit_of};
pub use picture::picture_of;
pub use words::of_stack;
