//! A headline, the rows under it, and the verdict of the whole run never contradict each other.

mod verdict_runs;

use proptest::prelude::*;
use residue_analysis::groups::{GroupId, Groups};
use residue_analysis::history::{EventRange, History};
use residue_analysis::judged::Judged;
use residue_analysis::sentences;
use residue_analysis::shape::{self, Confidence, Shape};
use residue_analysis::verdict::{Basis, Headline, Reason, Verdict, shapes_of, verdict_of};
use residue_profile::Profile;
use verdict_runs::{Site, run, site, wandering};

/// The verdict of a range and what all rows of the profile are called under it.
fn judged(profile: &Profile, range: EventRange, run: Option<&Verdict>) -> (Verdict, Vec<Judged>) {
    let groups = Groups::of(profile);
    let verdict = verdict_of(profile, &groups, range, run).expect("two events");
    let history = History::new(profile, &groups, range).expect("two events");
    let all: Vec<GroupId> = (0..groups.count() as GroupId).collect();
    let rows = shapes_of(Some(&verdict), &history, &all);
    (verdict, rows)
}

fn has(rows: &[Judged], shape: Shape) -> bool {
    rows.iter().any(|row| row.verdict.shape == shape)
}

fn expect_no_contradiction(verdict: &Verdict, rows: &[Judged]) {
    let (leaks, freed) = (has(rows, Shape::Leak), has(rows, Shape::ExitFreed));
    let of_sum = verdict.basis == Basis::Live;
    match verdict.headline {
        Headline::Leak => assert!(leaks || of_sum, "{verdict:?}"),
        Headline::FreedAtExit => assert!(!leaks && (freed || of_sum), "{verdict:?}"),
        Headline::NoGrowth => {
            let slower = has(rows, Shape::Filling) || has(rows, Shape::Slowing);
            assert!(!leaks && !freed && !slower, "{verdict:?}");
        }
        _ => assert!(!leaks && !freed, "{verdict:?}"),
    }
    for stack in &verdict.stacks {
        let row = rows.iter().find(|row| row.stacks[0] == stack.stack);
        assert_eq!(row.expect("a row").verdict, stack.verdict);
    }
}

fn expect_no_more_than_run(part: &Verdict, rows: &[Judged], run: &Verdict, run_rows: &[Judged]) {
    for (row, in_run) in rows.iter().zip(run_rows) {
        if in_run.verdict.shape == Shape::ExitFreed {
            assert_ne!(row.verdict.shape, Shape::Leak, "{:?}", row.verdict);
        }
        let grows = |row: &Judged| matches!(row.verdict.shape, Shape::Leak | Shape::ExitFreed);
        let run = in_run.verdict.shape;
        let reason = shape::Reason::OnlyInThisRange { run };
        let says_so = row.verdict.reasons.contains(&reason);
        assert_eq!(says_so, grows(row) && !grows(in_run), "{:?}", row.verdict);
    }
    let reason = Reason::OnlyInThisRange { run: run.headline };
    let says_so = part.reasons.contains(&reason);
    let is_more = match (part.headline, run.headline) {
        (Headline::NoGrowth | Headline::Undetermined, _) => false,
        (_, Headline::NoGrowth | Headline::Undetermined) => true,
        (Headline::Leak, run) => run != Headline::Leak,
        (Headline::FreedAtExit, run) => {
            use Headline::{Filling, Fragmentation, Growth, Slowing};
            matches!(run, Growth | Fragmentation | Filling | Slowing)
        }
        _ => false,
    };
    assert_eq!(says_so, is_more, "{part:?}");
}

/// What a call path does with its memory.
#[derive(Debug, Clone)]
enum Habit {
    Leaks(i64),
    LeaksUntil(i64, u32),
    LeaksFrom(i64, u32),
    GivesBack(i64),
    Flushes(i64, u32),
    Wanders(u64, u64),
}

fn habit() -> impl Strategy<Value = Habit> {
    let bytes = 1..5000_i64;
    prop_oneof![
        bytes.clone().prop_map(Habit::Leaks),
        (bytes.clone(), 1..150_u32).prop_map(|(bytes, to)| Habit::LeaksUntil(bytes, to)),
        (bytes.clone(), 1..150_u32).prop_map(|(bytes, from)| Habit::LeaksFrom(bytes, from)),
        bytes.clone().prop_map(Habit::GivesBack),
        (bytes, 2..40_u32).prop_map(|(bytes, every)| Habit::Flushes(bytes, every)),
        (1000..5_000_000_u64, any::<u64>()).prop_map(|(most, seed)| Habit::Wanders(most, seed)),
    ]
}

fn site_of(name: &str, events: u32, habit: &Habit, is_freed_at_exit: bool) -> Site {
    let mut site = match *habit {
        Habit::Leaks(bytes) => site(name, events, |_| bytes),
        Habit::LeaksUntil(bytes, to) => {
            site(name, events, |event| if event <= to { bytes } else { 0 })
        }
        Habit::LeaksFrom(bytes, from) => {
            site(name, events, |event| if event >= from { bytes } else { 0 })
        }
        Habit::GivesBack(bytes) => site(name, events, |event| match event {
            1 => bytes * i64::from(events),
            _ => -bytes,
        }),
        Habit::Flushes(bytes, every) => site(name, events, |event| match event % every {
            0 => -bytes * i64::from(every - 1),
            _ => bytes,
        }),
        Habit::Wanders(most, seed) => wandering(name, events, most, seed),
    };
    site.is_freed_at_exit = is_freed_at_exit;
    site
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn headlines_rows_and_runs_agree(
        events in 6..150_u32,
        habits in prop::collection::vec((habit(), any::<bool>()), 1..7),
        ranges in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 4),
    ) {
        let sites: Vec<Site> = habits
            .iter()
            .enumerate()
            .map(|(place, (habit, freed))| site_of(&format!("f{place}"), events, habit, *freed))
            .collect();
        let profile = run(&sites, |_| None);
        let (whole, whole_rows) = judged(&profile, EventRange::ALL, None);
        expect_no_contradiction(&whole, &whole_rows);
        for (one, other) in ranges {
            let last = f64::from(events - 2);
            let from = 1 + (one.min(other) * last) as u32;
            let range = EventRange { from, to: from + 1 + (one.max(other) * last) as u32 };
            let (part, rows) = judged(&profile, range, Some(&whole));
            expect_no_contradiction(&part, &rows);
            expect_no_more_than_run(&part, &rows, &whole, &whole_rows);
        }
    }
}

