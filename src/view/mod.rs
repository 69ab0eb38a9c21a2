//! What the page is made of. The page asks, and what it shows is worked out here.
//!
//! ```text
//!   file, running program ──► Opened: profile, groups, trees, each made once
//!                                │
//!   GET api/NAME?parameters ──► Question ──► answers/NAME ──► JSON of bounded size
//! ```
//!
//! `viewer/src/answers.ts` says what every answer holds.

pub mod answers;
pub mod assets;
pub mod boxes;
pub mod browser;
pub mod compared;
pub mod file_rows;
pub mod flame_tree;
pub mod gate;
pub mod joined;
pub mod key;
pub mod live;
pub mod opened;
pub mod page_file;
pub mod question;
pub mod range;
pub mod recent;
pub mod selection;
pub mod server;
pub mod shelf;
pub mod token;
pub mod tree;
pub mod values;
