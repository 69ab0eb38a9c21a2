//! `residue export`: a profile in the form that another tool reads.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use residue_calltree::{CallTree, Detail};
use residue_export::parquet::{Table, Tables};
use residue_export::{
    Source, callgrind, dot, events_csv, firefox, flamegraph, folded, heaptrack_csv, igprof, massif,
    mdr, npy, pprof, speedscope, stamps,
};
use residue_profile::Profile;

use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::Reading;
use crate::flags::words;
use residue_profile::{Counter, Measured};
use residue_query::choice::{Choice, Names};
use residue_text::output;

/// In place of a file.
const STDOUT: &str = "-";
/// What forms with room for one counter hold if nothing else is asked for.
const ONE: [Counter; 1] = [Counter::Live];

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue export job.residue --format folded | flamegraph.pl > live.svg
  residue export job.residue --format flamegraph -o live.svg
  residue export job.residue --format speedscope -o job.speedscope.json
  residue export job.residue --format pprof -o job.pb.gz
  residue export one.residue two.residue --format folded   # their sum
  residue export job.residue@51..end --format flamegraph -o grown.svg
  residue export job.residue --format folded,flamegraph,speedscope -o job",
    after_long_help = "\
Whatever the format, a counter adds up to the sum over the chosen stacks; largest is a maximum and \
does not. docs/EXPORTING.md describes \
each format."
)]
pub struct Args {
    /// Profiles to read, added up; FILE@51..end for a part
    ///
    /// FILE@51 is the moment when event 51 began, FILE@NAME a snapshot, FILE@51..101 what changed
    /// between two moments.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<Address>,
    /// Formats to write, separated by commas
    ///
    /// Several become OUT.folded, OUT.svg and so on.
    #[arg(
        long,
        value_enum,
        required = true,
        value_delimiter = ',',
        value_name = "FORMAT"
    )]
    pub format: Vec<Format>,
    /// Counters to write, separated by commas
    ///
    /// Without it: live for formats with one value per stack, all counters that add up for the
    /// others, and all for parquet.
    #[arg(
        long,
        visible_alias = "counters",
        value_name = "COUNTER",
        value_parser = words::counter(),
        value_delimiter = ','
    )]
    pub counter: Vec<Counter>,
    /// File to write instead of standard output
    ///
    /// A directory for parquet.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// flamegraph: title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// flamegraph: roots on top
    #[arg(long)]
    pub inverted: bool,
    /// dot, massif: leave out or combine smaller shares
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub min_percent: f64,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One line per stack, root first: `main;parse;malloc 4096`
    Folded,
    /// An SVG picture
    Flamegraph,
    /// For speedscope.app, one profile per counter, with files and lines
    Speedscope,
    /// For profiler.firefox.com, one thread per counter, with files and lines
    Firefox,
    /// Tables of stacks, frames, nodes, events and deltas in a directory
    Parquet,
    /// For `go tool pprof`, one sample type per counter
    Pprof,
    /// For callgrind_annotate and KCachegrind, one event type per counter
    Callgrind,
    /// For ms_print and massif-visualizer: the heap over time and its stacks at the end (at the
    /// peak with --counter at-peak)
    Massif,
    /// One line per function, with heaptrack's column names
    HeaptrackCsv,
    /// For igprof-analyse: MEM_TOTAL, MEM_LIVE and MEM_MAX
    Igprof,
    /// For MallocProfiler's scripts, one line per stack
    Mdr,
    /// The same with files and lines
    MdrDetail,
    /// For Graphviz: the hot part of the call graph
    Dot,
    /// One line per stamp: `name:microseconds,vm_KiB,rss_KiB`
    Stamps,
    /// The stamps as a NumPy array, their names in OUT_names.txt
    Npy,
    /// One line per event: id, time, sizes, counters
    Csv,
}

/// What a form holds, and who writes it.
enum Content {
    /// One counter of the stacks.
    One(Detail, StackWriter),
    /// As many counters as are asked for.
    Many(Detail, StackWriter),
    /// The same as several files.
    Tables(Detail),
    /// The counters that the form has.
    Fixed(Detail, StackWriter),
    Events(EventWriter),
}

