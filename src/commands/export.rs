//! `residue export`: a profile in the form that another tool reads.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::text::counter::{Counter, Kind};
use crate::text::moments::Address;
use crate::text::{export_csv, export_npy, export_stamps, folded, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue export job.residue --format folded -o job.folded\n  \
    residue export job.residue --format folded --counter at-peak | flamegraph.pl > peak.svg")]
pub struct Args {
    /// Profile to read; FILE@51, FILE@51..end, FILE@NAME for a moment or what came between two
    pub file: Address,
    /// Form to write
    #[arg(long, value_enum)]
    pub format: Format,
    /// Counter that becomes the value of each stack
    #[arg(long, value_enum, default_value_t)]
    pub counter: Counter,
    /// Which memory to write
    #[arg(long, value_enum, default_value_t)]
    pub kind: Kind,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One line a stack, root first: `main;parse;malloc 4096`
    Folded,
    /// One line a stamp: `name:microseconds,vm_KiB,rss_KiB`
    Stamps,
    /// The stamps' numbers as a NumPy array, and their names in OUT_names.txt
    Npy,
    /// One line an event: id, time, sizes, counters
    Csv,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = args.file.load()?;
    let needs_events = matches!(args.format, Format::Stamps | Format::Npy | Format::Csv);
    if needs_events && profile.timeline.stamps.is_empty() && profile.timeline.moments.is_empty() {
        anyhow::bail!("{} has no stamps and no events", args.file.path.display());
    }
    let write = |out: &mut dyn std::io::Write| match args.format {
        Format::Folded => Ok(folded::write(&profile, args.counter, args.kind, out)?),
        Format::Stamps => Ok(export_stamps::write(&profile, out)?),
        Format::Npy => Ok(export_npy::write(&profile, out)?),
        Format::Csv => Ok(export_csv::write(&profile, out)?),
    };
    match args.output.as_deref() {
        None => output::to_stdout(write),
        Some(path) if path == Path::new("-") => output::to_stdout(write),
        Some(path) => {
            output::to_file(path, &args.file.path, write)?;
            if args.format == Format::Npy {
                let names = export_npy::names_path(path);
                output::to_file(&names, &args.file.path, |out| {
                    Ok(export_npy::write_names(&profile, out)?)
                })?;
            }
            Ok(())
        }
    }
}
