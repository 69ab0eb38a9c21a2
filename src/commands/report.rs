//! `residue report`: who was recorded, and what allocated most, from several sides.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use regex::Regex;
use residue_calltree::smart_case;
use residue_profile::{Counter, Measured, Needs, Profile};
use residue_query::page::open_profiles::OpenProfiles;
use residue_query::page::opened::Opened;
use residue_query::report::flat::Limit;
use residue_query::report::source::Source;
use residue_query::report::stacks::Stacks;
use residue_query::report::{Request, View, document};
use residue_recording::attach;
use residue_view::page_file;

use crate::flags::address::Address;
use crate::flags::arguments;
use crate::flags::help::TEMPLATE;
use crate::flags::reading::{Loaded, Reading};
use crate::flags::showing::Showing;
use crate::flags::words;
use residue_text::output;
use residue_text::report::{self, Look};
use residue_text::terminal::Page;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue report job.residue
  residue report job.residue --view tree,size --counter at-peak
  residue report job.residue --view callers --function 'SEvt::.*'
  residue report job.residue@51..end --view library   # from event 51 on
  residue report job.residue --view churn,advice      # by event
  residue report job.*.residue --csv > functions.csv  # their sum
  residue report --pid 4711 --counter calls           # a running program",
    after_long_help = "\
Text is as wide as the terminal or $COLUMNS; long names are shortened to fit. Text longer than the \
terminal goes through $RESIDUE_PAGER, $PAGER or `less -FRX`.

docs/REPORTS.md shows and explains each view, docs/schemas/report.schema.json the JSON document."
)]
pub struct Args {
    /// Profiles to read, added up; FILE@51..end for a part
    ///
    /// FILE@51 is the moment when event 51 began, FILE@NAME a snapshot, FILE@51..101 what changed
    /// between two moments.
    #[arg(value_name = "FILE", required_unless_present = "pid")]
    pub files: Vec<Address>,
    /// Read a program that `residue run` is recording now
    #[arg(long, conflicts_with = "files", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    #[command(flatten)]
    pub options: Options,
}

/// What is shown, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Views to show, separated by commas
    ///
    /// Without it: summary, self, cumulative, stacks, advice.
    #[arg(long, value_name = "VIEW", value_parser = words::view(), value_delimiter = ',')]
    pub view: Vec<View>,
    /// Counter to sort by and to compute percentages from
    ///
    /// The default is live, with --thread total.
    #[arg(long, value_name = "COUNTER", value_parser = words::counter())]
    pub counter: Option<Counter>,
    /// Further columns of tables, separated by commas
    ///
    /// The default is calls.
    #[arg(
        long,
        value_name = "COUNTERS",
        value_parser = words::counter(),
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub counters: Vec<Counter>,
    /// Rows to show, or `all`
    ///
    /// 0 shows the summary only.
    #[arg(long, value_name = "N", value_parser = top, default_value = DEFAULT_TOP)]
    pub top: usize,
    /// Hide rows below this percentage
    ///
    /// The default is 0.5 in callers and tree, 0 in tables.
    #[arg(long, value_name = "P", value_parser = percent)]
    pub min_percent: Option<f64>,
    /// callers: only functions that match
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub function: Option<Regex>,
    /// tree: from the allocating functions to the root
    #[arg(long)]
    pub inverted: bool,
    /// Frames to show of each stack; 0 shows all
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_FRAMES)]
    pub max_frames: usize,
    #[command(flatten)]
    pub reading: Reading,
    /// Print JSON (docs/schemas/report.schema.json)
    #[arg(long, help_heading = "Output", conflicts_with = "csv")]
    pub json: bool,
    /// Write the page of `residue view` as one file
    ///
    /// It opens from disk, without residue and without a network, and can be attached to a bug
    /// report. Of large profiles it holds the top, and says what it leaves out. `-` is standard
    /// output. Only the options for names can be combined with it.
    #[arg(long, value_name = "OUT", help_heading = "Output", conflicts_with_all = NOT_WITH_HTML)]
    pub html: Option<PathBuf>,
    /// Print the first view as comma-separated values
    #[arg(long, help_heading = "Output")]
    pub csv: bool,
    #[command(flatten)]
    pub showing: Showing,
}

/// The page shows everything, and whoever looks at it chooses.
const NOT_WITH_HTML: [&str; 18] = [
    "csv",
    "json",
    "view",
    "counter",
    "counters",
    "top",
    "min_percent",
    "function",
    "inverted",
    "max_frames",
    "kind",
    "focus",
    "ignore",
    "under",
    "module",
    "scope",
    "thread",
    "events",
];

const DEFAULT_TOP: &str = "10";
const DEFAULT_MAX_FRAMES: usize = 16;
const DEFAULT_MIN_PERCENT: f64 = 0.5;

/// A number, or all.
fn top(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        text => text
            .parse()
            .map_err(|_| format!("`{text}` is neither a number nor `all`")),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| format!("`{text}` is not a percentage from 0 to 100"))
}

fn regex(text: &str) -> Result<Regex, String> {
    smart_case(&arguments::pattern(text)?).map_err(|error| error.to_string())
}

