//! The report for programs to read; the schema is in docs/COMMANDS.md.

use std::io::{self, Write};

use residue_profile::*;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::counter::Counter;
use super::names::{NameStyle, Names};
use super::report_advice::{Advice, advice};
use super::report_callers::{Callers, callers};
use super::report_flat::{self, Flat, Side};
use super::report_grid::Grid;
use super::report_groups as groups;
use super::report_source::Source;
use super::report_stacks::Stacks;
use super::report_tree::{Tree, tree};
use super::report_view::View;
use super::{paths, summary};
use crate::commands::report::Options as Chosen;

/// Views that were not asked for are absent.
#[derive(Serialize)]
struct Report<'s, 'a> {
    format: &'static str,
    version: u32,
    meta: &'a Meta,
    heap: &'a Totals,
    mappings: &'a Totals,
    recorder: &'a RecorderStats,
    warnings: Vec<String>,
    stacks: usize,
    selection: Ranking,
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    own: Option<Table>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cumulative: Option<Table>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Callers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<Entries<'s, 'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    libraries: Option<Table>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<Grid>,
    /// Null where the profile does not tell threads apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Option<Grid>>,
    /// Null where sizes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Option<Grid>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<Vec<Advice>>,
}

#[derive(Serialize)]
struct Ranking {
    kind: &'static str,
    counter: &'static str,
    unit: &'static str,
    /// Those that pass the filters and have a value.
    stacks: usize,
    whole: u64,
    /// What each counter adds up to over the stacks that pass the filters.
    sums: Sums,
}

#[derive(Serialize)]
struct Sums {
    calls: u64,
    total: u64,
    live: u64,
    live_blocks: u64,
    peak: u64,
    at_peak: u64,
    at_peak_blocks: u64,
    frees: u64,
    temporaries: u64,
    reallocs: u64,
}

/// Functions or libraries.
#[derive(Serialize)]
struct Table {
    /// How many there are with anything at all.
    found: usize,
    rows: Grid,
}

#[derive(Serialize)]
struct Entry<'a> {
    rank: usize,
    stack: usize,
    kind: &'static str,
    value: u64,
    share: f64,
    counters: &'a Counters,
    sizes_total: &'a [SizeBin],
    sizes_live: &'a [SizeBin],
    births: &'a [BirthBin],
    /// Instead of frames, where the path is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_path: Option<&'static str>,
    /// As it is shown, root first.
    path: Vec<String>,
    /// As it was recorded, leaf first.
    frames: Vec<FrameEntry<'a>>,
}

/// One frame; without an address where frames were left out.
#[derive(Serialize)]
struct FrameEntry<'a> {
    function: String,
    symbol: Option<&'a str>,
    module: Option<&'a str>,
    address: Option<String>,
    /// Innermost first; the last is the frame's own function, those before it were
    /// inlined. Absent where there is no debug information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceEntry<'a>>,
}

#[derive(Serialize)]
struct PlaceEntry<'a> {
    function: String,
    file: Option<&'a str>,
    line: Option<u32>,
}

