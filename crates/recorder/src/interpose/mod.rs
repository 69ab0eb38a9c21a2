//! The interposed functions: they know nothing but guard, real call, record.
//!
//! [`list`] is the one list of their names. [`heap`], [`operators`], [`maps`],
//! [`loader`], [`locking`], [`exec`], [`identity`],
//! [`threads`], [`signals`] hold the functions, [`real`] finds the ones they stand before.

mod api;
mod bundled;
mod bundled_calls;
mod bundled_detours;
mod ends;
mod exec;
mod heap;
mod identity;
mod kernel;
pub mod list;
mod loader;
mod locking;
mod maps;
mod operators;
mod own_names;
mod real;
mod signals;
mod threads;
