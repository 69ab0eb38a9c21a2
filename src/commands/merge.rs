//! `residue merge`: the profiles of many processes or jobs as one.

use std::fs;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use residue_analysis::merge::Sum;
use residue_profile::Measured;
use residue_profile::{Profile, RecorderStats, Totals};
use residue_recording::destination;
use serde::Serialize;

use crate::flags::help::TEMPLATE;
use residue_profile::units::counted;
use residue_text::output;
use residue_text::report::summary;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue merge job.*.residue -o sum.residue
  residue merge runs/ -o all.residue
  residue merge --from-list profiles.txt -o all.residue --keep-going",
    after_long_help = "\
Every counter is added, peaks too, although they need not have been reached at the same time. The \
sum has no timeline, but its number of events, so that sums can be compared per event."
)]
pub struct Args {
    /// Profiles, or directories with `*.residue` files
    ///
    /// Of a directory also those in its `*.processes` directories.
    #[arg(value_name = "FILE", required_unless_present = "from_list")]
    pub files: Vec<PathBuf>,
    /// File with one profile or directory per line; `-` for standard input
    #[arg(long, value_name = "LIST")]
    pub from_list: Vec<PathBuf>,
    /// Profile to write
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Skip damaged profiles instead of failing
    #[arg(long)]
    pub keep_going: bool,
    /// Print the sums as JSON (docs/schemas/merge.schema.json)
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let files = inputs(&args)?;
    if let Some(same) = files
        .iter()
        .find(|file| output::is_same_file(file, &args.output))
    {
        bail!("{} is both input and output", same.display());
    }
    let (mut sum, left_out) = add_up(&files, args.keep_going)?;
    for file in &left_out {
        let note = format!("not included, because it is damaged: {}", file.display());
        sum.meta.notes.push(note);
    }
    residue_profile::write_to(&args.output, &sum)?;
    output::to_stdout(|out| {
        if args.json {
            let document = Document::of(&args, &files, &left_out, &sum);
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        for line in summary::lines(&sum, Measured::Everything) {
            writeln!(out, "{line}")?;
        }
        let profiles = counted((files.len() - left_out.len()) as u64, "profile", "profiles");
        let output = args.output.display();
        Ok(writeln!(out, "\nwrote the sum of {profiles} to {output}")?)
    })
}

/// The sum, and the files that are no part of it. Every file that cannot be read is
/// named before this fails.
fn add_up(files: &[PathBuf], keep_going: bool) -> Result<(Profile, Vec<PathBuf>)> {
    let bar = progress(files.len());
    let mut sum = Sum::default();
    let mut left_out = Vec::new();
    for file in files {
        match residue_profile::read_all(file) {
            Ok(profiles) => profiles.into_iter().for_each(|profile| sum.add(profile)),
            Err(error) => {
                bar.suspend(|| output::tell(&error));
                left_out.push(file.clone());
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let number = counted(files.len() as u64, "profile", "profiles");
    if left_out.len() == files.len() {
        bail!("none of {number} could be read; nothing was written");
    }
    if !left_out.is_empty() && !keep_going {
        bail!(
            "{} of {number} could not be read; nothing was written (--keep-going skips them)",
            left_out.len()
        );
    }
    Ok((sum.finish(), left_out))
}

fn progress(files: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    let style = ProgressStyle::with_template("residue: merging [{bar:30}] {pos} of {len}");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// All files that are meant, in the order in which they were given.
fn inputs(args: &Args) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in &args.files {
        add_input(path, &mut files)?;
    }
    for list in &args.from_list {
        let name = list.display();
        let unreadable = || format!("cannot read {name}");
        let lines: Box<dyn BufRead> = match list.as_os_str() == "-" {
            true => Box::new(std::io::stdin().lock()),
            false => Box::new(BufReader::new(
                fs::File::open(list).with_context(unreadable)?,
            )),
        };
        for line in lines.lines() {
            let line = line.with_context(unreadable)?;
            if !line.trim().is_empty() {
                add_input(Path::new(line.trim()), &mut files)?;
            }
        }
    }
    if files.is_empty() {
        bail!("no profiles found");
    }
    Ok(files)
}

fn add_input(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable = || format!("cannot read {}", path.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(path).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?.path();
        let suffix = entry.extension().unwrap_or_default();
        if suffix == destination::PROFILE_SUFFIX && entry.is_file() {
            found.push(entry);
        } else if suffix == destination::FOLDER_SUFFIX && entry.is_dir() {
            add_input(&entry, &mut found)?;
        }
    }
    found.sort();
    files.extend(found);
    Ok(())
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Profile that was written.
    output: &'a Path,
    /// Profiles that were added up.
    profiles: Vec<&'a Path>,
    /// Profiles that could not be read.
    left_out: &'a [PathBuf],
    /// Name of the program, or `several programs`.
    program: &'a str,
    /// Distinct stacks of the sum.
    stacks: usize,
    /// Events of all of them.
    events: u64,
    heap: &'a Totals,
    mappings: &'a Totals,
    recorder: &'a RecorderStats,
    /// What the profile notes.
    notes: &'a [String],
}

impl<'a> Document<'a> {
    fn of(
        args: &'a Args,
        files: &'a [PathBuf],
        left_out: &'a [PathBuf],
        sum: &'a Profile,
    ) -> Document<'a> {
        let added = files.iter().filter(|file| !left_out.contains(file));
        Document {
            format: "residue-merge",
            version: 1,
            output: &args.output,
            profiles: added.map(PathBuf::as_path).collect(),
            left_out,
            program: &sum.meta.program,
            stacks: sum.stacks.len(),
            events: sum.timeline.about.events,
            heap: &sum.heap,
            mappings: &sum.mappings,
            recorder: &sum.recorder,
            notes: &sum.meta.notes,
        }
    }
}
