//! What of a process is resident, by kind.
//!
//! ```text
//!   /proc/PID/smaps --chunks--> Smaps::feed --+-- Vma --> classify --> Kind
//!                                             +-- Rss, Pss ----------> Sums
//!   /proc/PID/statm ----------> Statm::parse
//! ```
//!
//! It reads no file itself, so that it can be used inside somebody else's process
//! with raw system calls as well as from outside. It allocates nothing, and there
//! is nothing in it that can panic.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

#[cfg(test)]
extern crate std;

mod kind;
mod number;
mod smaps;
mod sorting;
mod statm;
mod vma;

pub use kind::{ResidentKind, Sums, default_kind};
pub use number::{decimal, hexadecimal};
pub use smaps::Smaps;
pub use sorting::Sorting;
pub use statm::Statm;
pub use vma::{Name, Vma};
