//! Functions, files and lines, with binutils' `addr2line` as the judge.
//!
//! Needs g++, binutils, dwp, dwz and llvm-symbolizer.

mod agreement;
mod caching;
mod compare;
mod damage;
mod elsewhere;
mod judges;
mod ours;
mod programs;
mod scale;
