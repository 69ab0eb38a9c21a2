//! A profile as `residue dump --json` writes it, and questions to its timeline.

use crate::support::{Lab, Recorded, describe, process};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
pub struct Dump {
    pub meta: Meta,
    pub heap: Totals,
    pub recorder: Recorder,
    functions: Vec<Function>,
    frames: Vec<Frame>,
    pub stacks: Vec<Stack>,
    pub timeline: Timeline,
}

#[derive(Deserialize)]
pub struct Meta {
    pub birth_unit: String,
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
pub struct Totals {
    pub calls: u64,
    pub frees: u64,
    pub live_bytes: u64,
    pub live_blocks: u64,
}

#[derive(Deserialize)]
pub struct Recorder {
    pub paused_calls: u64,
}

#[derive(Deserialize)]
struct Function {
    name: String,
}

#[derive(Deserialize)]
struct Frame {
    function: Option<usize>,
}

#[derive(Deserialize)]
pub struct Stack {
    pub kind: String,
    pub counters: Counters,
    pub births: Vec<Birth>,
    frames: Vec<Option<i64>>,
}

#[derive(Deserialize)]
pub struct Counters {
    pub calls: u64,
    pub frees: u64,
    pub total_bytes: u64,
    pub live_bytes: u64,
    pub live_blocks: u64,
}

#[derive(Deserialize)]
pub struct Birth {
    pub birth: u32,
    pub blocks: u64,
    pub bytes: u64,
}

#[derive(Deserialize)]
pub struct Timeline {
    pub about: About,
    pub moments: Vec<Moment>,
    pub stamps: Vec<Stamp>,
    pub counts: Vec<Count>,
    pub totals: Vec<Total>,
    pub changes: Vec<Change>,
    pub accounts: Vec<Account>,
    pub snapshots: Vec<Snapshot>,
}

#[derive(Deserialize)]
pub struct About {
    pub source: String,
    pub events: u64,
    pub streams: u32,
    pub stride: u32,
    pub misuse: Misuse,
    pub search: EventSearch,
}

#[derive(Deserialize)]
pub struct EventSearch {
    pub functions: Vec<String>,
    pub functions_matched: Option<u64>,
    pub functions_hooked: u64,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
pub struct Misuse {
    pub end_without_begin: u64,
    pub begin_inside_event: u64,
    pub end_of_another: u64,
    pub scope_end_without_begin: u64,
    pub no_room: u64,
}

#[derive(Deserialize)]
pub struct Moment {
    pub kind: String,
    pub event: u32,
    pub id: u64,
    pub name: Option<String>,
    pub time_ns: u64,
    pub rss_bytes: Option<u64>,
    pub live_bytes: Option<u64>,
    pub has_changes: bool,
}

#[derive(Deserialize)]
pub struct Stamp {
    pub name: String,
    pub event: u32,
}

#[derive(Deserialize)]
pub struct Count {
    pub event: u32,
    pub name: String,
    pub value: f64,
}

#[derive(Deserialize)]
pub struct Total {
    pub moment: usize,
    pub name: String,
    pub total: f64,
}

#[derive(Deserialize)]
pub struct Change {
    pub moment: usize,
    pub stack: usize,
    pub bytes: i64,
    pub blocks: i64,
}

#[derive(Deserialize)]
pub struct Account {
    pub moment: usize,
    pub live_bytes: u64,
}

#[derive(Deserialize)]
pub struct Snapshot {
    pub name: String,
    pub moment: usize,
    pub maps_bytes: u64,
    pub smaps_bytes: u64,
}

/// Bytes and blocks.
pub type Amount = (i64, i64);

impl Dump {
    pub fn read(lab: &Lab, profile: &Path) -> Dump {
        let mut command = lab.residue();
        command.arg("dump").arg(profile).arg("--json");
        let output = process::finish(command);
        assert!(output.status.success(), "{}", describe(&output));
        serde_json::from_slice(&output.stdout).expect("the dump is a JSON document")
    }

    /// Of a program that succeeded. Whatever was recorded, the changes of each stack
    /// add up to what is live.
    pub fn of(lab: &Lab, recorded: &Recorded) -> Dump {
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        let dump = Dump::read(lab, &recorded.profile);
        dump.expect_changes_give_live();
        dump
    }

    /// Names of a stack's functions from the leaf to the root.
    pub fn names(&self, stack: usize) -> Vec<&str> {
        let name = |frame: &Option<i64>| {
            let frame = self.frames.get(usize::try_from((*frame)?).ok()?)?;
            let function = self.functions.get(frame.function?)?;
            // As its author wrote it: without parameters.
            function.name.split('(').next()
        };
        let frames = self.stacks[stack].frames.iter();
        frames.map(|frame| name(frame).unwrap_or("?")).collect()
    }

