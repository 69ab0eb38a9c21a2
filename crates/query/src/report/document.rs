//! The report for programs to read; the schema is docs/schemas/report.schema.json.

use residue_calltree::{PathReader, is_by_frame_pointer, placeholder};
use residue_profile::*;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::advice::{StackAdvice, advice};
use super::callers::{Callers, callers};
use super::churn::{Churn, churn};
use super::flat::{self, Flat, Side};
use super::groups;
use super::source::Source;
use super::stacks::Stacks;
use super::tree::{Tree, tree};
use super::{Request, View};
use crate::known_counters::KnownCounters;
use crate::paths::names;
use crate::table::Grid;
use crate::warnings::warnings;

/// Views that were not asked for are absent.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report<'s, 'a> {
    format: &'static str,
    version: u32,
    /// The program and its run.
    meta: &'a Meta,
    /// Sums over all stacks of the heap.
    heap: &'a Totals,
    /// Sums over all mappings, which are not part of the heap.
    mappings: &'a Totals,
    /// The recorder's own statistics.
    recorder: &'a RecorderStats,
    /// What makes the numbers less than exact.
    warnings: Vec<String>,
    /// Stacks of the whole profile.
    stacks: usize,
    /// What rows are sorted by and percentages are computed from.
    selection: Ranking,
    /// View `self`.
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    own: Option<Table>,
    /// View `cumulative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    cumulative: Option<Table>,
    /// View `callers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Callers>,
    /// View `tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
    /// View `stacks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Entry<'a>>>"))]
    top: Option<Entries<'s, 'a>>,
    /// View `library`.
    #[serde(skip_serializing_if = "Option::is_none")]
    libraries: Option<Table>,
    /// View `scope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<Grid>,
    /// Null where threads were not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Option<Grid>>,
    /// Null where sizes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Option<Grid>>,
    /// View `churn`; null where it is not known what was allocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    churn: Option<Option<Churn>>,
    /// View `advice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<Vec<StackAdvice>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ranking {
    /// Kind of memory: `heap`, `mapping`, `reported` or `all`.
    kind: &'static str,
    /// Counter that rows are sorted by.
    counter: &'static str,
    /// Of this counter: `bytes` or `count`.
    unit: &'static str,
    /// Those that pass the filters and have a value.
    stacks: usize,
    /// What percentages are of; with counter `largest` the largest of all, of which others are no
    /// share.
    whole: u64,
    /// What each counter adds up to over the stacks that pass the filters; `largest` is the largest
    /// of them.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::all_counters")
    )]
    sums: Sums,
}

/// By counter, in their order; null where it was not recorded.
struct Sums([Option<u64>; Counter::ALL.len()]);

impl Serialize for Sums {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(self.0.len()))?;
        for (counter, sum) in Counter::ALL.iter().zip(&self.0) {
            members.serialize_entry(&counter.name().replace('-', "_"), sum)?;
        }
        members.end()
    }
}

/// Functions or libraries.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Table {
    /// How many there are with anything at all.
    found: usize,
    rows: Grid,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Entry<'a> {
    /// From 1.
    rank: usize,
    /// Index among the stacks of `residue dump`.
    stack: usize,
    /// Kind of memory: `heap`, `mapping` or `reported`.
    kind: &'static str,
    /// Of the counter that rows are sorted by.
    value: u64,
    /// Of the whole, 0 to 1; null for a counter that does not add up (`largest`).
    share: Option<f64>,
    /// All counters; null where they were not recorded.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::known_counters")
    )]
    counters: KnownCounters<'a>,
    /// Sizes of all its allocations.
    sizes_total: &'a [SizeBin],
    /// Sizes of its live blocks.
    sizes_live: &'a [SizeBin],
    /// In which events its live blocks were allocated.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrameEntry<'a> {
    /// Name as it is shown.
    function: String,
    /// Linkage name.
    symbol: Option<&'a str>,
    /// Path of the executable or library.
    module: Option<&'a str>,
    /// In the module, hexadecimal.
    address: Option<String>,
    /// Innermost first; the last is the frame's own function, those before it were
    /// inlined. Absent where there is no debug information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceEntry<'a>>,
    /// Found by the frame pointer alone, because the function that it called has no unwind
    /// table: less certain than other frames.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_frame_pointer: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlaceEntry<'a> {
    function: String,
    file: Option<&'a str>,
    line: Option<u32>,
}

