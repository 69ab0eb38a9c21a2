//! `residue stages`: between which stamps memory grows.

use anyhow::bail;
use clap::ValueEnum;
use residue_analysis::history::EventRange;
use residue_analysis::stages::Value;
use residue_profile::Timeline;
use residue_query::stages::{analyse, reason};

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::text::output;
use crate::text::stages as text;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue stages job.residue\n  \
    residue stages SEvt__EndOfRun_SProf.txt --rows 10\n  \
    residue stages job.residue --value time\n  \
    residue stages job.residue --json | jq '.stages.intervals[] | {from, to, mean}'")]
pub struct Args {
    /// Profile to read, or a file that `residue import` reads; FILE@51..end for some events only
    pub file: Address,
    /// What is compared; the first of rss, vm, live that the stamps have if not given
    #[arg(long, value_enum)]
    pub value: Option<Choice>,
    /// Events to show at the start and at the end
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub rows: usize,
    /// Write one JSON document, with all events
    #[arg(long)]
    pub json: bool,
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
    let mut profile = load_or_import(&args.file.path, args.reading)?;
    let range = args.file.events(&profile.timeline)?;
    keep_events(&mut profile.timeline, range);
    let unit = profile.timeline.about.source.unit();
    let stages = match analyse(&profile.timeline, args.value.map(Choice::value)) {
        Ok(stages) => stages,
        Err(missing) => bail!("{}: {}", args.file.path.display(), reason(missing)),
    };
    output::to_stdout(|out| {
        if args.json {
            return Ok(text::json::write(&stages, unit, out)?);
        }
        Ok(text::write(&stages, unit, args.rows, out)?)
    })
}

/// Leaves only what belongs to these events.
fn keep_events(timeline: &mut Timeline, range: EventRange) {
    if range == EventRange::ALL {
        return;
    }
    let events = range.from..=range.to;
    timeline
        .stamps
        .retain(|stamp| events.contains(&stamp.event));
    timeline
        .moments
        .retain(|moment| events.contains(&moment.event));
}
