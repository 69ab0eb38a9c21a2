//! `residue check`: a gate for continuous integration.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use residue_analysis::growth::Growth;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_calltree::Filter;
use residue_profile::Profile;
use residue_profile::units::bytes;
use residue_query::choice::Names;
use residue_query::leaks::shown_path_of_stack;
use residue_query::leaks::words::{head, rate_text};

use crate::commands::import::{Reading, load_or_import};
use crate::commands::leaks;
use crate::flags::address::Address;
use crate::flags::arguments;
use crate::flags::ignore::IgnoreRules;
use crate::text::leaks::{Length, lines};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue check job.residue --max-growth 1KiB/event\n  \
    residue check job.residue --max-growth 0 --max-rss 2GiB --ignore known-leaks.txt\n\n\
    A file of rules has one pattern a line, `*` and `?` allowed, and # for comments; a stack is\n\
    ignored when any of its functions matches.\n\
    Exit status: 0 within the limits, 1 above them, 3 when the run cannot tell, 2 for errors.")]
pub struct Args {
    /// Profile to read, or a file that `residue import` reads; FILE@51..end for some events only
    pub file: Address,
    /// Most that events may leave behind
    #[arg(long, value_name = "BYTES/event", value_parser = arguments::rate)]
    pub max_growth: Option<u64>,
    /// Most resident memory that the program may have had
    #[arg(long, value_name = "BYTES", value_parser = arguments::size)]
    pub max_rss: Option<u64>,
    /// Functions whose stacks do not count
    #[arg(long, value_name = "RULES")]
    pub ignore: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

const EXIT_ABOVE: u8 = 1;
const EXIT_CANNOT_TELL: u8 = 3;

/// What came of one limit, with the lines to print.
enum Outcome {
    Within(Vec<String>),
    Above(Vec<String>),
    CannotTell(Vec<String>),
}

pub fn run(args: Args) -> Result<ExitCode> {
    let rules = match &args.ignore {
        Some(path) => IgnoreRules::read(path)?,
        None => IgnoreRules::default(),
    };
    let profile = load_or_import(&args.file.path, args.reading)?;
    let mut outcomes = Vec::new();
    if let Some(limit) = args.max_rss {
        outcomes.push(check_rss(&profile, limit));
    }
    // Without any limit growth of any size is too much.
    if args.max_growth.is_some() || args.max_rss.is_none() {
        let range = leaks::range(&profile, &args.file, None, None)?;
        let limit = args.max_growth.unwrap_or(0) as f64;
        outcomes.push(match leaks::judge(&profile, &args.file, range) {
            Ok(verdict) => check_growth(&profile, &verdict, limit, &rules),
            Err(error) => Outcome::CannotTell(vec![format!("{error:#}")]),
        });
    }
    let mut exit = 0;
    for outcome in outcomes {
        let (word, lines, status) = match outcome {
            Outcome::Within(lines) => ("ok", lines, 0),
            Outcome::Above(lines) => ("ABOVE", lines, EXIT_ABOVE),
            Outcome::CannotTell(lines) => ("CANNOT TELL", lines, EXIT_CANNOT_TELL),
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

fn check_rss(profile: &Profile, limit: u64) -> Outcome {
    let moments = profile.timeline.moments.iter();
    let highest = moments
        .filter_map(|moment| Some(moment.rss_bytes? - moment.recorder_bytes.min(moment.rss_bytes?)))
        .max();
    let own = profile.recorder.arena_bytes + profile.recorder.private_bytes;
    let kernel = profile
        .meta
        .max_rss_bytes
        .map(|rss| rss.saturating_sub(own));
    let Some(rss) = kernel.max(highest) else {
        return Outcome::CannotTell(vec!["the resident size was not recorded".to_string()]);
    };
    let line = format!("resident size {}, limit {}", bytes(rss), bytes(limit));
    match rss <= limit {
        true => Outcome::Within(vec![line]),
        false => Outcome::Above(vec![line]),
    }
}

fn check_growth(profile: &Profile, verdict: &Verdict, limit: f64, rules: &IgnoreRules) -> Outcome {
    let unit = verdict.source.unit();
    let names = Names::usual();
    let everything = Filter::default();
    // A rule may name a function as it is shown, or in full.
    let full = Names::full();
    let mut paths = [&names, &full].map(|names| names.paths(profile, &everything));
    let mut is_ignored = |stack: &StackVerdict| {
        paths.iter_mut().any(|paths| {
            let shown = shown_path_of_stack(profile, paths, stack.stack);
            shown.path.iter().any(|name| rules.holds(name))
        })
    };
    let (ignored, counted): (Vec<&StackVerdict>, Vec<&StackVerdict>) = verdict
        .stacks
        .iter()
        .filter(|stack| matches!(stack.verdict.shape, Shape::Leak | Shape::ExitFreed))
        .partition(|stack| is_ignored(stack));
    let rate_of = |stacks: &[&StackVerdict], bound: fn(&Growth) -> f64| -> f64 {
        stacks
            .iter()
            .map(|stack| bound(&stack.verdict.growth))
            .sum()
    };
    let mut said = vec![format!(
        "{}, limit {}",
        head(verdict, unit),
        rate_text(limit, unit)
    )];
    if !ignored.is_empty() {
        said.push(format!(
            "  {} of {} ignored by rule",
            rate_text(rate_of(&ignored, |growth| growth.rate), unit),
            ignored.len()
        ));
    }
    match verdict.headline {
        Headline::NoGrowth if verdict.growth.smallest_visible > limit.max(1.0) => {
            said.push("  growth below what this run would have seen is possible".to_string());
            // Not seen with a limit of nothing is the best that any run can say.
            match limit > 0.0 {
                true => Outcome::CannotTell(said),
                false => Outcome::Within(said),
            }
        }
        Headline::NoGrowth => Outcome::Within(said),
        Headline::Undetermined => match verdict.growth.high <= limit {
            true => Outcome::Within(said),
            false => Outcome::CannotTell(said),
        },
        Headline::Fragmentation | Headline::Growth => decide(said, &verdict.growth, limit),
        Headline::Leak | Headline::FreedAtExit
            if verdict
                .rss_beyond_leak()
                .is_some_and(|beyond| beyond > limit) =>
        {
            said.push("  the process grows by more than its leaks".to_string());
            Outcome::Above(said)
        }
        Headline::Leak | Headline::FreedAtExit => {
            let low = rate_of(&counted, |growth| growth.low);
            let high = rate_of(&counted, |growth| growth.high);
            if counted.is_empty() && !ignored.is_empty() {
                return Outcome::Within(said);
            }
            if counted.is_empty() {
                return decide(said, &verdict.growth, limit);
            }
            // Those that a rule excuses are not to blame.
            let mut blamed = verdict.clone();
            blamed.stacks = counted.iter().copied().cloned().collect();
            let length = Length {
                stacks: 5,
                with_rest: false,
            };
            let guilty = lines(profile, &blamed, length, &names);
            said.extend(guilty.into_iter().skip(1));
            match (low > limit, high <= limit) {
                (true, _) => Outcome::Above(said),
                (_, true) => Outcome::Within(said),
                _ => Outcome::CannotTell(said),
            }
        }
    }
}

fn decide(lines: Vec<String>, growth: &Growth, limit: f64) -> Outcome {
    match (growth.low > limit, growth.high <= limit) {
        (true, _) => Outcome::Above(lines),
        (_, true) => Outcome::Within(lines),
        _ => Outcome::CannotTell(lines),
    }
}
