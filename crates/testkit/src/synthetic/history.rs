//! The run of the program: set-up, events, and what it frees at the end.
//!
//! ```text
//!   set-up     | event 1 |   | event 2 |       ...        | clean-up
//!              B1        E1  B2        E2                 Last
//!   every other stack          all others in turn, some of them again and again
//! ```

use std::collections::BTreeMap;

use residue_profile::StackKind;
use residue_profile::timeline::*;

use super::life::{Amount, Life};
use super::tree::Path;
use crate::random::Random;

/// Stacks that change in an event.
const CHANGED_IN_EVENT: usize = 1800;
/// And between two.
const CHANGED_BETWEEN: usize = 200;
/// Stacks that have one block more after every event.
const LEAKS: usize = 50;
/// A snapshot is taken in the first event of so many.
const SNAPSHOT_EVERY: u32 = 50;
const ACCOUNT_EVERY: u32 = 100;
const STAMPS: [&str; 2] = ["read", "written"];
const COUNTER: &str = "hits";
const MOMENT_NS: u64 = 1_000_000;

pub fn time_ns(moment: u64) -> u64 {
    moment * MOMENT_NS
}

/// Live memory of one kind, and its highest.
#[derive(Debug, Default)]
struct Level {
    live_bytes: u64,
    peak_bytes: u64,
    peak_moment: MomentId,
}

impl Level {
    fn look(&mut self, moment: MomentId) {
        if self.live_bytes > self.peak_bytes {
            self.peak_bytes = self.live_bytes;
            self.peak_moment = moment;
        }
    }
}

pub struct History {
    lives: Vec<Life>,
    kinds: Vec<StackKind>,
    heap: Level,
    mapped: Level,
    deferrals: BTreeMap<StackId, Deferral>,
}

/// What a stack does in an interval.
type Act = fn(&mut Life, &mut Random, EventNumber, &mut dyn FnMut(EventNumber, u64));

impl History {
    pub fn new(random: &mut Random, paths: &[Path]) -> Self {
        History {
            lives: paths.iter().map(|_| Life::new(random)).collect(),
            kinds: paths.iter().map(|path| path.kind).collect(),
            heap: Level::default(),
            mapped: Level::default(),
            deferrals: BTreeMap::new(),
        }
    }

    pub fn lives(&self) -> &[Life] {
        &self.lives
    }

    pub fn heap_peak_bytes(&self) -> u64 {
        self.heap.peak_bytes
    }

    pub fn mapped_peak_bytes(&self) -> u64 {
        self.mapped.peak_bytes
    }

    /// Plays all events. Without any there is only set-up, which all stacks are
    /// part of.
    pub fn play(&mut self, random: &mut Random, events: u32, paths: &[Path]) -> Timeline {
        let stacks = self.lives.len() as StackId;
        let is_in_setup = |stack: &StackId| events == 0 || stack.is_multiple_of(2);
        let in_events: Vec<StackId> = (0..stacks).filter(|stack| !is_in_setup(stack)).collect();
        let in_setup: Vec<StackId> = (0..stacks).filter(is_in_setup).collect();

        for &leak in in_events.iter().take(LEAKS) {
            self.lives[leak as usize].leaks = true;
        }
        let mut timeline = Timeline::default();
        let changes = self.interval(random, 0, 0, in_setup, set_up);
        if events == 0 {
            return timeline;
        }
        timeline.about = About {
            source: Source::Marks,
            events: u64::from(events),
            streams: 1,
            stride: 1,
            birth_bin_events: 1,
            ..About::default()
        };
        timeline.names = STAMPS.map(String::from).into();
        timeline.names.push(COUNTER.into());
        timeline.changes = changes;
        for event in 1..=events {
            if event > 1 {
                let some = (0..CHANGED_BETWEEN).map(|_| random.below(stacks.into()) as StackId);
                let some = some.collect();
                self.step(&mut timeline, random, event - 1, some, work);
            }
            self.mark(&mut timeline, MomentKind::Begin, event);
            let touched = touched_in(random, event, events, &in_events, stacks);
            self.step(&mut timeline, random, event, touched, work);
            self.mark(&mut timeline, MomentKind::End, event);
            self.remark(&mut timeline, random, event);
        }
        let some = (0..CHANGED_IN_EVENT).map(|_| random.below(stacks.into()) as StackId);
        let some = some.collect();
        self.step(&mut timeline, random, events, some, clean_up);
        self.mark(&mut timeline, MomentKind::Last, events);
        timeline.deferrals = std::mem::take(&mut self.deferrals).into_values().collect();
        for deferral in timeline.deferrals.iter_mut().step_by(2) {
            deferral.freed_at = Some(paths[deferral.stack as usize].node);
        }
        timeline
    }

