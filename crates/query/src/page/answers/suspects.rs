//! Whom to look at first, with the source lines around each, and with what its links need.

use std::collections::HashMap;

use anyhow::Result;
use residue_analysis::history::EventRange;
use residue_analysis::verdict::Verdict;
use residue_profile::FileId;
use serde::Serialize;

use super::source::LONGEST_LINE;
use super::stacks::StackNumbers;
use crate::moment_view::Live;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;
use crate::sources::ReadSource;
use crate::suspects::{Known, Role, Suspect, SuspectAdvice};
use crate::visible::visible;

/// Suspects that bring their source lines; a file is read once for all of them.
const MOST_WITH_SOURCE: usize = 8;
/// Lines before and after the one that is meant.
const CONTEXT: u32 = 2;

/// Answers `api/suspects`: the stacks to look at first. Parameters: side, events.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuspectsAnswer {
    role: Role,
    /// What they have in common: `2 stacks leak`. Empty where there are none.
    title: String,
    /// The worst first, at most 20.
    cards: Vec<SuspectCard>,
    /// `and 3 more stacks, 1.20 KiB/event together`; null where all are told.
    rest: Option<String>,
    /// The counter that the growth of the whole process follows, where no stack stands for it.
    follows: Option<String>,
    /// Between which stamps of an event the live heap grows; null where that is not known.
    stage: Option<String>,
    /// What to do, the most useful first.
    advice: Vec<SuspectAdvice>,
}

/// One of them.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct SuspectCard {
    #[serde(flatten)]
    suspect: Suspect,
    /// Names its file in `api/source`; null where it is not known.
    file_id: Option<FileId>,
    /// Of all stacks of the row; growth is of the events that are judged.
    numbers: StackNumbers,
    /// The line that is meant and those around it; empty where they are not to be had.
    source: Vec<SuspectLine>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct SuspectLine {
    /// From one.
    line: u32,
    text: String,
}

pub fn suspects(profiles: &OpenProfiles, question: &Question) -> Result<SuspectsAnswer> {
    let opened = profiles.side(question)?;
    let events = question.events("events")?;
    let verdict = opened.verdict(events);
    let known = Known {
        profile: &opened.profile,
        groups: opened.groups(),
        verdict: Option::as_ref(&verdict),
        range: events.unwrap_or(EventRange::ALL),
    };
    let found = known.suspects(&mut opened.paths());
    // Of the whole recording the numbers are of the events that the verdict is on, where they are
    // known: what is freed at exit grew all the same.
    let span = match (events, &*verdict) {
        (Some(_), _) => Some(opened.span(events)?),
        (None, Some(verdict)) => opened.span(Some(judged(verdict))).ok(),
        (None, None) => None,
    };
    let live = span.map(|span| opened.live(span));
    let live = live.as_ref().map(|live| live.as_slice());
    let mut sources = Sources::new(opened, &*profiles.read_source);
    let cards = found.suspects.into_iter().enumerate();
    let cards = cards.map(|(place, suspect)| {
        let id = suspect.file.as_deref().and_then(|file| sources.id(file));
        SuspectCard {
            file_id: id,
            numbers: numbers(opened, suspect.stack, live),
            source: match (id, suspect.line) {
                (Some(id), Some(line)) if place < MOST_WITH_SOURCE => sources.around(id, line),
                _ => Vec::new(),
            },
            suspect,
        }
    });
    Ok(SuspectsAnswer {
        role: found.role,
        title: found.title,
        cards: cards.collect(),
        rest: found.rest,
        follows: found.follows,
        stage: found.stage,
        advice: found.advice,
    })
}

fn judged(verdict: &Verdict) -> EventRange {
    let event = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    EventRange {
        from: event(verdict.growth.first_event),
        to: event(verdict.growth.last_event),
    }
}

/// Of all stacks through the same functions.
fn numbers(opened: &Opened, stack: u32, live: Option<&[Live]>) -> StackNumbers {
    let group = opened.groups().of_stack[stack as usize];
    let mut sum = StackNumbers::default();
    for &member in opened.groups().members(group) {
        sum.add(&StackNumbers::of(opened, member as usize, live));
    }
    sum
}

/// The files of a profile, each looked for and read once.
struct Sources<'a> {
    files: &'a [String],
    ids: HashMap<String, FileId>,
    read: &'a ReadSource,
    texts: HashMap<FileId, Option<Vec<String>>>,
}

