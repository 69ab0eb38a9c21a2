//! Questions about memories made up for them, with known answers.

mod chains;
mod dominators;
mod hostile;
mod large;
mod marks;
mod naive;
mod picture;
mod shapes;