#[test]
fn growth_of_a_range_that_the_run_does_not_show_says_so() {
    // A cache that is full after 40 of 400 events.
    let fills = site("cache", 400, |event| if event <= 40 { 4096 } else { 0 });
    let profile = run(&[fills], |_| None);
    let (whole, _) = judged(&profile, EventRange::ALL, None);
    assert_eq!(whole.headline, Headline::NoGrowth);
    let (part, rows) = judged(&profile, EventRange { from: 1, to: 40 }, Some(&whole));
    assert_eq!(part.headline, Headline::Leak);
    assert_eq!(
        sentences::of_headline(&part),
        ["in this range only: the verdict of the whole run is NO GROWTH"]
    );
    let told = sentences::of_shape(&rows[0].verdict, "event");
    assert!(
        told.ends_with("; in this range only: a warm-up over the whole run"),
        "{told}"
    );
}

#[test]
fn rows_of_an_exchange_are_called_so_everywhere() {
    let sites = [
        site("takes", 200, |_| 100),
        site("gives", 200, |event| if event == 1 { 20_000 } else { -100 }),
    ];
    let profile = run(&sites, |_| None);
    let (verdict, rows) = judged(&profile, EventRange::ALL, None);
    assert_eq!(verdict.headline, Headline::NoGrowth);
    assert_eq!(rows[0].verdict.shape, Shape::Flat);
    assert!(rows[0].verdict.reasons.contains(&shape::Reason::Exchange));
}

#[test]
fn late_lines_leave_rows_undetermined_too() {
    let mut profile = run(&[site("leak", 100, |_| 64)], |_| None);
    profile.timeline.about.late_lines = 50;
    let (verdict, rows) = judged(&profile, EventRange::ALL, None);
    assert_eq!(verdict.headline, Headline::Undetermined);
    assert_eq!(rows[0].verdict.shape, Shape::Undetermined);
    assert_eq!(rows[0].verdict.confidence, Confidence::Low);
}

#[test]
fn what_the_verdict_did_not_judge_is_no_leak_under_it() {
    // More that grew once than are judged, and one small leak.
    let mut sites: Vec<Site> = (0..600)
        .map(|place| {
            site(&format!("set_up_{place}"), 60, |event| match event {
                2 => 1 << 20,
                _ => 0,
            })
        })
        .collect();
    sites.push(site("leak", 60, |_| 1));
    let profile = run(&sites, |_| None);
    let (verdict, rows) = judged(&profile, EventRange::ALL, None);
    expect_no_contradiction(&verdict, &rows);
    let leak = &rows.last().expect("a row").verdict;
    assert_eq!(leak.by_series, Shape::Leak);
    assert!(
        leak.reasons.contains(&shape::Reason::NotInVerdict),
        "{leak:?}"
    );
}

#[test]
fn growth_on_many_paths_may_be_freed_at_exit() {
    let paths: Vec<Site> = (1..=200)
        .map(|own| {
            let mut path = site(&format!("path_{own}"), 200, |event| match event == own {
                true => 100,
                false => 0,
            });
            path.is_freed_at_exit = true;
            path
        })
        .collect();
    let profile = run(&paths, |_| None);
    let (whole, _) = judged(&profile, EventRange::ALL, None);
    assert_eq!(
        (whole.headline, whole.basis),
        (Headline::FreedAtExit, Basis::Live)
    );
    let (part, rows) = judged(&profile, EventRange { from: 1, to: 100 }, Some(&whole));
    expect_no_contradiction(&part, &rows);
    assert_eq!(
        (part.headline, part.basis),
        (Headline::FreedAtExit, Basis::Live)
    );
}

/// Recording was paused before event 40 and from event 90 on, so those events left nothing.
#[test]
fn events_that_were_not_recorded_are_not_judged() {
    let grows = |event| if (40..90).contains(&event) { 1000 } else { 0 };
    let mut profile = run(&[site("leak", 120, grows)], |_| None);
    let (misled, _) = judged(&profile, EventRange::ALL, None);
    profile.meta.options.recorded_from_event = 40;
    profile.meta.options.recorded_to_event = 90;
    let (verdict, rows) = judged(&profile, EventRange::ALL, None);
    assert_eq!(verdict.headline, Headline::Leak);
    assert_ne!(misled.headline, Headline::Leak);
    expect_no_contradiction(&verdict, &rows);
    assert_eq!(verdict.growth.rate, 1000.0);
    let reason = Reason::PartlyRecorded {
        from: 40,
        to: 89,
        events: 120,
    };
    assert_eq!(verdict.reasons, [reason]);
    let sentences = sentences::of_headline(&verdict);
    assert_eq!(
        sentences,
        ["only events 40..89 of 120 were recorded, and only they are judged"]
    );
    // A range reaches no further.
    let wider = EventRange { from: 1, to: 100 };
    let (part, _) = judged(&profile, wider, Some(&verdict));
    assert_eq!(part.growth.rate, 1000.0);
}
