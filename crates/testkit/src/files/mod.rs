//! Files of other tools, written by hand, and damage to files.

pub mod damage;
pub mod numpy;
pub mod protobuf;
pub mod sprof;
