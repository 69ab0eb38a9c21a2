//! The `residue` command: what does every event leave behind, who left it, and why?
#![forbid(unsafe_code)]

mod commands;
mod flags;
mod input;
mod text;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use text::output::tell;

#[derive(Parser)]
#[command(
    name = "residue",
    version,
    about = "An exact memory profiler for programs that do the same work again and again",
    after_help = "Examples:\n  \
        residue run -o job.residue -- ./simulate run.mac\n  \
        residue report job.residue\n  \
        residue export job.residue --format folded --counter live | flamegraph.pl > live.svg"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record a program and its children; the exit status is the program's
    Run(commands::run::Args),
    /// Say what every event leaves behind, who left it, and how sure that is
    Leaks(commands::leaks::Args),
    /// Fail when events leave more behind than they may: a gate for continuous integration
    Check(commands::check::Args),
    /// Show what allocated most in a profile, or in a running program, from several sides
    Report(commands::report::Args),
    /// Look at a profile in the browser, or at a program while it runs
    View(commands::view::Args),
    /// Show the source lines of a function with what each of them allocated
    List(commands::list::Args),
    /// Compare two runs, two builds or two moments: what grew, what fell, what is new
    Diff(commands::diff::Args),
    /// Add up the profiles of many processes or jobs
    Merge(commands::merge::Args),
    /// Show between which stamps memory grows
    Stages(commands::stages::Args),
    /// Draw the timeline with its fit, the stage matrix, survival and the account of RSS as SVG or PNG
    Plot(commands::plot::Args),
    /// Make a profile from stacks, stamps and logs of other tools
    Import(commands::import::Args),
    /// Write a profile in a form that other tools read
    Export(commands::export::Args),
    /// Show everything in a profile, and the recorder's own statistics
    Dump(commands::dump::Args),
    /// Finish recordings that were left behind when `residue` itself was killed
    Recover(commands::recover::Args),
    /// Name the functions of a profile again: later, elsewhere, with better files
    Symbolize(commands::symbolize::Args),
    /// Take a snapshot of a program while it is recorded
    Snapshot(commands::snapshot::Args),
    /// Prove on this machine that recording works
    Selftest(commands::selftest::Args),
    #[command(hide = true)]
    SelftestTarget(commands::selftest::TargetArgs),
}

/// Exit status of `residue` itself when it could not do what was asked.
const EXIT_TROUBLE: u8 = 2;

fn main() -> ExitCode {
    let command = match CommandLine::try_parse() {
        Ok(line) => line.command,
        Err(error) => return wrong_usage(&error),
    };
    let result = match command {
        Command::Run(args) => Ok(commands::run::run(args)),
        Command::Leaks(args) => commands::leaks::run(args).map(|()| ExitCode::SUCCESS),
        Command::Check(args) => commands::check::run(args),
        Command::Report(args) => commands::report::run(args).map(|()| ExitCode::SUCCESS),
        Command::View(args) => commands::view::run(args).map(|()| ExitCode::SUCCESS),
        Command::List(args) => commands::list::run(args).map(|()| ExitCode::SUCCESS),
        Command::Diff(args) => commands::diff::run(args),
        Command::Merge(args) => commands::merge::run(args).map(|()| ExitCode::SUCCESS),
        Command::Stages(args) => commands::stages::run(args).map(|()| ExitCode::SUCCESS),
        Command::Plot(args) => commands::plot::run(args).map(|()| ExitCode::SUCCESS),
        Command::Import(args) => commands::import::run(args).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => commands::export::run(args).map(|()| ExitCode::SUCCESS),
        Command::Dump(args) => commands::dump::run(args).map(|()| ExitCode::SUCCESS),
        Command::Recover(args) => commands::recover::run(args),
        Command::Symbolize(args) => commands::symbolize::run(args).map(|()| ExitCode::SUCCESS),
        Command::Snapshot(args) => commands::snapshot::run(args).map(|()| ExitCode::SUCCESS),
        Command::Selftest(args) => commands::selftest::run(args),
        Command::SelftestTarget(args) => {
            commands::selftest::run_target(args).map(|()| ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| {
        tell(format_args!("{error:#}"));
        ExitCode::from(EXIT_TROUBLE)
    })
}

/// Says what is wrong with the command line, or shows the help that was asked for.
/// `run` has a status of its own: the others may be the program's.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    // There may be nobody to read it.
    let _ = error.print();
    let is_run = std::env::args_os().nth(1).is_some_and(|name| name == "run");
    ExitCode::from(match error.use_stderr() {
        false => 0,
        true if is_run => commands::run::EXIT_CANNOT_START,
        true => EXIT_TROUBLE,
    })
}
