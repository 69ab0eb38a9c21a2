//! From a timeline to series: what was live at every event's begin, of the whole
//! process and of each group of stacks.

use crate::groups::{GroupId, Groups};
use crate::series::Series;
use crate::shape::{Birth, Deferral, StackHistory};
use residue_profile::Profile;
use residue_profile::timeline::{
    Change, EventNumber, Moment, MomentId, MomentKind, NameId, Source,
};
use std::collections::BTreeMap;

/// The events looked at, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRange {
    pub from: EventNumber,
    pub to: EventNumber,
}

impl EventRange {
    pub const ALL: EventRange = EventRange {
        from: 0,
        to: EventNumber::MAX,
    };
}

/// The moments at which events begin, and what follows from them.
pub struct History<'a> {
    profile: &'a Profile,
    pub groups: &'a Groups,
    /// Begins (or ticks) in the range at which stacks are known, in the order of events.
    begins: Vec<MomentId>,
    /// The last moment of the last event in the range.
    end_of_run: MomentId,
    /// Whether the range ends where the recording does.
    is_whole: bool,
}

/// Which births stand for several events: those of a very long run, between its ends.
struct Apart {
    bin_events: u32,
    ends: std::ops::Range<u32>,
}

impl Apart {
    /// Events at each end whose births are kept apart.
    const WHOLE_EVENTS: u32 = 4096;

    fn of(profile: &Profile) -> Apart {
        let about = &profile.timeline.about;
        let last = u32::try_from(about.events).unwrap_or(u32::MAX);
        Apart {
            bin_events: about.birth_bin_events.max(1),
            ends: Self::WHOLE_EVENTS + 1..last.saturating_sub(Self::WHOLE_EVENTS),
        }
    }

    /// How many events a birth stands for.
    fn events_at(&self, event: u32) -> u32 {
        match self.ends.contains(&event) {
            // No bin reaches beyond the part that has bins, whatever the file says.
            true => self.bin_events.min(self.ends.end - event),
            false => 1,
        }
    }
}

/// Births of one group that are told apart: a longer run than any, and less memory than a
/// made-up file could ask for.
const MOST_BIRTHS: usize = 1 << 24;

/// How a group's live memory moved in the range.
#[derive(Debug, Clone, Copy, Default)]
pub struct Movement {
    pub start_bytes: i64,
    pub end_bytes: i64,
    pub lowest_bytes: i64,
    pub highest_bytes: i64,
    pub start_blocks: i64,
    pub end_blocks: i64,
    pub is_touched: bool,
}

impl Movement {
    fn add(&mut self, change: &Change, is_before: bool) {
        self.end_bytes = self.end_bytes.saturating_add(change.bytes);
        self.end_blocks = self.end_blocks.saturating_add(change.blocks);
        if is_before {
            self.start_bytes = self.end_bytes;
            self.start_blocks = self.end_blocks;
            self.lowest_bytes = self.end_bytes;
            self.highest_bytes = self.end_bytes;
        } else {
            self.is_touched = true;
            self.lowest_bytes = self.lowest_bytes.min(self.end_bytes);
            self.highest_bytes = self.highest_bytes.max(self.end_bytes);
        }
    }
}

/// What a group held, from begin to begin.
#[derive(Debug, Clone)]
pub struct Course {
    /// Live bytes at every begin.
    pub live: Series,
    pub movement: Movement,
}

const NOT_ASKED: u32 = u32::MAX;

