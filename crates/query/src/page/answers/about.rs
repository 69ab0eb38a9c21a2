//! What is open, and what is known of it.

use residue_profile::units::counted;
use std::collections::BTreeSet;

use residue_analysis::stages;
use residue_calltree::{outermost_scopes, scope_names};
use residue_profile::timeline::{EventNumber, Timeline};
use residue_profile::{End, Profile, RecorderStats, Span, StackKind, Thread, Totals};
use serde::Serialize;

use crate::holders::picture_of;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::visible::visible;
use crate::warnings;

const MOST_SCOPES: usize = 200;
const MOST_THREADS: usize = 1000;
const MOST_NOTES: usize = 100;

/// Answers `api/about`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct About<'a> {
    format: &'static str,
    version: u32,
    /// Counts up each time the data change, as those of a running program do.
    generation: u64,
    /// A program is being watched; `ended` once it is gone.
    live: bool,
    ended: bool,
    /// One, or two to compare.
    files: Vec<FileAbout<'a>>,
    /// Of a self-contained file: what it holds and what was left out, in sentences.
    left_out: &'a [String],
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct FileAbout<'a> {
    #[cfg_attr(feature = "typescript", ts(type = "Side"))]
    side: &'static str,
    /// File name without folders.
    name: &'a str,
    program: &'a str,
    command: &'a [String],
    pid: u32,
    host: &'a str,
    residue_version: &'a str,
    started_unix_ns: u64,
    duration_ns: u64,
    end: &'a End,
    allocator: &'a str,
    max_rss_bytes: Option<u64>,
    /// What one turn is called.
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit"))]
    unit: &'static str,
    /// First and last event at which stacks are known; null without events.
    first_event: Option<EventNumber>,
    last_event: Option<EventNumber>,
    last_measured_event: Option<u64>,
    events: u64,
    /// One event in so many has its own moments.
    stride: u32,
    stacks: usize,
    heap: &'a Totals,
    mappings: &'a Totals,
    recorder: &'a RecorderStats,
    /// What makes the numbers less than exact, then what else the reader should know.
    warnings: Vec<String>,
    /// Names of what the program counted.
    counters: Vec<&'a str>,
    threads: &'a [Thread],
    scopes: Vec<&'a str>,
    has: Has,
}

/// Which views have something to show.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Has {
    changes: bool,
    stages: bool,
    sizes: bool,
    births: bool,
    threads: bool,
    peak: bool,
    cpu: bool,
    /// A picture of the program's memory.
    picture: bool,
    /// What ranges of events allocated. Not in a page as one file.
    totals: bool,
}

/// Answers `api/status`, which is asked each second of a running program.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Status<'a> {
    generation: u64,
    live: bool,
    ended: bool,
    /// Why the last reading failed, if it did.
    trouble: Option<&'a str>,
}

pub fn about(profiles: &OpenProfiles) -> anyhow::Result<About<'_>> {
    let second = profiles.second.as_deref().map(|second| file("b", second));
    Ok(About {
        format: "residue-view",
        version: 1,
        generation: profiles.generation,
        live: profiles.is_live,
        ended: profiles.has_ended,
        files: [file("a", &profiles.first)]
            .into_iter()
            .chain(second)
            .collect(),
        left_out: &profiles.left_out,
    })
}

pub fn status(profiles: &OpenProfiles) -> anyhow::Result<Status<'_>> {
    Ok(Status {
        generation: profiles.generation,
        live: profiles.is_live,
        ended: profiles.has_ended,
        trouble: profiles.trouble.as_deref(),
    })
}

fn file<'a>(side: &'static str, opened: &'a Opened) -> FileAbout<'a> {
    let profile = &opened.profile;
    let (meta, timeline) = (&profile.meta, &profile.timeline);
    let known = timeline.known_events();
    FileAbout {
        side,
        name: &opened.name,
        program: &meta.program,
        command: &meta.command,
        pid: meta.pid,
        host: &meta.host,
        residue_version: &meta.residue_version,
        started_unix_ns: meta.started_unix_ns,
        duration_ns: meta.duration_ns,
        end: &meta.end,
        allocator: &meta.allocator,
        max_rss_bytes: meta.max_rss_bytes,
        unit: timeline.about.source.unit(),
        first_event: known.map(|(first, _)| first),
        last_event: known.map(|(_, last)| last),
        last_measured_event: known.and_then(|_| last_measured_event(timeline)),
        events: timeline.about.events,
        stride: timeline.about.stride.max(1),
        stacks: profile.stacks.len(),
        heap: &profile.heap,
        mappings: &profile.mappings,
        recorder: &profile.recorder,
        warnings: warnings(profile),
        counters: counters(timeline),
        threads: &profile.threads[..profile.threads.len().min(MOST_THREADS)],
        scopes: scopes(profile),
        has: has(profile),
    }
}

/// The last event of which it is known what it left: its end was seen, or another began.
fn last_measured_event(timeline: &Timeline) -> Option<u64> {
    let to = timeline.last_end()?;
    let measured = timeline.events_in(Span {
        from: None,
        to: Some(to),
    });
    Some(measured).filter(|&last| last > 0)
}

