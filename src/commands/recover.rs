//! `residue recover`: finish what a killed `residue run` left behind.

use crate::commands::symbolize::SymbolArgs;
use crate::flags::help::TEMPLATE;
use anyhow::{Context, Result, bail};
use residue_profile::units::{bytes, counted};
use residue_recording::arenas::{Arena, ArenaDirectory, Order};
use residue_recording::destination::Destination;
use residue_recording::ending::{Planned, Run};
use residue_recording::{output_name, users};
use residue_symbols::Search;
use residue_text::output::{self, tell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue recover                       # all that this user's runs left behind
  residue recover --list                # only list it
  residue recover /dev/shm/residue-1000-4711-1/4712.99.arena -o job.residue"
)]
pub struct Args {
    /// Arena files, or directories of them [default: all of this user]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Profile to write, or a directory for several
    ///
    /// Without it, where `residue run` was going to write it, else PROGRAM.PID.residue.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List what could be recovered
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    symbols: SymbolArgs,
}

/// One run that was left behind: its recordings, and what it was going to do with them.
struct Left {
    run: Run,
    arenas: Vec<Arena>,
}

impl Left {
    fn new(order: Order, arenas: Vec<Arena>) -> Left {
        // The first image's process was the program itself.
        let run = Run {
            first_pid: None,
            status: None,
            ended_unix_ns: None,
            own_rss_bytes: None,
            keeps_replaced: true,
            order,
        };
        Left { run, arenas }
    }
}

pub fn run(args: Args) -> Result<ExitCode> {
    let mut directories = Vec::new();
    // Of one directory together: the programs that a process was have one number.
    let mut arenas: BTreeMap<PathBuf, Vec<Arena>> = BTreeMap::new();
    if args.paths.is_empty() {
        directories.extend(ArenaDirectory::find_all());
    }
    for path in &args.paths {
        if path.is_dir() {
            let directory = ArenaDirectory::at(path.clone());
            // It says where profiles go, and what is in it is deleted.
            if !directory.is_own() {
                bail!(
                    "{}: not a directory of this user that nobody else can write to; run \
                     `residue recover` as the user who recorded",
                    path.display()
                );
            }
            directories.push(directory);
        } else {
            let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            let arena = Arena::open(path.clone())?;
            arenas.entry(folder).or_default().push(arena);
        }
    }
    let found_directories = directories.len();
    directories.retain(|directory| {
        let is_owned = directory.is_owned();
        if is_owned {
            let owner = directory
                .owner()
                .map(|owner| format!(" by process {}", owner.pid));
            let owner = owner.unwrap_or_default();
            tell(format_args!(
                "{}: still being recorded{owner}",
                directory.path.display()
            ));
        }
        !is_owned
    });
    // What was asked for by name must be done.
    let mut failed = match args.paths.is_empty() {
        true => 0,
        false => found_directories - directories.len(),
    };
    let mut found = Vec::new();
    for (_, mut arenas) in arenas {
        arenas.sort_by_key(|arena| arena.identity.started_monotonic_ns);
        found.push(Left::new(Order::default(), arenas));
    }
    for directory in &directories {
        let order = directory.owner().map(|owner| owner.order);
        found.push(Left::new(order.unwrap_or_default(), directory.arenas()));
    }
    let recordings: usize = found.iter().map(|left| left.arenas.len()).sum();
    if recordings == 0 {
        output::to_stdout(|out| Ok(writeln!(out, "residue: nothing to recover")?))?;
    }
    if args.list {
        output::to_stdout(|out| {
            for arena in found.iter().flat_map(|left| &left.arenas) {
                writeln!(out, "{}  {}", arena.path.display(), describe(arena))?;
            }
            Ok(())
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(output) = &args.output {
        let is_folder = output.is_dir();
        if !is_folder && recordings > 1 {
            bail!(
                "-o {}: {recordings} recordings were found; give a directory, or the path of one \
                 of them (`residue recover --list`)",
                output.display()
            );
        }
        for left in &mut found {
            left.run.order.destination = match is_folder {
                true => Destination::Folder(output.into()),
                false => Destination::File(output_name::literally(output)),
            };
        }
    }
    let search = args.symbols.search();
    for left in found {
        for planned in left.run.plan(left.arenas) {
            let may_replace = args.output.as_ref().is_some_and(|output| !output.is_dir());
            if let Err(error) = recover(&left.run, planned, may_replace, &search) {
                tell(format_args!("{error:#}"));
                failed += 1;
            }
        }
    }
    for directory in directories {
        let unrecorded = directory.unrecorded();
        if unrecorded > 0 {
            tell(format_args!(
                "{}: {} without a recording: no memory for it, or killed as it began",
                directory.path.display(),
                counted(unrecorded, "process", "processes")
            ));
        }
        directory.remove();
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(crate::EXIT_TROUBLE)
    })
}

fn describe(arena: &Arena) -> String {
    let state = if arena.is_in_use() {
        "running"
    } else {
        "ended"
    };
    format!(
        "{} (process {}, {state}): {}",
        arena.identity.program(),
        arena.identity.pid,
        arena.identity.command.join(" ")
    )
}

fn recover(run: &Run, mut planned: Planned, may_replace: bool, search: &Search) -> Result<()> {
    let arena = &planned.arena;
    if arena.stays_in_use() {
        let pid = users::writer(&arena.path, arena.identity.pid).unwrap_or(arena.identity.pid);
        bail!(
            "{}: process {pid} still runs; `residue report --pid {pid}` reads it",
            arena.path.display(),
        );
    }
    if !may_replace {
        planned.path = unused(planned.path);
    }
    let path = planned.path.display();
    let profile = run
        .finish(&planned, search)
        .with_context(|| path.to_string())?;
    output::to_stdout(|out| {
        Ok(writeln!(
            out,
            "residue: recovered {path}: {}, live {}",
            counted(profile.heap.calls, "allocation", "allocations"),
            bytes(profile.heap.live_bytes)
        )?)
    })
}

/// The path, or one beside it where a file lies there already: several runs may have been
/// asked for the same one, and another may have written it since.
fn unused(path: PathBuf) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_os_string();
    let numbered = (2..).map(|number: u32| {
        let mut name = stem.clone();
        name.push(format!(".{number}"));
        if let Some(suffix) = path.extension() {
            name.push(".");
            name.push(suffix);
        }
        path.with_file_name(name)
    });
    let mut paths = std::iter::once(path.clone()).chain(numbered);
    paths.find(|path| !path.is_file()).unwrap_or(path)
}

/// Says once what runs that were killed left behind, with the program that they recorded: the
/// kernel's out-of-memory killer may take a whole group of processes.
pub fn tell_of_recordings() {
    let left = ArenaDirectory::untold().len() as u64;
    if left > 0 {
        tell(format_args!(
            "{} killed before the profile was written; `residue recover` writes it, `residue \
             recover --list` shows what is there",
            counted(left, "earlier run was", "earlier runs were")
        ));
    }
}
