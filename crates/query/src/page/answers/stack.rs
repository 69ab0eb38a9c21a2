//! Everything about one row of the table of stacks.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use residue_analysis::history::EventRange;
use residue_calltree::placeholder;
use residue_profile::timeline::{EventNumber, MomentId, Source, StackId};
use residue_profile::{NodeId, Profile, ThreadCounters};
use serde::Serialize;

use super::frames::{FrameDetail, frames};
use super::members::{Member, members};
use super::sizes::{SizeBin, size_bins};
use super::stack_row::StackRow;
use super::stacks::row_of_stack;
use super::thin::evenly;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;

const MOST_BIRTHS: u32 = 400;
const MOST_READINGS: usize = 600;
const MOST_THREADS: usize = 200;

/// Answers `api/stack`. Parameters: side, events, stack.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackDetail {
    row: StackRow,
    /// Leaf first.
    frames: Vec<FrameDetail>,
    /// Instead of frames, where there is no path.
    no_path: Option<&'static str>,
    /// The stacks of the row, the largest first, at most 50.
    members: Vec<Member>,
    /// Why it has its shape, and whether the witnesses agree.
    reason: Option<String>,
    agreement: Option<String>,
    sizes_total: Vec<SizeBin>,
    sizes_live: Vec<SizeBin>,
    /// Survivors by the event they were made in, at most 400 parts of so many events.
    births_width: u32,
    births: Vec<Births>,
    /// At begins of events in the range, at most 600, evenly chosen.
    series: Series,
    deferral: Option<Deferral>,
    /// Path of a late free, leaf first.
    freed_at: Option<Vec<FrameDetail>>,
    threads: Vec<ThreadPart>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Births {
    /// The first of them; zero for what was made before the first event.
    event: u32,
    bytes: u64,
    blocks: u64,
}

#[derive(Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StackSeries"))]
struct Series {
    event: Vec<EventNumber>,
    bytes: Vec<i64>,
    blocks: Vec<i64>,
}

/// Frees in a later event than that of the allocation.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Deferral {
    frees: u64,
    mean_events: f64,
    longest_events: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ThreadPart {
    name: String,
    tid: u32,
    calls: u64,
    total_bytes: u64,
    frees: u64,
    net_bytes: i64,
    /// Its largest single block; null where that was not recorded.
    largest_bytes: Option<u64>,
}

pub fn stack(profiles: &OpenProfiles, question: &Question) -> Result<StackDetail> {
    let opened = profiles.side(question)?;
    let profile = &opened.profile;
    let number = question.number("stack")?.context("stack: none is named")?;
    let known = usize::try_from(number).ok();
    let stack = known
        .and_then(|stack| profile.stacks.get(stack))
        .with_context(|| format!("there is no stack {number}"))?;
    let number = number as StackId;
    let events = question.events("events")?;
    let group = opened.groups().of_stack[number as usize];
    let stacks = opened.groups().members(group);
    let mut row = row_of_stack(opened, number, events)?;
    let mut paths = opened.paths();
    let (births_width, births) = births(profile, stacks);
    let no_path = placeholder(stack);
    Ok(StackDetail {
        reason: row.reason.take(),
        agreement: row.agreement.take(),
        row,
        frames: match no_path {
            Some(_) => Vec::new(),
            None => frames(profile, &mut paths, stack.node),
        },
        no_path,
        members: members(opened, stacks, events)?,
        sizes_total: size_bins(rows(stacks, |stack| profile.sizes_total.row(stack))),
        sizes_live: size_bins(rows(stacks, |stack| profile.sizes_live.row(stack))),
        births_width,
        births,
        series: series(opened, number, events),
        deferral: deferral(profile, stacks),
        freed_at: freed_at(profile, stacks).map(|node| frames(profile, &mut paths, node)),
        threads: threads(profile, stacks),
    })
}

/// The rows of some stacks in a table, one after the other.
fn rows<'a, T: 'a>(
    stacks: &'a [StackId],
    row: impl Fn(usize) -> &'a [T] + 'a,
) -> impl Iterator<Item = &'a T> {
    stacks.iter().flat_map(move |&stack| row(stack as usize))
}

/// Survivors by the event they were made in, in equal parts of so many events.
fn births(profile: &Profile, stacks: &[StackId]) -> (u32, Vec<Births>) {
    // A tick may be called by its length. Without events or ticks there is no axis.
    let is_numbered = match profile.timeline.about.source {
        Source::None => false,
        Source::Ticks => ["tick", "second"].contains(&profile.meta.birth_unit.as_str()),
        _ => profile.meta.birth_unit == "event",
    };
    if !is_numbered {
        return (1, Vec::new());
    }
    let born = || rows(stacks, |stack| profile.births.row(stack));
    let last = born().map(|bin| bin.birth).max().unwrap_or(0);
    // One part is what came before the first event.
    let width = last.div_ceil(MOST_BIRTHS - 1).max(1);
    let mut parts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for bin in born() {
        let event = match bin.birth {
            0 => 0,
            birth => (birth - 1) / width * width + 1,
        };
        let (bytes, blocks) = parts.entry(event).or_default();
        *bytes = bytes.saturating_add(bin.bytes);
        *blocks = blocks.saturating_add(bin.blocks);
    }
    let parts = parts.into_iter();
    let births = parts.map(|(event, (bytes, blocks))| Births {
        event,
        bytes,
        blocks,
    });
    (width, births.collect())
}

