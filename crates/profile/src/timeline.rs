//! What happened when: events, stamps, counters, and what each interval left.
//!
//! ```text
//!   moments   B1    E1    B2    E2    B3 ...            begins, ends, snapshots
//!               \__/  \__/  \__/                        changes of stacks between them
//!   stamps       . .          . .                       named times inside events
//!   counts        3            5                        numbers attached to events
//! ```
//!
//! Events are numbered from one in the order in which they began; zero is what
//! came before the first. A program without events has ticks instead: the same,
//! at intervals of time.

use crate::model::NodeId;
use serde::{Deserialize, Serialize};

/// Number of an event, from one; zero stands for before the first.
pub type EventNumber = u32;
/// Index into [`Timeline::names`].
pub type NameId = u32;
/// Index into [`Timeline::moments`].
pub type MomentId = u32;
/// Index into [`crate::Profile::stacks`].
pub type StackId = u32;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    pub about: About,
    /// Names of stamps, counters and snapshots.
    pub names: Vec<String>,
    /// In the order of time.
    pub moments: Vec<Moment>,
    pub stamps: Vec<Stamp>,
    /// What programs counted in each kept event, summed per (event, name).
    pub counts: Vec<Count>,
    /// Running totals of counters at moments, over all events, kept or not.
    pub totals: Vec<CounterTotal>,
    /// Net changes of stacks, by moment, then stack; never zero in both.
    pub changes: Vec<Change>,
    /// CPU time of stacks of [`crate::StackKind::Cpu`], by moment, then stack; never zero.
    pub cpu: Vec<CpuTime>,
    /// What stacks allocated, by moment, then stack; never zero in all. Only at moments with
    /// totals, and at the last.
    pub allocated: Vec<Allocated>,
    pub accounts: Vec<Account>,
    pub snapshots: Vec<Snapshot>,
    pub deferrals: Vec<Deferral>,
}

impl Timeline {
    /// The changes after `from` (or all from the first) up to `to` (or the last).
    pub fn changes_between(&self, from: Option<MomentId>, to: Option<MomentId>) -> &[Change] {
        let behind = |moment: MomentId| self.changes.partition_point(|c| c.moment <= moment);
        let start = from.map_or(0, behind);
        let end = to.map_or(self.changes.len(), behind);
        // Nothing lies between two moments in the wrong order.
        &self.changes[start.min(end)..end]
    }

    /// The same of CPU time.
    pub fn cpu_between(&self, from: Option<MomentId>, to: Option<MomentId>) -> &[CpuTime] {
        let behind = |moment: MomentId| self.cpu.partition_point(|c| c.moment <= moment);
        let start = from.map_or(0, behind);
        let end = to.map_or(self.cpu.len(), behind);
        &self.cpu[start.min(end)..end]
    }

    /// What was allocated between two moments that have totals; `None` where one of them has none.
    pub fn allocated_between(
        &self,
        from: Option<MomentId>,
        to: Option<MomentId>,
    ) -> Option<&[Allocated]> {
        let has_totals = |moment: MomentId| match self.moments.get(moment as usize) {
            Some(moment) => moment.has_totals || moment.kind == MomentKind::Last,
            None => true,
        };
        if self.allocated.is_empty() || ![from, to].into_iter().flatten().all(has_totals) {
            return None;
        }
        let behind = |moment: MomentId| self.allocated.partition_point(|a| a.moment <= moment);
        let start = from.map_or(0, behind);
        let end = to.map_or(self.allocated.len(), behind);
        Some(&self.allocated[start.min(end)..end])
    }
}

/// How events were found and how many there were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EventsAbout"))]
#[serde(default)]
pub struct About {
    pub source: Source,
    /// Events that began. More than the moments show where they were thinned.
    pub events: u64,
    /// Most streams that were open at once.
    pub streams: u32,
    /// One event in so many has its begin and end among the moments, at the end.
    pub stride: u32,
    /// Of a very long run, births between the first and the last thousands of events
    /// are put together by so many events, under the first of them; else 1 or 0.
    pub birth_bin_events: u32,
    pub tick_ns: u64,
    /// Events whose line was read only when the next one's had come.
    pub late_lines: u64,
    pub misuse: Misuse,
    pub search: EventSearch,
}

