//! `residue processes`: which processes a file holds, and what is known of each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use residue_profile::units::{bytes, count, counted};
use residue_profile::{Needs, processes_in};
use residue_query::processes::{ProcessSummary, document, summary};
use residue_query::visible::command_line;

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::input;
use residue_text::output;
use residue_text::terminal::{Color, Page};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue run --one-file -o job.residue -- mpirun -np 4 ./job
  residue processes job.residue
  residue leaks job.residue@process:4711
  residue diff job.residue@process:4711 job.residue@process:4712
  residue report job.residue@process:all",
    after_help = "\
Every command takes FILE@process:PID for one process of FILE, FILE@process:NAME for the only one of \
that program, and FILE@process:all for the sum. Without it, the first of the list is taken."
)]
pub struct Args {
    /// Profile of several processes (`residue run --one-file`), or a folder of profiles
    pub file: PathBuf,
    /// Show only the first N
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print JSON (docs/schemas/processes.schema.json)
    #[arg(long)]
    pub json: bool,
}

/// What verdicts are made from.
const NEEDS: Needs = Needs {
    births: true,
    changes: true,
    ..Needs::LEAST
};

pub fn run(args: Args) -> Result<()> {
    let mut processes = of(&args.file)?;
    let found = processes.len();
    processes.truncate(args.top.unwrap_or(usize::MAX));
    output::to_stdout(|out| {
        if args.json {
            let file = args.file.display().to_string();
            serde_json::to_writer_pretty(&mut *out, &document(file, &processes))?;
            return Ok(writeln!(out)?);
        }
        let page = Page::of_stdout(Color::Never, false);
        writeln!(out, "{}", counted(found as u64, "process", "processes"))?;
        for line in table(&processes, &page) {
            writeln!(out, "{line}")?;
        }
        let more = found - processes.len();
        if more > 0 {
            writeln!(out, "and {} more", count(more as u64))?;
        }
        Ok(())
    })
}

/// Of a file in its order, of a folder those with the most events first, then the largest.
fn of(path: &Path) -> Result<Vec<ProcessSummary>> {
    if path.is_dir() {
        return of_folder(path);
    }
    let Some(list) = processes_in(path)? else {
        let profile = input::load_needed(&Address::of(path), NEEDS)?;
        return Ok(vec![summary(&profile)]);
    };
    let of_process = |place| Ok(summary(&input::load_process(path, place, NEEDS)?));
    (0..list.len()).map(of_process).collect()
}

fn of_folder(folder: &Path) -> Result<Vec<ProcessSummary>> {
    let unreadable = || format!("cannot read {}", folder.display());
    let mut processes = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(unreadable)? {
        let file = entry.with_context(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "residue") {
            processes.extend(of(&file)?);
        }
    }
    if processes.is_empty() {
        bail!("{}: no profiles in this folder", folder.display());
    }
    processes.sort_by_key(|one| {
        let process = &one.process;
        (
            std::cmp::Reverse((process.events, process.heap_peak_bytes)),
            process.pid,
        )
    });
    Ok(processes)
}

fn table(processes: &[ProcessSummary], page: &Page) -> Vec<String> {
    let verdict = |one: &ProcessSummary| one.verdict_in_short.clone().unwrap_or("-".into());
    let widest = processes.iter().map(|one| verdict(one).len()).max();
    let width = widest.unwrap_or(0).max("verdict".len());
    let heading = format!(
        "{:>9} {:>9} {:>11} {:>10} {:>10}  {:<width$}  command",
        "process", "parent", "events", "heap peak", "live", "verdict"
    );
    let row = |one: &ProcessSummary| {
        let process = &one.process;
        let line = format!(
            "{:>9} {:>9} {:>11} {:>10} {:>10}  {:<width$}  {}",
            process.pid,
            process.parent_pid,
            count(process.events),
            bytes(process.heap_peak_bytes),
            bytes(process.live_bytes),
            verdict(one),
            command_line(&process.command)
        );
        let line = match process.was_replaced {
            true => line + " (replaced by exec)",
            false => line,
        };
        page.fit_start(&line, page.width)
    };
    std::iter::once(heading)
        .chain(processes.iter().map(row))
        .collect()
}
