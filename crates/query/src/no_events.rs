//! Why a recording cannot be judged, and what to try. A verdict needs two events; where
//! they are missing, the reader is told the true reason: the option that matched nothing,
//! a run that was too short, a file that never had a timeline.

use std::fmt;

use residue_analysis::history::EventRange;
use residue_names::{DemangleStyle, demangle};
use residue_profile::timeline::{About, EventSearch, Source};
use residue_profile::units::{count, counted, counted_units, duration};
use residue_profile::{Frame, NONE, Profile};
use serde::Serialize;

use crate::function_names::Wanted;

/// Why nothing is judged, and what to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoVerdict {
    pub reason: String,
    pub advice: String,
}

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, self.advice)
    }
}

/// Ticks that a short run should be divided into.
const WANTED_TICKS: u64 = 50;
/// The clock cannot tell shorter ticks apart.
const SHORTEST_TICK_NS: u64 = 2_000_000;
const MARKS: &str = "mark events (docs/EVENTS.md)";

impl NoVerdict {
    /// Of a profile with fewer than two events in the range.
    pub fn of(profile: &Profile, range: EventRange) -> NoVerdict {
        let (reason, advice) = explain(profile, range);
        NoVerdict {
            reason: format!("no verdict: {reason}"),
            advice,
        }
    }
}

fn explain(profile: &Profile, range: EventRange) -> (String, String) {
    let (meta, about) = (&profile.meta, &profile.timeline.about);
    let search = &about.search;
    let unit = about.source.unit();
    let begins = profile
        .timeline
        .moments
        .iter()
        .filter(|moment| moment.kind.is_begin());
    let kept = begins.map(|moment| moment.event).collect::<Vec<_>>();
    if let ([first, .., last], false) = (&kept[..], range == EventRange::ALL) {
        return (
            format!("fewer than two {unit}s in this range"),
            format!("choose a longer one: the profile has {unit}s {first}..{last}"),
        );
    }
    let recorded = EventRange::recorded(profile);
    if recorded != EventRange::ALL {
        return of_part(recorded, about, unit);
    }
    if meta.is_damaged {
        return (
            "the file is damaged and its timeline could not be read".to_string(),
            "copy it again, or record again".to_string(),
        );
    }
    if meta.merged_profiles > 0 {
        return (
            format!(
                "a merged profile has no timeline ({} were added up)",
                counted(meta.merged_profiles, "profile", "profiles")
            ),
            "run `residue leaks` on each of them".to_string(),
        );
    }
    if !meta.imported_from.is_empty() {
        return (
            format!(
                "the imported file ({}) has {}",
                meta.imported_from,
                counted_units(about.events, unit)
            ),
            "import a file with a time series, or compare two files with `residue diff`"
                .to_string(),
        );
    }
    if !search.functions.is_empty() {
        return of_functions(profile, search);
    }
    if let Some(pattern) = &search.line {
        let lines = counted(about.events, "line", "lines");
        let matched = match about.events {
            0 => "matched no line of output: 0 events".to_string(),
            _ => format!("matched only {lines} of output: a verdict needs three"),
        };
        return (
            format!("--event-line '{pattern}' {matched}"),
            "test the pattern on the program's output, for example with `grep -P`".to_string(),
        );
    }
    match about.source {
        Source::Ticks => of_ticks(profile, about),
        Source::None => (
            "the program marks no events, and ticks are switched off (--tick 0)".to_string(),
            format!("record again without --tick 0, use --event-function, or {MARKS}"),
        ),
        _ => (
            format!(
                "the program marked {}, and a verdict needs two",
                counted_units(about.events, unit)
            ),
            "mark every turn of its loop (docs/EVENTS.md)".to_string(),
        ),
    }
}

/// Recording was paused for most events.
fn of_part(EventRange { from, to }: EventRange, about: &About, unit: &str) -> (String, String) {
    let events = counted_units(about.events, unit);
    if from <= to && u64::from(from) <= about.events {
        let last = u64::from(to).min(about.events);
        return (
            format!("fewer than two {unit}s were recorded: {from}..{last} of {events}"),
            "record more of them (--events A..B, --from-event N)".to_string(),
        );
    }
    let reason = match from {
        ..=1 => "recording started paused and was not resumed".to_string(),
        _ => format!("recording was to start at event {from}, and the run had {events}"),
    };
    let advice = match (about.source, from) {
        (Source::Ticks, _) => "ticks count for --events only with --tick TIME; or mark events",
        (_, ..=1) => "use `residue resume PID` or residue_resume_all()",
        _ => "start at an earlier one (--from-event)",
    };
    (reason, advice.to_string())
}

