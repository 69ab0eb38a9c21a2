//! What the recorder is asked to do, as it is handed over in the environment.

use std::path::Path;

#[derive(Debug, Clone)]
pub struct Settings {
    pub min_size: u64,
    pub max_size: u64,
    pub max_depth: u32,
    /// Compare one in this many stacks with libgcc's; zero: none.
    pub verify_every: u64,
    pub start_paused: bool,
    pub with_children: bool,
    /// Record only programs of this name; empty: all.
    pub program_pattern: String,
}

impl Settings {
    /// The value of the recorder's environment variable.
    pub fn encode(&self, arena_directory: &Path) -> String {
        format!(
            "min={};max={};depth={};verify={};paused={};root={};children={};match={};dir={}",
            self.min_size,
            self.max_size,
            self.max_depth,
            self.verify_every,
            u8::from(self.start_paused),
            std::process::id(),
            u8::from(self.with_children),
            self.program_pattern,
            arena_directory.display(),
        )
    }
}
