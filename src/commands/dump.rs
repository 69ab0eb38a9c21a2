//! `residue dump`: everything in a profile.

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::at;
use residue_text::dump::{self, proc_maps};
use residue_text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue dump job.residue | less
  residue dump job.residue --json | jq .recorder
  residue dump job.residue --events 100..200           # only these events
  residue dump job.residue --maps half > half.txt"
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
    /// Only the timeline rows of these events, as in FILE@A..B: `51..end`, `id:7..id:9`
    #[arg(long, value_name = "A..B", conflicts_with = "maps")]
    pub events: Option<String>,
    /// Print only /proc/PID/maps, smaps and numa_maps of this snapshot
    #[arg(
        long,
        value_name = "SNAPSHOT",
        alias = "papers",
        conflicts_with = "json"
    )]
    pub maps: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = at(&args.file)?.profile;
    let chosen = Address {
        part: None,
        ..args.file.clone()
    };
    let events = chosen
        .narrowed(args.events.as_deref())?
        .events(&profile.timeline)?;
    if let Some(name) = &args.maps {
        let snapshots = proc_maps::find(&profile.timeline, name)?;
        return output::to_stdout(|out| Ok(proc_maps::write(&snapshots, out)?));
    }
    output::to_stdout(|out| {
        if args.json {
            Ok(residue_query::dump::write_json(&profile, events, out)?)
        } else {
            Ok(dump::write(&profile, events, out)?)
        }
    })
}
