//! The verdict as every surface shows it.

pub mod document;
pub mod headline;
pub mod shown_path;
pub mod words;

pub use document::{Limits, document, name_of};
pub use headline::{HeadlineText, headline};
pub use shown_path::{ShownPath, own_function, place, shown_path, shown_path_of_stack};
