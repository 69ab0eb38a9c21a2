//! Who allocates most in each event, and could stop? What `residue report --view churn,advice`
//! says.

use anyhow::Result;
use residue_analysis::churn::StackRate;
use residue_profile::timeline::StackId;
use residue_profile::{Counter, Measured, Span};
use serde::Serialize;

use super::stack_row::shortened;
use crate::moment_view::{Live, measured};
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::{Selection, StackFilter};
use crate::report::advice::{self, StackAdvice, worth_saying};
use crate::report::churn::{self, Churn, ChurnHeads, Part};

const USUAL_ROWS: usize = 50;
const MOST_ROWS: usize = 200;

/// Answers `api/churn`. Parameters: side, events, kind, focus, ignore, limit (most 200, default 50).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChurnAnswer {
    /// What `residue report --view churn` puts above its rows, or says where it has none.
    title: String,
    /// What it writes as JSON; null where it is not known what was allocated.
    churn: Option<Churn>,
    heads: Option<ChurnHeads>,
    /// Of a range: the events that it really is of, both included. Null of a range of all events,
    /// which is the whole recording.
    first_event: Option<u64>,
    last_event: Option<u64>,
    /// What `residue report --view advice` puts above its advice, or says where it has none.
    advice_title: &'static str,
    /// What it writes as JSON, of the whole recording beside a range too.
    advice: Vec<StackAdvice>,
}

pub fn churn(profiles: &OpenProfiles, question: &Question) -> Result<ChurnAnswer> {
    let opened = profiles.side(question)?;
    let profile = &opened.profile;
    let events = question.events("events")?;
    let selection = Selection {
        opened,
        kind: question.kind()?,
        filter: StackFilter::of(question)?,
        counter: Counter::Total,
        // What is freed in its event is known of the whole recording alone; a range of all events
        // has the same rates.
        events: events.filter(|range| !opened.is_whole(*range)),
        thread: None,
    };
    let rows = question.limit("limit", USUAL_ROWS, MOST_ROWS)?;
    let span = selection.span()?;
    let covered = span.map(|span| profile.timeline.events_covered(span));
    let live = span.map(|span| opened.live(span));
    let admits = selection.admits();
    let part = Part {
        profile,
        measured: span.map_or(Measured::Everything, |span| measured(profile, span)),
        span: span.unwrap_or(Span::WHOLE),
        admits: &admits,
        made: &|stack| match &live {
            Some(live) => made_in_range(&live[stack as usize], stack),
            None => churn::made(profile, stack),
        },
    };
    let mut paths = opened.paths();
    let mut found = part.churn(&mut paths, rows);
    for row in found.iter_mut().flat_map(|found| &mut found.rows) {
        row.path = cut(&row.path);
    }
    let mut advice = worth_saying(profile, opened.savings(), &admits, &mut paths);
    for one in &mut advice {
        one.path = cut(&one.path);
    }
    Ok(ChurnAnswer {
        title: match &found {
            Some(found) if found.found > 0 => found.heading(),
            Some(_) => churn::NONE.to_string(),
            None => churn::not_recorded(profile, part.span),
        },
        heads: found.as_ref().map(Churn::heads),
        churn: found,
        first_event: covered.map(|(first, _)| first),
        last_event: covered.map(|(_, last)| last),
        advice_title: match advice.is_empty() {
            true => advice::NONE,
            false => advice::HEADING,
        },
        advice,
    })
}

fn made_in_range(live: &Live, stack: StackId) -> StackRate {
    let value = |counter| u64::try_from(live.value(counter)).unwrap_or(0);
    StackRate {
        stack,
        calls: value(Counter::Calls),
        bytes: value(Counter::Total),
        temporaries: value(Counter::Temporaries),
        freed_in_event: None,
    }
}

fn cut(path: &[String]) -> Vec<String> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    shortened(&names)
}

#[cfg(test)]
mod tests {
    use residue_calltree::Filter;
    use residue_profile::timeline::Allocated;
    use residue_profile::{BirthBin, MemoryKind, Profile, Ragged, SizeBin, StackKind};
    use serde_json::{Value, json};