type StackWriter = fn(&Source<'_>, &Args, &mut dyn Write) -> Result<()>;
type EventWriter = fn(&Profile, &mut dyn Write) -> io::Result<()>;

impl Format {
    fn content(self) -> Content {
        match self {
            Format::Folded => Content::One(Detail::Name, |source, _, out| {
                Ok(folded::write(source, out)?)
            }),
            Format::Flamegraph => Content::One(Detail::Name, draw),
            Format::Speedscope => Content::Many(Detail::Line, |source, _, out| {
                Ok(speedscope::write(source, out)?)
            }),
            Format::Firefox => Content::Many(Detail::Line, |source, _, out| {
                Ok(firefox::write(source, out)?)
            }),
            Format::Parquet => Content::Tables(Detail::Name),
            Format::Pprof => Content::Many(Detail::Line, |source, _, out| {
                Ok(pprof::write(source, out)?)
            }),
            Format::Callgrind => Content::Many(Detail::Line, |source, _, out| {
                Ok(callgrind::write(source, out)?)
            }),
            Format::Massif => Content::One(Detail::Line, |source, args, out| {
                Ok(massif::write(source, args.min_percent, out)?)
            }),
            Format::HeaptrackCsv => Content::Fixed(Detail::Function, |source, _, out| {
                Ok(heaptrack_csv::write(source, out)?)
            }),
            Format::Igprof => Content::Fixed(Detail::Function, |source, _, out| {
                Ok(igprof::write(source, out)?)
            }),
            Format::Mdr => {
                Content::Fixed(Detail::Name, |source, _, out| Ok(mdr::write(source, out)?))
            }
            Format::MdrDetail => Content::Fixed(Detail::Line, |source, _, out| {
                Ok(mdr::write_details(source, out)?)
            }),
            Format::Dot => Content::One(Detail::Function, draw_graph),
            Format::Stamps => Content::Events(stamps::write),
            Format::Npy => Content::Events(npy::write),
            Format::Csv => Content::Events(events_csv::write),
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or(String::new(), |value| value.get_name().to_string())
    }

    /// Whether what it shows, or what its readers make of it, are sums of stacks.
    fn adds_up(self) -> bool {
        matches!(
            self,
            Format::Flamegraph
                | Format::Speedscope
                | Format::Firefox
                | Format::Callgrind
                | Format::Massif
                | Format::Dot
        )
    }

    /// What its files end in, where several are written.
    fn ending(self) -> &'static str {
        match self {
            Format::Folded => "folded",
            Format::Flamegraph => "svg",
            Format::Speedscope => "speedscope.json",
            Format::Firefox => "firefox.json",
            Format::Parquet => "parquet",
            Format::Pprof => "pb.gz",
            Format::Callgrind => "callgrind",
            Format::Massif => "massif",
            Format::HeaptrackCsv => "heaptrack.csv",
            Format::Igprof => "igprof",
            Format::Mdr => "mdr",
            Format::MdrDetail => "detail.mdr",
            Format::Dot => "dot",
            Format::Stamps => "stamps",
            Format::Npy => "npy",
            Format::Csv => "csv",
        }
    }
}

pub fn run(args: Args) -> Result<()> {
    check(&args)?;
    let loaded = args.reading.load_all(&args.files)?;
    let ranking = args.counter.first().copied().unwrap_or_default();
    let choice = args.reading.choice_of(&loaded, ranking)?;
    let profile = &loaded.profile;
    let known: Vec<Counter> = Counter::ALL
        .into_iter()
        .filter(|&counter| loaded.measured.has(profile, counter) && choice.kind.has(counter))
        .collect();
    let mut stacks = Stacks {
        args: &args,
        choice: &choice,
        profile,
        tree: None,
    };
    for &format in &args.format {
        match format.content() {
            Content::One(detail, write) => {
                let source = stacks.source(detail, &ONE)?;
                to_output(&args, format, |out| write(&source, &args, out))?;
            }
            Content::Many(detail, write) => {
                // Their readers add up.
                let adds_up = |counter: &Counter| counter.adds_up();
                let sums: Vec<Counter> = known.iter().copied().filter(adds_up).collect();
                let source = stacks.source(detail, &sums)?;
                to_output(&args, format, |out| write(&source, &args, out))?;
            }
            Content::Fixed(detail, write) => {
                if loaded.measured != Measured::Everything {
                    let form = format.name();
                    output::tell(format_args!(
                        "warning: {form} cannot say that a counter was not recorded; \
                         those that are not known of moments are 0 in it"
                    ));
                }
                let source = stacks.source(detail, &Counter::ALL)?;
                to_output(&args, format, |out| write(&source, &args, out))?;
            }
            Content::Tables(detail) => {
                let source = stacks.source(detail, &known)?;
                write_tables(&args, format, &source, &choice.names)?;
            }
            Content::Events(write) => write_events(&args, format, profile, write)?,
        }
    }
    Ok(())
}

/// What cannot be done is said before anything is read.
fn check(args: &Args) -> Result<()> {
    let is_file = args.output.as_deref().is_some_and(|out| out != STDOUT);
    if args.format.len() > 1 && !is_file {
        bail!("several formats are several files: give the beginning of their names with -o");
    }
    for &format in &args.format {
        let name = format.name();
        if format.adds_up()
            && let Some(maximum) = args.counter.iter().find(|it| !it.adds_up())
        {
            bail!(
                "`{}` is a maximum, and {name} adds up what it shows: use --format folded, pprof \
                 or parquet",
                maximum.name()
            );
        }
        match format.content() {
            Content::One(..) if args.counter.len() > 1 => {
                bail!("{name} holds one counter per stack: give one with --counter")
            }
            Content::Fixed(..) if !args.counter.is_empty() => {
                bail!("{name} has its own counters: --counter does not apply")
            }
            Content::Tables(_) if !is_file => {
                bail!("{name} is several files: give a directory with -o")
            }
            _ => {}
        }
    }
    let is_for_pictures = args.title.is_some() || args.inverted;
    if is_for_pictures && !args.format.contains(&Format::Flamegraph) {
        bail!("--title and --inverted need --format flamegraph");
    }
    Ok(())
}

/// The stacks of a profile, as the form asks for them.
struct Stacks<'a> {
    args: &'a Args,
    choice: &'a Choice,
    profile: &'a Profile,
    /// The last one that was made, since the next form may want the same.
    tree: Option<(Detail, CallTree)>,
}

