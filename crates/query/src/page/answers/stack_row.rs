//! One row of the table of stacks, with its shape.

use residue_analysis::counters::{Counters, Followed};
use residue_analysis::follow::Follow;
use residue_analysis::groups::GroupId;
use residue_analysis::history::{EventRange, History};
use residue_analysis::judged::Judged;
use residue_analysis::sentences;
use residue_analysis::shape::{Agreement, Confidence, Shape};
use residue_analysis::verdict::shapes_of;
use residue_calltree::{Label, NOT_SHOWN, PathReader};
use residue_profile::NodeId;
use residue_profile::timeline::StackId;
use serde::Serialize;

use super::stacks::StackNumbers;
use crate::moment_view::Live;
use crate::page::opened::Opened;
use crate::paths;

const MOST_SPARKS: usize = 60;
const MOST_BIRTHS: usize = 30;
/// Functions of a path that are sent, from both ends, and characters of each.
const MOST_STEPS: usize = 64;
pub const MOST_NAME: usize = 400;

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackRow {
    /// The largest of those through the same functions: names the row in `api/stack`.
    /// Below zero for a row of no stack.
    pub stack: i64,
    /// How many stacks, at different lines, make the row.
    lines: usize,
    kind: &'static str,
    #[serde(flatten)]
    numbers: StackNumbers,
    /// Root first, as names are shown; long ones are cut in the middle.
    path: Vec<String>,
    /// The innermost function's place.
    file: Option<String>,
    line: Option<u32>,
    library: String,
    /// Null where there are fewer than two events in the range.
    shape: Option<Shape>,
    confidence: Option<Confidence>,
    /// Bytes per event, with its 95 % interval.
    rate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    counter: Option<Follows>,
    /// Live bytes over the range, at most 60 values at equal distances.
    spark: Vec<f64>,
    /// Of the blocks live at the end, bytes by event of birth, in at most 30 equal parts of
    /// the whole recording; empty where births are not known.
    births: Vec<u64>,
    /// Why it has its shape; not of the row, but of the page that opens from it.
    #[serde(skip)]
    pub reason: Option<String>,
    #[serde(skip)]
    pub agreement: Option<String>,
}

/// The counter that growth follows.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Followed"))]
struct Follows {
    name: String,
    #[serde(flatten)]
    follow: Follow,
}

impl StackRow {
    /// Whether it is of a shape, by its name in documents.
    pub fn has_shape(&self, name: &str) -> bool {
        let own = self
            .shape
            .and_then(|shape| serde_json::to_value(shape).ok());
        own.is_some_and(|own| own == name)
    }

    /// The same without its path, where that is told otherwise.
    pub fn without_path(self) -> StackRow {
        StackRow {
            path: Vec::new(),
            ..self
        }
    }

    /// What is left of a table, as one row.
    pub fn of_rest(stacks: usize, kind: &'static str, numbers: StackNumbers) -> StackRow {
        StackRow {
            stack: -1,
            lines: stacks,
            kind,
            numbers,
            path: Vec::new(),
            file: None,
            line: None,
            library: String::new(),
            shape: None,
            confidence: None,
            rate: None,
            low: None,
            high: None,
            counter: None,
            spark: Vec::new(),
            births: Vec::new(),
            reason: None,
            agreement: None,
        }
    }
}

/// The rows of some groups, in their order, of the stacks that are meant.
pub fn rows(
    opened: &Opened,
    groups: &[GroupId],
    live: Option<&[Live]>,
    events: Option<EventRange>,
    admits: &dyn Fn(usize) -> bool,
) -> Vec<StackRow> {
    if groups.is_empty() {
        return Vec::new();
    }
    let range = events.unwrap_or(EventRange::ALL);
    let history = History::new(&opened.profile, opened.groups(), range);
    let mut judged = history.as_ref().map(|history| {
        let verdict = opened.verdict(events);
        let judged = shapes_of(Option::as_ref(&verdict), history, groups);
        Judges {
            counters: Counters::new(history),
            judged: judged.into_iter(),
        }
    });
    let mut paths = opened.paths();
    let row = |&group: &GroupId| {
        let row = plain_row(opened, group, live, admits, &mut paths);
        match judged.as_mut() {
            Some(judges) => judges.judge_next(opened, row),
            None => row,
        }
    };
    groups.iter().map(row).collect()
}

/// The shapes of the rows, in their order.
struct Judges {
    counters: Counters,
    judged: std::vec::IntoIter<Judged>,
}

