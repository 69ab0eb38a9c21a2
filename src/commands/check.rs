//! `residue check`: a gate for continuous integration.

use crate::commands::import::{Reading, load_or_import};
use crate::commands::leaks;
use crate::text::ignore::Rules;
use crate::text::leaks_json::path;
use crate::text::moments::Address;
use crate::text::names::{self, Names};
use crate::text::units::bytes;
use crate::text::{arguments, leaks_text};
use anyhow::Result;
use residue_analysis::growth::Growth;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_names::NameStyle;
use residue_profile::Profile;
use std::path::PathBuf;
use std::process::ExitCode;

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
        Some(path) => Rules::read(path)?,
        None => Rules::default(),
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

fn check_growth(profile: &Profile, verdict: &Verdict, limit: f64, rules: &Rules) -> Outcome {
    let unit = verdict.source.unit();
    let mut names = Names::new(profile, names::NameStyle::NoParams);
    let mut is_ignored = |stack: &StackVerdict| {
        let node = profile.stacks[stack.stack as usize].node;
        path(profile, &mut names, node)
            .iter()
            .any(|name| rules.holds(name))
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
    let name_rules = residue_names::Rules::builtin();
    let limit_text = format!("limit {}", leaks_text::rate_text(limit, unit));
    let mut lines = vec![format!(
        "{}, {limit_text}",
        leaks_text::lines(
            profile,
            verdict,
            leaks_text::Length {
                stacks: 0,
                with_rest: false
            },
            &name_rules,
            NameStyle::Short,
        )[0]
    )];
    if !ignored.is_empty() {
        lines.push(format!(
            "  {} of {} ignored by rule",
            leaks_text::rate_text(rate_of(&ignored, |growth| growth.rate), unit),
            ignored.len()
        ));
    }
    match verdict.headline {
        Headline::NoGrowth if verdict.growth.smallest_visible > limit.max(1.0) => {
            lines.push("  growth below what this run would have seen is possible".to_string());
            // Not seen with a limit of nothing is the best that any run can say.
            match limit > 0.0 {
                true => Outcome::CannotTell(lines),
                false => Outcome::Within(lines),
            }
        }
        Headline::NoGrowth => Outcome::Within(lines),
        Headline::Undetermined => match verdict.growth.high <= limit {
            true => Outcome::Within(lines),
            false => Outcome::CannotTell(lines),
        },
        Headline::Fragmentation | Headline::Growth => decide(lines, &verdict.growth, limit),
        Headline::Leak | Headline::FreedAtExit
            if verdict
                .rss_beyond_leak()
                .is_some_and(|beyond| beyond > limit) =>
        {
            lines.push("  the process grows by more than its leaks".to_string());
            Outcome::Above(lines)
        }
        Headline::Leak | Headline::FreedAtExit => {
            let low = rate_of(&counted, |growth| growth.low);
            let high = rate_of(&counted, |growth| growth.high);
            if counted.is_empty() && !ignored.is_empty() {
                return Outcome::Within(lines);
            }
            if counted.is_empty() {
                return decide(lines, &verdict.growth, limit);
            }
            // Those that a rule excuses are not to blame.
            let mut blamed = verdict.clone();
            blamed.stacks = counted.iter().copied().cloned().collect();
            let guilty = leaks_text::lines(
                profile,
                &blamed,
                leaks_text::Length {
                    stacks: 5,
                    with_rest: false,
                },
                &name_rules,
                NameStyle::Short,
            );
            lines.extend(guilty.into_iter().skip(1));
            match (low > limit, high <= limit) {
                (true, _) => Outcome::Above(lines),
                (_, true) => Outcome::Within(lines),
                _ => Outcome::CannotTell(lines),
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