/// What the row held at begins of events, at most so many.
fn series(opened: &Opened, stack: StackId, events: Option<EventRange>) -> Series {
    let timeline = &opened.profile.timeline;
    let events_in = events.unwrap_or(EventRange::ALL);
    let begins = timeline.event_begins().into_iter();
    let begins: Vec<MomentId> = begins
        .filter(|(event, _)| (events_in.from..=events_in.to).contains(event))
        .map(|(_, moment)| moment)
        .collect();
    let mut shown: Vec<MomentId> = evenly(begins.len(), MOST_READINGS - 1)
        .map(|place| begins[place])
        .collect();
    if shown.last() != begins.last() {
        shown.extend(begins.last());
    }
    let of_stack = &opened.groups().of_stack;
    let group = of_stack.get(stack as usize);
    let mut series = Series::default();
    let (mut bytes, mut blocks) = (0_i64, 0_i64);
    let mut changes = timeline.changes.iter().peekable();
    for begin in shown {
        while let Some(change) = changes.next_if(|change| change.moment <= begin) {
            if of_stack.get(change.stack as usize) == group {
                bytes = bytes.saturating_add(change.bytes);
                blocks = blocks.saturating_add(change.blocks);
            }
        }
        series.event.push(timeline.moments[begin as usize].event);
        series.bytes.push(bytes);
        series.blocks.push(blocks);
    }
    series
}

/// Frees in later events, of all stacks of the row.
fn deferral(profile: &Profile, stacks: &[StackId]) -> Option<Deferral> {
    let (mut frees, mut events, mut longest) = (0_u64, 0_u64, 0);
    let deferrals = profile.timeline.deferrals.iter();
    for one in deferrals.filter(|one| stacks.contains(&one.stack)) {
        frees = frees.saturating_add(one.frees);
        events = events.saturating_add(one.events);
        longest = longest.max(one.longest_events);
    }
    (frees > 0).then(|| Deferral {
        frees,
        mean_events: events as f64 / frees as f64,
        longest_events: longest,
    })
}

/// The path of a late free.
fn freed_at(profile: &Profile, stacks: &[StackId]) -> Option<NodeId> {
    let mut deferrals = profile.timeline.deferrals.iter();
    deferrals.find_map(|one| one.freed_at.filter(|_| stacks.contains(&one.stack)))
}

