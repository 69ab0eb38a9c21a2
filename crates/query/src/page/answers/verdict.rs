//! Does every event leave something behind? What `residue leaks --json` writes.

use std::sync::Arc;

use anyhow::Result;
use residue_analysis::history::EventRange;
use residue_analysis::verdict::Verdict;
use residue_profile::{Part, Point, Profile};
use serde::{Serialize, Serializer};

use crate::choice::Names;
use crate::leaks::words;
use crate::leaks::{self, Limits};
use crate::no_events::NoVerdict;
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;

/// What is sent; the table of stacks has all.
const MOST: Limits = Limits {
    stacks: 50,
    steps: 32,
    name_characters: 200,
};

/// Answers `api/verdict`. Parameters: side, events.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VerdictAnswer<'a> {
    /// What `residue leaks --json` writes; null where there are too few events.
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<leaks::document::Document<'static>>")
    )]
    verdict: Document<'a>,
    /// The headline in words, or why there is no verdict.
    words: Vec<String>,
    /// Where there is none.
    missing: Option<NoVerdict>,
}

/// The verdict as it is written for programs; null where there is none.
struct Document<'a> {
    profile: &'a Profile,
    names: &'a Names,
    verdict: Arc<Option<Verdict>>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = Option::as_ref(&self.verdict);
        let document = verdict.map(|it| leaks::document(self.profile, it, self.names, MOST));
        document.serialize(serializer)
    }
}

pub fn verdict<'a>(profiles: &'a OpenProfiles, question: &Question) -> Result<VerdictAnswer<'a>> {
    let opened = profiles.side(question)?;
    let events = question.events("events")?;
    if let Some(EventRange { from, .. }) = events {
        // An event that is not there is refused, as by the command.
        let from = Some(Point::Event(from));
        let to = Point::End;
        opened
            .profile
            .timeline
            .events_of(&Part::Between { from, to })?;
    }
    let verdict = opened.verdict(events);
    let lines = match &*verdict {
        Some(verdict) => {
            let reasons = words::reasons(verdict);
            let head = [leaks::headline(verdict).to_string()];
            let lines = head.into_iter().chain(reasons);
            lines.map(|line| line.trim().to_string()).collect()
        }
        None => Vec::new(),
    };
    let profile = &opened.profile;
    let missing = verdict
        .is_none()
        .then(|| NoVerdict::of(profile, events.unwrap_or(EventRange::ALL)));
    Ok(VerdictAnswer {
        verdict: Document {
            profile,
            names: opened.names(),
            verdict,
        },
        words: lines,
        missing,
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles, refusal};
    use super::*;
    use residue_analysis::growth::{Growth, Outcome};
    use residue_analysis::verdict::{Basis, Headline, Reason, verdict};
    use serde_json::Value;

    fn written(range: EventRange) -> Value {
        let profile = events(50);
        let verdict = verdict(&profile, range).unwrap();
        let names = Names::short();
        serde_json::to_value(leaks::document(&profile, &verdict, &names, Limits::NONE)).unwrap()
    }

    #[test]
    fn the_document_is_that_of_the_command() {
        let profiles = open_profiles(events(50), None);
        let whole = ask(&profiles, "verdict", "");
        assert_eq!(whole["verdict"], written(EventRange::ALL));
        assert_eq!(whole["verdict"]["stacks"][0]["stack"], 0);
        assert_eq!(whole["verdict"]["stacks"][0]["rate_bytes_per_event"], 64.0);
        let words = whole["words"][0].as_str().unwrap();
        assert!(words.starts_with("LEAK  64 B/event"), "{words}");
        let part = ask(&profiles, "verdict", "events=11..30");
        assert_eq!(part["verdict"], written(EventRange { from: 11, to: 30 }));
        assert_eq!(part["verdict"]["last_event"], 30);
        assert_eq!(
            refusal(&profiles, "verdict", "events=55..60"),
            "there is no event 55; the last is 50"
        );
    }

    /// Nothing under NO GROWTH is said of the heap that its readings do not show.
    #[test]
    fn no_growth_says_its_limit_and_what_both_sizes_did() {
        let profile = events(50);
        let mut judged = verdict(&profile, EventRange::ALL).unwrap();
        let growing = judged.growth.clone();
        judged.headline = Headline::NoGrowth;
        judged.basis = Basis::Live;
        judged.growth = Growth {
            outcome: Outcome::NoGrowth,
            rate: 0.0,
            end_to_end_rate: 0.0,
            end_to_end_after_warm_up: 0.0,
            smallest_visible: 12.0,
            ..growing.clone()
        };
        judged.rss = Some(Growth {
            outcome: Outcome::Growing,
            rate: 307.0,
            ..growing.clone()
        });
        let said = |judged: &Verdict| leaks::headline(judged).to_string();
        assert_eq!(
            said(&judged),
            "NO GROWTH  live heap flat (detection limit 12 B/event); RSS +307 B/event  (events 1..50)"
        );
        judged.rss = None;
        assert!(said(&judged).contains("; RSS not measured  ("));
        // The heap grew, but no stack grows any more.
        judged.growth = Growth {
            smallest_visible: f64::INFINITY,
            ..growing
        };
        judged.reasons = vec![Reason::AllStacksComeToRest];
        assert_eq!(
            said(&judged),
            "NO GROWTH  live heap +3.06 KiB in all, no stack still grows (detection limit unknown); \
             RSS not measured  (events 1..50)"
        );
    }

    #[test]
    fn without_events_there_is_a_reason_instead() {
        let profiles = open_profiles(Profile::default(), None);
        let answer = ask(&profiles, "verdict", "");
        assert_eq!(answer["verdict"], Value::Null);
        assert_eq!(
            answer["missing"]["reason"],
            "no verdict: the program marks no events, and ticks are switched off (--tick 0)"
        );
        let advice = answer["missing"]["advice"].as_str().unwrap();
        assert!(advice.contains("--event-function"), "{advice}");
        let judged = ask(&self::open_profiles(events(50), None), "verdict", "");
        assert_eq!(judged["missing"], Value::Null);
        assert_eq!(
            refusal(&profiles, "verdict", "side=b"),
            "only one profile is open"
        );
    }
}
