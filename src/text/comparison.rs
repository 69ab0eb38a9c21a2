//! Two sides of a comparison, brought together: the same file at two moments, two runs,
//! two builds.
//!
//! ```text
//!   address ── file, read once ──► numbers of its stacks ──► tree ──┐
//!                                                                   ├─► joined by name
//!   address ── file, beside it ──► numbers of its stacks ──► tree ──┘
//! ```

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use residue_calltree::diff::{JoinedTree, Pair, Scale, own_values};
use residue_calltree::{CallTree, Detail};
use residue_profile::timeline::Source;
use residue_profile::{Needs, Profile};

use super::builds::Builds;
use super::counter::Counter;
use super::moments::{Address, OF_A_MOMENT, Part, Span};
use super::reading::Reading;
use super::{input, moment_view};

/// What is compared, and how.
pub struct Request<'a> {
    pub before: &'a Address,
    pub after: &'a Address,
    pub counter: Counter,
    pub detail: Detail,
    pub reading: &'a Reading,
    pub per_event: PerEvent,
}

/// Whether numbers are divided by events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerEvent {
    /// Where both sides have events, and not the same number.
    WhereTheyDiffer,
    Always,
    Never,
}

pub struct Comparison {
    pub before: About,
    pub after: About,
    pub counter: Counter,
    pub tree: Arc<JoinedTree>,
    /// By node of the tree.
    pub own: Vec<Pair>,
    /// The counter that belongs to the one compared: blocks to bytes, bytes to blocks.
    pub beside: Option<(Counter, Vec<Pair>)>,
    pub scale: Scale,
    /// What numbers are divided by, if they are: `event` or `tick`.
    pub per: Option<&'static str>,
    /// Between two moments of one run.
    pub events_between: Option<u64>,
}

/// What is known of one side besides its stacks.
#[derive(Debug, Clone)]
pub struct About {
    /// As it was given.
    pub address: String,
    pub part: Option<Part>,
    pub program: String,
    pub command: Vec<String>,
    /// Events of the run, or in the part that is meant; `None` where there are none.
    pub events: Option<u64>,
    pub source: Source,
}

impl About {
    /// Of a profile that was given as `address`, as far as `part` and `span` say.
    pub fn of(profile: &Profile, address: String, part: Option<Part>, span: Span) -> About {
        let timeline = &profile.timeline;
        let source = timeline.about.source;
        About {
            address,
            part,
            program: profile.meta.program.clone(),
            command: profile.meta.command.clone(),
            events: (source != Source::None).then(|| span.events(timeline)),
            source,
        }
    }

    /// Whether it is what happened in a number of events, and not a state.
    fn is_of_events(&self) -> bool {
        let is_state = matches!(self.part, Some(Part::At(_)));
        !is_state && self.source != Source::Ticks
    }
}

/// One side, read.
struct Side {
    about: About,
    /// By node of its tree.
    own: Vec<i64>,
    beside: Option<Vec<i64>>,
    builds: Builds,
}

pub fn compare(request: &Request<'_>) -> Result<Comparison> {
    let events = request.reading.events.as_deref();
    let before = request.before.narrowed(events)?;
    let after = request.after.narrowed(events)?;
    if is_same_file(&before, &after) {
        return compare_parts(request, &before, &after);
    }
    let read = |address: &Address| -> Result<(Side, CallTree)> {
        let profile = load(request, address, &[address])?;
        let tree = request.reading.tree(&profile, request.detail)?;
        Ok((side(request, address, &profile, &tree)?, tree))
    };
    let (before, after) = rayon::join(|| read(&before), || read(&after));
    let ((before, tree_before), (after, tree_after)) = (before?, after?);
    let is_moved = |module: &str| before.builds.is_moved(&after.builds, module);
    let tree = JoinedTree::of(&tree_before, &tree_after, is_moved);
    bring_together(request, before, after, tree, None)
}

