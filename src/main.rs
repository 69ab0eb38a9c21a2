//! The `residue` command: what does every event leave behind, who left it, and why?
#![forbid(unsafe_code)]

mod commands;
mod flags;
mod input;
#[cfg(all(test, feature = "schema"))]
mod schemas;

use clap::{CommandFactory, Parser, Subcommand};
use residue_large_pages::LargePages;
use residue_text::output::tell;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

#[derive(Parser)]
#[command(
    name = "residue",
    version,
    about = "An exact memory profiler for programs with an event loop",
    help_template = flags::help::TEMPLATE,
    before_help = "\
Examples:
  residue run -o job.residue -- ./simulate run.mac    # record a program
  residue view job.residue                            # show it in the browser
  residue report job.residue                          # show it as text
  residue check job.residue --max-growth 1KiB/event   # fail a CI job",
    after_help = "`residue COMMAND -h` prints examples and options, `--help` the details."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record a program and the processes it starts
    Run(commands::run::Args),
    /// Say whether memory grows with every event, and which stacks leak
    Leaks(commands::leaks::Args),
    /// Fail if memory grows by more than a limit, for CI
    Check(commands::check::Args),
    /// Show what allocated most, by function, caller, stack, library, ...
    Report(commands::report::Args),
    /// Show a profile or a running program in the browser
    View(commands::view::Args),
    /// Show the source lines of a function with what each allocated
    List(commands::list::Args),
    /// Compare two runs, two builds or two moments of a run
    Diff(commands::diff::Args),
    /// Add up profiles of several processes or jobs
    Merge(commands::merge::Args),
    /// List the processes of a recording with their verdicts
    Processes(commands::processes::Args),
    /// Show in which stage of an event memory grows
    Stages(commands::stages::Args),
    /// Say whether events take ever longer, which are slow, and why
    Slow(commands::slow::Args),
    /// Show what is lost, what is held, and which variables and blocks hold it
    Holders(commands::holders::Args),
    /// Show who keeps pages of the heap resident that are mostly empty
    Pins(commands::pins::Args),
    /// Draw timeline, stages, survivors and RSS as SVG or PNG
    Plot(commands::plot::Args),
    /// Convert files of other tools into a profile
    Import(commands::import::Args),
    /// Convert a profile into the format of another tool
    Export(commands::export::Args),
    /// Print everything in a profile
    Dump(commands::dump::Args),
    /// Finish recordings of a `residue run` that was killed
    Recover(commands::recover::Args),
    /// Look up function names and lines again, with other files
    Symbolize(commands::symbolize::Args),
    /// Take a snapshot of a program that is being recorded
    Snapshot(commands::snapshot::Args),
    /// Pause the recording of a running program
    #[command(before_help = commands::pausing::PAUSE_EXAMPLES)]
    Pause(commands::pausing::Args),
    /// Resume the recording of a running program
    #[command(before_help = commands::pausing::RESUME_EXAMPLES)]
    Resume(commands::pausing::Args),
    /// Check that recording works on this machine
    Selftest(commands::selftest::Args),
    /// Print the completions of a shell
    Completions(commands::completions::Args),
    /// Print or write manual pages
    Man(commands::man::Args),
    #[command(hide = true)]
    SelftestTarget(commands::selftest::TargetArgs),
}

impl Command {
    /// Not for other programs, nor about recordings that were left behind itself.
    fn is_of_a_user(&self) -> bool {
        if let Command::Run(args) = self {
            return !args.is_quiet();
        }
        !matches!(
            self,
            Command::Recover(_)
                | Command::Completions(_)
                | Command::Man(_)
                | Command::Selftest(_)
                | Command::SelftestTarget(_)
        )
    }
}

/// Exit status of `residue` itself when it could not do what was asked.
const EXIT_TROUBLE: u8 = 2;

fn main() -> ExitCode {
    let command = match CommandLine::try_parse() {
        Ok(line) => line.command,
        Err(error) => return wrong_usage(&error),
    };
    if command.is_of_a_user() {
        commands::recover::tell_of_recordings();
    }
    let result = match command {
        Command::Run(args) => Ok(commands::run::run(args)),
        Command::Leaks(args) => commands::leaks::run(args).map(|()| ExitCode::SUCCESS),
        Command::Check(args) => commands::check::run(args),
        Command::Report(args) => commands::report::run(args).map(|()| ExitCode::SUCCESS),
        Command::View(args) => commands::view::run(args).map(|()| ExitCode::SUCCESS),
        Command::List(args) => commands::list::run(args).map(|()| ExitCode::SUCCESS),
        Command::Diff(args) => commands::diff::run(args),
        Command::Merge(args) => commands::merge::run(args).map(|()| ExitCode::SUCCESS),
        Command::Processes(args) => commands::processes::run(args).map(|()| ExitCode::SUCCESS),
        Command::Stages(args) => commands::stages::run(args).map(|()| ExitCode::SUCCESS),
        Command::Slow(args) => commands::slow::run(args).map(|()| ExitCode::SUCCESS),
        Command::Holders(args) => commands::holders::run(args).map(|()| ExitCode::SUCCESS),
        Command::Pins(args) => commands::pins::run(args).map(|()| ExitCode::SUCCESS),
        Command::Plot(args) => commands::plot::run(args).map(|()| ExitCode::SUCCESS),
        Command::Import(args) => commands::import::run(args).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => commands::export::run(args).map(|()| ExitCode::SUCCESS),
        Command::Dump(args) => commands::dump::run(args).map(|()| ExitCode::SUCCESS),
        Command::Recover(args) => commands::recover::run(args),
        Command::Symbolize(args) => commands::symbolize::run(args).map(|()| ExitCode::SUCCESS),
        Command::Snapshot(args) => commands::snapshot::run(args).map(|()| ExitCode::SUCCESS),
        Command::Pause(args) => commands::pausing::pause(args).map(|()| ExitCode::SUCCESS),
        Command::Resume(args) => commands::pausing::resume(args).map(|()| ExitCode::SUCCESS),
        Command::Selftest(args) => commands::selftest::run(args),
        Command::Completions(args) => {
            commands::completions::run(args, CommandLine::command()).map(|()| ExitCode::SUCCESS)
        }
        Command::Man(args) => {
            commands::man::run(args, CommandLine::command()).map(|()| ExitCode::SUCCESS)
        }
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
