//! What the page is made of. The page asks, and what it shows is worked out here.
//!
//! ```text
//!   file, running program ──► Opened: profile, groups, trees, each made once
//!                                │
//!   NAME?parameters ──► Question ──► answers/NAME ──► JSON of bounded size
//! ```

pub mod answers;
pub mod boxes;
pub mod compared;
pub mod file_data;
pub mod file_rows;
pub mod flame_tree;
pub mod joined;
pub mod key;
pub mod open_profiles;
pub mod opened;
pub mod question;
pub mod recent;
pub mod selection;
pub mod tree;
#[cfg(feature = "typescript")]
pub mod typescript;
pub mod values;
