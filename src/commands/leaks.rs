//! `residue leaks`: the verdict.

use anyhow::{Context, Result, bail};
use residue_analysis::history::EventRange;
use residue_analysis::verdict::{Verdict, verdict};
use residue_profile::Profile;
use residue_query::leaks::{Limits, document};
use residue_query::no_events::NoVerdict;
use residue_recording::attach;

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::events::EventFlags;
use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use crate::flags::words;
use residue_text::leaks::{Length, lines_on};
use residue_text::output;
use residue_text::terminal::{Color, Page};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue leaks job.residue
  residue leaks job.residue@51..end                  # from event 51 on
  residue leaks job.residue --json | jq .verdict
  residue leaks job.residue --from id:7001           # the program's own id
  residue leaks --pid 4711                           # a running program
  residue leaks SEvt__EndOfRun_SProf.txt             # stamps of another tool",
    after_long_help = "\
Verdicts:
  LEAK           every event leaves memory behind that is never freed
  FREED AT EXIT  the same, but the program frees it after the last event
  FRAGMENTATION  the resident size grows, the live heap does not
  GROWS          the resident size grows for another reason, or the heap was not recorded
  FILLING        growth slows down and will end, with where: a cache that fills up
  GROWTH SLOWS   growth slows down, and no end is in sight
  NO GROWTH      with the smallest growth that this run could detect
  UNDETERMINED   with about how many events are needed

docs/VERDICT.md explains the output, docs/schemas/leaks.schema.json the JSON document."
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    #[arg(required_unless_present = "pid")]
    pub file: Option<Address>,
    /// Read a program that is being recorded now instead
    #[arg(long, conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    #[command(flatten)]
    pub events: EventFlags,
    /// Number of stacks to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub top: usize,
    /// Print JSON (docs/schemas/leaks.schema.json)
    #[arg(long)]
    pub json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_parser = words::color(), default_value = "auto")]
    pub color: Color,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let (address, profile) = match (args.file, args.pid) {
        (Some(file), _) => {
            let profile = load_or_import(&file, args.reading)?;
            (file, profile)
        }
        (None, Some(pid)) => {
            let process = Address::of(format!("process {pid}"));
            (process, attach::profile_of(pid)?)
        }
        (None, None) => bail!("give a FILE or --pid"),
    };
    let range = args.events.range(&address, &profile.timeline)?;
    let verdict = judge(&profile, &address, range)?;
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
        let page = Page::of_stdout(args.color, args.naming.full_names);
        for line in lines_on(&page, &profile, &verdict, length, &names) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// The verdict, or why there is none.
pub fn judge(profile: &Profile, address: &Address, range: EventRange) -> Result<Verdict> {
    verdict(profile, range).with_context(|| {
        let reason = NoVerdict::of(profile, range);
        format!("{}: {reason}", address.path.display())
    })
}
