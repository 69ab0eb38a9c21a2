//! The preloaded library: everything that runs inside somebody else's process.
//!
//! ```text
//!   interpose ──► recorder ──► unwind ──► trie ──► ledger ──► arena
//!   (stubs,       (one call,   (a stack)  (a stack (counters,
//!    real call)    guarded)                id)      live table)
//! ```
//!
//! The laws: nothing here panics, prints, allocates from the program's heap,
//! touches `errno`, or makes a system call on the path of an ordinary
//! allocation. What cannot be recorded is counted.
// Tests, and builds that unwind when they panic, need the standard library; what is preloaded does not.
#![cfg_attr(all(not(test), panic = "abort"), no_std)]
#![cfg_attr(not(feature = "interpose"), allow(dead_code))]

mod abandoned;
mod account;
mod arena_map;
mod changes;
mod config;
mod confined;
mod counts;
mod cpu;
mod detour;
mod dynamic;
mod functions;
mod hot;
mod inject;
#[cfg(feature = "interpose")]
mod interpose;
mod jit_symbols;
mod ledger;
mod linked;
mod live;
mod loss;
mod mappings;
mod marks;
mod module_file;
mod modules;
mod moments;
mod names;
mod own_proc;
mod pausing;
mod peak;
mod picture;
mod private;
mod program_file;
mod ranges;
mod recorder;
mod returned;
mod setup;
mod snapshots;
mod spin;
mod streams;
mod sys;
mod thread;
mod thread_key;
mod thread_names;
mod tls;
mod trie;
mod unrecorded;
mod unwind;

/// The preloaded library has no standard library to bring a panic handler. No
/// code path leads here; if one did, stopping is the only honest thing left.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::abort()
}

// The precompiled core library names this in its unwind tables. Nothing unwinds
// through the recorder, and the symbol must not be seen by programs in Rust.
#[cfg(all(not(test), panic = "abort"))]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