impl Stacks<'_> {
    /// With the counters that are asked for, or the usual ones of the form.
    fn source<'b>(&'b mut self, detail: Detail, usual: &'b [Counter]) -> Result<Source<'b>> {
        let tree = match self.tree.take() {
            Some((known, tree)) if known == detail => tree,
            _ => self.choice.tree(self.profile, detail),
        };
        let (_, tree) = self.tree.insert((detail, tree));
        let counters = match &*self.args.counter {
            [] => usual,
            asked => asked,
        };
        let measured = self.choice.measured;
        let profile = self.profile;
        let mut asked = self.args.counter.iter();
        if let Some(&unknown) = asked.find(|&&it| !measured.has(profile, it)) {
            let why = measured.why_not(profile, unknown);
            bail!("`{}` {why}", unknown.name());
        }
        Ok(Source {
            profile: self.profile,
            tree,
            counters,
        })
    }
}

fn draw(source: &Source<'_>, args: &Args, out: &mut dyn Write) -> Result<()> {
    let mut look = flamegraph::Look::of(&source.profile.meta.program, source.counter());
    look.is_inverted = args.inverted;
    if let Some(title) = &args.title {
        look.title.clone_from(title);
    }
    flamegraph::write(source, &look, out).with_context(|| names(args))
}

fn draw_graph(source: &Source<'_>, args: &Args, out: &mut dyn Write) -> Result<()> {
    let limit = dot::Limit {
        min_percent: args.min_percent,
    };
    let amount = |value: u64| source.counter().unit().amount(value);
    Ok(dot::write(source, limit, &amount, out)?)
}

fn write_tables(args: &Args, format: Format, source: &Source<'_>, names: &Names) -> Result<()> {
    let tables = Tables::of(*source, &names.rules, names.style);
    let directory = path(args, format).unwrap_or_default();
    let made = fs::create_dir_all(&directory);
    made.with_context(|| format!("cannot create directory {}", directory.display()))?;
    for table in Table::ALL {
        let file = directory.join(table.file_name());
        to_file(args, &file, |out| Ok(tables.write(table, out)?))?;
    }
    Ok(())
}

fn write_events(args: &Args, format: Format, profile: &Profile, write: EventWriter) -> Result<()> {
    if profile.timeline.stamps.is_empty() && profile.timeline.moments.is_empty() {
        bail!("{} has no stamps and no events", names(args));
    }
    to_output(args, format, |out| Ok(write(profile, out)?))?;
    if let (Format::Npy, Some(array)) = (format, path(args, format)) {
        let names = npy::names_path(&array);
        to_file(args, &names, |out| Ok(npy::write_names(profile, out)?))?;
    }
    Ok(())
}

/// Where a form goes; `None` for standard output.
fn path(args: &Args, format: Format) -> Option<PathBuf> {
    let out = args.output.as_deref().filter(|out| *out != STDOUT)?;
    if args.format.len() == 1 {
        return Some(out.to_owned());
    }
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(format.ending());
    Some(PathBuf::from(name))
}

fn to_output(
    args: &Args,
    format: Format,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    match path(args, format) {
        None => output::to_stdout(write),
        Some(path) => to_file(args, &path, write),
    }
}

fn to_file(
    args: &Args,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut inputs = args.files.iter().map(|file| &*file.path);
    let same = inputs
        .clone()
        .find(|input| output::is_same_file(path, input));
    let input = same.or(inputs.next()).unwrap_or(Path::new(""));
    output::to_file(path, input, write)
}

/// The files that are read, to begin a message.
fn names(args: &Args) -> String {
    let names: Vec<String> = args
        .files
        .iter()
        .map(|file| file.path.display().to_string())
        .collect();
    names.join(", ")
}