impl Judges {
    fn judge_next(&mut self, opened: &Opened, row: StackRow) -> StackRow {
        let Some(judged) = self.judged.next() else {
            return row;
        };
        let verdict = judged.verdict;
        let unit = opened.profile.timeline.about.source.unit();
        let growth = &verdict.growth;
        let does_grow = matches!(verdict.shape, Shape::Leak | Shape::ExitFreed);
        let followed = does_grow.then(|| self.counters.followed(&judged.course.live, growth));
        let name = |followed: &Followed| {
            let names = &opened.profile.timeline.names;
            names.get(followed.name as usize).cloned()
        };
        StackRow {
            shape: Some(verdict.shape),
            confidence: Some(verdict.confidence),
            rate: Some(growth.rate),
            low: Some(growth.low),
            high: Some(growth.high),
            counter: followed.flatten().map(|followed| Follows {
                name: name(&followed).unwrap_or_default(),
                follow: followed.follow,
            }),
            spark: judged.course.live.evenly(MOST_SPARKS).0,
            agreement: match verdict.agreement {
                Agreement::Agrees => Some("agrees".to_string()),
                Agreement::BirthsUnknown => Some("births unknown".to_string()),
                Agreement::Disagrees(_) => sentences::of_disagreement(&verdict, unit),
            },
            reason: Some(sentences::of_shape(&verdict, unit)),
            ..row
        }
    }
}

/// A row without what events tell of it.
fn plain_row(
    opened: &Opened,
    group: GroupId,
    live: Option<&[Live]>,
    admits: &dyn Fn(usize) -> bool,
    paths: &mut PathReader<'_>,
) -> StackRow {
    let all = opened.groups().members(group);
    // Stacks of a group may differ by functions that were inlined.
    let is_meant = |stack: &StackId| admits(*stack as usize);
    let members: Vec<StackId> = all.iter().copied().filter(is_meant).collect();
    let members = if members.is_empty() {
        all
    } else {
        &members[..]
    };
    let largest = members[0];
    let stack = &opened.profile.stacks[largest as usize];
    let mut numbers = StackNumbers::default();
    for &member in members {
        numbers.add(&StackNumbers::of(opened, member as usize, live));
    }
    let path = labels(opened, largest, paths);
    let names: Vec<&str> = path.iter().map(|label| &*label.name).collect();
    let leaf = path.last();
    let place = leaf.and_then(|leaf| place_of(opened, stack.node, leaf, paths));
    StackRow {
        stack: i64::from(largest),
        file: place.as_ref().map(|label| label.file.to_string()),
        line: place.map(|label| label.line).filter(|line| *line > 0),
        library: leaf
            .map(|label| label.module.to_string())
            .unwrap_or_default(),
        path: shortened(&names),
        births: births(opened, members),
        ..StackRow::of_rest(members.len(), stack.kind.name(), numbers)
    }
}

/// The path of a stack, root first.
fn labels(opened: &Opened, stack: StackId, paths: &mut PathReader<'_>) -> Vec<Label> {
    let Some(shown) = opened.tree_if_made() else {
        let steps = paths.steps(&opened.profile.stacks[stack as usize]);
        return steps.into_iter().map(|step| step.label).collect();
    };
    match shown.tree.node_of_stack[stack as usize] {
        NOT_SHOWN => Vec::new(),
        node => {
            let nodes = shown.tree.path(node).into_iter();
            nodes.map(|node| shown.tree.label(node).clone()).collect()
        }
    }
}

/// Where the innermost function that is shown is at work. Its frame is one of the first
/// from the leaf: what rules hide is above and below it.
fn place_of(
    opened: &Opened,
    node: NodeId,
    leaf: &Label,
    paths: &mut PathReader<'_>,
) -> Option<Label> {
    let frames = opened.profile.frames_leaf_first(node).take(MOST_STEPS);
    for frame in frames {
        let labels = paths.frame(frame);
        let mut innermost_first = labels.into_iter().rev();
        let same = innermost_first.find(|label| label.name == leaf.name);
        if let Some(label) = same {
            return (!label.file.is_empty()).then_some(label);
        }
    }
    None
}

/// The names of a path, as far as they are sent.
pub fn shortened(names: &[&str]) -> Vec<String> {
    paths::shortened(names, MOST_STEPS, MOST_NAME)
}

/// Bytes live at the end by event of birth, in equal parts of the recording.
fn births(opened: &Opened, members: &[StackId]) -> Vec<u64> {
    let profile = &opened.profile;
    let has_births = |stack: &StackId| !profile.births.row(*stack as usize).is_empty();
    if profile.meta.birth_unit != "event" || !members.iter().any(has_births) {
        return Vec::new();
    }
    let events = profile.timeline.about.events.max(1);
    let parts = MOST_BIRTHS.min(usize::try_from(events).unwrap_or(MOST_BIRTHS));
    let mut sums = vec![0_u64; parts];
    for &stack in members {
        for birth in profile.births.row(stack as usize) {
            // What was made before the first event is counted with it.
            let place = u64::from(birth.birth.max(1)) - 1;
            let part = (place * parts as u64 / events).min(parts as u64 - 1) as usize;
            sums[part] = sums[part].saturating_add(birth.bytes);
        }
    }
    sums
}
