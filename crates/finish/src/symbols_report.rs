//! What `residue symbolize` says it found.

use serde::Serialize;

use crate::symbolize::{ModuleSymbols, Symbolized};

impl ModuleSymbols {
    /// Why names or lines are missing.
    pub fn reason(&self) -> Option<String> {
        if let Some(problem) = &self.problem {
            // It stands after the path already.
            let problem = problem.strip_prefix(&self.path).unwrap_or(problem);
            return Some(problem.trim_start_matches(": ").to_owned());
        }
        let reason = if self.named < self.frames && self.with_lines == 0 {
            "no symbol covers them, and there is no debug information"
        } else if self.named < self.frames {
            "no symbol covers them"
        } else if self.with_lines == 0 {
            "there is no debug information"
        } else if self.with_lines < self.frames {
            "the debug information does not cover them"
        } else {
            return None;
        };
        Some(reason.to_owned())
    }
}

/// What was found, for programs to read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SymbolsReport<'a> {
    format: &'static str,
    version: u32,
    /// Frames in modules.
    frames: u64,
    /// Those with a name.
    named: u64,
    /// Those with a source line.
    with_lines: u64,
    /// Also counts frames outside modules.
    unresolved: u64,
    /// Those answered from the cache.
    from_cache: u64,
    /// By module.
    modules: Vec<ModuleReport<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModuleReport<'a> {
    path: &'a str,
    frames: u64,
    named: u64,
    with_lines: u64,
    from_cache: u64,
    /// Why names or lines are missing, where some are.
    reason: Option<String>,
}

impl Symbolized {
    pub fn report(&self, unresolved: u64) -> SymbolsReport<'_> {
        let modules = self.modules.iter().map(|module| ModuleReport {
            path: &module.path,
            frames: module.frames,
            named: module.named,
            with_lines: module.with_lines,
            from_cache: module.from_cache,
            reason: module.reason(),
        });
        SymbolsReport {
            format: "residue-symbolize",
            version: 1,
            frames: self.sum(|module| module.frames),
            named: self.sum(|module| module.named),
            with_lines: self.sum(|module| module.with_lines),
            unresolved,
            from_cache: self.sum(|module| module.from_cache),
            modules: modules.collect(),
        }
    }
}
