//! `residue symbolize`: name the functions of a profile, later or again.

use crate::text::output;
use anyhow::Result;
use residue_finish::{ModuleSymbols, Step, Symbolized, symbolize};
use residue_profile::units;
use residue_recording::finishing::LateBar;
use residue_symbols::{Cache, Search};
use serde::Serialize;
use std::path::PathBuf;

/// Where names of functions come from.
#[derive(clap::Args, Default)]
pub struct SymbolArgs {
    /// Look for the program, its libraries and /usr/lib/debug below DIR: the root of the machine
    /// that it ran on
    #[arg(long, value_name = "DIR")]
    sysroot: Option<PathBuf>,
    /// A tree of binaries and debug files of any machine, found by their build-ids; may be given
    /// several times
    #[arg(long, value_name = "DIR")]
    symbols: Vec<PathBuf>,
    /// Read all names anew, and do not remember them for the next time
    #[arg(long)]
    no_symbol_cache: bool,
}

impl SymbolArgs {
    pub fn search(&self) -> Search {
        Search {
            sysroot: self.sysroot.clone(),
            symbol_dirs: self.symbols.clone(),
            cache: Cache::of_user().filter(|_| !self.no_symbol_cache),
        }
    }
}

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    residue symbolize job.residue                      again, with the debug files installed since\n  \
    residue symbolize job.residue --symbols build/     with the files of a build tree\n  \
    residue symbolize job.residue --sysroot /mnt/node  with the files of another machine\n  \
    residue symbolize job.residue -o named.residue\n\n\
    A file is believed only if its build-id is that of the program recorded. Names that are\n\
    not found again are kept.")]
pub struct Args {
    /// The profile; it is replaced by the one with better names
    file: PathBuf,
    /// Leave FILE as it is, and write there
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Say what was found as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    // A damaged file is not written over: what is left of it may be all there is.
    let mut profile = residue_profile::read(&args.file)?;
    let found = {
        let bar = LateBar::start();
        symbolize(&mut profile, &args.symbols.search(), &|done, of| {
            bar.show(Step::Symbols, done, of);
        })
    };
    residue_profile::write_to(args.output.as_ref().unwrap_or(&args.file), &profile)?;
    let unresolved = profile.recorder.frames_unresolved;
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &Report::of(&found, unresolved))?;
            writeln!(out)?;
        } else {
            for line in lines(&found, unresolved) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    })
}

/// What is printed for people: sums, and every module of which something is missing.
fn lines(found: &Symbolized, unresolved: u64) -> Vec<String> {
    let frames = found.sum(|module| module.frames);
    let named = found.sum(|module| module.named);
    let with_lines = found.sum(|module| module.with_lines);
    let mut lines = vec![format!(
        "{} in {}: {} named, {} with source lines, {} without a name",
        units::counted(frames, "frame", "frames"),
        units::counted(found.modules.len() as u64, "module", "modules"),
        units::count(named),
        units::count(with_lines),
        units::count(frames - named),
    )];
    let outside = unresolved.saturating_sub(frames - named);
    if outside > 0 {
        let outside = units::counted(outside, "frame", "frames");
        lines.push(format!("{outside} outside all modules without a name"));
    }
    for module in &found.modules {
        if let Some(reason) = reason(module) {
            lines.push(format!(
                "{}: {} of {} without a name, {} without lines: {reason}",
                module.path,
                units::count(module.frames - module.named),
                units::counted(module.frames, "frame", "frames"),
                units::count(module.frames - module.with_lines),
            ));
        }
    }
    lines
}

/// Why names or lines are missing.
fn reason(module: &ModuleSymbols) -> Option<String> {
    if let Some(problem) = &module.problem {
        // It stands after the path already.
        let problem = problem.strip_prefix(&module.path).unwrap_or(problem);
        return Some(problem.trim_start_matches(": ").to_owned());
    }
    let reason = if module.named < module.frames && module.with_lines == 0 {
        "no symbol covers them, and there is no debug information"
    } else if module.named < module.frames {
        "no symbol covers them"
    } else if module.with_lines == 0 {
        "there is no debug information"
    } else if module.with_lines < module.frames {
        "the debug information does not cover them"
    } else {
        return None;
    };
    Some(reason.to_owned())
}

/// The same for programs.
#[derive(Serialize)]
struct Report<'a> {
    frames: u64,
    named: u64,
    with_lines: u64,
    /// Also counts frames outside modules.
    unresolved: u64,
    from_cache: u64,
    modules: Vec<ModuleReport<'a>>,
}

#[derive(Serialize)]
struct ModuleReport<'a> {
    path: &'a str,
    frames: u64,
    named: u64,
    with_lines: u64,
    from_cache: u64,
    /// Why names or lines are missing, where some are.
    reason: Option<String>,
}

impl<'a> Report<'a> {
    fn of(found: &'a Symbolized, unresolved: u64) -> Report<'a> {
        let modules = found.modules.iter().map(|module| ModuleReport {
            path: &module.path,
            frames: module.frames,
            named: module.named,
            with_lines: module.with_lines,
            from_cache: module.from_cache,
            reason: reason(module),
        });
        Report {
            frames: found.sum(|module| module.frames),
            named: found.sum(|module| module.named),
            with_lines: found.sum(|module| module.with_lines),
            unresolved,
            from_cache: found.sum(|module| module.from_cache),
            modules: modules.collect(),
        }
    }
}
