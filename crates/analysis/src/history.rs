//! From a timeline to series: what was live at every event's begin, of the whole
//! process and of each group of stacks.

use crate::counters::Counted;
pub use crate::event_range::EventRange;
use crate::groups::{GroupId, Groups};
use crate::lost::LostPart;
use crate::readings::{Readings, Size};
use crate::series::Series;
use crate::shape::{Birth, Deferral, StackHistory};
use residue_profile::timeline::{
    About, Change, EventNumber, Moment, MomentId, MomentKind, NameId, Source,
};
use residue_profile::{Profile, StackKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The moments at which events begin, and what follows from them.
pub struct History<'a> {
    profile: &'a Profile,
    pub groups: &'a Groups,
    /// Begins (or ticks) in the range at which stacks are known, in the order of events.
    begins: Vec<MomentId>,
    /// The last moment of the last event in the range, and of the last event of all.
    end_of_range: MomentId,
    end_of_run: MomentId,
    /// Whether the range ends where the run does, or its recording.
    reaches_end: bool,
}

/// Blocks that an event leaves that leaves any: half leave fewer, as far as events are told
/// apart. Without that, one.
fn blocks_per_event(about: &About, births: &BTreeMap<u32, (u64, u64)>) -> f64 {
    let apart = births.iter();
    let apart = apart.filter(|(event, _)| **event > 0 && about.events_of_birth(**event) == 1);
    let mut blocks: Vec<u64> = apart.map(|(_, (_, blocks))| *blocks).collect();
    let middle = blocks.len() / 2;
    match blocks.is_empty() {
        true => 1.0,
        false => (*blocks.select_nth_unstable(middle).1).max(1) as f64,
    }
}

/// Births of one group that are told apart: a longer run than any, and less memory than a
/// made-up file could ask for.
const MOST_BIRTHS: usize = 1 << 24;

/// How far a group's live memory went in the range, from where it stood at the first begin.
#[derive(Debug, Clone, Copy, Default)]
pub struct Swing {
    /// At the end.
    pub grown_bytes: i64,
    lowest_bytes: i64,
    highest_bytes: i64,
    pub is_touched: bool,
}

impl Swing {
    fn add(&mut self, bytes: i64) {
        self.is_touched = true;
        self.grown_bytes = self.grown_bytes.saturating_add(bytes);
        self.lowest_bytes = self.lowest_bytes.min(self.grown_bytes);
        self.highest_bytes = self.highest_bytes.max(self.grown_bytes);
    }

    pub fn moved_bytes(&self) -> i64 {
        self.highest_bytes.saturating_sub(self.lowest_bytes)
    }
}

/// What a group held at the first begin and at the end of the range.
#[derive(Debug, Clone, Copy, Default)]
pub struct Movement {
    pub start_bytes: i64,
    pub end_bytes: i64,
    pub start_blocks: i64,
    pub end_blocks: i64,
}

impl Movement {
    fn add(&mut self, change: &Change) {
        self.end_bytes = self.end_bytes.saturating_add(change.bytes);
        self.end_blocks = self.end_blocks.saturating_add(change.blocks);
    }

    fn begin(&mut self) {
        self.start_bytes = self.end_bytes;
        self.start_blocks = self.end_blocks;
    }
}

/// What a group held, from begin to begin.
#[derive(Debug, Clone)]
pub struct Course {
    /// Live bytes at every begin.
    pub live: Series,
    pub movement: Movement,
    /// Live bytes when the last event of the run had ended, wherever the range ends.
    end_of_run_bytes: i64,
}

const NOT_ASKED: u32 = u32::MAX;

