//! `residue pins`: who keeps pages of the heap resident that are mostly empty.

use anyhow::{Result, anyhow};
use residue_query::pins::{Limits, document, pins_of};

use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use crate::flags::pictured::Pictured;
use crate::flags::words;
use residue_text::output;
use residue_text::pins::lines;
use residue_text::terminal::{Color, Page};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue run --holders -o job.residue -- ./simulate run.mac
  residue pins job.residue
  residue pins job.residue --json | jq '.stacks[0]'
  residue pins --pid 4711                             # a running program, now",
    after_long_help = "\
A page of the heap can be given back to the system when no block on it is live. This lists the \
call paths whose blocks keep pages resident, by what is free there: it is divided evenly among \
the paths that have blocks on a page, so that all paths together explain the resident heap. Pages \
that one path alone keeps would go with it.

docs/PINS.md explains the output, docs/schemas/pins.schema.json the JSON document."
)]
pub struct Args {
    #[command(flatten)]
    pub pictured: Pictured,
    /// Number of stacks to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Print JSON (docs/schemas/pins.schema.json)
    #[arg(long)]
    pub json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_parser = words::color(), default_value = "auto")]
    pub color: Color,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let loaded = args.pictured.load("pins")?;
    let picture = loaded.picture()?;
    let pins = pins_of(picture).map_err(|why| anyhow!("{}: {why}", loaded.name()))?;
    let names = args.naming.names()?;
    let document = document(&loaded.profile, picture, pins, &names, Limits::NONE);
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        let page = Page::of_stdout(args.color, args.naming.full_names);
        for line in lines(&page, &document, args.top) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}
