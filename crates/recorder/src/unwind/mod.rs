//! From a call site to its full call path, without frame pointers.
//!
//! ```text
//!   capture ──► rules (cache) ──► compile ──► cfi (eh_frame) ──► modules, jit
//!      └──────► rule (one step: an equation per kind)
//! ```

pub mod cached;
pub mod capture;
pub mod cfi;
#[cfg(test)]
mod cfi_tests;
pub mod compile;
pub mod jit;
pub mod proof;
pub mod reader;
pub mod rule;
pub mod rules;
pub mod stack_memory;
pub mod verify;
