//! From a timeline to series: what was live at every event's begin, of the whole
//! process and of each group of stacks.

use crate::groups::{GroupId, Groups};
use crate::series::Series;
use crate::shape::{Birth, Deferral, StackHistory};
use residue_profile::Profile;
use residue_profile::timeline::{EventNumber, Moment, MomentId, MomentKind, NameId, Source};
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
    pub groups: Groups,
    /// Begins (or ticks) in the range at which stacks are known, in the order of events.
    begins: Vec<MomentId>,
    /// The last moment of the last event in the range.
    end_of_run: MomentId,
    /// Places in `timeline.changes` at which each moment's changes begin.
    change_starts: Vec<usize>,
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
            true => self.bin_events,
            false => 1,
        }
    }
}

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

impl<'a> History<'a> {
    /// `None` where fewer than two events began in the range.
    pub fn new(profile: &'a Profile, range: EventRange) -> Option<History<'a>> {
        let timeline = &profile.timeline;
        // What another tool measured has no stacks, so none that could be late.
        let is_known =
            |moment: &Moment| moment.has_changes || timeline.about.source == Source::Imported;
        let is_begin = |moment: &Moment| {
            matches!(moment.kind, MomentKind::Begin | MomentKind::Tick) && is_known(moment)
        };
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
        let mut change_starts = vec![0; timeline.moments.len() + 1];
        for change in &timeline.changes {
            if let Some(place) = change_starts.get_mut(change.moment as usize + 1) {
                *place += 1;
            }
        }
        for place in 1..change_starts.len() {
            change_starts[place] += change_starts[place - 1];
        }
        let last_of_all = timeline.moments.iter().map(|moment| moment.event).max();
        Some(History {
            profile,
            groups: Groups::of(profile),
            begins,
            end_of_run,
            change_starts,
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
        let timeline = &self.profile.timeline;
        let mut movements = vec![Movement::default(); self.groups.members.len()];
        let first = self.begins[0];
        for change in &timeline.changes {
            let Some(group) = self.group_of(change.stack) else {
                continue;
            };
            let movement = &mut movements[group as usize];
            if change.moment > self.end_of_run {
                continue;
            }
            movement.end_bytes += change.bytes;
            movement.end_blocks += change.blocks;
            if change.moment <= first {
                movement.start_bytes = movement.end_bytes;
                movement.start_blocks = movement.end_blocks;
                movement.lowest_bytes = movement.end_bytes;
                movement.highest_bytes = movement.end_bytes;
            } else {
                movement.is_touched = true;
                movement.lowest_bytes = movement.lowest_bytes.min(movement.end_bytes);
                movement.highest_bytes = movement.highest_bytes.max(movement.end_bytes);
            }
        }
        movements
    }

    fn group_of(&self, stack: u32) -> Option<GroupId> {
        self.groups.of_stack.get(stack as usize).copied()
    }

    /// Live bytes of each of `groups` at every begin. They must be in ascending order.
    pub fn group_series(&self, groups: &[GroupId]) -> Vec<Series> {
        let timeline = &self.profile.timeline;
        let mut live = vec![0_i64; groups.len()];
        let mut values = vec![Vec::with_capacity(self.begins.len()); groups.len()];
        let mut from = 0;
        for &begin in &self.begins {
            let to = self.change_starts[begin as usize + 1];
            for change in &timeline.changes[from..to] {
                if let Some(group) = self.group_of(change.stack)
                    && let Ok(place) = groups.binary_search(&group)
                {
                    live[place] += change.bytes;
                }
            }
            from = to;
            for (place, live) in live.iter().enumerate() {
                values[place].push(*live as f64);
            }
        }
        let events: Vec<f64> = self
            .moments()
            .map(|moment| f64::from(moment.event))
            .collect();
        values
            .into_iter()
            .map(|values| Series::new(events.clone(), values))
            .collect()
    }

    /// Everything that is known about a group.
    pub fn of_group(&self, group: GroupId, live: Series, movement: &Movement) -> StackHistory {
        let members = &self.groups.members[group as usize];
        let counters = members
            .iter()
            .map(|&stack| &self.profile.stacks[stack as usize].counters);
        let (live_bytes, blocks) = counters.fold((0, 0), |(bytes, blocks), counters| {
            (bytes + counters.live_bytes, blocks + counters.calls)
        });
        let end_of_run_bytes = u64::try_from(movement.end_bytes).unwrap_or(0);
        let births = self.births(group);
        // Other tools do not tell them; and what was freed after the last event took
        // its births with it.
        let has_births = live_bytes == 0 || !births.is_empty();
        let is_there_still = live_bytes >= end_of_run_bytes / 4 * 3;
        StackHistory {
            live,
            end_of_run_bytes,
            at_exit_bytes: match self.is_whole {
                true => live_bytes,
                false => end_of_run_bytes,
            },
            births,
            births_known: self.is_whole && has_births && is_there_still,
            deferral: self.deferral(group),
            events: self.last_event() - self.first_event() + 1,
            blocks,
        }
    }

    fn births(&self, group: GroupId) -> Vec<Birth> {
        let mut births: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for &stack in &self.groups.members[group as usize] {
            for birth in self.profile.births.row(stack as usize) {
                let sum = births.entry(birth.birth).or_default();
                sum.0 += birth.bytes;
                sum.1 += birth.blocks;
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
                    event: u64::from(event + step),
                    bytes: bytes / u64::from(events),
                    blocks: (blocks / u64::from(events)).max(1),
                })
            })
            .collect()
    }

    fn deferral(&self, group: GroupId) -> Option<Deferral> {
        let deferrals = self.profile.timeline.deferrals.iter();
        let (mut frees, mut events, mut longest) = (0, 0, 0);
        for deferral in deferrals.filter(|one| self.group_of(one.stack) == Some(group)) {
            frees += deferral.frees;
            events += deferral.events;
            longest = longest.max(deferral.longest_events);
        }
        (frees > 0).then(|| Deferral {
            frees,
            mean_events: events as f64 / frees as f64,
            longest_events: f64::from(longest),
        })
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
