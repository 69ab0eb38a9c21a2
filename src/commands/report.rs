//! `residue report`: who was recorded, and the stacks that matter most.

use std::io::Write;

use residue_profile::Profile;

use crate::commands::attach;
use crate::text::counter::{Counter, Kind};
use crate::text::moments::Address;
use crate::text::names::{NameStyle, Names};
use crate::text::select::{Selection, select};
use crate::text::units::{bytes, count, counted, share};
use crate::text::{bins, output, paths, report_json, summary};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    residue report job.residue\n  \
    residue report job.residue --counter at-peak --top 3\n  \
    residue report job.residue --kind mapping --max-frames 0\n  \
    residue report --pid 4711 --counter calls\n  \
    residue report job.residue --json | jq '.top[0].frames[].function'")]
pub struct Args {
    /// Profile to read; FILE@51, FILE@51..end, FILE@NAME for a moment or what came between two
    #[arg(required_unless_present = "pid")]
    pub file: Option<Address>,
    /// Read a program that `residue run` is recording at this moment instead
    #[arg(long, conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    #[command(flatten)]
    pub options: Options,
}

/// What is shown, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Counter that ranks the stacks
    #[arg(long, value_enum, default_value_t)]
    pub counter: Counter,
    /// Number of stacks to show; 0 for the summary alone
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TOP)]
    pub top: usize,
    /// Which memory to show
    #[arg(long, value_enum, default_value_t)]
    pub kind: Kind,
    /// Show names with parameters and return types, however long
    #[arg(long)]
    pub full_names: bool,
    /// Frames to show of each stack, leaf and root sides; 0 for all
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_FRAMES)]
    pub max_frames: usize,
    /// Write one JSON document, with all frames
    #[arg(long)]
    pub json: bool,
}

const DEFAULT_TOP: usize = 10;
const DEFAULT_MAX_FRAMES: usize = 16;

