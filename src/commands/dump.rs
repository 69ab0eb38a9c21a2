//! `residue dump`: everything in a profile.

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::at;
use crate::text::dump::{self, proc_maps};
use crate::text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue dump job.residue | less
  residue dump job.residue --json | jq .recorder
  residue dump job.residue --papers half > half.txt"
)]
pub struct Args {
    /// Profile to read; FILE@51..end for a part of it
    ///
    /// FILE@51 is the moment when event 51 began, FILE@NAME a snapshot, FILE@51..101 what changed
    /// between two moments.
    pub file: Address,
    /// Print JSON (docs/schemas/dump.schema.json)
    #[arg(long)]
    pub json: bool,
    /// Print only /proc/PID/maps, smaps and numa_maps of this snapshot
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