/// The report for programs to read.
pub fn report<'s, 'a>(
    source: &'s Source<'a>,
    request: &Request,
    stacks: &'s Stacks,
) -> Report<'s, 'a> {
    let profile = source.profile;
    let limit = request.limit;
    let is_asked = |view: View| request.views.contains(&view);
    let functions =
        |view, side| is_asked(view).then(|| Table::of(flat::functions(source, side, limit)));
    let threshold = request.threshold_percent;
    Report {
        format: "residue-report",
        version: 1,
        meta: &profile.meta,
        heap: &profile.heap,
        mappings: &profile.mappings,
        recorder: &profile.recorder,
        warnings: warnings(profile),
        stacks: profile.stacks.len(),
        selection: Ranking {
            kind: source.kind().name(),
            counter: source.counter().name(),
            unit: source.counter().unit().name(),
            stacks: stacks.selection.stacks,
            whole: stacks.whole,
            sums: Sums(Counter::ALL.map(|counter| source.sum(counter))),
        },
        own: functions(View::Own, Side::Own),
        cumulative: functions(View::Cumulative, Side::Cumulative),
        callers: (is_asked(View::Callers) || is_asked(View::IgProf))
            .then(|| callers(source, threshold, request.function.as_ref(), limit.rows)),
        tree: is_asked(View::Tree).then(|| tree(source, threshold, request.inverted)),
        top: is_asked(View::Stacks).then_some(Entries { source, stacks }),
        libraries: is_asked(View::Library).then(|| Table::of(flat::libraries(source, limit))),
        scopes: is_asked(View::Scope).then(|| groups::scopes(source)),
        threads: is_asked(View::Thread).then(|| groups::threads(source)),
        sizes: is_asked(View::Size).then(|| groups::sizes(source)),
        churn: is_asked(View::Churn).then(|| churn(source, limit.rows)),
        advice: is_asked(View::Advice).then(|| advice(source)),
    }
}

impl Table {
    fn of(flat: Flat) -> Table {
        Table {
            found: flat.found,
            rows: flat.grid,
        }
    }
}

/// The highest stacks. Each is made when it is written: all of a million stacks with
/// their paths would not fit into memory.
struct Entries<'s, 'a> {
    source: &'s Source<'a>,
    stacks: &'s Stacks,
}

impl Serialize for Entries<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let profile = self.source.profile;
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
                share: (self.stacks.counter.adds_up())
                    .then(|| value as f64 / self.stacks.whole.max(1) as f64),
                counters: KnownCounters {
                    counters: &stack.counters,
                    profile,
                    measured: self.source.choice.measured,
                },
                sizes_total: profile.sizes_total.row(index),
                sizes_live: profile.sizes_live.row(index),
                births: profile.births.row(index),
                no_path: placeholder(stack),
                path: names(&path),
                frames: frame_entries(profile, &mut paths, stack.node),
            })?;
        }
        list.end()
    }
}

/// Leaf first.
fn frame_entries<'a>(
    profile: &'a Profile,
    paths: &mut PathReader<'_>,
    node: NodeId,
) -> Vec<FrameEntry<'a>> {
    let mut callee = None;
    let frames = profile.frames_leaf_first(node);
    frames
        .map(|frame| {
            let callee = callee.replace(frame);
            frame_entry(profile, paths, frame, callee)
        })
        .collect()
}

fn frame_entry<'a>(
    profile: &'a Profile,
    paths: &mut PathReader<'_>,
    id: FrameId,
    callee: Option<FrameId>,
) -> FrameEntry<'a> {
    // Outermost first, as many as there are places, or one.
    let labels = paths.frame(id);
    let frame = profile.frames.get(id as usize);
    let symbol = frame.and_then(|frame| profile.functions.get(frame.function as usize));
    let module = frame.and_then(|frame| profile.modules.get(frame.module as usize));
    let places = profile.places.row(id as usize).iter();
    FrameEntry {
        function: labels
            .first()
            .map_or(String::new(), |it| it.name.to_string()),
        symbol: symbol.map(String::as_str),
        module: module.map(|module| module.path.as_str()),
        address: frame.map(|frame| format!("{:#x}", frame.address)),
        places: places
            .zip(labels.iter().rev())
            .map(|(place, label)| PlaceEntry {
                function: label.name.to_string(),
                file: profile.files.get(place.file as usize).map(String::as_str),
                line: Some(place.line).filter(|line| *line > 0),
            })
            .collect(),
        by_frame_pointer: callee.is_some_and(|callee| is_by_frame_pointer(profile, id, callee)),
    }
}