impl Options {
    /// The views to show, in their order.
    fn views(&self) -> Vec<View> {
        match (&self.view[..], self.top) {
            ([], 0) => vec![View::Summary],
            ([], _) if self.csv => vec![View::Own],
            ([], _) => View::DEFAULT.to_vec(),
            (views, _) => views.to_vec(),
        }
    }

    /// The counter that ranks and those beside it, each once.
    fn all_counters(&self, measured: Measured) -> Vec<Counter> {
        // What is live is not known by thread.
        let default = match measured {
            Measured::ByThread => Counter::Total,
            Measured::Everything | Measured::WithTotals | Measured::LiveOnly => Counter::Live,
        };
        let ranking = self.counter.unwrap_or(default);
        let beside = match (&self.counters[..], ranking) {
            ([], Counter::LiveBlocks) if measured == Measured::LiveOnly => &[Counter::Live][..],
            ([], Counter::Cpu) => &[],
            ([], _) if measured == Measured::LiveOnly => &[Counter::LiveBlocks],
            ([], Counter::Calls) => &[Counter::Total],
            ([], _) => &[Counter::Calls],
            (counters, _) => counters,
        };
        let mut all = vec![ranking];
        for &counter in beside {
            if !all.contains(&counter) {
                all.push(counter);
            }
        }
        all
    }

    /// What is asked for, as it is answered.
    fn request(&self) -> Request {
        Request {
            views: self.views(),
            limit: Limit {
                rows: self.top,
                min_percent: self.min_percent.unwrap_or(0.0),
            },
            threshold_percent: self.min_percent.unwrap_or(DEFAULT_MIN_PERCENT),
            function: self.function.clone(),
            inverted: self.inverted,
        }
    }

    /// The tables of a profile that the views look at.
    fn needs(&self) -> Needs {
        if self.html.is_some() {
            return Needs::ALL;
        }
        let views = self.views();
        let has = |some: &[View]| views.iter().any(|view| some.contains(view));
        Needs {
            sizes: has(&[View::Stacks, View::Size, View::Advice]),
            births: has(&[View::Stacks, View::Churn]),
            places: true,
            by_thread: has(&[View::Thread]),
            changes: false,
            allocated: has(&[View::Churn, View::Advice]),
            proc_maps: false,
            picture: false,
        }
    }
}

pub fn run(args: Args) -> Result<()> {
    let options = &args.options;
    let loaded = match args.pid {
        Some(pid) => {
            if options.reading.events.is_some() {
                anyhow::bail!("--events needs a finished recording");
            }
            options.reading.of_thread(attach::profile_of(pid)?)?
        }
        None => {
            let reading = &options.reading;
            reading.load_all_needed(&args.files, options.needs())?
        }
    };
    if let Some(out) = &options.html {
        return write_page(&args, loaded.profile, out);
    }
    if options.json || options.csv {
        return output::to_stdout(|out| write(&loaded, options, out));
    }
    let page = options.showing.page(options.reading.naming.full_names);
    options.showing.show(&text(&loaded, options, &page)?)
}

/// The page with the data in it.
fn write_page(args: &Args, profile: Profile, out: &Path) -> Result<()> {
    if args.files.iter().any(|file| file.part.is_some()) {
        anyhow::bail!("--html writes the whole recording; choose events in the page");
    }
    let first = args.files.first().map(|file| file.path.as_path());
    let name = first
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let naming = &args.options.reading.naming;
    let name = name.unwrap_or_else(|| profile.meta.program.clone());
    let opened = Opened::new(name, profile, naming.names()?);
    let profiles = OpenProfiles::new(opened, None);
    let write = |to: &mut dyn Write| page_file::write(&profiles, to);
    match out == Path::new("-") {
        true => output::to_stdout(write),
        false => output::to_file(out, first.unwrap_or(Path::new("")), write),
    }
}

fn source<'a>(loaded: &'a Loaded, options: &Options) -> Result<Source<'a>> {
    let counters = options.all_counters(loaded.measured);
    let choice = options.reading.choice_of(loaded, counters[0])?;
    Ok(Source::new(&loaded.profile, choice, counters)?)
}

/// The report for people.
fn text(loaded: &Loaded, options: &Options, page: &Page) -> Result<String> {
    let source = source(loaded, options)?;
    let request = options.request();
    let has_names = request.views.iter().any(|view| view.has_names());
    let look = Look {
        page,
        max_frames: options.max_frames,
        names_note: options.reading.naming.note().filter(|_| has_names),
        says_nothing: !options.view.is_empty(),
    };
    Ok(report::text(&source, &request, &look))
}

/// The report for programs.
fn write(loaded: &Loaded, options: &Options, out: &mut dyn Write) -> Result<()> {
    let source = source(loaded, options)?;
    let request = options.request();
    if !options.json {
        return report::write_csv(&source, &request, out);
    }
    let stacks = Stacks::of(&source, request.limit.rows);
    let report = document::report(&source, &request, &stacks);
    serde_json::to_writer(&mut *out, &report).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

#[cfg(test)]
mod tests;
