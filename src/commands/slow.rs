//! `residue slow`: the verdict of time.

use anyhow::bail;
use residue_analysis::sentences::time::of_missing;
use residue_analysis::time::verdict;
use residue_query::slow::{Limits, document};

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::events::EventFlags;
use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use crate::flags::words;
use residue_text::terminal::{Color, Page};
use residue_text::{output, slow};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue slow job.residue
  residue slow job.residue@51..end                   # from event 51 on
  residue slow job.residue --json | jq .slow",
    after_long_help = "\
Verdicts:
  SLOWS DOWN    every event takes longer than the one before
  SPEEDS UP     every event takes less
  STEADY        with the smallest slowdown that this run could detect
  UNDETERMINED  with about how many events are needed

Slow events are those above the bulk, after counters (residue_count) have explained large ones. What \
they do that others do not is named only where chance is below 1 in 1000: functions (with `residue \
run --cpu`), stages, allocations, waiting.

docs/TIME.md explains the output, docs/schemas/slow.schema.json the JSON document."
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    pub file: Address,
    #[command(flatten)]
    pub events: EventFlags,
    /// Print JSON (docs/schemas/slow.schema.json)
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

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = load_or_import(&args.file, args.reading)?;
    let range = args.events.range(&args.file, &profile.timeline)?;
    let verdict = match verdict(&profile, range) {
        Ok(verdict) => verdict,
        Err(missing) => bail!("{}: {}", args.file.path.display(), of_missing(&missing)),
    };
    let names = args.naming.names()?;
    let document = document(&profile, &verdict, &names, Limits::NONE);
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        let page = Page::of_stdout(args.color, args.naming.full_names);
        for line in slow::lines(&page, &document) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}
