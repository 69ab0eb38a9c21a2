//! `residue list`: the source lines of a function, and what each of them allocated.

use std::path::PathBuf;

use anyhow::{Result, bail};
use residue_profile::Needs;

use crate::flags::address::Address;
use crate::flags::arguments;
use crate::flags::directory;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::{Loaded, Reading};
use crate::flags::showing::Showing;
use crate::flags::words;
use residue_profile::Counter;
use residue_query::list::document::{Source, document};
use residue_query::list::functions;
use residue_text::list::Listing;
use residue_text::output;
use residue_view::source_files;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue list job.residue SEvt::getPhotonFrame
  residue list job.residue 'Track::*' --counter calls
  residue list job.residue '^fill_(map|array)$' --source ~/src/job --context 5
  residue list job.residue main --json | jq '.functions[0].lines'"
)]
pub struct Args {
    /// Profile to read; FILE@51..end for a part of it
    ///
    /// FILE@51 is the moment when event 51 began, FILE@NAME a snapshot, FILE@51..101 what changed
    /// between two moments.
    pub file: Address,
    /// Function name, pattern with `*` and `?`, or regular expression
    ///
    /// The name may be the shown or the full one, with or without parameters. A pattern is tried
    /// if no function has the name, a regular expression if no pattern matches.
    #[arg(value_parser = arguments::pattern)]
    pub function: String,
    /// Counters to show, separated by commas
    #[arg(
        long,
        value_name = "COUNTERS",
        value_parser = words::counter(),
        value_delimiter = ',',
        default_value = "total,live"
    )]
    pub counter: Vec<Counter>,
    /// Directory to search for source files
    ///
    /// For sources that are no longer where they were compiled. May be given several times.
    #[arg(long, value_name = "DIR", value_parser = directory::existing())]
    pub source: Vec<PathBuf>,
    /// Lines of context around those that allocate
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub context: u32,
    #[command(flatten)]
    pub reading: Reading,
    /// Print JSON (docs/schemas/list.schema.json)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    #[command(flatten)]
    pub showing: Showing,
}

pub fn run(args: Args) -> Result<()> {
    let needs = Needs {
        places: true,
        ..Needs::LEAST
    };
    let files = std::slice::from_ref(&args.file);
    let loaded = args.reading.load_all_needed(files, needs)?;
    let choice = args
        .reading
        .choice_of(&loaded, args.counter.first().copied().unwrap_or_default())?;
    expect_recorded(&args.counter, &loaded)?;
    let profile = loaded.profile;
    let functions = functions(&profile, &choice, &args.function, &args.counter)?;
    let source = |path: &str| {
        let file = source_files::find(path, &args.source)?;
        Some(Source {
            path: file.path.display().to_string(),
            is_newer: file.is_newer_than(profile.meta.started_unix_ns),
            lines: file.lines,
        })
    };
    if args.json {
        let document = document(&functions, &args.counter, source);
        return output::to_stdout(|out| {
            serde_json::to_writer(&mut *out, &document)?;
            Ok(writeln!(out)?)
        });
    }
    let listing = Listing {
        counters: &args.counter,
        functions: &functions,
        source: &source,
        context: args.context,
    };
    let page = args.showing.page(args.reading.naming.full_names);
    args.showing.show(&listing.text(&page))
}

/// Zero is a measurement, and not what stands for none.
fn expect_recorded(counters: &[Counter], loaded: &Loaded) -> Result<()> {
    let Loaded {
        profile, measured, ..
    } = loaded;
    match counters.iter().find(|&&it| !measured.has(profile, it)) {
        Some(&unknown) => {
            let why = measured.why_not(profile, unknown);
            bail!("`{}` {why}", unknown.name())
        }
        None => Ok(()),
    }
}
