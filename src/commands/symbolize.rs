//! `residue symbolize`: name the functions of a profile, later or again.

use crate::flags::directory;
use crate::flags::help::TEMPLATE;
use anyhow::Result;
use residue_finish::{Step, Symbolized, symbolize};
use residue_profile::{ListedProcess, Profile, units};
use residue_recording::finishing::LateBar;
use residue_symbols::{Cache, Search};
use residue_text::output;
use std::path::{Path, PathBuf};

const SYMBOLS: &str = "Symbols";

/// Where names of functions come from.
#[derive(clap::Args, Default)]
pub struct SymbolArgs {
    /// Root directory of the machine that the program ran on
    ///
    /// The program, its libraries and /usr/lib/debug are looked for below it.
    #[arg(long, value_name = "DIR", value_parser = directory::existing(), help_heading = SYMBOLS)]
    sysroot: Option<PathBuf>,
    /// Search DIR for binaries and debug files by build-id
    ///
    /// May be given several times.
    #[arg(long, value_name = "DIR", value_parser = directory::existing(), help_heading = SYMBOLS)]
    symbols: Vec<PathBuf>,
    /// Neither read nor write the cache of function names
    #[arg(long, help_heading = SYMBOLS)]
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
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue symbolize job.residue                       # with new debug files
  residue symbolize job.residue --symbols build/      # with a build tree
  residue symbolize job.residue --sysroot /mnt/node   # of another machine
  residue symbolize job.residue -o named.residue",
    after_long_help = "\
Function names come from symbol tables, lines and inlined functions from DWARF 3 to 5: in the file \
itself, in separate debug files (by build-id or .gnu_debuglink), in .dwo, .dwp and dwz files. A file \
with another build-id is never used. Names that are not found again are kept. Frames without a name \
are shown as libfoo.so+0x12f0 and counted.

Names are cached by build-id in $RESIDUE_CACHE_DIR, $XDG_CACHE_HOME/residue or ~/.cache/residue, up \
to 512 MiB; not where another user may change that directory."
)]
pub struct Args {
    /// Profile to read and to replace
    file: PathBuf,
    /// Write here and leave FILE unchanged
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Print JSON (docs/schemas/symbolize.schema.json)
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    // A damaged file is not written over: what is left of it may be all there is.
    let mut profiles = residue_profile::read_all(&args.file)?;
    let search = args.symbols.search();
    let mut found = Symbolized::default();
    {
        let bar = LateBar::start();
        for profile in &mut profiles {
            let of_process = symbolize(profile, &search, &|done, of| {
                bar.show(Step::Symbols, done, of);
            });
            found.modules.extend(of_process.modules);
        }
    }
    write(args.output.as_ref().unwrap_or(&args.file), &profiles)?;
    let unresolved = profiles
        .iter()
        .map(|it| it.recorder.frames_unresolved)
        .sum();
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &found.report(unresolved))?;
            return Ok(writeln!(out)?);
        }
        for line in lines(&found, unresolved) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// One profile as it is, several as a file of processes.
fn write(path: &Path, profiles: &[Profile]) -> Result<()> {
    if let [profile] = profiles {
        return Ok(residue_profile::write_to(path, profile)?);
    }
    let beside = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = tempfile::tempdir_in(beside.unwrap_or(Path::new(".")))?;
    let mut files = Vec::new();
    for (place, profile) in profiles.iter().enumerate() {
        let file = folder.path().join(place.to_string());
        residue_profile::write_to(&file, profile)?;
        files.push((ListedProcess::of(profile), file));
    }
    Ok(residue_profile::write_processes(path, &files)?)
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
