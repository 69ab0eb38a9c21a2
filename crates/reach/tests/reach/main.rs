//! Questions about memories made up for them, with known answers.

mod marks;
mod picture;
