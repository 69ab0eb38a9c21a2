//! `residue holders`: what is lost, what is held, and who holds it.

use anyhow::Result;
use residue_query::holders::{Limits, document};

use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use crate::flags::pictured::Pictured;
use crate::flags::words;
use residue_text::holders::{Length, lines};
use residue_text::output;
use residue_text::terminal::{Color, Page};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue run --holders -o job.residue -- ./simulate run.mac
  residue holders job.residue
  residue holders job.residue --json | jq '.stacks[0].chains[0].words'
  residue holders --pid 4711                          # a running program, now",
    after_long_help = "\
A picture of the program's memory was searched for pointers, from variables, stacks and registers \
on, conservatively: every word that looks like a pointer to a live block is one. Every live block \
is then

  held           a chain of pointers leads to it
  lost           nothing points to it, or only blocks of its own cycle
  held by lost   only lost blocks point to it

docs/HOLDERS.md explains the output and what is not seen, docs/schemas/holders.schema.json the \
JSON document."
)]
pub struct Args {
    #[command(flatten)]
    pub pictured: Pictured,
    /// Number of stacks to show, of those that lost and of those that hold
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Number of holders to show for each stack
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub chains: usize,
    /// Print JSON (docs/schemas/holders.schema.json)
    #[arg(long)]
    pub json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_parser = words::color(), default_value = "auto")]
    pub color: Color,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let loaded = args.pictured.load("holders")?;
    let picture = loaded.picture()?;
    let names = args.naming.names()?;
    let document = document(&loaded.profile, picture, &names, Limits::NONE);
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        let page = Page::of_stdout(args.color, args.naming.full_names);
        let length = Length {
            stacks: args.top,
            chains: args.chains,
        };
        for line in lines(&page, &document, length) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}