impl<'a> History<'a> {
    /// `None` where fewer than two events began in the range.
    pub fn new(profile: &'a Profile, groups: &'a Groups, range: EventRange) -> Option<History<'a>> {
        let timeline = &profile.timeline;
        let recorded = EventRange::recorded(profile);
        let range = range.within(recorded);
        // What another tool measured has no stacks, so none that could be late.
        let is_known =
            |moment: &Moment| moment.has_changes || timeline.about.source == Source::Imported;
        let is_begin = |moment: &Moment| moment.kind.is_begin() && is_known(moment);
        let mut begins: Vec<MomentId> = Vec::new();
        let mut last_event = 0;
        for (id, moment) in (0..).zip(&timeline.moments) {
            let is_in = (range.from.max(1)..=range.to).contains(&moment.event);
            // Events are numbered as they begin; a clock that was late skips some.
            if is_begin(moment) && is_in && moment.event > last_event {
                last_event = moment.event;
                begins.push(id);
            }
        }
        let (&first, &last) = (begins.first()?, begins.last()?);
        if first == last {
            return None;
        }
        let last_where = |is_one: &dyn Fn(&Moment) -> bool| {
            let last = timeline.moments.iter().rposition(is_one);
            last.map_or(0, |place| place as MomentId)
        };
        let is_end = |moment: &Moment| moment.kind == MomentKind::End && is_known(moment);
        let end_of_range = last_where(&|it| is_end(it) && it.event <= range.to).max(last);
        let end_of_run = last_where(&|it| is_end(it) || is_begin(it)).max(end_of_range);
        let last_of_all = timeline.moments.iter().map(|moment| moment.event).max();
        // Nothing is born after the last that was recorded.
        let last_born = last_of_all.unwrap_or(0).min(recorded.to);
        Some(History {
            profile,
            groups,
            begins,
            end_of_range,
            end_of_run,
            reaches_end: range.to >= last_born,
        })
    }

    pub fn first_event(&self) -> EventNumber {
        self.event_of(0)
    }

    pub fn last_event(&self) -> EventNumber {
        self.event_of(self.begins.len() - 1)
    }

    fn event_of(&self, place: usize) -> EventNumber {
        self.profile.timeline.moments[self.begins[place] as usize].event
    }

    pub fn moments(&self) -> impl Iterator<Item = &'a Moment> + '_ {
        let moments = &self.profile.timeline.moments;
        self.begins.iter().map(move |&id| &moments[id as usize])
    }

    /// A size of the process, at the begins or at one stamp of the events.
    pub fn readings(&self, size: Size) -> Readings {
        let begins: Vec<&Moment> = self.moments().collect();
        Readings::of(&self.profile.timeline, &begins, size)
    }

    /// Something that is known at begins, at every one at which it is.
    pub fn series(&self, size: impl Fn(&Moment) -> Option<f64>) -> Series {
        let (events, values) = self
            .moments()
            .filter_map(|moment| Some((f64::from(moment.event), size(moment)?)))
            .unzip();
        Series::new(events, values)
    }

    /// How every group moved between the first begin and the end of the range.
    pub fn swings(&self) -> Vec<Swing> {
        let mut swings = vec![Swing::default(); self.groups.count()];
        let timeline = &self.profile.timeline;
        for change in timeline.changes_between(Some(self.begins[0]), Some(self.end_of_range)) {
            if let Some(group) = self.group_of(change.stack) {
                swings[group as usize].add(change.bytes);
            }
        }
        swings
    }

    /// All changes up to a moment; they stand in the order of moments.
    fn changes_to(&self, moment: MomentId) -> &'a [Change] {
        self.profile.timeline.changes_between(None, Some(moment))
    }

    /// The kind of memory that a group is of.
    pub fn kind(&self, group: GroupId) -> StackKind {
        self.profile.stacks[self.groups.members(group)[0] as usize].kind
    }

    fn group_of(&self, stack: u32) -> Option<GroupId> {
        self.groups.of_stack.get(stack as usize).copied()
    }

    /// The course of each of some groups, in their order.
    pub fn courses(&self, groups: &[GroupId]) -> Vec<Course> {
        // A table of stacks and not a search: there are far more changes than groups.
        let mut place_of_stack = vec![NOT_ASKED; self.groups.of_stack.len()];
        for (&group, place) in groups.iter().zip(0..) {
            for &stack in self.groups.members(group) {
                place_of_stack[stack as usize] = place;
            }
        }
        let place_of = |change: &Change| {
            let place = *place_of_stack.get(change.stack as usize)?;
            (place != NOT_ASKED).then_some(place as usize)
        };
        let mut movements = vec![Movement::default(); groups.len()];
        let mut values = vec![Vec::with_capacity(self.begins.len()); groups.len()];
        let changes = self.changes_to(self.end_of_run);
        let mut from = 0;
        let ends = self.begins.iter().chain([&self.end_of_range]);
        for (turn, &moment) in ends.enumerate() {
            let to = self.changes_to(moment).len();
            for change in &changes[from..to.max(from)] {
                if let Some(place) = place_of(change) {
                    movements[place].add(change);
                }
            }
            from = to.max(from);
            if turn == 0 {
                movements.iter_mut().for_each(Movement::begin);
            }
            if turn < self.begins.len() {
                for (values, movement) in values.iter_mut().zip(&movements) {
                    values.push(movement.end_bytes as f64);
                }
            }
        }
        let mut end_of_run: Vec<i64> = movements.iter().map(|it| it.end_bytes).collect();
        for change in &changes[from..] {
            if let Some(place) = place_of(change) {
                end_of_run[place] = end_of_run[place].saturating_add(change.bytes);
            }
        }
        let events: Vec<f64> = self
            .moments()
            .map(|moment| f64::from(moment.event))
            .collect();
        let course = |((values, movement), end_of_run_bytes)| Course {
            live: Series::new(events.clone(), values),
            movement,
            end_of_run_bytes,
        };
        let known = values.into_iter().zip(movements).zip(end_of_run);
        known.map(course).collect()
    }

    /// Everything that is known about a group.
    pub fn of_group(
        &self,
        group: GroupId,
        course: &Course,
        deferral: Option<Deferral>,
    ) -> StackHistory {
        let members = self.groups.members(group);
        let counters = members
            .iter()
            .map(|&stack| &self.profile.stacks[stack as usize].counters);
        let (live_bytes, blocks) = counters.fold((0_u64, 0_u64), |(bytes, blocks), counters| {
            (
                bytes.saturating_add(counters.live_bytes),
                blocks.saturating_add(counters.calls),
            )
        });
        let unsigned = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
        let end_of_run_bytes = unsigned(course.end_of_run_bytes);
        let births = self.births(group);
        // Other tools do not tell them; and what was freed after the last event took
        // its births with it.
        let has_births = live_bytes == 0 || !births.is_empty();
        let is_there_still = live_bytes >= end_of_run_bytes / 4 * 3;
        StackHistory {
            live: course.live.clone(),
            end_of_range_bytes: unsigned(course.movement.end_bytes),
            end_of_run_bytes,
            at_exit_bytes: live_bytes,
            births,
            births_known: self.reaches_end && has_births && is_there_still,
            deferral,
            events: self.last_event() - self.first_event() + 1,
            blocks,
            lost: LostPart::of(
                self.profile.picture.as_ref(),
                members,
                self.first_event(),
                self.last_event(),
            ),
        }
    }

    fn births(&self, group: GroupId) -> Vec<Birth> {
        let mut births: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for &stack in self.groups.members(group) {
            for birth in self.profile.births.row(stack as usize) {
                let sum = births.entry(birth.birth).or_default();
                sum.0 = sum.0.saturating_add(birth.bytes);
                sum.1 = sum.1.saturating_add(birth.blocks);
            }
        }
        let about = &self.profile.timeline.about;
        let blocks_per_event = blocks_per_event(about, &births);
        births
            .into_iter()
            // What is older than the range says nothing about it.
            .filter(|(event, _)| *event >= self.first_event())
            .flat_map(|(event, (bytes, blocks))| {
                let of_events = u64::from(about.events_of_birth(event));
                let leaving = (blocks as f64 / blocks_per_event).round() as u64;
                let leaving = leaving.clamp(1, of_events);
                let part = move |of: u64, step: u64| {
                    let up_to = |step: u64| u128::from(of) * u128::from(step) / u128::from(leaving);
                    (up_to(step + 1) - up_to(step)) as u64
                };
                (0..leaving).map(move |step| Birth {
                    event: u64::from(event) + step * of_events / leaving,
                    bytes: part(bytes, step),
                    blocks: part(blocks, step).max(1),
                })
            })
            .take(MOST_BIRTHS)
            .collect()
    }

    /// Bytes that are live at exit and were allocated in an event of the range; `None` where
    /// births are not known.
    pub fn survivors_at_exit_bytes(&self) -> Option<u64> {
        let births = &self.profile.births;
        let events = self.first_event()..=self.last_event();
        let mut survivors = 0_u64;
        for (place, stack) in self.profile.stacks.iter().enumerate() {
            if stack.kind == StackKind::Reported || stack.counters.live_bytes == 0 {
                continue;
            }
            let row = births.row(place);
            if row.is_empty() {
                return None;
            }
            let inside = row.iter().filter(|birth| events.contains(&birth.birth));
            survivors = inside.fold(survivors, |sum, birth| sum.saturating_add(birth.bytes));
        }
        Some(survivors)
    }

    /// Late frees of some groups, in their order.
    pub fn deferrals(&self, groups: &[GroupId]) -> Vec<Option<Deferral>> {
        let place_of_group: FxHashMap<GroupId, usize> = groups.iter().copied().zip(0..).collect();
        // Frees, events that they were late by, and the longest of these.
        let mut sums = vec![(0_u64, 0_u64, 0_u32); groups.len()];
        for deferral in &self.profile.timeline.deferrals {
            let group = self.group_of(deferral.stack);
            let place = group.and_then(|group| place_of_group.get(&group));
            if let Some((frees, events, longest)) = place.map(|&place| &mut sums[place]) {
                *frees = frees.saturating_add(deferral.frees);
                *events = events.saturating_add(deferral.events);
                *longest = (*longest).max(deferral.longest_events);
            }
        }
        let deferral = |(frees, events, longest): (u64, u64, u32)| {
            (frees > 0).then(|| Deferral {
                frees,
                mean_events: events as f64 / frees as f64,
                longest_events: f64::from(longest),
            })
        };
        sums.into_iter().map(deferral).collect()
    }

    /// What a counter had counted in all at every begin.
    pub fn totals(&self, name: NameId) -> Series {
        let timeline = &self.profile.timeline;
        let mut totals = timeline
            .totals
            .iter()
            .filter(|total| total.name == name)
            .peekable();
        let mut now = 0.0;
        let at_begin = |&begin: &MomentId| {
            while let Some(total) = totals.next_if(|total| total.moment <= begin) {
                now = total.total;
            }
            (f64::from(timeline.moments[begin as usize].event), now)
        };
        let (events, values) = self.begins.iter().map(at_begin).unzip();
        Series::new(events, values)
    }

    /// What a counter counted from each begin to the next.
    pub fn counts(&self, name: NameId) -> Vec<Counted> {
        Counted::between(&self.totals(name))
    }

    /// Names of counters.
    pub fn counters(&self) -> Vec<NameId> {
        let totals = self.profile.timeline.totals.iter();
        let mut names: Vec<NameId> = totals.map(|total| total.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
