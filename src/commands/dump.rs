//! `residue dump`: everything in a profile.

use std::path::PathBuf;

use crate::text::{dump_json, dump_papers, dump_text, input, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue dump job.residue | less\n  \
    residue dump job.residue --json | jq .recorder\n  \
    residue dump job.residue --papers half > half.txt")]
pub struct Args {
    /// Profile to read
    pub file: PathBuf,
    /// Write one JSON document
    #[arg(long)]
    pub json: bool,
    /// Write what the kernel said at the snapshot of this name, and nothing else: maps, smaps and
    /// numa_maps
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "json")]
    pub papers: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = input::load(&args.file)?;
    if let Some(name) = &args.papers {
        let snapshots = dump_papers::find(&profile.timeline, name)?;
        return output::to_stdout(|out| Ok(dump_papers::write(&snapshots, out)?));
    }
    output::to_stdout(|out| {
        if args.json {
            Ok(dump_json::write(&profile, out)?)
        } else {
            Ok(dump_text::write(&profile, out)?)
        }
    })
}
