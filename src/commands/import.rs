//! `residue import`: a profile from what another tool wrote.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use residue_import::{Format, Imported, Options, Unit};
use residue_profile::{MAGIC, Profile};

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::input;
use residue_profile::units::{bytes, count, counted, duration};
use residue_query::visible::visible;
use residue_text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue import job.igprof.gz -o job.residue         # IgProf
  residue import heaptrack.cmsRun.4711.zst            # heaptrack, also --raw
  residue import massif.out.4711                      # massif
  residue import heap.pb.gz                           # pprof
  residue import SEvt__EndOfRun_SProf.txt             # stamps of Opticks
  residue import cmsRun.log --format memory-check
  residue import memory.csv --unit mib",
    after_long_help = "\
Formats:
  igprof        dumps of IgProf
  mdr           dumps of MallocProfiler, also detailed ones
  heaptrack     recordings of heaptrack, interpreted or raw
  massif        snapshots of valgrind's massif
  pprof         profile.proto of Go, gperftools, Rust and others
  gperftools    text profiles of gperftools and jemalloc
  stamps        lines name:microseconds,vm_KiB,rss_KiB
  npy           NumPy arrays of time, virtual and resident size
  memory-check  logs of CMS jobs with SimpleMemoryCheck
  prmon         tables of prmon
  csv           tables with a header: event, time_s, vm_kib, rss_mib, live_bytes, counters

Counters that a format does not have are 0; the notes of the profile name them."
)]
pub struct Args {
    /// File of another tool, compressed with gzip or zstd or not
    pub file: PathBuf,
    /// Profile to write [default: FILE.residue in this directory]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// How a file of another tool is read.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Reading {
    /// Format of FILE [default: by its content]
    ///
    /// igprof, mdr, heaptrack, massif, pprof, gperftools, stamps, npy, memory-check, prmon or csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Files of other tools")]
    pub format: Option<Format>,
    /// Unit of sizes, if FILE does not say
    ///
    /// bytes, kib, mib, gib, kb (1000 bytes), mb (1 000 000 bytes) or 1000kib.
    #[arg(long, value_name = "UNIT", help_heading = "Files of other tools")]
    pub unit: Option<Unit>,
}

