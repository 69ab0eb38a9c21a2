//! What `residue selftest` is made of: recordings of a program that knows what it
//! did, and checks that compare.

pub mod calls;
pub mod check;
pub mod costs;
pub mod event_function;
pub mod leak;
pub mod recorded;
pub mod stacks;
pub mod target;
