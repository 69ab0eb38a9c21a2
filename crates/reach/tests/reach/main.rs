//! Questions about memories made up for them, with known answers.

mod chains;
mod dominators;
mod marks;
mod picture;
mod shapes;
