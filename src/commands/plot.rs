//! `residue plot`: pictures for logs, papers and batch jobs.

use crate::commands::import::{self, load_or_import};
use crate::flags::address::Address;
use crate::flags::events::EventFlags;
use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use residue_analysis::verdict::verdict;
use residue_calltree::Filter;
use residue_import::Unit;
use residue_plot::{Look, Panel, Picture, Subject};
use residue_profile::Profile;
use residue_query::leaks::{headline, shown_path_of_stack};
use residue_query::no_events::NoVerdict;
use residue_text::output;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// In place of a file.
const STDOUT: &str = "-";

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue plot job.residue -o job.svg
  residue plot job.residue@51..end -o job.png
  residue plot job.residue --what timeline,account --width 720 -o paper.svg
  residue plot job.residue --what heap,heap-age,heap-stack -o heap.png
  residue plot job.residue --format png -o - | display"
)]
pub struct Args {
    /// Profile to read, or a file of another tool; FILE@51..end for some events
    ///
    /// `residue import --help` lists the formats of other tools.
    pub file: Address,
    /// Picture to write: NAME.svg or NAME.png; `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Format, if OUT does not end in .svg or .png
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Panels to draw, separated by commas [default: all that have data, the heap by fullness]
    #[arg(long, value_enum, value_name = "PANEL", value_delimiter = ',')]
    pub what: Vec<What>,
    /// Width of the picture; a PNG has twice as many pixels
    #[arg(long, value_name = "PX", default_value_t = Look::USUAL_WIDTH_PX, value_parser = width())]
    pub width: u32,
    /// Light lines on a dark background
    #[arg(long)]
    pub dark: bool,
    #[command(flatten)]
    pub events: EventFlags,
    /// Unit of sizes in a FILE of another tool, as for `residue import`
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
    #[command(flatten)]
    pub naming: Naming,
}

fn width() -> clap::builder::RangedI64ValueParser<u32> {
    let (least, most) = Look::WIDTHS_PX.into_inner();
    clap::value_parser!(u32).range(i64::from(least)..=i64::from(most))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Svg,
    Png,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// RSS, live heap and mapped memory; the growth rate with its interval
    Timeline,
    /// Growth of each event between stamps
    Stages,
    /// Live bytes at the end, by the event that allocated them
    Survival,
    /// The parts of the growth of the resident size
    Account,
    /// Pages of the heap in the order of addresses, by how full they are (docs/PINS.md)
    Heap,
    /// The same by the events that blocks were made in
    HeapAge,
    /// The same by the stacks that have most blocks there
    HeapStack,
}

impl What {
    fn panel(self) -> Panel {
        match self {
            What::Timeline => Panel::Timeline,
            What::Stages => Panel::Stages,
            What::Survival => Panel::Survival,
            What::Account => Panel::Account,
            What::Heap => Panel::Heap,
            What::HeapAge => Panel::HeapAge,
            What::HeapStack => Panel::HeapStack,
        }
    }
}

pub fn run(args: Args) -> Result<()> {
    let format = format(args.format, &args.output)?;
    let picture = draw(&args)?;
    if picture.panels.is_empty() {
        let reasons = picture.left_out.join("; ");
        bail!("{}: nothing to draw: {reasons}", args.file);
    }
    let bytes = match format {
        Format::Svg => picture.svg.into_bytes(),
        Format::Png => {
            residue_plot::png(&picture.svg).with_context(|| format!("{}: no picture", args.file))?
        }
    };
    if args.output == Path::new(STDOUT) {
        return output::to_stdout(|out| Ok(out.write_all(&bytes)?));
    }
    output::to_file(&args.output, &args.file.path, |out| {
        Ok(out.write_all(&bytes)?)
    })
}

/// What cannot be done is said before anything is read.
fn format(asked: Option<Format>, output: &Path) -> Result<Format> {
    if let Some(format) = asked {
        return Ok(format);
    }
    if output == Path::new(STDOUT) {
        bail!("standard output needs --format svg or --format png");
    }
    let ending = output.extension().unwrap_or_default();
    match ending.to_ascii_lowercase().to_str() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => bail!(
            "{} does not end in .svg or .png; give --format",
            output.display()
        ),
    }
}

fn draw(args: &Args) -> Result<Picture> {
    let reading = import::Reading {
        format: None,
        unit: args.unit,
    };
    let profile = load_or_import(&args.file, reading)?;
    let range = args.events.range(&args.file, &profile.timeline)?;
    let verdict = verdict(&profile, range);
    let names = args.naming.names()?;
    let filter = Filter::default();
    let paths = RefCell::new(names.paths(&profile, &filter));
    let headline = match &verdict {
        Some(verdict) => headline(verdict).to_string(),
        None => NoVerdict::of(&profile, range).reason,
    };
    let asked = match args.what.is_empty() {
        true => usual_panels(&profile),
        false => args.what.clone(),
    };
    let panels: Vec<Panel> = asked.iter().map(|what| what.panel()).collect();
    let subject = Subject {
        profile: &profile,
        range,
        verdict: verdict.as_ref(),
        headline: &headline,
        stack_name: &|stack| shown_path_of_stack(&profile, &mut paths.borrow_mut(), stack).line(),
    };
    let look = Look {
        width_px: args.width,
        is_dark: args.dark,
    };
    Ok(residue_plot::draw(&subject, &panels, look))
}

/// The heap is drawn where there is a picture of it, once.
fn usual_panels(profile: &Profile) -> Vec<What> {
    let pins = profile.picture.as_ref().and_then(|it| it.pins.as_ref());
    let has_map = pins.is_some_and(|pins| !pins.map.cells.is_empty());
    let is_usual = |what: &What| match what {
        What::Heap => has_map,
        What::HeapAge | What::HeapStack => false,
        _ => true,
    };
    let all = What::value_variants().iter().copied();
    all.filter(is_usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_the_name_is_the_form() {
        let form = |name: &str| format(None, Path::new(name)).map_err(|error| error.to_string());
        assert_eq!(form("a/b.svg"), Ok(Format::Svg));
        assert_eq!(form("b.c.PNG"), Ok(Format::Png));
        assert_eq!(
            form("plot.pdf").unwrap_err(),
            "plot.pdf does not end in .svg or .png; give --format"
        );
        assert!(form("svg").is_err());
        assert!(form("-").unwrap_err().contains("--format"));
        assert_eq!(
            format(Some(Format::Png), Path::new("-")).unwrap(),
            Format::Png
        );
        assert_eq!(
            format(Some(Format::Svg), Path::new("x.png")).unwrap(),
            Format::Svg
        );
    }
}