    /// What each stack held when the heap was highest.
    pub fn at_peak(&self, timeline: &Timeline) -> Vec<Amount> {
        if timeline.moments.is_empty() {
            return self.lives.iter().map(Life::live).collect();
        }
        let mut amounts = vec![Amount::default(); self.lives.len()];
        for change in &timeline.changes {
            if change.moment <= self.heap.peak_moment {
                let amount = &mut amounts[change.stack as usize];
                amount.bytes = amount.bytes.wrapping_add_signed(change.bytes);
                amount.blocks = amount.blocks.wrapping_add_signed(change.blocks);
            }
        }
        amounts
    }

    /// Adds the changes of an interval, which belong to the next moment.
    fn step(
        &mut self,
        timeline: &mut Timeline,
        random: &mut Random,
        event: EventNumber,
        stacks: Vec<StackId>,
        act: Act,
    ) {
        let moment = timeline.moments.len() as MomentId;
        let changes = self.interval(random, moment, event, stacks, act);
        timeline.changes.extend(changes);
    }

    fn interval(
        &mut self,
        random: &mut Random,
        moment: MomentId,
        event: EventNumber,
        mut stacks: Vec<StackId>,
        act: Act,
    ) -> Vec<Change> {
        stacks.sort_unstable();
        stacks.dedup();
        let mut changes = Vec::new();
        for stack in stacks {
            let life = &mut self.lives[stack as usize];
            let before = life.live();
            let deferrals = &mut self.deferrals;
            act(life, random, event, &mut |born, blocks| {
                if born < event {
                    defer(deferrals, stack, event - born, blocks);
                }
            });
            let after = life.live();
            if let Some(level) = self.level(stack) {
                level.live_bytes = level.live_bytes + after.bytes - before.bytes;
            }
            if after != before {
                changes.push(Change {
                    moment,
                    stack,
                    bytes: after.bytes.wrapping_sub(before.bytes) as i64,
                    blocks: after.blocks.wrapping_sub(before.blocks) as i64,
                });
            }
        }
        self.heap.look(moment);
        self.mapped.look(moment);
        changes
    }

    fn level(&mut self, stack: StackId) -> Option<&mut Level> {
        match self.kinds[stack as usize] {
            StackKind::Mapping => Some(&mut self.mapped),
            kind if kind.is_heap() => Some(&mut self.heap),
            _ => None,
        }
    }

    fn mark(&self, timeline: &mut Timeline, kind: MomentKind, event: EventNumber) {
        let (live_bytes, mapped_bytes) = (self.heap.live_bytes, self.mapped.live_bytes);
        let rss_bytes = live_bytes + live_bytes / 8 + mapped_bytes + (64 << 20);
        timeline.moments.push(Moment {
            has_totals: false,
            spent: Spent::default(),
            kind,
            event,
            id: 1_000_000 + u64::from(event),
            stream: 0,
            name: None,
            time_ns: time_ns(timeline.moments.len() as u64),
            vm_bytes: Some(rss_bytes + (1 << 30)),
            rss_bytes: Some(rss_bytes),
            shared_bytes: Some(32 << 20),
            live_bytes: Some(live_bytes),
            mapped_bytes: Some(mapped_bytes),
            recorder_bytes: 16 << 20,
            threads: 8,
            has_changes: true,
        });
    }

