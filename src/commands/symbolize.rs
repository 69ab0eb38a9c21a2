//! `residue symbolize`: name the functions of a profile, later or again.

use crate::flags::arguments;
use crate::text::output;
use anyhow::Result;
use residue_finish::{Step, Symbolized, symbolize};
use residue_profile::units;
use residue_recording::finishing::LateBar;
use residue_symbols::{Cache, Search};
use std::path::PathBuf;

/// Where names of functions come from.
#[derive(clap::Args, Default)]
pub struct SymbolArgs {
    /// Look for binaries and debug files below DIR, the root of the machine that the program ran on
    #[arg(long, value_name = "DIR", value_parser = arguments::directory())]
    sysroot: Option<PathBuf>,
    /// Also search DIR for binaries and debug files by build-id; may be repeated
    #[arg(long, value_name = "DIR", value_parser = arguments::directory())]
    symbols: Vec<PathBuf>,
    /// Neither use nor update the cache of symbols
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
            serde_json::to_writer_pretty(&mut *out, &found.report(unresolved))?;
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
        if let Some(reason) = module.reason() {
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
