//! `residue stages`: between which stamps memory grows.

use anyhow::bail;
use clap::ValueEnum;
use residue_analysis::history::EventRange;
use residue_analysis::stages::{self, Value};
use residue_query::stages::{document, reason};

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::events::EventFlags;
use crate::flags::help::TEMPLATE;
use residue_text::output;
use residue_text::stages as text;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue stages job.residue
  residue stages job.residue --value time
  residue stages SEvt__EndOfRun_SProf.txt --rows 10   # stamps of another tool
  residue stages job.residue --json | jq '.stages.intervals[]'",
    after_long_help = "\
Stamps are named moments that the program marks (residue_stamp). A program without stamps has the \
begin and end of its events. docs/EVENTS.md explains the output."
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    pub file: Address,
    /// What to compare [default: live, or rss, or vm: the first that was recorded]
    #[arg(long, value_enum, value_name = "VALUE")]
    pub value: Option<Choice>,
    /// Events to show from the start and from the end
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub rows: usize,
    /// Print JSON with all events (docs/schemas/stages.schema.json)
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub events: EventFlags,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Resident size
    Rss,
    /// Virtual size
    Vm,
    /// Exact live heap
    Live,
    /// Time
    Time,
}

impl Choice {
    fn value(self) -> Value {
        match self {
            Choice::Rss => Value::Rss,
            Choice::Vm => Value::Vm,
            Choice::Live => Value::Live,
            Choice::Time => Value::Time,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = load_or_import(&args.file, args.reading)?;
    let range = args.events.range(&args.file, &profile.timeline)?;
    let range = range.within(EventRange::recorded(&profile));
    let unit = profile.timeline.about.source.unit();
    let chosen = args.value.map(Choice::value);
    let stages = match stages::of_events(&profile.timeline, range, chosen) {
        Ok(stages) => stages,
        Err(missing) => bail!("{}: {}", args.file.path.display(), reason(&missing)),
    };
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &document(&stages, unit))?;
            return Ok(writeln!(out)?);
        }
        Ok(text::write(&stages, unit, args.rows, out)?)
    })
}