impl Reading {
    fn options(self) -> Options {
        Options {
            format: self.format,
            unit: self.unit,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let imported = read(&args.file, args.reading)?;
    let target = match args.output {
        Some(target) => target,
        None => default_output(&args.file)?,
    };
    if output::is_same_file(&target, &args.file) {
        bail!(
            "{} is the input file; choose another output",
            target.display()
        );
    }
    residue_profile::write_to(&target, &imported.profile)?;
    output::to_stdout(|out| {
        for line in lines(&imported) {
            writeln!(out, "{line}")?;
        }
        let target = target.display();
        let command = match imported.profile.stacks.is_empty() {
            true => "stages",
            false => "report",
        };
        Ok(writeln!(
            out,
            "wrote      {target}; see `residue {command} {target}`"
        )?)
    })
}

/// How long reading may take before it is shown.
const SILENT: Duration = Duration::from_millis(500);

fn read(path: &Path, reading: Reading) -> anyhow::Result<Imported> {
    let started = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    let imported = residue_import::read_watched(path, &reading.options(), &mut |done, of| {
        if started.elapsed() < SILENT {
            return;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(of), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("residue: reading [{bar:30}] {percent}%");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        bar.set_position(done);
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(imported?)
}

/// A profile from its own file, or from another tool's.
pub fn load_or_import(file: &Address, reading: Reading) -> anyhow::Result<Profile> {
    if reading.format.is_none() && is_profile(&file.path)? {
        return input::load(file);
    }
    let mut profile = read(&file.path, reading)?.profile;
    profile.make_harmless();
    Ok(profile)
}

fn is_profile(path: &Path) -> anyhow::Result<bool> {
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let mut start = Vec::new();
    file.take(MAGIC.len() as u64)
        .read_to_end(&mut start)
        .with_context(cannot)?;
    Ok(start == MAGIC || path.extension().is_some_and(|ending| ending == "residue"))
}

fn default_output(file: &Path) -> anyhow::Result<PathBuf> {
    let name = file.file_name().context("FILE has no name")?;
    Ok(Path::new(name).with_extension("residue"))
}

/// What was read.
fn lines(imported: &Imported) -> Vec<String> {
    let profile = &imported.profile;
    let timeline = &profile.timeline;
    let mut lines = Vec::new();
    let mut row = |heading: &str, text: String| lines.push(format!("{heading:<10} {text}"));
    row("format", imported.format.name().to_string());
    let events = counted(timeline.about.events, "event", "events");
    if !profile.stacks.is_empty() {
        for (heading, text) in stack_lines(profile) {
            row(heading, text);
        }
    } else if timeline.stamps.is_empty() {
        row("rows", events);
    } else {
        let stamps = counted(timeline.stamps.len() as u64, "stamp", "stamps");
        let before = timeline
            .stamps
            .iter()
            .filter(|stamp| stamp.event == 0)
            .count();
        let period = match imported.period {
            Some(period) => format!(", period {}", count(period as u64)),
            None => String::new(),
        };
        let before = match before {
            0 => String::new(),
            before => format!(", {} before the first", count(before as u64)),
        };
        row("stamps", format!("{stamps} in {events}{period}{before}"));
    }
    if let Some(names) = names(&timeline.names) {
        row("names", names);
    }
    if profile.meta.duration_ns > 0 || profile.stacks.is_empty() {
        row("time", duration(profile.meta.duration_ns));
    }
    let moments = &timeline.moments;
    let ends = |size: fn(&residue_profile::timeline::Moment) -> Option<u64>| {
        let (first, last) = (
            moments.first().and_then(size),
            moments.last().and_then(size),
        );
        first.zip(last)
    };
    for (what, ends) in [
        ("virtual", ends(|moment| moment.vm_bytes)),
        ("resident", ends(|moment| moment.rss_bytes)),
        ("live", ends(|moment| moment.live_bytes)),
    ] {
        if let Some((first, last)) = ends {
            row(what, format!("{} -> {}", bytes(first), bytes(last)));
        }
    }
    for note in &profile.meta.notes {
        row("note", visible(note));
    }
    lines
}

/// Sums over the stacks, without those that the format does not have.
fn stack_lines(profile: &Profile) -> Vec<(&'static str, String)> {
    let (heap, mappings) = (&profile.heap, &profile.mappings);
    let blocks = match heap.live_blocks {
        0 => String::new(),
        blocks => format!(" in {}", counted(blocks, "block", "blocks")),
    };
    let moments = profile.timeline.about.events;
    let rows = [
        (heap.calls > 0, "calls", count(heap.calls)),
        (heap.total_bytes > 0, "total", bytes(heap.total_bytes)),
        (
            heap.live_bytes > 0,
            "live",
            bytes(heap.live_bytes) + &blocks,
        ),
        (heap.peak_bytes > 0, "peak", bytes(heap.peak_bytes)),
        (
            mappings.live_bytes > 0,
            "mapped",
            bytes(mappings.live_bytes),
        ),
        (moments > 0, "moments", count(moments)),
    ];
    let stacks = count(profile.stacks.len() as u64);
    let rows = rows.into_iter().filter(|(is_known, ..)| *is_known);
    std::iter::once(("stacks", stacks))
        .chain(rows.map(|(_, heading, text)| (heading, text)))
        .collect()
}

/// Names that are shown; tagged ones are there by the thousand.
const SHOWN_NAMES: usize = 12;

fn names(names: &[String]) -> Option<String> {
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN_NAMES)
        .map(|name| visible(name))
        .collect();
    let more = match names.len().saturating_sub(SHOWN_NAMES) {
        0 => String::new(),
        more => format!(", and {} more", count(more as u64)),
    };
    (!shown.is_empty()).then(|| shown.join(", ") + &more)
}
