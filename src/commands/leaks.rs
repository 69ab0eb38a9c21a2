//! `residue leaks`: the verdict.

use anyhow::{Context, Result};
use residue_analysis::history::EventRange;
use residue_analysis::verdict::{Verdict, verdict};
use residue_profile::Profile;
use residue_query::leaks::words::NoVerdict;
use residue_query::leaks::{Limits, document};

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use crate::text::leaks::{Length, lines};
use crate::text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue leaks job.residue
  residue leaks job.residue@51..end                  # from event 51 on
  residue leaks job.residue --json | jq .verdict
  residue leaks SEvt__EndOfRun_SProf.txt             # stamps of another tool",
    after_long_help = "\
Verdicts:
  LEAK           every event leaves memory behind that is never freed
  FREED AT EXIT  the same, but the program frees it after the last event
  FRAGMENTATION  the resident size grows, the live heap does not
  GROWS          the resident size grows for another reason, or the heap was not recorded
  NO GROWTH      with the smallest growth that this run could detect
  UNDETERMINED   with about how many events are needed

docs/VERDICT.md explains the output, docs/schemas/leaks.schema.json the JSON document."
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    pub file: Address,
    /// First event to judge
    #[arg(long, value_name = "EVENT")]
    pub from: Option<u32>,
    /// Last event to judge
    #[arg(long, value_name = "EVENT")]
    pub to: Option<u32>,
    /// Number of stacks to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub top: usize,
    /// Print JSON (docs/schemas/leaks.schema.json)
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let profile = load_or_import(&args.file.path, args.reading)?;
    let range = range(&profile, &args.file, args.from, args.to)?;
    let verdict = judge(&profile, &args.file, range)?;
    let names = args.naming.names()?;
    output::to_stdout(|out| {
        if args.json {
            let document = document(&profile, &verdict, &names, Limits::NONE);
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        let length = Length {
            stacks: args.top,
            with_rest: true,
        };
        for line in lines(&profile, &verdict, length, &names) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// The events that the address and the options choose.
pub fn range(
    profile: &Profile,
    address: &Address,
    from: Option<u32>,
    to: Option<u32>,
) -> Result<EventRange> {
    let addressed = address.events(&profile.timeline)?;
    Ok(EventRange {
        from: from.unwrap_or(addressed.from),
        to: to.unwrap_or(addressed.to),
    })
}

/// The verdict, or why there is none.
pub fn judge(profile: &Profile, address: &Address, range: EventRange) -> Result<Verdict> {
    let unit = profile.timeline.about.source.unit();
    verdict(profile, range)
        .with_context(|| format!("{}: {}", address.path.display(), NoVerdict::too_few(unit)))
}
