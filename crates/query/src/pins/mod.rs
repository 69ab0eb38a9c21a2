//! Who keeps pages of the heap resident, as every surface shows it: what a picture of the process
//! said of them.

mod advice;
pub mod document;
mod map;
mod words;

pub(crate) use advice::advice;
pub use document::{Document, Limits, document};
pub use words::{of_growth, of_verdict};

use residue_profile::holders::Picture;
use residue_profile::pins::Pins;

/// What a picture said of pages, or why it said nothing.
pub fn pins_of(picture: &Picture) -> Result<&Pins, String> {
    let unknown = "which pages were resident is not known: the kernel did not say it";
    picture.pins.as_ref().ok_or(unknown.to_string())
}