/// Events were to begin where functions are entered.
fn of_functions(profile: &Profile, search: &EventSearch) -> (String, String) {
    let patterns = search.functions.iter();
    let quoted: Vec<String> = patterns.map(|text| format!("'{text}'")).collect();
    let option = format!("--event-function {}", quoted.join(", "));
    let functions = |number| counted(number, "function", "functions");
    let events = profile.timeline.about.events;
    if events > 0 {
        return (
            format!("{option} was entered once: a verdict needs two events"),
            "choose a function that is called for every event".to_string(),
        );
    }
    if search.jit_functions_matched > 0 && search.functions_hooked == 0 {
        return (
            format!(
                "{option} matches JIT-compiled code only ({}), which cannot be hooked: 0 events",
                functions(search.jit_functions_matched)
            ),
            format!("use --event-line, or {MARKS}"),
        );
    }
    match search.functions_matched {
        Some(0) => (
            format!("{option} matched nothing: 0 events"),
            unmatched_advice(profile, &search.functions),
        ),
        Some(matched) if search.functions_hooked == 0 => (
            format!(
                "{option} matched {}, but none could be hooked: 0 events",
                functions(matched)
            ),
            "the notes of the profile say why; choose a caller of it".to_string(),
        ),
        Some(matched) => (
            format!(
                "{option} matched {}, never called: 0 events",
                functions(matched)
            ),
            "choose a function that is called for every event".to_string(),
        ),
        None => (
            format!("{option} was never called in this process: 0 events"),
            "look at the profiles of the other processes".to_string(),
        ),
    }
}

/// What to write instead of a pattern that no function has.
fn unmatched_advice(profile: &Profile, patterns: &[String]) -> String {
    let names: Vec<String> = profile
        .functions
        .iter()
        .map(|name| demangle(name, DemangleStyle::NoParams))
        .map(|name| name.into_owned())
        .collect();
    let near = patterns.iter().find_map(|pattern| {
        let wanted = Wanted::new(pattern);
        let nearest = wanted.nearest(names.iter().map(String::as_str));
        nearest.first().map(|name| name.to_string())
    });
    if let Some(name) = near {
        return format!("did you mean '{name}'?");
    }
    // Scopes have no module either; their names stand in brackets.
    let is_generated = |frame: &Frame| {
        let name = profile.functions.get(frame.function as usize);
        frame.module == NONE && !name.is_some_and(|name| name.starts_with('['))
    };
    if profile.frames.iter().any(is_generated) {
        return format!("JIT-compiled functions cannot be hooked: use --event-line, or {MARKS}");
    }
    format!("check the name with `nm -C FILE`, use --event-line, or {MARKS}")
}

fn of_ticks(profile: &Profile, about: &About) -> (String, String) {
    let life_ns = profile.meta.duration_ns;
    let reason = format!(
        "fewer than two ticks ({} of {} in {})",
        count(about.events),
        duration(about.tick_ns),
        duration(life_ns)
    );
    let marks = "mark events (--event-function)";
    let advice = match shorter_tick_ns(life_ns) {
        Some(tick_ns) => format!("try --tick {}ms, or {marks}", tick_ns / 1_000_000),
        None => format!("the run is too short for ticks: {marks}"),
    };
    (reason, advice)
}

