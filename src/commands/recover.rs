//! `residue recover`: finish what a killed `residue run` left behind.

use crate::commands::symbolize::SymbolArgs;
use crate::flags::help::TEMPLATE;
use anyhow::{Context, Result, bail};
use residue_finish::{ArenaFile, Ending};
use residue_profile::End;
use residue_profile::units;
use residue_recording::arenas::{Arena, ArenaDirectory};
use residue_recording::finishing;
use residue_symbols::Search;
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

/// An arena and where its profile was going to be written.
struct Left {
    arena: Arena,
    output: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<ExitCode> {
    let mut directories = Vec::new();
    let mut found = Vec::new();
    if args.paths.is_empty() {
        for directory in ArenaDirectory::find_all() {
            match directory.owner() {
                Some(owner) if owner.is_alive() => {
                    eprintln!(
                        "residue: {}: still being recorded by process {}",
                        directory.path.display(),
                        owner.pid
                    );
                }
                _ => directories.push(directory),
            }
        }
    }
    for path in &args.paths {
        if path.is_dir() {
            directories.push(ArenaDirectory { path: path.clone() });
        } else {
            let identity = ArenaFile::open(path)?.identity()?;
            let arena = Arena {
                path: path.clone(),
                identity,
            };
            found.push(Left {
                arena,
                output: None,
            });
        }
    }
    for directory in &directories {
        let arenas = directory.arenas();
        let wanted = directory.owner().and_then(|owner| owner.output);
        // The first image's process was the program itself.
        let main_pid = arenas.first().map(|arena| arena.identity.pid);
        let main = arenas
            .iter()
            .rposition(|arena| Some(arena.identity.pid) == main_pid);
        for (index, arena) in arenas.into_iter().enumerate() {
            let output = wanted.clone().filter(|_| Some(index) == main);
            found.push(Left { arena, output });
        }
    }
    if found.is_empty() {
        println!("residue: nothing to recover");
        return Ok(ExitCode::SUCCESS);
    }
    if args.output.as_ref().is_some_and(|output| !output.is_dir()) && found.len() > 1 {
        bail!(
            "{} recordings were found; give a directory with -o, or one of their paths",
            found.len()
        );
    }
    let search = args.symbols.search();
    let mut failed = 0;
    for left in &found {
        if args.list {
            println!("{}  {}", left.arena.path.display(), describe(&left.arena));
        } else if let Err(error) = recover(left, args.output.as_deref(), &search) {
            eprintln!("residue: {error:#}");
            failed += 1;
        }
    }
    if !args.list {
        for directory in directories {
            directory.remove();
        }
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

fn recover(left: &Left, output: Option<&Path>, search: &Search) -> Result<()> {
    if left.arena.is_in_use() {
        bail!(
            "{}: process {} still runs; `residue report --pid {}` reads it",
            left.arena.path.display(),
            left.arena.identity.pid,
            left.arena.identity.pid
        );
    }
    let name = format!(
        "{}.{}.residue",
        left.arena.identity.program(),
        left.arena.identity.pid
    );
    let path = match output {
        Some(directory) if directory.is_dir() => directory.join(name),
        Some(file) => file.to_path_buf(),
        None => left.output.clone().unwrap_or_else(|| PathBuf::from(name)),
    };
    let ending = Ending {
        end: End::Unknown,
        ..Ending::default()
    };
    let profile = finishing::finish(&left.arena, &ending, search, &path)
        .with_context(|| path.display().to_string())?;
    println!(
        "residue: recovered {}: {} allocations, live {}",
        path.display(),
        units::count(profile.heap.calls),
        units::bytes(profile.heap.live_bytes)
    );
    Ok(())
}