impl Default for Options {
    fn default() -> Options {
        Options {
            counter: Counter::default(),
            top: DEFAULT_TOP,
            kind: Kind::default(),
            full_names: false,
            max_frames: DEFAULT_MAX_FRAMES,
            json: false,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let profile = match (&args.file, args.pid) {
        (_, Some(pid)) => attach::profile_of(pid)?,
        (Some(file), None) => file.load()?,
        (None, None) => anyhow::bail!("name a profile or a process to report on"),
    };
    output::to_stdout(|out| print(&profile, &args.options, out))
}

/// Writes the whole report.
pub fn print(profile: &Profile, options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let selection = select(profile, options.counter, options.kind, options.top);
    if options.json {
        return report_json::write(profile, options, &selection, out);
    }
    for line in summary::lines(profile) {
        writeln!(out, "{line}")?;
    }
    if options.top == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", heading(profile, options, &selection))?;
    let mut names = Names::new(
        profile,
        if options.full_names {
            NameStyle::Full
        } else {
            NameStyle::Short
        },
    );
    for (rank, &index) in selection.top.iter().enumerate() {
        writeln!(out)?;
        for line in stack(profile, options, &selection, &mut names, rank, index) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn heading(profile: &Profile, options: &Options, selection: &Selection) -> String {
    let counter = options.counter;
    let kind = match options.kind {
        Kind::Heap => "heap ",
        Kind::Mapping => "mapping ",
        Kind::Reported => "reported ",
        Kind::All => "",
    };
    let subject = counter.subject();
    if selection.top.is_empty() {
        return format!("no {kind}stack has any {subject}");
    }
    let ranked = format!(
        "top {} of {} by {subject}",
        count(selection.top.len() as u64),
        counted(
            selection.stacks as u64,
            &format!("{kind}stack"),
            &format!("{kind}stacks")
        )
    );
    let whole = counter.amount(selection.whole);
    if counter == Counter::Peak {
        return format!("{ranked}; the peak of all together was {whole}");
    }
    let together = selection.top.iter().fold(0_u64, |sum, &index| {
        sum.saturating_add(counter.value(&profile.stacks[index]))
    });
    let share = share(together, selection.whole);
    format!("{ranked}; together {share} of {whole}")
}

fn stack(
    profile: &Profile,
    options: &Options,
    selection: &Selection,
    names: &mut Names<'_>,
    rank: usize,
    index: usize,
) -> Vec<String> {
    let stack = &profile.stacks[index];
    let counters = &stack.counters;
    let value = options.counter.value(stack);
    let mut lines = vec![format!(
        "{:>3}.  {} {}, {}",
        rank + 1,
        options.counter.amount(value),
        options.counter.name().replace('-', " "),
        share(value, selection.whole)
    )];
    let mut detail = |text: String| lines.push(format!("      {text}"));
    detail(format!(
        "{}, {} total, {} live in {}, peak {}, at peak {}",
        counted(counters.calls, "call", "calls"),
        bytes(counters.total_bytes),
        bytes(counters.live_bytes),
        counted(counters.live_blocks, "block", "blocks"),
        bytes(counters.peak_bytes),
        bytes(counters.at_peak_bytes)
    ));
    if let Some(sizes) = bins::sizes_line(profile.sizes_total.row(index)) {
        detail(format!("sizes: {sizes}"));
    }
    let unit = &profile.meta.birth_unit;
    if let Some(births) = bins::births_line(profile.births.row(index), unit) {
        detail(format!("born: {births}"));
    }
    for line in paths::lines(profile, names, stack, options.max_frames) {
        detail(format!("  {line}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;

    fn top_of(options: &Options) -> String {
        let mut out = Vec::new();
        print(&sample::profile(), options, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let head = summary::lines(&sample::profile()).join("\n") + "\n";
        text.strip_prefix(&head).unwrap().to_string()
    }

    #[test]
    fn the_top_stacks_in_full() {
        let expected = "
top 3 of 3 heap stacks by live bytes; together 100 % of 2.87 KiB (2 936 bytes)

  1.  1.88 KiB (1 920 bytes) live, 65.4 %
      100 calls, 6.25 KiB total, 1.88 KiB live in 30 blocks, peak 3.12 KiB, at peak 2.50 KiB
      sizes: all 64..127 B
      born: 0..2 s, 30 blocks, every second
        #0 operator new  libfoo.so
        #1 space::Thing::foo  libfoo.so
        #2 main  server

  2.  1000 B live, 34.1 %
      1 call, 1000 B total, 1000 B live in 1 block, peak 1000 B, at peak 1000 B
      sizes: all 512..1023 B
      born: at 7 s, 1 block
        #0 odd;name  libfoo.so
        #1 [jit] 0x7f0012f0
        [... frames left out ...]
        #3 main  server

  3.  16 B live, 0.5 %
      50 calls, 800 B total, 16 B live in 1 block, peak 16 B, at peak 16 B
      sizes: all 16..31 B
      born: at 9 s, 1 block
        [pooled: blocks outside the size limits]
";
        assert_eq!(top_of(&Options::default()), expected);
    }

    #[test]
    fn another_counter_kind_and_names() {
        let options = Options {
            counter: Counter::LiveBlocks,
            kind: Kind::All,
            top: 1,
            full_names: true,
            ..Options::default()
        };
        let text = top_of(&options);
        assert!(text.starts_with("\ntop 1 of 4 stacks by live blocks; together 90.9 % of 33\n"));
        assert!(text.contains("\n  1.  30 live blocks, 90.9 %\n"));
        assert!(text.contains("#1 space::Thing::foo(std::string const&, int)  libfoo.so\n"));
        let peak = Options {
            counter: Counter::Peak,
            kind: Kind::Mapping,
            ..Options::default()
        };
        assert!(top_of(&peak).starts_with(
            "\ntop 1 of 1 mapping stack by own peak; \
             the peak of all together was 8.00 KiB (8 192 bytes)\n"
        ));
    }

    #[test]
    fn nothing_to_show_is_said() {
        let none = Options {
            top: 0,
            ..Options::default()
        };
        assert_eq!(top_of(&none), "");
        let no_reallocs = Options {
            counter: Counter::Reallocs,
            kind: Kind::Mapping,
            ..Options::default()
        };
        assert_eq!(
            top_of(&no_reallocs),
            "\nno mapping stack has any reallocations\n"
        );
    }
}
