//! `residue check`: a gate for continuous integration.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use residue_analysis::verdict::Verdict;
use residue_profile::Profile;
use residue_profile::units::bytes;
use residue_query::choice::Names;
use residue_query::gate::{Decision, GrowthGate, Why, growth_gate, resident_bytes};
use residue_query::leaks::words::{head, rate_text};

use crate::commands::import::{Reading, load_or_import};
use crate::commands::leaks;
use crate::flags::address::Address;
use crate::flags::arguments;
use crate::flags::help::TEMPLATE;
use crate::flags::ignore::IgnoreRules;
use crate::text::leaks::{Length, lines};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue check job.residue --max-growth 1KiB/event
  residue check job.residue --max-growth 0 --max-rss 2GiB --ignore known.txt",
    after_help = "\
Exit status: 0 within the limits, 1 above a limit, 2 on errors, 3 if the run cannot tell.",
    after_long_help = "\
Exit status:
  0  within the limits: the whole 95 % interval is
  1  above a limit: the whole interval is; the stacks responsible are printed
  2  on errors
  3  the run cannot tell: too few events, too much noise, or the limit is inside the interval

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
    /// File of functions whose stacks are ignored
    #[arg(long, value_name = "FILE")]
    pub ignore: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

const EXIT_ABOVE: u8 = 1;
const EXIT_CANNOT_TELL: u8 = 3;

pub fn run(args: Args) -> Result<ExitCode> {
    let rules = match &args.ignore {
        Some(path) => IgnoreRules::read(path)?,
        None => IgnoreRules::default(),
    };
    let profile = load_or_import(&args.file.path, args.reading)?;
    let mut outcomes = Vec::new();
    if let Some(limit) = args.max_rss {
        outcomes.push(match resident_bytes(&profile) {
            Some(rss) => {
                let line = format!("resident size {}, limit {}", bytes(rss), bytes(limit));
                let decision = match rss <= limit {
                    true => Decision::Within,
                    false => Decision::Above,
                };
                (decision, vec![line])
            }
            None => {
                let line = "the resident size was not recorded".to_string();
                (Decision::CannotTell, vec![line])
            }
        });
    }
    // Without any limit growth of any size is too much.
    if args.max_growth.is_some() || args.max_rss.is_none() {
        let range = leaks::range(&profile, &args.file, None, None)?;
        let limit = args.max_growth.unwrap_or(0) as f64;
        outcomes.push(match leaks::judge(&profile, &args.file, range) {
            Ok(verdict) => {
                let gate = growth_gate(&profile, &verdict, limit, &|name| rules.holds(name));
                (gate.decision, tell_growth(&profile, &verdict, limit, &gate))
            }
            Err(error) => (Decision::CannotTell, vec![format!("{error:#}")]),
        });
    }
    let mut exit = 0;
    for (decision, lines) in outcomes {
        let (word, status) = match decision {
            Decision::Within => ("ok", 0),
            Decision::Above => ("ABOVE", EXIT_ABOVE),
            Decision::CannotTell => ("CANNOT TELL", EXIT_CANNOT_TELL),
        };
        for (index, line) in lines.iter().enumerate() {
            match index {
                0 => println!("{word}: {line}"),
                _ => println!("{line}"),
            }
        }
        // Above a limit is worse than not knowing about another.
        if exit != EXIT_ABOVE && status != 0 {
            exit = status;
        }
    }
    Ok(ExitCode::from(exit))
}

fn tell_growth(profile: &Profile, verdict: &Verdict, limit: f64, gate: &GrowthGate) -> Vec<String> {
    let unit = verdict.source.unit();
    let mut said = vec![format!(
        "{}, limit {}",
        head(verdict, unit),
        rate_text(limit, unit)
    )];
    if gate.ignored_stacks > 0 {
        said.push(format!(
            "  {} of {} ignored by rule",
            rate_text(gate.ignored_rate, unit),
            gate.ignored_stacks
        ));
    }
    match gate.why {
        Why::BelowSight => {
            said.push("  growth below what this run would have seen is possible".to_string());
        }
        Why::BeyondLeaks => said.push("  the process grows by more than its leaks".to_string()),
        Why::Verdict => {}
    }
    if let Some(blamed) = &gate.blamed {
        let length = Length {
            stacks: 5,
            with_rest: false,
        };
        let guilty = lines(profile, blamed, length, &Names::usual());
        said.extend(guilty.into_iter().skip(1));
    }
    said
}