impl<'a> Sources<'a> {
    fn new(opened: &'a Opened, read: &'a ReadSource) -> Sources<'a> {
        Sources {
            files: &opened.profile.files,
            ids: HashMap::new(),
            read,
            texts: HashMap::new(),
        }
    }

    /// The number of a file, by its name as labels have it.
    fn id(&mut self, name: &str) -> Option<FileId> {
        if let Some(&known) = self.ids.get(name) {
            return Some(known);
        }
        let is_same = |file: &String| file == name || visible(file) == name;
        let place = self.files.iter().position(is_same)?;
        let id = FileId::try_from(place).ok()?;
        self.ids.insert(name.to_string(), id);
        Some(id)
    }

    fn around(&mut self, id: FileId, line: u32) -> Vec<SuspectLine> {
        let (files, read) = (self.files, self.read);
        let text = self.texts.entry(id);
        let text = text.or_insert_with(|| read(&files[id as usize]));
        let Some(text) = text else {
            return Vec::new();
        };
        let first = line.saturating_sub(CONTEXT).max(1);
        let shown = first..=line.saturating_add(CONTEXT);
        let line = |line: u32| {
            let text = text.get(line as usize - 1)?;
            Some(SuspectLine {
                line,
                text: text.chars().take(LONGEST_LINE).collect(),
            })
        };
        shown.filter_map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, held, open_profiles, refusal};
    use residue_profile::{Profile, Ragged, SourcePlace};
    use residue_testkit::sample;
    use serde_json::{Value, json};
    use std::sync::Arc;

    #[test]
    fn the_accused_come_with_their_numbers_and_their_lines() {
        let mut profile = events(50);
        profile.files = vec!["/src/foo.c".to_string()];
        profile.places = Ragged::default();
        let place = |function, line| SourcePlace {
            function,
            file: 0,
            line,
        };
        profile.places.push_row([place(0, 20)]);
        profile.places.push_row([place(1, 12)]);
        for _ in 2..7 {
            profile.places.push_row([]);
        }
        let mut profiles = open_profiles(profile, None);
        let text = |_: &str| Some((1..=30).map(|line| format!("line {line}")).collect());
        profiles.read_source = Arc::new(text);
        let answer = ask(&profiles, "suspects", "events=1..50");
        assert_eq!(answer["role"], "guilty");
        assert_eq!(answer["title"], "1 stack leaks");
        let verdict = ask(&profiles, "verdict", "events=1..50");
        let (card, stack) = (&answer["cards"][0], &verdict["verdict"]["stacks"][0]);
        for field in [
            "stack",
            "kind",
            "shown",
            "place",
            "share",
            "rate_bytes_per_event",
            "live",
        ] {
            assert_eq!(card[field], stack[field], "{field}");
        }
        assert_eq!(card["numbers"]["growth_bytes"], 50 * 64);
        // The innermost function is of a library without lines.
        assert_eq!(card["at"], "foo.c:12");
        let line = card["line"].as_u64().unwrap();
        let source = card["source"].as_array().unwrap();
        assert_eq!(source.len(), 5);
        assert_eq!(
            source[2],
            json!({"line": line, "text": format!("line {line}")})
        );
        assert_eq!(card["file_id"], 0);
        assert!(card["why"].as_str().unwrap().contains("block"));
        assert!(refusal(&profiles, "suspects", "events=55..60").contains("55"));
    }

    #[test]
    fn without_a_verdict_those_that_held_most_stand_in_their_place() {
        let profiles = open_profiles(sample::profile(), None);
        let answer = ask(&profiles, "suspects", "");
        assert_eq!(answer["role"], "largest");
        let cards = answer["cards"].as_array().unwrap();
        let held: Vec<u64> = cards
            .iter()
            .map(|card| card["bytes"].as_u64().unwrap())
            .collect();
        assert!(
            held.is_sorted_by(|one, other| one >= other) && held[0] > 0,
            "{held:?}"
        );
        let title = answer["title"].as_str().unwrap();
        assert!(title.contains("live at the peak"), "{title}");
        let empty = ask(&open_profiles(Profile::default(), None), "suspects", "");
        assert_eq!([&empty["cards"], &empty["title"]], [&json!([]), &json!("")]);
    }

    #[test]
    fn who_holds_is_said_of_each() {
        let answer = ask(&open_profiles(held(), None), "suspects", "");
        let said = answer["cards"].as_array().unwrap().iter();
        assert!(said.into_iter().any(|card| card["held"] != Value::Null));
    }
}
