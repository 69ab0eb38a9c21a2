//! `residue diff`: what grew, what fell, what is new and what is gone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use residue_calltree::diff::{ComparedRow, Pair};
use residue_export::{flamegraph, folded};
use residue_profile::{Counter, Measured, Needs, Profile};
use residue_query::compare::{
    By, Comparison, Given, PerEvent, Request, Side, Table, compare, compare_parts, document,
};
use residue_query::known_names::expect_known;

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::{OF_A_MOMENT, Reading};
use crate::flags::showing::Showing;
use crate::flags::{arguments, words};
use crate::input;
use residue_text::diff as diff_text;
use residue_text::diff::numbers::signed;
use residue_text::output::{self, is_same_file};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue diff old.residue new.residue --by function
  residue diff job.residue@51 job.residue@end         # two moments of one run
  residue diff old.residue@51..end new.residue@51..end --fail-above 1KiB/event
  residue diff old.residue new.residue --flamegraph change.svg",
    after_help = "\
Exit status: 0, or 1 if something grew by more than --fail-above, 2 on errors.",
    after_long_help = "\
Stacks are matched by function names, not by addresses. Frames without a name are matched only \
within the same build of a library. Runs with different numbers of events are compared per event.

Exit status: 0, or 1 if something grew by more than --fail-above, 2 on errors.

docs/COMPARING.md explains the output, docs/schemas/diff.schema.json the JSON document."
)]
pub struct Args {
    /// Profile, or FILE@51 for a moment, FILE@51..end for a part
    pub before: Address,
    /// Profile to compare: another run, build or moment
    pub after: Address,
    /// What to compare
    #[arg(long, value_name = "ROW", value_parser = words::by(), default_value = "stack")]
    pub by: By,
    /// Include what functions and libraries called
    #[arg(long)]
    pub cumulative: bool,
    /// Counter to compare
    ///
    /// Of moments only live and live-blocks were recorded.
    #[arg(long, value_name = "COUNTER", value_parser = words::counter(), default_value = "live")]
    pub counter: Counter,
    /// Rows to show of each table
    ///
    /// The default is 10, with --json all.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Hide rows below this percentage
    ///
    /// Of all growth for rows that grew, of all decrease for rows that shrank.
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub min_percent: f64,
    /// Frames to show of each stack; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 16, hide_short_help = true)]
    pub max_frames: usize,
    /// Always compare per event
    #[arg(long)]
    pub per_event: bool,
    /// Never compare per event
    #[arg(long, conflicts_with = "per_event")]
    pub absolute: bool,
    /// Exit with 1 if the total or a row grew by more
    ///
    /// `1KiB`, or `1KiB/event` to compare per event. The rows are printed to standard error.
    #[arg(long, value_name = "SIZE", value_parser = limit)]
    pub fail_above: Option<Limit>,
    /// Print JSON (docs/schemas/diff.schema.json)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print lines `path before after`
    ///
    /// For flamegraph.pl and inferno-flamegraph.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub folded: bool,
    /// Draw a flame graph: red grew, blue shrank
    #[arg(long, value_name = "OUT.svg", help_heading = "Output")]
    pub flamegraph: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub showing: Showing,
}

const TOP: usize = 10;
const EXIT_ABOVE: u8 = 1;

/// The most that may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    amount: u64,
    is_per_event: bool,
}

fn limit(text: &str) -> Result<Limit, String> {
    Ok(Limit {
        amount: arguments::rate(text)?,
        is_per_event: text.contains('/'),
    })
}

