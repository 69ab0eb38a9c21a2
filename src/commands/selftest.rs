//! `residue selftest`: proves on this machine that recording works.

use crate::flags::arguments;
use crate::flags::help::TEMPLATE;
use anyhow::{Result, bail};
use residue_selftest::check::Check;
use residue_selftest::costs::{self, Comparison};
use residue_selftest::recorded::Laboratory;
use residue_selftest::target::{Spoil, Task};
use residue_selftest::{all_checks, expect_room};
use residue_text::output;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue selftest
  residue selftest --leak 10MB --events 200",
    after_help = "\
Exit status: 0 if all checks pass, 1 if one fails, 2 on errors.",
    after_long_help = "\
Checks:
  hooks            every function that allocates or frees is recorded, with exact counters
  stacks           stacks of a deep recursion equal those of libgcc's unwinder
  leak, touched    a leak is found within the stated interval, and the resident size grows by it
  leak, untouched  the same for memory never written to: the resident size does not grow
  no leak          without a leak the verdict is NO GROWTH, with its detection limit
  event function   every call of a function named by --event-function is an event
  cost             nanoseconds for marks and allocations, recorded and not; never fails

The resident size may differ from the leak by two pages per event and 2 %. An allocator in LD_PRELOAD \
is tested instead of glibc's.

Exit status: 0 if all checks pass, 1 if one fails, 2 on errors."
)]
pub struct Args {
    /// Size of the deliberate leak in each event
    #[arg(long, value_name = "SIZE", default_value = "1MB", value_parser = arguments::rate)]
    leak: u64,
    /// Number of events
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(20..=4000))]
    events: u64,
    /// Print JSON (docs/schemas/selftest.schema.json)
    #[arg(long)]
    json: bool,
    /// Let the recorded program do something else than it tells, so that this must fail
    #[arg(long, hide = true, value_name = "WHAT", value_parser = spoil)]
    spoil: Option<Spoil>,
}

#[derive(Debug, clap::Args)]
pub struct TargetArgs {
    /// What to do, in JSON
    #[arg(value_parser = task)]
    task: Task,
}

fn spoil(text: &str) -> Result<Spoil, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

fn task(text: &str) -> Result<Task, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

const EXIT_FAILED: u8 = 1;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Whether all checks passed.
    ok: bool,
    /// Size of the deliberate leak.
    leak_bytes_per_event: u64,
    /// Number of events.
    events: u64,
    /// Each check with what it found.
    checks: &'a [Check],
    /// Nanoseconds for each, missing where they could not be measured.
    costs: Option<&'a Comparison>,
}

pub fn run(args: Args) -> Result<ExitCode> {
    if args.leak == 0 {
        bail!("--leak 0: give a size above 0 (a program without a leak is always tested too)");
    }
    expect_room(args.leak.saturating_mul(args.events))?;
    let laboratory = Laboratory::new(args.spoil)?;
    let mut checks = Vec::new();
    let show = |lines: Vec<String>| {
        if args.json {
            return Ok(());
        }
        // One by one: each takes a moment.
        output::to_stdout(|out| {
            lines
                .iter()
                .try_for_each(|line| Ok(writeln!(out, "{line}")?))
        })
    };
    for check in all_checks(args.leak, args.events) {
        let check = check(&laboratory);
        show(check.lines())?;
        checks.push(check);
    }
    let costs = match costs::compare(&laboratory) {
        Ok(costs) => Some(costs),
        Err(error) => {
            checks.push(Check::impossible("cost", &error));
            None
        }
    };
    show(match (&costs, checks.last()) {
        (Some(costs), _) => costs.lines(),
        (None, Some(failed)) => failed.lines(),
        (None, None) => Vec::new(),
    })?;
    let ok = checks.iter().all(|check| check.ok);
    if args.json {
        let document = Document {
            format: "residue-selftest",
            version: 1,
            ok,
            leak_bytes_per_event: args.leak,
            events: args.events,
            checks: &checks,
            costs: costs.as_ref(),
        };
        output::to_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            Ok(writeln!(out)?)
        })?;
    }
    Ok(match ok {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(EXIT_FAILED),
    })
}

/// The recorded program's own main function.
pub fn run_target(args: TargetArgs) -> Result<()> {
    let told = residue_selftest::target::run(args.task);
    output::to_stdout(|out| Ok(serde_json::to_writer(out, &told)?))
}
