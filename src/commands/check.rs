//! `residue check`: a gate for continuous integration.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use residue_analysis::time;
use residue_profile::Profile;
use residue_query::check::{self, CheckDocument, CheckEntry, IgnoreList};
use residue_query::check_time::{self, TimeLimit};
use residue_query::gate::Decision;

use crate::commands::import::{Reading, load_or_import};
use crate::commands::leaks;
use crate::flags::address::Address;
use crate::flags::arguments;
use crate::flags::events::EventFlags;
use crate::flags::help::TEMPLATE;
use crate::flags::ignore::IgnoreRules;
use residue_text::check::check_lines;
use residue_text::{junit, output};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue check job.residue --max-growth 1KiB/event
  residue check job.residue --max-growth 0 --max-rss 2GiB --ignore known.txt
  residue check job.residue --max-time-growth 5% --max-cpu 3ms/event
  residue check job.residue --junit residue.xml
  residue check job.residue --json | jq .decision",
    after_help = "\
Exit status: 0 within the limits, 1 above a limit, 2 on errors, 3 if the run cannot tell.",
    after_long_help = "\
Exit status:
  0  within the limits: the whole 95 % interval is
  1  above a limit: the whole interval is; the stacks responsible are printed
  2  on errors
  3  the run cannot tell: too few events, too much noise, or the limit is inside the interval

Growth that slows down and will end (FILLING) is within every limit of growth; --max-rss limits what it \
ends at. Growth that slows down without an end in sight is compared by its rate at the end of the run.

The file of --ignore has one pattern per line, matched against function names without parameters; `*` \
and `?` are wildcards, `#` begins a comment. A stack is ignored if any of its functions matches.

docs/CI.md has recipes for CTest, pytest, GitHub Actions, GitLab and batch systems."
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    pub file: Address,
    /// Maximum growth per event [default: 0 if no limit is given]
    #[arg(long, value_name = "SIZE/event", value_parser = arguments::rate)]
    pub max_growth: Option<u64>,
    /// Maximum resident memory, without the recorder's
    #[arg(long, value_name = "SIZE", value_parser = arguments::size)]
    pub max_rss: Option<u64>,
    /// Maximum slowdown: how much longer each event may take than the one before, or a percentage over
    /// the run
    ///
    /// Of CPU time, or of wall time where that alone is known or alone goes up; `residue slow` shows both.
    #[arg(long, value_name = "TIME/event|N%", value_parser = arguments::time_growth)]
    pub max_time_growth: Option<TimeLimit>,
    /// Maximum mean CPU time per event, of the thread that marks it
    #[arg(long, value_name = "TIME/event", value_parser = arguments::time_per_event)]
    pub max_cpu: Option<f64>,
    /// File of functions whose stacks are ignored
    #[arg(long, value_name = "FILE")]
    pub ignore: Option<PathBuf>,
    /// Write one JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// Also write the result as JUnit XML to this file; `-` for standard output instead of text
    #[arg(long, value_name = "OUT")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub events: EventFlags,
    #[command(flatten)]
    pub reading: Reading,
}

const EXIT_ABOVE: u8 = 1;
const EXIT_CANNOT_TELL: u8 = 3;
const STDOUT: &str = "-";

pub fn run(args: Args) -> Result<ExitCode> {
    if args.json && args.junit.as_deref() == Some(Path::new(STDOUT)) {
        anyhow::bail!("--json and --junit - both write to standard output; give --junit a file");
    }
    let rules = match &args.ignore {
        Some(path) => IgnoreRules::read(path)?,
        None => IgnoreRules::default(),
    };
    let profile = load_or_import(&args.file, args.reading)?;
    let checks = checks(&args, &profile, &rules)?;
    let document = CheckDocument::new(args.file.to_string(), &profile, checks);
    tell(&args, &document)?;
    Ok(ExitCode::from(match document.decision {
        Decision::Within => 0,
        Decision::Above => EXIT_ABOVE,
        Decision::CannotTell => EXIT_CANNOT_TELL,
    }))
}

fn checks<'a>(
    args: &Args,
    profile: &'a Profile,
    rules: &IgnoreRules,
) -> Result<Vec<CheckEntry<'a>>> {
    let mut checks = Vec::new();
    checks.extend(args.max_rss.map(|limit| check::resident(profile, limit)));
    let range = args.events.range(&args.file, &profile.timeline)?;
    let has_time_limit = args.max_time_growth.is_some() || args.max_cpu.is_some();
    if has_time_limit {
        let judged = time::verdict(profile, range);
        let growth = args.max_time_growth;
        checks.extend(growth.map(|limit| check_time::time_growth(judged.as_ref(), limit)));
        let cpu = args.max_cpu;
        checks.extend(cpu.map(|limit_ns| check_time::cpu(judged.as_ref(), limit_ns)));
    }
    // Without any limit growth of any size is too much.
    if args.max_growth.is_some() || args.max_rss.is_none() && !has_time_limit {
        let limit = args.max_growth.unwrap_or(0) as f64;
        checks.push(match leaks::judge(profile, &args.file, range) {
            Ok(verdict) => {
                let file = args.ignore.as_ref().map(|path| path.display().to_string());
                let list = IgnoreList {
                    name: file.unwrap_or_default(),
                    holds: &|name| rules.holds(name),
                };
                check::growth(profile, verdict, limit, &list)
            }
            Err(error) => {
                let unit = profile.timeline.about.source.unit();
                check::no_growth_verdict(format!("{error:#}"), limit, unit)
            }
        });
    }
    Ok(checks)
}

fn tell(args: &Args, document: &CheckDocument<'_>) -> Result<()> {
    match args.junit.as_deref() {
        Some(path) if path == Path::new(STDOUT) => {
            return output::to_stdout(|out| Ok(junit::write(document, out)?));
        }
        Some(path) => {
            output::to_file(path, &args.file.path, |out| {
                Ok(junit::write(document, out)?)
            })?;
        }
        None => {}
    }
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, document)?;
            return Ok(writeln!(out)?);
        }
        for line in document.checks.iter().flat_map(check_lines) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}