pub fn write(
    source: &Source<'_>,
    options: &Chosen,
    views: &[View],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let profile = source.profile;
    let limit = options.limit();
    let is_asked = |view: View| views.contains(&view);
    let functions =
        |view, side| is_asked(view).then(|| Table::of(report_flat::functions(source, side, limit)));
    let stacks = Stacks::of(source, limit.rows);
    let threshold = options.threshold();
    let report = Report {
        format: "residue-report",
        version: 1,
        meta: &profile.meta,
        heap: &profile.heap,
        mappings: &profile.mappings,
        recorder: &profile.recorder,
        warnings: summary::warnings(profile),
        stacks: profile.stacks.len(),
        selection: Ranking {
            kind: source.kind.name(),
            counter: source.counter().name(),
            unit: match source.counter().is_bytes() {
                true => "bytes",
                false => "count",
            },
            stacks: stacks.selection.stacks,
            whole: stacks.whole,
            sums: sums(source),
        },
        own: functions(View::Own, Side::Own),
        cumulative: functions(View::Cumulative, Side::Cumulative),
        callers: is_asked(View::Callers)
            .then(|| callers(source, threshold, options.function.as_ref())),
        tree: is_asked(View::Tree).then(|| tree(source, threshold, options.inverted)),
        top: is_asked(View::Stacks).then_some(Entries {
            source,
            style: match options.reading.naming.full_names {
                true => NameStyle::Full,
                false => NameStyle::NoParams,
            },
            stacks: &stacks,
        }),
        libraries: is_asked(View::Library)
            .then(|| Table::of(report_flat::libraries(source, limit))),
        scopes: is_asked(View::Scope).then(|| groups::scopes(source)),
        threads: is_asked(View::Thread).then(|| groups::threads(source)),
        sizes: is_asked(View::Size).then(|| groups::sizes(source)),
        advice: is_asked(View::Advice).then(|| advice(source)),
    };
    serde_json::to_writer(&mut *out, &report).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

impl Table {
    fn of(flat: Flat) -> Table {
        Table {
            found: flat.found,
            rows: flat.grid,
        }
    }
}

fn sums(source: &Source<'_>) -> Sums {
    let mut sums = [0_u64; Counter::ALL.len()];
    for stack in source.admitted() {
        for (sum, counter) in sums.iter_mut().zip(Counter::ALL) {
            *sum = sum.saturating_add(source.value(counter, stack));
        }
    }
    let sum = |wanted: Counter| {
        let place = Counter::ALL.iter().position(|counter| *counter == wanted);
        place.map_or(0, |place| sums[place])
    };
    Sums {
        calls: sum(Counter::Calls),
        total: sum(Counter::Total),
        live: sum(Counter::Live),
        live_blocks: sum(Counter::LiveBlocks),
        peak: sum(Counter::Peak),
        at_peak: sum(Counter::AtPeak),
        at_peak_blocks: sum(Counter::AtPeakBlocks),
        frees: sum(Counter::Frees),
        temporaries: sum(Counter::Temporaries),
        reallocs: sum(Counter::Reallocs),
    }
}

/// The highest stacks. Each is made when it is written: all of a million stacks with
/// their paths would not fit into memory.
struct Entries<'s, 'a> {
    source: &'s Source<'a>,
    style: NameStyle,
    stacks: &'s Stacks,
}

impl Serialize for Entries<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let profile = self.source.profile;
        let mut names = Names::new(profile, self.style);
        let mut paths = self.source.paths();
        let top = &self.stacks.selection.top;
        let mut list = serializer.serialize_seq(Some(top.len()))?;
        for (rank, &index) in top.iter().enumerate() {
            let stack = &profile.stacks[index];
            let value = self.source.value(self.source.counter(), index);
            let path = paths.steps(stack);
            list.serialize_element(&Entry {
                rank: rank + 1,
                stack: index,
                kind: stack.kind.name(),
                value,
                share: value as f64 / self.stacks.whole.max(1) as f64,
                counters: &stack.counters,
                sizes_total: profile.sizes_total.row(index),
                sizes_live: profile.sizes_live.row(index),
                births: profile.births.row(index),
                no_path: paths::placeholder(stack),
                path: path
                    .iter()
                    .map(|step| step.label.name.to_string())
                    .collect(),
                frames: profile
                    .frames_leaf_first(stack.node)
                    .map(|frame| frame_entry(profile, &mut names, frame))
                    .collect(),
            })?;
        }
        list.end()
    }
}

fn frame_entry<'a>(profile: &'a Profile, names: &mut Names<'_>, id: FrameId) -> FrameEntry<'a> {
    let frame = profile.frames.get(id as usize);
    let symbol = frame.and_then(|frame| profile.functions.get(frame.function as usize));
    let module = frame.and_then(|frame| profile.modules.get(frame.module as usize));
    let places = profile.places.row(id as usize).iter();
    FrameEntry {
        function: names.frame(id),
        symbol: symbol.map(String::as_str),
        module: module.map(|module| module.path.as_str()),
        address: frame.map(|frame| format!("{:#x}", frame.address)),
        places: places
            .map(|place| PlaceEntry {
                function: names.function(place.function).unwrap_or("").to_string(),
                file: profile.files.get(place.file as usize).map(String::as_str),
                line: Some(place.line).filter(|line| *line > 0),
            })
            .collect(),
    }
}
