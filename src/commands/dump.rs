//! `residue dump`: everything in a profile.

use crate::flags::address::Address;
use crate::flags::reading::at;
use crate::text::dump::{self, proc_maps};
use crate::text::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue dump job.residue | less\n  \
    residue dump job.residue --json | jq .recorder\n  \
    residue dump job.residue --papers half > half.txt")]
pub struct Args {
    /// Profile to read; FILE@51, FILE@51..end, FILE@NAME for a moment or what came between two
    pub file: Address,
    /// Write one JSON document
    #[arg(long)]
    pub json: bool,
    /// Write what the kernel said at the snapshot of this name, and nothing else: maps, smaps and
    /// numa_maps
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "json")]
    pub papers: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = at(&args.file)?.profile;
    if let Some(name) = &args.papers {
        let snapshots = proc_maps::find(&profile.timeline, name)?;
        return output::to_stdout(|out| Ok(proc_maps::write(&snapshots, out)?));
    }
    output::to_stdout(|out| {
        if args.json {
            Ok(residue_query::dump::write_json(&profile, out)?)
        } else {
            Ok(dump::write(&profile, out)?)
        }
    })
}
