//! What `residue run` is made of: the library it preloads, the directory the
//! arenas live in, the program it starts, the clock it keeps, the profiles it
//! finishes.

pub mod arenas;
pub mod clock;
pub mod finishing;
pub mod library;
pub mod program;
pub mod settings;
pub mod signals;