/// Events at each end of a run whose births are kept apart, however long it is.
pub const WHOLE_BIRTH_EVENTS: u32 = 4096;

impl About {
    /// How many events the births of one stand for: of a very long run those in the middle
    /// are put together under the first of them.
    pub fn events_of_birth(&self, event: EventNumber) -> u32 {
        let events = u32::try_from(self.events).unwrap_or(u32::MAX);
        let middle = WHOLE_BIRTH_EVENTS + 1..=events.saturating_sub(WHOLE_BIRTH_EVENTS);
        match middle.contains(&event) {
            // No bin reaches beyond the part that has bins, whatever the file says.
            true => self.birth_bin_events.clamp(1, middle.end() - event + 1),
            false => 1,
        }
    }
}

/// What was asked to begin events, and what was found. Where there are no events, this
/// says why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventSearch {
    /// Patterns of `--event-function`.
    pub functions: Vec<String>,
    /// The pattern of `--event-line`.
    pub line: Option<String>,
    /// Functions that match in the files of the program; not known of a forked child,
    /// which has the hooks of its parent.
    pub functions_matched: Option<u64>,
    /// Those of them whose entries are noticed.
    pub functions_hooked: u64,
    /// Functions of JIT-compiled code that match: those cannot be hooked.
    pub jit_functions_matched: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EventSource"))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The program, by calls.
    Marks,
    /// Entries of a function.
    Function,
    /// Lines of output.
    Lines,
    /// The clock.
    Ticks,
    /// Data of another tool.
    Imported,
    #[default]
    #[serde(other)]
    None,
}

impl Source {
    /// What one turn is called: "event" or "tick".
    pub fn unit(self) -> &'static str {
        match self {
            Source::Ticks => "tick",
            _ => "event",
        }
    }
}

/// Calls that made no sense; each was ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Misuse {
    pub end_without_begin: u64,
    /// An event began while its stream had one open, which was ended there.
    pub begin_inside_event: u64,
    /// An event was ended under another id than the one it began with.
    pub end_of_another: u64,
    pub scope_end_without_begin: u64,
    /// Streams, names or scopes beyond what the recorder has room for.
    pub no_room: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MomentKind {
    Begin,
    End,
    Tick,
    Snapshot,
    /// The end of the recording.
    Last,
}

impl MomentKind {
    /// Whether a turn begins there: an event or a tick.
    pub fn is_begin(self) -> bool {
        matches!(self, MomentKind::Begin | MomentKind::Tick)
    }
}

/// The process at one moment. Sizes are `None` where they were not read. Rows serialise
/// without the number of their name, which means nothing elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moment {
    pub kind: MomentKind,
    /// The event that begins or ends, or the one last begun.
    pub event: EventNumber,
    /// What the program calls the event.
    pub id: u64,
    pub stream: u32,
    /// Snapshots: their name.
    #[serde(skip)]
    pub name: Option<NameId>,
    /// Since the start of the recording.
    pub time_ns: u64,
    pub vm_bytes: Option<u64>,
    pub rss_bytes: Option<u64>,
    /// Pages shared with files and other processes, part of the resident ones.
    pub shared_bytes: Option<u64>,
    pub live_bytes: Option<u64>,
    pub mapped_bytes: Option<u64>,
    /// The recorder's own memory, part of the resident one.
    pub recorder_bytes: u64,
    pub threads: u32,
    /// False where stacks' changes since the last moment are part of a later one.
    pub has_changes: bool,
    /// Whether it is known what each stack had allocated by then.
    pub has_totals: bool,
    #[serde(flatten)]
    pub spent: Spent,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a program had spent at some time; `None` where that was not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Blocks of the heap allocated since the start, and their bytes.
    pub calls: Option<u64>,
    pub total_bytes: Option<u64>,
    /// CPU time of the thread that marked this, by the kernel's clock, and the thread's number.
    pub thread_cpu_ns: Option<u64>,
    /// Zero where there is none.
    #[serde(skip_serializing_if = "is_zero")]
    pub tid: u32,
    /// CPU time of the whole process.
    pub process_cpu_ns: Option<u64>,
}