impl<'a> History<'a> {
    /// `None` where fewer than two events began in the range.
    pub fn new(profile: &'a Profile, groups: &'a Groups, range: EventRange) -> Option<History<'a>> {
        let timeline = &profile.timeline;
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
        let is_end = |moment: &Moment| {
            moment.kind == MomentKind::End && is_known(moment) && moment.event <= range.to
        };
        let last_end = timeline.moments.iter().rposition(is_end);
        let end_of_run = last_end.map_or(last, |end| last.max(end as MomentId));
        let last_of_all = timeline.moments.iter().map(|moment| moment.event).max();
        Some(History {
            profile,
            groups,
            begins,
            end_of_run,
            is_whole: range.to >= last_of_all.unwrap_or(0),
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

    /// A size of the process at every begin at which it was read.
    pub fn series(&self, size: impl Fn(&Moment) -> Option<f64>) -> Series {
        let (events, values) = self
            .moments()
            .filter_map(|moment| Some((f64::from(moment.event), size(moment)?)))
            .unzip();
        Series::new(events, values)
    }

    /// How every group moved between the first begin and the end of the run.
    pub fn movements(&self) -> Vec<Movement> {
        let mut movements = vec![Movement::default(); self.groups.count()];
        let first = self.begins[0];
        for change in self.changes() {
            if let Some(group) = self.group_of(change.stack) {
                movements[group as usize].add(change, change.moment <= first);
            }
        }
        movements
    }

    /// All changes up to the end of the run.
    fn changes(&self) -> &'a [Change] {
        let changes = &self.profile.timeline.changes;
        &changes[..self.changes_up_to(self.end_of_run)]
    }

    /// How many changes there are up to a moment; they stand in the order of moments.
    fn changes_up_to(&self, moment: MomentId) -> usize {
        let changes = &self.profile.timeline.changes;
        changes.partition_point(|change| change.moment <= moment)
    }

    fn group_of(&self, stack: u32) -> Option<GroupId> {
        self.groups.of_stack.get(stack as usize).copied()
    }

    /// The course of each of some groups, in their order.
    pub fn courses(&self, groups: &[GroupId]) -> Vec<Course> {
        let place_of_group = self.places(groups);
        let mut movements = vec![Movement::default(); groups.len()];
        let mut values = vec![Vec::with_capacity(self.begins.len()); groups.len()];
        let changes = self.changes();
        let first = self.begins[0];
        let mut from = 0;
        let ends = self.begins.iter().chain([&self.end_of_run]);
        for (turn, &moment) in ends.enumerate() {
            let to = self.changes_up_to(moment);
            for change in &changes[from..to.max(from)] {
                let group = self.group_of(change.stack);
                let place = group.map_or(NOT_ASKED, |group| place_of_group[group as usize]);
                if place != NOT_ASKED {
                    movements[place as usize].add(change, change.moment <= first);
                }
            }
            from = to.max(from);
            if turn < self.begins.len() {
                for (values, movement) in values.iter_mut().zip(&movements) {
                    values.push(movement.end_bytes as f64);
                }
            }
        }
        let events: Vec<f64> = self
            .moments()
            .map(|moment| f64::from(moment.event))
            .collect();
        let course = |(values, movement)| Course {
            live: Series::new(events.clone(), values),
            movement,
        };
        values.into_iter().zip(movements).map(course).collect()
    }

    /// Per group its place among some, or [`NOT_ASKED`]. A table and not a search: there
    /// are far more changes than groups.
    fn places(&self, groups: &[GroupId]) -> Vec<u32> {
        let mut place_of_group = vec![NOT_ASKED; self.groups.count()];
        for (&group, place) in groups.iter().zip(0..) {
            place_of_group[group as usize] = place;
        }
        place_of_group
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
        let end_of_run_bytes = u64::try_from(course.movement.end_bytes).unwrap_or(0);
        let births = self.births(group);
        // Other tools do not tell them; and what was freed after the last event took
        // its births with it.
        let has_births = live_bytes == 0 || !births.is_empty();
        let is_there_still = live_bytes >= end_of_run_bytes / 4 * 3;
        StackHistory {
            live: course.live.clone(),
            end_of_run_bytes,
            at_exit_bytes: match self.is_whole {
                true => live_bytes,
                false => end_of_run_bytes,
            },
            births,
            births_known: self.is_whole && has_births && is_there_still,
            deferral,
            events: self.last_event() - self.first_event() + 1,
            unit: self.profile.timeline.about.source.unit(),
            blocks,
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
        let apart = Apart::of(self.profile);
        births
            .into_iter()
            // What is older than the range says nothing about it.
            .filter(|(event, _)| *event >= self.first_event())
            .flat_map(|(event, (bytes, blocks))| {
                let events = apart.events_at(event);
                (0..events).map(move |step| Birth {
                    event: u64::from(event) + u64::from(step),
                    bytes: bytes / u64::from(events),
                    blocks: (blocks / u64::from(events)).max(1),
                })
            })
            .take(MOST_BIRTHS)
            .collect()
    }

    /// Late frees of some groups, in their order.
    pub fn deferrals(&self, groups: &[GroupId]) -> Vec<Option<Deferral>> {
        let place_of_group = self.places(groups);
        // Frees, events that they were late by, and the longest of these.
        let mut sums = vec![(0_u64, 0_u64, 0_u32); groups.len()];
        for deferral in &self.profile.timeline.deferrals {
            let group = self.group_of(deferral.stack);
            let place = group.map_or(NOT_ASKED, |group| place_of_group[group as usize]);
            if let Some((frees, events, longest)) = sums.get_mut(place as usize) {
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

    /// What a counter counted from each begin to the next.
    pub fn counts(&self, name: NameId) -> Vec<f64> {
        let timeline = &self.profile.timeline;
        let mut totals = timeline
            .totals
            .iter()
            .filter(|total| total.name == name)
            .peekable();
        let mut now = 0.0;
        let at_begins: Vec<f64> = self
            .begins
            .iter()
            .map(|&begin| {
                while let Some(total) = totals.next_if(|total| total.moment <= begin) {
                    now = total.total;
                }
                now
            })
            .collect();
        at_begins.windows(2).map(|pair| pair[1] - pair[0]).collect()
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
