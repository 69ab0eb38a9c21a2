//! What programs link or import, run alone and with a stand-in for the recorder that
//! writes down every call (`tests/programs/stand_in.c`): C in all the ways it is linked,
//! C++ in every standard, Rust, Python and Fortran.

mod header;
mod languages;
mod linking;
mod support;