impl Moment {
    /// A moment with its changes, at which nothing else was read.
    pub const fn unread(kind: MomentKind, event: EventNumber, time_ns: u64) -> Moment {
        Moment {
            kind,
            event,
            id: 0,
            stream: 0,
            name: None,
            time_ns,
            vm_bytes: None,
            rss_bytes: None,
            shared_bytes: None,
            live_bytes: None,
            mapped_bytes: None,
            recorder_bytes: 0,
            threads: 0,
            has_changes: true,
            has_totals: false,
            spent: Spent {
                calls: None,
                total_bytes: None,
                thread_cpu_ns: None,
                tid: 0,
                process_cpu_ns: None,
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamp {
    #[serde(skip)]
    pub name: NameId,
    pub event: EventNumber,
    pub time_ns: u64,
    pub vm_bytes: Option<u64>,
    pub rss_bytes: Option<u64>,
    pub live_bytes: Option<u64>,
    #[serde(flatten)]
    pub spent: Spent,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Count {
    pub event: EventNumber,
    #[serde(skip)]
    pub name: NameId,
    pub value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CounterTotal {
    pub moment: MomentId,
    #[serde(skip)]
    pub name: NameId,
    pub total: f64,
}

/// By how much a stack's live memory changed between the moment before (the last
/// one with changes) and this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    pub moment: MomentId,
    pub stack: StackId,
    pub bytes: i64,
    pub blocks: i64,
}

/// How much CPU time threads used at a stack between the moment before and this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuTime {
    pub moment: MomentId,
    pub stack: StackId,
    pub ns: u64,
}

/// What a stack allocated between the last moment with totals and this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Allocated {
    pub moment: MomentId,
    pub stack: StackId,
    pub calls: u64,
    pub bytes: u64,
    pub temporaries: u64,
}

/// What is resident, by kind, and what the allocator says of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Account {
    pub moment: MomentId,
    /// Resident bytes of the kinds below, which add up to the whole.
    pub heap_bytes: u64,
    /// Anonymous memory that the program mapped itself.
    pub mapped_bytes: u64,
    pub stacks_bytes: u64,
    pub files_bytes: u64,
    pub recorder_bytes: u64,
    pub other_bytes: u64,
    pub pss_bytes: u64,
    /// Exact live heap at that moment.
    pub live_bytes: u64,
    pub allocator: Option<AllocatorState>,
}

/// An allocator's own statistics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AllocatorState {
    /// Blocks in use with their headers and rounding.
    pub in_use_bytes: u64,
    /// Free, kept for later.
    pub free_bytes: u64,
    /// Taken from the system in all.
    pub system_bytes: u64,
}

/// A named moment, with what the kernel said about the memory then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub name: NameId,
    pub moment: MomentId,
    pub maps: Vec<u8>,
    pub smaps: Vec<u8>,
    pub numa_maps: Vec<u8>,
}

/// Frees of a stack's blocks in a later event than the one they were born in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deferral {
    pub stack: StackId,
    pub frees: u64,
    /// Sum over those frees of the events between birth and free.
    pub events: u64,
    pub longest_events: u32,
    /// The path of one of those frees, if one was taken.
    pub freed_at: Option<NodeId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_in_the_middle_of_long_runs_stand_for_several_events() {
        let about = About {
            events: 100_000,
            birth_bin_events: 16,
            ..About::default()
        };
        let events = [1, 4096, 4097, 95_889, 95_903, 95_904, 95_905, 100_000];
        assert_eq!(
            events.map(|event| about.events_of_birth(event)),
            [1, 1, 16, 16, 2, 1, 1, 1]
        );
        assert_eq!(About::default().events_of_birth(50_000), 1);
    }
}