/// Who made and freed the blocks, those that made most first.
fn threads(profile: &Profile, stacks: &[StackId]) -> Vec<ThreadPart> {
    let mut sums: BTreeMap<u32, ThreadCounters> = BTreeMap::new();
    for part in rows(stacks, |stack| profile.by_thread.row(stack)) {
        let sum = sums.entry(part.thread).or_default();
        sum.add(part);
    }
    let named = sums.into_iter().filter_map(|(thread, sum)| {
        let thread = profile.threads.get(thread as usize)?;
        Some(ThreadPart {
            name: thread.name.clone(),
            tid: thread.tid,
            calls: sum.calls,
            total_bytes: sum.total_bytes,
            frees: sum.frees,
            net_bytes: sum.net_bytes,
            largest_bytes: profile.has_largest.then_some(sum.largest_bytes),
        })
    });
    let mut threads: Vec<ThreadPart> = named.collect();
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.total_bytes));
    threads.truncate(MOST_THREADS);
    threads
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles, refusal};
    use residue_profile::timeline::Deferral;
    use residue_profile::{Profile, Ragged, Thread, ThreadCounters};
    use serde_json::{Value, json};

    /// Events, with stacks 0 and 1 at two lines of one function.
    fn profile() -> Profile {
        let mut profile = events(1300);
        // All that it left is there to the end, though nobody knows when it was made.
        profile.stacks[0].counters.live_bytes = 1000 + 64 * 1300;
        profile.births = Ragged::default();
        profile.threads = vec![Thread {
            tid: 7,
            name: "worker".to_string(),
            cpu_ns: 0,
        }];
        profile.by_thread = Ragged::default();
        for calls in [3, 4] {
            profile.by_thread.push_row([ThreadCounters {
                calls,
                total_bytes: 10 * calls,
                frees: 1,
                net_bytes: -2,
                thread: 0,
                largest_bytes: 16 * calls,
                ..ThreadCounters::default()
            }]);
        }
        let deferral = |stack, frees, freed_at| Deferral {
            stack,
            frees,
            events: 2 * frees,
            longest_events: frees as u32,
            freed_at,
        };
        profile.timeline.deferrals = vec![
            deferral(0, 3, None),
            deferral(1, 5, Some(1)),
            deferral(2, 9, Some(3)),
        ];
        profile
    }

    #[test]
    fn stacks_through_the_same_functions_are_one() {
        let profiles = open_profiles(profile(), None);
        let answer = ask(&profiles, "stack", "stack=0");
        assert_eq!(answer["row"]["stack"], 0);
        assert_eq!(answer["row"]["shape"], "leak");
        assert_eq!(answer["no_path"], Value::Null);
        let functions: Vec<&str> = answer["frames"]
            .as_array()
            .unwrap()
            .iter()
            .map(|frame| frame["function"].as_str().unwrap())
            .collect();
        assert_eq!(functions, ["operator new", "space::Thing::foo", "main"]);
        let foo = json!({
            "function": "space::Thing::foo", "symbol": "_ZN5space5Thing3fooERKSsi",
            "library": "libfoo.so", "address": "0x8000", "framework": false, "places": [],
            "by_frame_pointer": false
        });
        assert_eq!(answer["frames"][1], foo);
        let members = answer["members"].as_array().unwrap();
        let places: Vec<&str> = members
            .iter()
            .map(|it| it["place"].as_str().unwrap())
            .collect();
        assert_eq!(places, ["libfoo.so+0x8000", "libfoo.so+0x8010"]);
        assert_eq!(members[1]["numbers"]["total_bytes"], 102_400);
        let bin = json!([{"from_bytes": 64, "to_bytes": 127, "blocks": 110}]);
        assert_eq!(answer["sizes_total"], bin);
        let deferral = json!({"frees": 8, "mean_events": 2.0, "longest_events": 5});
        assert_eq!(answer["deferral"], deferral);
        assert_eq!(answer["freed_at"][0]["function"], "main");
        let thread = json!({
            "name": "worker", "tid": 7, "calls": 7, "total_bytes": 70, "frees": 2, "net_bytes": -4,
            "largest_bytes": 64
        });
        assert_eq!(answer["threads"], json!([thread]));
        assert!(answer["reason"].is_string() && answer["agreement"].is_string());
    }

    #[test]
    fn the_series_holds_what_was_live_at_begins() {
        let profiles = open_profiles(profile(), None);
        let part = &ask(&profiles, "stack", "stack=0&events=3..5")["series"];
        let expected = json!({
            "event": [3, 4, 5], "bytes": [1128, 1192, 1256], "blocks": [3, 4, 5]
        });
        assert_eq!(*part, expected);
        let whole = &ask(&profiles, "stack", "stack=0")["series"];
        let shown = whole["event"].as_array().unwrap();
        assert_eq!(shown.len(), 600);
        assert_eq!([&shown[0], &shown[599]], [1, 1300]);
        assert_eq!(whole["bytes"][599], 1000 + 64 * 1299);
    }

    #[test]
    fn births_are_put_together_where_there_are_many() {
        let mut profile = profile();
        profile.births = Ragged::default();
        profile
            .births
            .push_row((0..=1300).map(|birth| residue_profile::BirthBin {
                birth,
                blocks: 1,
                bytes: 10,
            }));
        let answer = ask(&open_profiles(profile, None), "stack", "stack=1");
        assert_eq!(answer["births_width"], 4);
        let births = answer["births"].as_array().unwrap();
        assert_eq!(births.len(), 326);
        assert_eq!(births[0], json!({"event": 0, "bytes": 10, "blocks": 1}));
        assert_eq!(births[1], json!({"event": 1, "bytes": 40, "blocks": 4}));
        assert_eq!(
            births[325],
            json!({"event": 1297, "bytes": 40, "blocks": 4})
        );
    }

    #[test]
    fn odd_stacks_have_answers_and_others_none() {
        let profiles = open_profiles(residue_testkit::sample::profile(), None);
        let pooled = ask(&profiles, "stack", "stack=4");
        assert_eq!(
            pooled["no_path"],
            "[pooled: blocks outside the size limits]"
        );
        assert_eq!(pooled["frames"], json!([]));
        assert_eq!(
            pooled["series"],
            json!({"event": [], "bytes": [], "blocks": []})
        );
        assert_eq!(pooled["births"], json!([]));
        assert_eq!(pooled["reason"], Value::Null);
        assert_eq!(
            ask(&profiles, "stack", "stack=2")["frames"][2]["address"],
            Value::Null
        );
        assert_eq!(
            refusal(&profiles, "stack", "stack=6"),
            "there is no stack 6"
        );
        let beyond = u64::from(u32::MAX) + 1;
        let why = refusal(&profiles, "stack", &format!("stack={beyond}"));
        assert_eq!(why, "there is no stack 4294967296");
        assert_eq!(refusal(&profiles, "stack", ""), "stack: none is named");
    }

    #[test]
    fn very_deep_paths_lose_their_middle() {
        let profiles = open_profiles(residue_testkit::sample::deep(3000), None);
        let frames = &ask(&profiles, "stack", "stack=0")["frames"];
        assert_eq!(frames.as_array().unwrap().len(), 1001);
        assert_eq!(frames[750]["function"], "[... 2 000 frames ...]");
    }
}