    /// Stamps, counts, accounts and snapshots of an event that has just ended.
    fn remark(&self, timeline: &mut Timeline, random: &mut Random, event: EventNumber) {
        let ended = (timeline.moments.len() - 1) as MomentId;
        let end_ns = timeline.moments[ended as usize].time_ns;
        for name in 0..STAMPS.len() as NameId {
            timeline.stamps.push(Stamp {
                spent: Spent::default(),
                name,
                event,
                time_ns: end_ns - MOMENT_NS + u64::from(name + 1) * MOMENT_NS / 4,
                vm_bytes: None,
                rss_bytes: None,
                live_bytes: Some(self.heap.live_bytes),
            });
        }
        let name = STAMPS.len() as NameId;
        let value = (1 + random.below(5000)) as f64;
        timeline.counts.push(Count { event, name, value });
        let before = timeline.totals.last().map_or(0.0, |total| total.total);
        timeline.totals.push(CounterTotal {
            moment: ended,
            name,
            total: before + value,
        });
        if event % ACCOUNT_EVERY == 1 {
            timeline.accounts.push(Account {
                moment: ended,
                heap_bytes: self.heap.live_bytes + self.heap.live_bytes / 8,
                mapped_bytes: self.mapped.live_bytes,
                files_bytes: 32 << 20,
                recorder_bytes: 16 << 20,
                other_bytes: 16 << 20,
                live_bytes: self.heap.live_bytes,
                ..Account::default()
            });
        }
        if event % SNAPSHOT_EVERY == 1 {
            self.snapshot(timeline, event);
        }
    }

    fn snapshot(&self, timeline: &mut Timeline, event: EventNumber) {
        let name = timeline.names.len() as NameId;
        timeline.names.push(format!("event-{event}"));
        let moment = timeline.moments.len() as MomentId;
        self.mark(timeline, MomentKind::Snapshot, event);
        timeline.moments[moment as usize].name = Some(name);
        let rss_kib = timeline.moments[moment as usize].rss_bytes.unwrap_or(0) / 1024;
        timeline.snapshots.push(Snapshot {
            name,
            moment,
            maps: b"555500000000-555580000000 r-xp 00000000 08:01 1 /opt/synthetic\n".to_vec(),
            smaps: format!("Rss: {rss_kib} kB\n").into_bytes(),
            numa_maps: Vec::new(),
        });
    }
}

/// Each stack has its turn once; others come again, the first ones most, and those
/// that leak every time.
fn touched_in(
    random: &mut Random,
    event: EventNumber,
    events: u32,
    in_events: &[StackId],
    stacks: StackId,
) -> Vec<StackId> {
    let turn =
        |event: u32| (in_events.len() as u64 * u64::from(event) / u64::from(events)) as usize;
    let mut touched = in_events[turn(event - 1)..turn(event)].to_vec();
    touched.extend(in_events.iter().take(LEAKS));
    while touched.len() < CHANGED_IN_EVENT && !in_events.is_empty() {
        let stack = match random.below(20) {
            0 => random.below(stacks.into()) as StackId,
            _ => {
                let mut draw = || random.below(in_events.len() as u64);
                in_events[draw().min(draw()).min(draw()) as usize]
            }
        };
        touched.push(stack);
    }
    touched
}

fn defer(deferrals: &mut BTreeMap<StackId, Deferral>, stack: StackId, late: u32, blocks: u64) {
    let deferral = deferrals.entry(stack).or_insert(Deferral {
        stack,
        frees: 0,
        events: 0,
        longest_events: 0,
        freed_at: None,
    });
    deferral.frees += blocks;
    deferral.events += blocks * u64::from(late);
    deferral.longest_events = deferral.longest_events.max(late);
}

fn set_up(
    life: &mut Life,
    random: &mut Random,
    event: EventNumber,
    freed: &mut dyn FnMut(EventNumber, u64),
) {
    life.churn(random.skewed(12));
    let blocks = 1 + random.skewed(6);
    life.make(random, event, blocks);
    // Half of what set-up makes is gone before the first event.
    if random.one_in(2) {
        life.free(blocks, freed);
    }
}

fn work(
    life: &mut Life,
    random: &mut Random,
    event: EventNumber,
    freed: &mut dyn FnMut(EventNumber, u64),
) {
    life.churn(random.skewed(8));
    let live = life.live().blocks;
    if life.leaks {
        life.make(random, event, 1);
    } else if live > 0 && (live > 200 || random.one_in(2)) {
        life.free(1 + random.below(live), freed);
    } else {
        let blocks = 1 + random.skewed(5);
        life.make(random, event, blocks);
    }
}

fn clean_up(
    life: &mut Life,
    _: &mut Random,
    _: EventNumber,
    freed: &mut dyn FnMut(EventNumber, u64),
) {
    life.free(u64::MAX, freed);
}
