//! What a program is started with.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, bail};

use crate::arenas::{ArenaDirectory, Order};
use crate::library;
use crate::settings::Settings;

/// What the program is started with, and where its arenas will be.
pub struct Prepared {
    pub arenas: ArenaDirectory,
    pub variables: Vec<(&'static str, OsString)>,
}

impl Prepared {
    /// Arenas below `directory`, if one is given.
    pub fn new(directory: Option<&Path>, order: &Order, settings: &Settings) -> Result<Prepared> {
        let library = library::install()?;
        let arenas = ArenaDirectory::create(directory, order)?;
        let mut preload = library.into_os_string();
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            // The recorder stands first: it must see calls before any allocator does.
            preload.push(":");
            preload.push(others);
        }
        let settings = settings.encode(&arenas.path);
        if settings.len() > residue_arena::MOST_CONFIG_BYTES {
            arenas.remove();
            bail!("the path of the arena directory is too long");
        }
        let variables = vec![
            ("LD_PRELOAD", preload),
            (residue_arena::CONFIG_VARIABLE, settings),
        ];
        Ok(Prepared { arenas, variables })
    }
}