/// What makes the numbers less than exact, then what else the reader should know.
fn warnings(profile: &Profile) -> Vec<String> {
    let mut warnings = warnings::warnings(profile);
    let notes = &profile.meta.notes;
    for note in notes.iter().take(MOST_NOTES).map(|note| visible(note)) {
        if !warnings.contains(&note) {
            warnings.push(note);
        }
    }
    if let more @ 1.. = notes.len().saturating_sub(MOST_NOTES) {
        warnings.push(format!(
            "{}: see `residue dump`",
            counted(more as u64, "more note", "more notes")
        ));
    }
    warnings
}

/// Names of what the program counted, as they stand in its totals.
fn counters(timeline: &Timeline) -> Vec<&str> {
    let names: BTreeSet<u32> = timeline.totals.iter().map(|total| total.name).collect();
    let names = names.into_iter();
    names
        .filter_map(|name| timeline.names.get(name as usize))
        .map(String::as_str)
        .collect()
}

fn scopes(profile: &Profile) -> Vec<&str> {
    // Most programs have none, and there are millions of nodes.
    if scope_names(profile).is_empty() {
        return Vec::new();
    }
    let mut scopes: Vec<&str> = outermost_scopes(profile).into_iter().flatten().collect();
    scopes.dedup();
    let scopes: BTreeSet<&str> = scopes.into_iter().collect();
    scopes.into_iter().take(MOST_SCOPES).collect()
}

fn has(profile: &Profile) -> Has {
    let (names, stamps) = stages::stamps_of(&profile.timeline);
    Has {
        changes: !profile.timeline.changes.is_empty(),
        stages: stages::find_turns(&names, &stamps).is_some(),
        sizes: !profile.sizes_total.items().is_empty() || !profile.sizes_live.items().is_empty(),
        births: !profile.births.items().is_empty(),
        threads: !profile.threads.is_empty() && !profile.by_thread.items().is_empty(),
        peak: profile
            .stacks
            .iter()
            .any(|stack| stack.counters.at_peak_bytes > 0),
        cpu: profile
            .stacks
            .iter()
            .any(|stack| stack.kind == StackKind::Cpu),
        picture: picture_of(profile).is_ok(),
        totals: !profile.timeline.allocated.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{events, open_profiles};
    use super::*;
    use residue_testkit::sample;

    #[test]
    fn a_profile_says_who_it_is_and_what_it_has() {
        let mut profile = sample::profile();
        profile.recorder.missed_frees = 2;
        let profiles = open_profiles(profile, None);
        let about = serde_json::to_value(about(&profiles).unwrap()).unwrap();
        assert_eq!(about["files"].as_array().unwrap().len(), 1);
        let file = &about["files"][0];
        assert_eq!(
            file["end"],
            serde_json::json!({"kind": "killed", "signal": 9})
        );
        assert_eq!(file["heap"]["live_bytes"], 2936);
        assert_eq!(file["recorder"]["time_ns"], 450_000_000);
        assert_eq!(file["first_event"], serde_json::Value::Null);
        assert_eq!(file["stacks"], 6);
        assert_eq!(
            file["warnings"],
            serde_json::json!(["2 frees were not seen: the address was reused", "a note"])
        );
        assert_eq!(
            file["has"],
            serde_json::json!({
                "changes": false, "stages": false, "sizes": true, "births": true,
                "threads": false, "peak": true, "cpu": false, "picture": false,
                "totals": false
            })
        );
    }

    #[test]
    fn events_counters_and_both_sides_are_told() {
        let profiles = open_profiles(events(4), Some(Profile::default()));
        let about = serde_json::to_value(about(&profiles).unwrap()).unwrap();
        let [file, empty] = [&about["files"][0], &about["files"][1]];
        assert_eq!([&file["side"], &empty["side"]], ["a", "b"]);
        assert_eq!([&file["first_event"], &file["last_event"]], [1, 4]);
        assert_eq!(file["last_measured_event"], 4);
        assert_eq!(file["counters"], serde_json::json!(["hits"]));
        assert_eq!(file["has"]["changes"], true);
        assert_eq!(file["has"]["stages"], true);
        assert_eq!(empty["stacks"], 0);
        assert_eq!(empty["last_event"], serde_json::Value::Null);
        assert_eq!(empty["last_measured_event"], serde_json::Value::Null);
    }

    #[test]
    fn an_event_whose_end_was_not_seen_is_not_measured() {
        let mut profile = events(4);
        // The program was killed in its last event.
        let begin = profile.timeline.moments.iter().position(|it| it.event == 4);
        profile.timeline.moments.truncate(begin.unwrap() + 1);
        let profiles = open_profiles(profile, None);
        let about = serde_json::to_value(about(&profiles).unwrap()).unwrap();
        assert_eq!(about["files"][0]["last_event"], 4);
        assert_eq!(about["files"][0]["last_measured_event"], 3);
    }
}