/// Two parts of one file, which is read once.
fn compare_parts(request: &Request<'_>, before: &Address, after: &Address) -> Result<Comparison> {
    let profile = load(request, before, &[before, after])?;
    let tree = request.reading.tree(&profile, request.detail)?;
    let spans = [
        before.span(&profile.timeline)?,
        after.span(&profile.timeline)?,
    ];
    let events = spans.map(|span| span.events(&profile.timeline));
    let are_states = spans.iter().all(|span| span.from.is_none());
    let has_events = profile.timeline.about.source != Source::None;
    let between = (are_states && has_events).then(|| events[0].abs_diff(events[1]));
    let before = side(request, before, &profile, &tree)?;
    let after = side(request, after, &profile, &tree)?;
    drop(profile);
    let joined = JoinedTree::of(&tree, &tree, |_| false);
    bring_together(request, before, after, joined, between)
}

fn bring_together(
    request: &Request<'_>,
    before: Side,
    after: Side,
    tree: JoinedTree,
    events_between: Option<u64>,
) -> Result<Comparison> {
    let own = tree.pairs(&before.own, &after.own);
    let beside = before.beside.as_deref().zip(after.beside.as_deref());
    let beside = beside.map(|(before, after)| tree.pairs(before, after));
    let numbers = Pairs {
        counter: request.counter,
        own,
        beside,
    };
    let sides = [before.about, after.about];
    Comparison::new(
        sides,
        Arc::new(tree),
        numbers,
        request.per_event,
        events_between,
    )
}

/// The numbers of both sides, by node of the joined tree.
pub struct Pairs {
    pub counter: Counter,
    pub own: Vec<Pair>,
    /// Of the counter that belongs to it, where it has one and that is asked for.
    pub beside: Option<Vec<Pair>>,
}

impl Comparison {
    /// Of two sides whose trees are joined already.
    pub fn new(
        sides: [About; 2],
        tree: Arc<JoinedTree>,
        numbers: Pairs,
        per_event: PerEvent,
        events_between: Option<u64>,
    ) -> Result<Comparison> {
        let [before, after] = sides;
        let (scale, per) = scale(per_event, &before, &after, events_between)?;
        Ok(Comparison {
            before,
            after,
            counter: numbers.counter,
            tree,
            own: numbers.own,
            beside: companion(numbers.counter).zip(numbers.beside),
            scale,
            per,
            events_between,
        })
    }
}

/// Reads no more of the file than is looked at.
fn load(request: &Request<'_>, file: &Address, parts: &[&Address]) -> Result<Profile> {
    let has_part = parts.iter().any(|address| address.part.is_some());
    let of_thread = request.reading.thread.is_some();
    if has_part && of_thread {
        bail!("--thread: which thread did what is known of whole recordings, not of moments");
    }
    let needs = Needs {
        changes: has_part,
        by_thread: of_thread,
        ..OF_A_MOMENT
    };
    let profile = input::load_needed(&file.path, needs)?;
    let name = || file.path.display().to_string();
    request.reading.of_thread(profile).with_context(name)
}

fn side(
    request: &Request<'_>,
    address: &Address,
    profile: &Profile,
    tree: &CallTree,
) -> Result<Side> {
    let span = address.span(&profile.timeline)?;
    let numbers = Numbers::of(profile, address, span);
    let own = own_values(tree, numbers.of_counter(request.counter)?);
    let beside = match companion(request.counter) {
        Some(counter) => Some(own_values(tree, numbers.of_counter(counter)?)),
        None => None,
    };
    Ok(Side {
        about: About::of(profile, address.to_string(), address.part.clone(), span),
        own,
        beside,
        builds: Builds::of(profile),
    })
}

/// Where the numbers of stacks come from.
enum Numbers<'a> {
    /// The end of the recording, where every counter is known.
    Whole(&'a Profile),
    Part(Vec<moment_view::Live>),
}

impl<'a> Numbers<'a> {
    fn of(profile: &'a Profile, address: &Address, span: Span) -> Numbers<'a> {
        match address.part {
            None => Numbers::Whole(profile),
            Some(_) => Numbers::Part(moment_view::live(profile, span)),
        }
    }

    /// A counter, by stack.
    fn of_counter(&self, counter: Counter) -> Result<Box<dyn Fn(usize) -> i64 + '_>> {
        Ok(match (self, counter) {
            (Numbers::Whole(profile), _) => Box::new(move |stack| {
                i64::try_from(counter.value(&profile.stacks[stack])).unwrap_or(i64::MAX)
            }),
            (Numbers::Part(live), Counter::Live) => Box::new(|stack| live[stack].bytes),
            (Numbers::Part(live), Counter::LiveBlocks) => Box::new(|stack| live[stack].blocks),
            (Numbers::Part(_), other) => bail!(
                "`{}` is not known of a moment, only what was live: compare by live or \
                 live-blocks, or compare whole recordings",
                other.name()
            ),
        })
    }
}