pub fn run(args: Args) -> Result<ExitCode> {
    let comparison = compare_files(&args)?;
    let table = Table::of(&comparison, args.by, args.cumulative);
    let above = match args.fail_above {
        Some(limit) => Some(Above::of(&comparison, &table, limit)?),
        None => None,
    };
    if let Some(picture) = &args.flamegraph {
        draw(&comparison, picture, &args.before.path)?;
    }
    let is_above = above.as_ref().map(|above| !above.is_empty());
    print(&args, &comparison, &table, is_above)?;
    if let (Some(above), Some(limit)) = (above, args.fail_above)
        && !above.is_empty()
    {
        for line in above.lines(&comparison, &table, limit) {
            output::tell_plain(line);
        }
        return Ok(ExitCode::from(EXIT_ABOVE));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads no more of the files than is looked at.
fn compare_files(args: &Args) -> Result<Comparison> {
    let events = args.reading.events.as_deref();
    let sides = [args.before.narrowed(events)?, args.after.narrowed(events)?];
    let has_part = |side: &Address| side.part.is_some();
    if sides.iter().any(has_part) {
        args.reading.expect_no_thread()?;
    }
    let measured = match args.reading.thread {
        Some(_) => Measured::ByThread,
        None => Measured::Everything,
    };
    let choice = args.reading.choice(measured, args.counter)?;
    let request = Request {
        choice: &choice,
        counter: args.counter,
        detail: args.by.detail(),
        per_event: per_event(args)?,
    };
    let known = |profile: &Profile| {
        let reading = &args.reading;
        expect_known(profile, &reading.module, &reading.scope)
    };
    let load = |side: &Address, has_part: bool| -> Result<Profile> {
        let needs = Needs {
            changes: has_part,
            allocated: has_part,
            by_thread: args.reading.thread.is_some(),
            ..OF_A_MOMENT
        };
        let profile = input::load_needed(side, needs)?;
        let loaded = args.reading.of_thread(profile);
        Ok(loaded
            .with_context(|| side.path.display().to_string())?
            .profile)
    };
    let given = |side: &Address| Given {
        address: side.to_string(),
        part: side.part.clone(),
    };
    let [before, after] = &sides;
    if before.process == after.process && is_same_file(&before.path, &after.path) {
        let profile = load(before, sides.iter().any(has_part))?;
        known(&profile)?;
        return compare_parts(&request, &profile, [given(before), given(after)])
            .with_context(|| before.path.display().to_string());
    }
    let read = |side: &Address| {
        let profile = load(side, has_part(side))?;
        let read = Side::of(&request, &profile, given(side));
        let read = read.with_context(|| side.path.display().to_string())?;
        Ok::<_, anyhow::Error>((read, known(&profile)))
    };
    let (before, after) = rayon::join(|| read(before), || read(after));
    let ((before, known_before), (after, known_after)) = (before?, after?);
    // What is new or gone has its names in one of the two.
    known_before.or(known_after)?;
    compare(&request, before, after)
}

fn per_event(args: &Args) -> Result<PerEvent> {
    let limit_is_per_event = args.fail_above.is_some_and(|limit| limit.is_per_event);
    if args.absolute && limit_is_per_event {
        bail!("--fail-above SIZE/event cannot be combined with --absolute");
    }
    Ok(
        match (args.absolute, args.per_event || limit_is_per_event) {
            (true, _) => PerEvent::Never,
            (false, true) => PerEvent::Always,
            (false, false) => PerEvent::WhereTheyDiffer,
        },
    )
}

fn print(
    args: &Args,
    comparison: &Comparison,
    table: &Table,
    is_above: Option<bool>,
) -> Result<()> {
    if args.json {
        let limits = document::Limits {
            top: args.top.unwrap_or(usize::MAX),
            min_percent: args.min_percent,
        };
        return output::to_stdout(|out| document::write(comparison, table, &limits, is_above, out));
    }
    if args.folded {
        return output::to_stdout(|out| fold(comparison, out));
    }
    let look = diff_text::Look {
        top: args.top.unwrap_or(TOP),
        min_percent: args.min_percent,
        max_frames: args.max_frames,
        page: args.showing.page(args.reading.naming.full_names),
    };
    let lines = diff_text::lines(comparison, table, &look);
    args.showing.show(&(lines.join("\n") + "\n"))
}

/// One line a path, root first, for `inferno-flamegraph` and its kin.
fn fold(comparison: &Comparison, out: &mut dyn Write) -> Result<()> {
    for (names, before, after) in paths(comparison) {
        let names: Vec<String> = names.iter().map(|name| folded::step(name)).collect();
        writeln!(out, "{} {before} {after}", names.join(";"))?;
    }
    Ok(())
}

fn draw(comparison: &Comparison, picture: &Path, input: &Path) -> Result<()> {
    let mut look = flamegraph::Look::of(&comparison.after.program, comparison.counter);
    look.subtitle = format!(
        "{} minus {}",
        comparison.after.address, comparison.before.address
    );
    output::to_file(picture, input, |out| {
        Ok(flamegraph::differential(paths(comparison), &look, out)?)
    })
}

/// Paths, root first, with their numbers. Pictures know nothing below zero.
fn paths(comparison: &Comparison) -> impl Iterator<Item = (Vec<&str>, u64, u64)> {
    let own = comparison.own.iter().enumerate().skip(1);
    own.filter_map(|(node, pair)| {
        let before = u64::try_from(pair.before).unwrap_or(0);
        let after = u64::try_from(pair.after).unwrap_or(0);
        let names = || diff_text::names_root_first(comparison, node as u32);
        (before > 0 || after > 0).then(|| (names(), before, after))
    })
}

/// What grew by more than it may.
struct Above<'a> {
    whole: Option<Pair>,
    rows: Vec<&'a ComparedRow>,
}

impl<'a> Above<'a> {
    fn of(comparison: &Comparison, table: &'a Table, limit: Limit) -> Result<Above<'a>> {
        if comparison.per.is_some() && !limit.is_per_event {
            bail!(
                "--fail-above: the sides are compared by event; give a limit per event, as in \
                 1KiB/event, or --absolute"
            );
        }
        let is_above = |pair: Pair| comparison.scale.delta(pair) > limit.amount as f64;
        Ok(Above {
            whole: Some(table.whole).filter(|whole| is_above(*whole)),
            rows: table
                .more()
                .iter()
                .filter(|row| is_above(row.pair))
                .collect(),
        })
    }

    fn is_empty(&self) -> bool {
        self.whole.is_none() && self.rows.is_empty()
    }

    fn lines(&self, comparison: &Comparison, table: &Table, limit: Limit) -> Vec<String> {
        let grew = |what: &str, pair: Pair| {
            let change = signed(comparison, pair);
            format!("residue: above the limit of {limit}: {change}: {what}")
        };
        let whole = self.whole.map(|whole| grew("all together", whole));
        let rows = self.rows.iter().map(|row| {
            let name = diff_text::row_name(comparison, table.by, row);
            grew(&name, row.pair)
        });
        whole.into_iter().chain(rows).collect()
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let per = if self.is_per_event { " per event" } else { "" };
        write!(f, "{}{per}", self.amount)
    }
}