    /// The stacks in which a function, or a scope in brackets, occurs.
    pub fn stacks_with(&self, function: &str) -> Vec<usize> {
        let found: Vec<usize> = (0..self.stacks.len())
            .filter(|&stack| self.names(stack).contains(&function))
            .collect();
        assert!(!found.is_empty(), "no stack has {function}");
        found
    }

    /// Live blocks and bytes of the stacks by the event they were made in.
    pub fn births(&self, stacks: &[usize]) -> BTreeMap<u32, (u64, u64)> {
        let mut sums = BTreeMap::new();
        for birth in stacks.iter().flat_map(|&stack| &self.stacks[stack].births) {
            let sum: &mut (u64, u64) = sums.entry(birth.birth).or_default();
            sum.0 += birth.blocks;
            sum.1 += birth.bytes;
        }
        sums
    }

    /// What the stacks' changes in the moments of this range add up to.
    pub fn change(&self, stacks: &[usize], moments: impl Fn(usize) -> bool) -> Amount {
        self.timeline
            .changes
            .iter()
            .filter(|change| moments(change.moment) && stacks.contains(&change.stack))
            .fold((0, 0), |sum, change| {
                (sum.0 + change.bytes, sum.1 + change.blocks)
            })
    }

    /// By how much the stacks changed in each event, by its number: between its
    /// begin and its end, of one stream.
    pub fn changes_in_events(&self, stacks: &[usize]) -> BTreeMap<u32, Amount> {
        let mut of_events: BTreeMap<u32, Amount> = BTreeMap::new();
        let mut changes = self.timeline.changes.iter().peekable();
        let mut open = None;
        for (place, moment) in self.timeline.moments.iter().enumerate() {
            let mut sum: Amount = (0, 0);
            while let Some(change) = changes.next_if(|change| change.moment == place) {
                if stacks.contains(&change.stack) {
                    sum = (sum.0 + change.bytes, sum.1 + change.blocks);
                }
            }
            match open {
                Some(event) => {
                    let known = of_events.entry(event).or_default();
                    *known = (known.0 + sum.0, known.1 + sum.1);
                }
                None => assert_eq!(sum, (0, 0), "a change between events, at {place}"),
            }
            match moment.kind.as_str() {
                "begin" => open = Some(moment.event),
                "end" => open = None,
                _ => {}
            }
        }
        assert!(changes.next().is_none(), "changes stand in order");
        of_events
    }

    /// Places of the moments of a kind.
    pub fn moments(&self, kind: &str) -> Vec<&Moment> {
        let moments = self.timeline.moments.iter();
        moments.filter(|moment| moment.kind == kind).collect()
    }

    /// (number, id) of every moment of a kind.
    pub fn events(&self, kind: &str) -> Vec<(u32, u64)> {
        let moments = self.moments(kind).into_iter();
        moments.map(|moment| (moment.event, moment.id)).collect()
    }

    pub fn snapshot(&self, name: &str) -> (&Snapshot, &Moment) {
        let mut found = self.timeline.snapshots.iter().filter(|it| it.name == name);
        let snapshot = found.next().unwrap_or_else(|| panic!("no snapshot {name}"));
        assert!(found.next().is_none(), "more than one snapshot {name}");
        let moment = &self.timeline.moments[snapshot.moment];
        assert_eq!(moment.kind, "snapshot");
        assert_eq!(moment.name.as_deref(), Some(name));
        (snapshot, moment)
    }

    pub fn expect_changes_give_live(&self) {
        let mut sums = vec![(0, 0); self.stacks.len()];
        for change in &self.timeline.changes {
            assert!(
                self.timeline.moments[change.moment].has_changes,
                "moment {} has changes, but says it has none",
                change.moment
            );
            sums[change.stack].0 += change.bytes;
            sums[change.stack].1 += change.blocks;
        }
        for (stack, sum) in sums.into_iter().enumerate() {
            let counters = &self.stacks[stack].counters;
            let live = (counters.live_bytes as i64, counters.live_blocks as i64);
            assert_eq!(sum, live, "stack {stack}: {:?}", self.names(stack));
        }
        let moments = &self.timeline.moments;
        assert!(moments.is_sorted_by_key(|moment| moment.time_ns));
    }
}

/// The stacks' calls, bytes, frees, live bytes and live blocks, added up.
pub fn total<'a>(stacks: impl Iterator<Item = &'a Stack>) -> [u64; 5] {
    stacks.fold([0; 5], |sum, stack| {
        let Counters {
            calls,
            frees,
            total_bytes,
            live_bytes,
            live_blocks,
        } = stack.counters;
        let these = [calls, total_bytes, frees, live_bytes, live_blocks];
        std::array::from_fn(|which| sum[which] + these[which])
    })
}
