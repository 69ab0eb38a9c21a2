//! `residue dump`: everything in a profile.

use std::path::PathBuf;

use crate::text::{dump_json, dump_text, input, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue dump job.residue | less\n  \
    residue dump job.residue --json | jq .recorder")]
pub struct Args {
    /// Profile to read
    pub file: PathBuf,
    /// Write one JSON document
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = input::load(&args.file)?;
    output::to_stdout(|out| {
        if args.json {
            Ok(dump_json::write(&profile, out)?)
        } else {
            Ok(dump_text::write(&profile, out)?)
        }
    })
}
