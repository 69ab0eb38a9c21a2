//! What a program is started with.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, bail};

use crate::allocators::Allocator;
use crate::arenas::{ArenaDirectory, Order};
use crate::library::{self, Purpose};
use crate::program::{self, Obstacle};
use crate::settings::Settings;

/// What the program is started with, and where its arenas will be.
pub struct Prepared {
    pub arenas: ArenaDirectory,
    pub variables: Vec<(&'static str, OsString)>,
}

impl Prepared {
    /// Arenas below `directory`, if one is given; with an allocator of the user's choice.
    pub fn new(
        directory: Option<&Path>,
        order: &Order,
        settings: &Settings,
        allocator: Option<Allocator>,
    ) -> Result<Prepared> {
        let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
        let preloaded_libraries = preloaded
            .as_encoded_bytes()
            .split(|byte| b" :".contains(byte));
        match preloaded_libraries.into_iter().find_map(program::sanitizer) {
            Some(Obstacle::AddressSanitizer) => {
                bail!(
                    "LD_PRELOAD names AddressSanitizer's library, which must be the first of all"
                );
            }
            Some(_) => bail!("LD_PRELOAD names ThreadSanitizer's library, which allows no other"),
            None => {}
        }
        let library = library::install(Purpose {
            heap: settings.with_heap,
            cpu: settings.cpu_hz != 0,
        })?;
        let allocator = allocator.map(Allocator::find).transpose()?;
        let arenas = ArenaDirectory::create(directory, order)?;
        let mut preload = library.into_os_string();
        if let Some(allocator) = allocator {
            preload.push(":");
            preload.push(allocator);
        }
        if !preloaded.is_empty() {
            // The recorder stands first: it must see calls before any allocator does.
            preload.push(":");
            preload.push(preloaded);
        }
        let is_short = |encoded: &OsString| encoded.len() <= residue_arena::MOST_CONFIG_BYTES;
        let without_own_names = || Settings {
            own_names: String::new(),
            ..settings.clone()
        };
        let settings = Some(settings.encode(&arenas.path))
            .filter(is_short)
            .unwrap_or_else(|| without_own_names().encode(&arenas.path));
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
