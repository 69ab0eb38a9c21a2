//! From a call site to its full call path, without frame pointers.
//!
//! ```text
//!   capture ──► rules (cache) ──► compile ──► cfi (eh_frame) ──► modules, jit, unlisted
//!      │                              └──► from_code
//!      └──────► rule (one step: an equation per kind) ──► lazy_binding, stack_memory
//! ```

pub mod cached;
pub mod capture;
pub mod cfi;
#[cfg(test)]
mod cfi_tests;
pub mod code_ranges;
pub mod compile;
mod deep;
mod frames;
mod from_code;
pub mod jit;
mod lazy_binding;
pub mod proof;
pub mod reader;
pub mod rule;
pub mod rules;
mod segments;
pub mod stack_memory;
pub mod unlisted;
pub mod verify;