/// A round length of which a run has about fifty: 1, 2 or 5 and zeros.
fn shorter_tick_ns(life_ns: u64) -> Option<u64> {
    let wanted = life_ns / WANTED_TICKS;
    let mut round = 1_000_000;
    let mut best = None;
    while round <= wanted {
        let steps = [1, 2, 5].map(|step| step * round);
        best = steps.into_iter().rfind(|&step| step <= wanted).or(best);
        round *= 10;
    }
    best.filter(|&tick| tick >= SHORTEST_TICK_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::{Moment, MomentKind};
    use residue_testkit::builder::Builder;

    const SECOND_NS: u64 = 1_000_000_000;

    fn text(profile: &Profile) -> String {
        NoVerdict::of(profile, EventRange::ALL).to_string()
    }

    fn recorded(source: Source, events: u64) -> Profile {
        let mut profile = Profile::default();
        profile.timeline.about.source = source;
        profile.timeline.about.events = events;
        profile
    }

    #[test]
    fn a_short_run_is_told_a_tick_that_fits() {
        let mut profile = recorded(Source::Ticks, 1);
        profile.timeline.about.tick_ns = SECOND_NS;
        profile.meta.duration_ns = SECOND_NS + SECOND_NS / 10;
        assert_eq!(
            text(&profile),
            "no verdict: fewer than two ticks (1 of 1.00 s in 1.10 s); try --tick 20ms, or mark \
             events (--event-function)"
        );
        profile.meta.duration_ns = SECOND_NS / 100;
        assert!(
            text(&profile)
                .ends_with("the run is too short for ticks: mark events (--event-function)")
        );
        let ticks = [
            99_999_999,
            100_000_000,
            300_000_000,
            SECOND_NS,
            60 * SECOND_NS,
        ];
        let shorter = ticks.map(|life| shorter_tick_ns(life).map(|tick| tick / 1_000_000));
        assert_eq!(shorter, [None, Some(2), Some(5), Some(20), Some(1000)]);
    }

    #[test]
    fn a_function_that_began_no_event_has_its_reason() {
        let asked = |matched, hooked, jit| {
            let mut profile = recorded(Source::Function, 0);
            profile.timeline.about.search = EventSearch {
                functions: vec!["nomatch::*".to_string()],
                functions_matched: matched,
                functions_hooked: hooked,
                jit_functions_matched: jit,
                ..EventSearch::default()
            };
            profile
        };
        let reason = |matched, hooked, jit| {
            let profile = asked(matched, hooked, jit);
            NoVerdict::of(&profile, EventRange::ALL).reason
        };
        let option = "no verdict: --event-function 'nomatch::*'";
        for (matched, hooked, jit, expected) in [
            (Some(0), 0, 0, "matched nothing: 0 events"),
            (
                Some(3),
                0,
                0,
                "matched 3 functions, but none could be hooked: 0 events",
            ),
            (Some(1), 1, 0, "matched 1 function, never called: 0 events"),
            (None, 0, 0, "was never called in this process: 0 events"),
            (
                Some(0),
                0,
                2,
                "matches JIT-compiled code only (2 functions), which cannot be hooked: 0 events",
            ),
        ] {
            assert_eq!(reason(matched, hooked, jit), format!("{option} {expected}"));
        }
        let mut once = asked(Some(1), 1, 0);
        once.timeline.about.events = 1;
        assert!(text(&once).contains("was entered once"));
    }

    #[test]
    fn a_name_that_is_nearly_right_is_put_right() {
        let mut builder = Builder::new();
        builder.stack("main;Sim::process_event", Default::default());
        let mut profile = builder.profile;
        profile.timeline.about.search = EventSearch {
            functions: vec!["proces_event".to_string()],
            functions_matched: Some(0),
            ..EventSearch::default()
        };
        assert!(text(&profile).ends_with("0 events; did you mean 'Sim::process_event'?"));
    }

    #[test]
    fn lines_and_marks_that_are_too_few_are_counted() {
        let mut lines = recorded(Source::Lines, 0);
        lines.timeline.about.search.line = Some("event (?<id>x)".to_string());
        assert!(text(&lines).starts_with(
            "no verdict: --event-line 'event (?<id>x)' matched no line of output: 0 events; "
        ));
        lines.timeline.about.events = 1;
        assert!(text(&lines).contains("matched only 1 line of output"));
        let one = text(&recorded(Source::Marks, 1));
        assert!(
            one.starts_with("no verdict: the program marked 1 event, and a verdict needs two;")
        );
        assert!(text(&recorded(Source::None, 0)).contains("--tick 0"));
    }

    #[test]
    fn files_that_never_had_events_are_not_told_to_mark_them() {
        let mut damaged = recorded(Source::Ticks, 0);
        damaged.meta.is_damaged = true;
        assert!(text(&damaged).contains("the file is damaged"));
        let mut merged = recorded(Source::Marks, 400);
        merged.meta.merged_profiles = 4;
        assert!(
            text(&merged).contains("a merged profile has no timeline (4 profiles were added up)")
        );
        let mut imported = recorded(Source::None, 0);
        imported.meta.imported_from = "heaptrack".to_string();
        assert!(text(&imported).contains("the imported file (heaptrack) has 0 events"));
        for profile in [damaged, merged, imported] {
            assert!(!text(&profile).contains("mark"), "{}", text(&profile));
        }
    }

    #[test]
    fn a_range_of_one_event_is_told_the_whole() {
        let mut profile = recorded(Source::Marks, 50);
        profile.timeline.moments = (1..=50)
            .map(|event| Moment::unread(MomentKind::Begin, event, u64::from(event)))
            .collect();
        let range = EventRange { from: 7, to: 7 };
        assert_eq!(
            NoVerdict::of(&profile, range).to_string(),
            "no verdict: fewer than two events in this range; choose a longer one: the profile \
             has events 1..50"
        );
    }
}