    use super::super::sample::{ask, events, open_profiles, refusal};
    use super::*;
    use crate::choice::{Choice, Names};
    use crate::moment_view;
    use crate::report::advice::advice;
    use crate::report::churn::churn;
    use crate::report::source::Source;

    /// In each of 20 events stack 0 makes three blocks of 4096 bytes, one after another, and stack 3
    /// maps 8192 bytes. What was allocated is known at every second begin, and in the end.
    fn churning() -> Profile {
        let mut profile = events(20);
        for (stack, calls, size) in [(0, 60, 4096), (3, 20, 8192)] {
            let counters = &mut profile.stacks[stack].counters;
            (counters.calls, counters.frees) = (calls, calls);
            (counters.total_bytes, counters.peak_bytes) = (calls * size, size);
            (counters.live_bytes, counters.live_blocks) = (0, 0);
            (counters.reallocs_in_place, counters.reallocs_moved) = (0, 0);
        }
        profile.sizes_total = Ragged::default();
        profile.sizes_total.push_row([SizeBin {
            bits: 13,
            blocks: 60,
        }]);
        profile.births = Ragged::<BirthBin>::default();
        profile.stacks[2].counters.calls = 0;
        let timeline = &mut profile.timeline;
        let last = timeline.moments.len() as u32 - 1;
        for (moment, of) in (0..).zip(&mut timeline.moments) {
            let is_second = of.kind.is_begin() && of.event % 2 == 1;
            of.has_totals = is_second || moment == last;
            if !of.has_totals || moment == 0 {
                continue;
            }
            for (stack, calls, size) in [(0, 6, 4096), (3, 2, 8192)] {
                timeline.allocated.push(Allocated {
                    moment,
                    stack,
                    calls,
                    bytes: calls * size,
                    temporaries: calls,
                });
            }
        }
        profile
    }

    fn written(document: &impl Serialize) -> Value {
        serde_json::from_slice(&serde_json::to_vec(document).unwrap()).unwrap()
    }

    fn choice(kind: MemoryKind) -> Choice {
        Choice::whole(kind, Names::short())
    }

    #[test]
    fn the_documents_are_those_of_the_report() {
        let profile = churning();
        let profiles = open_profiles(profile.clone(), None);
        for (query, kind, focus) in [
            ("", MemoryKind::Heap, None),
            // All events are the whole recording.
            ("kind=all&events=1..20", MemoryKind::All, None),
            ("kind=mapping&events=0..99", MemoryKind::Mapping, None),
            ("kind=all&focus=foo", MemoryKind::All, Some("foo")),
        ] {
            let mut choice = choice(kind);
            if let Some(focus) = focus {
                choice.filter = Filter::default().focus(focus).unwrap();
            }
            let source = Source::new(&profile, choice, vec![Counter::Live]).unwrap();
            let answer = ask(&profiles, "churn", query);
            let expected = churn(&source, USUAL_ROWS).unwrap();
            assert!(expected.found > 0, "{query}");
            assert_eq!(answer["title"], expected.heading(), "{query}");
            assert_eq!(answer["churn"], written(&expected), "{query}");
            assert_eq!(answer["advice"], written(&advice(&source)), "{query}");
            assert_eq!(answer["first_event"], Value::Null, "{query}");
        }
    }

