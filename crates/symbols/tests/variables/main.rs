//! Variables of programs that are compiled here, with `readelf` as the judge of symbols.
//!
//! Needs gcc, g++, gfortran, rustc, binutils and dwz.

mod damage;
mod elsewhere;
mod languages;
mod members;
mod names;
mod programs;
mod scale;
