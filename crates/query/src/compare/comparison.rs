//! Two sides of a comparison, brought together: the same file at two moments, two runs,
//! two builds.
//!
//! ```text
//!   address ── file, read once ──► numbers of its stacks ──► tree ──┐
//!                                                                   ├─► joined by name
//!   address ── file, beside it ──► numbers of its stacks ──► tree ──┘
//! ```

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use residue_calltree::diff::{JoinedTree, Pair, Scale, own_values};
use residue_calltree::{CallTree, Detail};
use residue_profile::timeline::Source;
use residue_profile::{Counter, Measured, Part, Profile, Span};

use crate::builds::Builds;
use crate::choice::Choice;
use crate::moment_view;

/// How two sides are compared.
pub struct Request<'a> {
    pub choice: &'a Choice,
    pub counter: Counter,
    pub detail: Detail,
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
    /// That these are others than were asked for, where they are.
    pub other_events: Option<String>,
    pub source: Source,
}

impl About {
    /// Of a profile that was given as `address`, as far as `part` and `span` say.
    pub fn of(profile: &Profile, address: String, part: Option<Part>, span: Span) -> About {
        let timeline = &profile.timeline;
        let source = timeline.about.source;
        About {
            address,
            other_events: part.as_ref().and_then(|it| timeline.other_events(it, span)),
            part,
            program: profile.meta.program.clone(),
            command: profile.meta.command.clone(),
            events: (source != Source::None).then(|| timeline.events_in(span)),
            source,
        }
    }

    /// Whether it is what happened in a number of events, and not a state.
    fn is_of_events(&self) -> bool {
        let is_state = matches!(self.part, Some(Part::At(_)));
        !is_state && self.source != Source::Ticks
    }
}

/// One side, read: what is left of its profile.
pub struct Side {
    about: About,
    tree: CallTree,
    numbers: SideNumbers,
    builds: Builds,
}

/// By node of a side's tree.
struct SideNumbers {
    own: Vec<i64>,
    beside: Option<Vec<i64>>,
}

/// A profile, or a part of it, as it was asked for.
#[derive(Debug, Clone)]
pub struct Given {
    pub address: String,
    pub part: Option<Part>,
}

impl Side {
    pub fn of(request: &Request<'_>, profile: &Profile, given: Given) -> Result<Side> {
        let tree = request.choice.tree(profile, request.detail);
        let (about, numbers) = read(request, profile, &tree, given)?;
        Ok(Side {
            about,
            tree,
            numbers,
            builds: Builds::of(profile),
        })
    }
}

/// Two profiles.
pub fn compare(request: &Request<'_>, before: Side, after: Side) -> Result<Comparison> {
    let is_moved = |module: &str| before.builds.is_moved(&after.builds, module);
    let tree = JoinedTree::of(&before.tree, &after.tree, is_moved);
    let numbers = [before.numbers, after.numbers];
    bring_together(request, [before.about, after.about], numbers, tree, None)
}

/// Two parts of one profile.
pub fn compare_parts(
    request: &Request<'_>,
    profile: &Profile,
    parts: [Given; 2],
) -> Result<Comparison> {
    let tree = request.choice.tree(profile, request.detail);
    let [before, after] = parts;
    let (about_before, before) = read(request, profile, &tree, before)?;
    let (about_after, after) = read(request, profile, &tree, after)?;
    let is_state = |about: &About| !matches!(about.part, Some(Part::Between { .. }));
    let events = about_before.events.zip(about_after.events);
    let between = events
        .filter(|_| is_state(&about_before) && is_state(&about_after))
        .map(|(before, after)| before.abs_diff(after));
    let joined = JoinedTree::of(&tree, &tree, |_| false);
    let abouts = [about_before, about_after];
    bring_together(request, abouts, [before, after], joined, between)
}

fn bring_together(
    request: &Request<'_>,
    abouts: [About; 2],
    [before, after]: [SideNumbers; 2],
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
    let (tree, per_event) = (Arc::new(tree), request.per_event);
    Comparison::new(abouts, tree, numbers, per_event, events_between)
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
        if !numbers.counter.adds_up() {
            let name = numbers.counter.name();
            bail!(
                "`{name}` is a maximum and has no difference: see `residue report FILE --counter \
                 {name}` of each"
            );
        }
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

fn read(
    request: &Request<'_>,
    profile: &Profile,
    tree: &CallTree,
    given: Given,
) -> Result<(About, SideNumbers)> {
    let whole = Span {
        from: None,
        to: None,
    };
    let span = match &given.part {
        Some(part) => profile.timeline.span_of(part)?,
        None => whole,
    };
    let (live, measured) = match given.part {
        Some(_) => {
            let measured = moment_view::measured(profile, span);
            (moment_view::live(profile, span), measured)
        }
        None => (Vec::new(), request.choice.measured),
    };
    let of_counter = |counter: Counter| -> Result<Vec<i64>> {
        if !measured.has(profile, counter) {
            bail!(
                "`{}` {}",
                counter.name(),
                measured.why_not(profile, counter)
            );
        }
        Ok(match (measured, counter) {
            (Measured::WithTotals | Measured::LiveOnly, counter) => {
                own_values(tree, |it| live[it].value(counter))
            }
            _ => own_values(tree, |stack| {
                let value = counter.value(&profile.stacks[stack]);
                i64::try_from(value).unwrap_or(i64::MAX)
            }),
        })
    };
    let beside = companion(request.counter).filter(|&counter| measured.has(profile, counter));
    let numbers = SideNumbers {
        own: of_counter(request.counter)?,
        beside: beside.map(of_counter).transpose()?,
    };
    let Given { address, part } = given;
    Ok((About::of(profile, address, part, span), numbers))
}

fn companion(counter: Counter) -> Option<Counter> {
    Some(match counter {
        Counter::Live => Counter::LiveBlocks,
        Counter::LiveBlocks => Counter::Live,
        Counter::Total => Counter::Calls,
        Counter::Calls => Counter::Total,
        Counter::AtPeak => Counter::AtPeakBlocks,
        Counter::AtPeakBlocks => Counter::AtPeak,
        Counter::Peak
        | Counter::Frees
        | Counter::Temporaries
        | Counter::Reallocs
        | Counter::Cpu
        | Counter::Largest => return None,
    })
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
            by(events, events).context("no events between the two moments")
        }
        (PerEvent::Always, None, Some(one), Some(other)) => {
            if unit != after.source.unit() {
                bail!("one side has events, the other ticks: use --absolute");
            }
            by(one, other).context("one side has no events")
        }
        (PerEvent::Always, None, ..) => bail!("one side has no events"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::Point;

    fn about(events: Option<u64>, source: Source, part: Option<Part>) -> About {
        About {
            address: "a.residue".to_string(),
            part,
            program: "a".to_string(),
            command: Vec::new(),
            events,
            other_events: None,
            source,
        }
    }

    #[test]
    fn runs_are_divided_by_their_events_and_states_are_not() {
        let run = |events| about(Some(events), Source::Marks, None);
        let ticks = |events| about(Some(events), Source::Ticks, None);
        let state = |events| {
            let part = Some(Part::At(Point::Event(51)));
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