    #[test]
    fn rates_and_advice_are_exact() {
        let profiles = open_profiles(churning(), None);
        let answer = ask(&profiles, "churn", "kind=all");
        assert_eq!(
            answer["title"],
            "churn: 2 stacks by bytes allocated per event, 20 events"
        );
        let heads = json!({
            "bytes": "bytes/event", "calls": "calls/event", "freed": "freed in event",
            "is_freed_in_event": true
        });
        assert_eq!(answer["heads"], heads);
        let row = &answer["churn"]["rows"][0];
        let number = |name: &str| row[name].as_f64().unwrap();
        assert_eq!(
            [
                "stack",
                "calls_per_event",
                "bytes_per_event",
                "calls",
                "bytes"
            ]
            .map(number),
            [0.0, 3.0, 12_288.0, 60.0, 245_760.0]
        );
        assert_eq!([&row["temporaries"], &row["freed_in_event"]], [60, 60]);
        let first = &answer["advice"][0];
        assert_eq!([&first["stack"], &first["saved_bytes_low"]], [0, 241_664]);
        assert_eq!(
            first["words"],
            "one block of 4.00 KiB at a time was allocated 60 times (3/event); reusing it would \
             save 59 allocations and 236 KiB (241 664 bytes)"
        );
        assert_eq!(answer["advice_title"], advice::HEADING);
        let few = ask(&profiles, "churn", "kind=all&limit=1");
        assert_eq!(
            few["title"],
            "churn: 1 of 2 stacks by bytes allocated per event, 20 events"
        );
        assert_eq!(few["churn"]["rows"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_range_is_what_the_report_says_of_that_part() {
        let profile = churning();
        let profiles = open_profiles(profile.clone(), None);
        let span = profile.timeline.span_of_events(11, 14).unwrap();
        let (view, measured) = moment_view::of(profile.clone(), span);
        let part = Choice {
            measured,
            span,
            ..choice(MemoryKind::Heap)
        };
        let source = Source::new(&view, part, vec![Counter::Live]).unwrap();
        let answer = ask(&profiles, "churn", "events=11..14");
        assert_eq!(answer["churn"], written(&churn(&source, USUAL_ROWS)));
        assert_eq!(
            answer["title"],
            "churn: 1 stack by bytes allocated per event, 4 events"
        );
        assert_eq!([&answer["first_event"], &answer["last_event"]], [11, 14]);
        let row = &answer["churn"]["rows"][0];
        assert_eq!([&row["calls"], &row["temporaries"]], [12, 12]);
        assert_eq!(row["freed_in_event"], Value::Null);
        assert_eq!(answer["heads"]["freed"], "temporary");
        // Advice is of the whole recording.
        assert_eq!(answer["advice"], ask(&profiles, "churn", "")["advice"]);
    }

    #[test]
    fn no_more_are_temporary_than_were_allocated() {
        let mut profile = churning();
        // The first was made before.
        for of in &mut profile.timeline.allocated {
            of.temporaries = of.calls + 1;
        }
        let profiles = open_profiles(profile, None);
        let row = &ask(&profiles, "churn", "events=11..14")["churn"]["rows"][0];
        assert_eq!([&row["calls"], &row["temporaries"]], [12, 12]);
    }

    #[test]
    fn what_was_not_recorded_or_is_not_there_is_said_in_the_words_of_the_report() {
        let mut profile = churning();
        let profiles = open_profiles(profile.clone(), None);
        let between = ask(&profiles, "churn", "events=11..13");
        assert_eq!(
            between["title"],
            "churn: not recorded for these moments; allocations are known of `11..15`"
        );
        assert_eq!([&between["churn"], &between["heads"]], [&Value::Null; 2]);
        let none = ask(&profiles, "churn", "kind=reported");
        assert_eq!(none["title"], "churn: none");
        assert_eq!(none["advice_title"], "advice: none");
        assert_eq!(none["advice"], json!([]));
        assert_eq!(
            refusal(&profiles, "churn", "events=21..22"),
            "there is no event 21; the last is 20"
        );

        profile.timeline = Default::default();
        for stack in &mut profile.stacks {
            stack.kind = StackKind::Heap;
        }
        let answer = ask(&open_profiles(profile, None), "churn", "");
        assert_eq!(answer["churn"]["events"], Value::Null);
        assert_eq!(answer["heads"]["bytes"], "bytes");
        assert_eq!(answer["churn"]["rows"][0]["bytes_per_event"], Value::Null);
        let title = answer["title"].as_str().unwrap();
        assert!(title.ends_with(" stacks by bytes allocated"), "{title}");
    }
}
