//! `residue leaks`: the verdict.

use anyhow::{Context, Result};
use residue_analysis::history::EventRange;
use residue_analysis::verdict::{Verdict, verdict};
use residue_profile::Profile;
use residue_query::leaks::{Limits, document};
use residue_query::no_events::NoVerdict;

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::naming::Naming;
use crate::text::leaks::{Length, lines};
use crate::text::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue leaks job.residue\n  \
    residue leaks job.residue@51..end\n  \
    residue leaks job.residue --from 51 --to 1000 --json | jq .verdict\n  \
    residue leaks SEvt__EndOfRun_SProf.txt")]
pub struct Args {
    /// Profile to read, or a file that `residue import` reads; FILE@51..end for some events only
    pub file: Address,
    /// First event to look at
    #[arg(long, value_name = "EVENT")]
    pub from: Option<u32>,
    /// Last event to look at
    #[arg(long, value_name = "EVENT")]
    pub to: Option<u32>,
    /// Stacks to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub top: usize,
    /// Write one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let profile = load_or_import(&args.file, args.reading)?;
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
    verdict(profile, range).with_context(|| {
        let reason = NoVerdict::of(profile, range);
        format!("{}: {reason}", address.path.display())
    })
}