fn companion(counter: Counter) -> Option<Counter> {
    Some(match counter {
        Counter::Live => Counter::LiveBlocks,
        Counter::LiveBlocks => Counter::Live,
        Counter::Total => Counter::Calls,
        Counter::Calls => Counter::Total,
        Counter::AtPeak => Counter::AtPeakBlocks,
        Counter::AtPeakBlocks => Counter::AtPeak,
        Counter::Peak | Counter::Frees | Counter::Temporaries | Counter::Reallocs => return None,
    })
}

fn is_same_file(one: &Address, other: &Address) -> bool {
    let identity = |it: &Address| fs::metadata(&it.path).map(|there| (there.dev(), there.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// What numbers are divided by, and what that is called.
fn scale(
    per_event: PerEvent,
    before: &About,
    after: &About,
    events_between: Option<u64>,
) -> Result<(Scale, Option<&'static str>)> {
    let absolute = (Scale::ABSOLUTE, None);
    let unit = before.source.unit();
    let by = |before: u64, after: u64| Scale::per_event(before, after).map(|it| (it, Some(unit)));
    match (per_event, events_between, before.events, after.events) {
        (PerEvent::Never, ..) => Ok(absolute),
        (PerEvent::WhereTheyDiffer, None, Some(one), Some(other))
            if one != other && before.is_of_events() && after.is_of_events() =>
        {
            Ok(by(one, other).unwrap_or(absolute))
        }
        (PerEvent::WhereTheyDiffer, ..) => Ok(absolute),
        (PerEvent::Always, Some(events), ..) => {
            by(events, events).context("there are no events between the two moments")
        }
        (PerEvent::Always, None, Some(one), Some(other)) => {
            if unit != after.source.unit() {
                bail!("one side has events and the other ticks: give --absolute");
            }
            by(one, other).context("one of the sides has no events")
        }
        (PerEvent::Always, None, ..) => bail!("one of the sides has no events"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(events: Option<u64>, source: Source, part: Option<Part>) -> About {
        About {
            address: "a.residue".to_string(),
            part,
            program: "a".to_string(),
            command: Vec::new(),
            events,
            source,
        }
    }

    #[test]
    fn runs_are_divided_by_their_events_and_states_are_not() {
        let run = |events| about(Some(events), Source::Marks, None);
        let ticks = |events| about(Some(events), Source::Ticks, None);
        let state = |events| {
            let part = Some(Part::At("51".to_string()));
            about(Some(events), Source::Marks, part)
        };
        let none = about(None, Source::None, None);
        let by = |mode, one: &About, other: &About, between| {
            scale(mode, one, other, between)
                .ok()
                .map(|(scale, _)| scale)
        };
        let auto = PerEvent::WhereTheyDiffer;
        let absolute = Some(Scale::ABSOLUTE);
        assert_eq!(by(auto, &run(5), &run(5), None), absolute);
        assert_eq!(by(auto, &run(5), &run(7), None), Scale::per_event(5, 7));
        assert_eq!(by(auto, &run(0), &run(7), None), absolute);
        assert_eq!(by(auto, &ticks(5), &ticks(7), None), absolute);
        assert_eq!(by(auto, &state(5), &run(7), None), absolute);
        assert_eq!(by(auto, &none, &run(7), None), absolute);
        assert_eq!(by(PerEvent::Never, &run(5), &run(7), None), absolute);
        let always = PerEvent::Always;
        assert_eq!(by(always, &run(5), &run(5), None), Scale::per_event(5, 5));
        assert_eq!(
            by(always, &ticks(5), &ticks(7), None),
            Scale::per_event(5, 7)
        );
        assert_eq!(
            by(always, &state(5), &state(9), Some(4)),
            Scale::per_event(4, 4)
        );
        assert_eq!(by(always, &state(5), &state(5), Some(0)), None);
        assert_eq!(by(always, &ticks(5), &run(7), None), None);
        assert_eq!(by(always, &none, &run(7), None), None);
    }
}
