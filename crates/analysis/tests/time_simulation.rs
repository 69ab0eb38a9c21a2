//! What the verdict of time is worth, measured on simulated runs with known causes.
//!
//! The ordinary tests run a slice; all of it:
//! `cargo test --release -p residue-analysis --test time_simulation -- --ignored --nocapture`.

mod time_runs;

use residue_analysis::history::EventRange;
use residue_analysis::time::{Headline, Measure, TimeVerdict, verdict};
use residue_profile::Profile;
use residue_testkit::random::Random;
use time_runs::{Plan, SLOW_PATH, SLOWING_PATH, path_of, run};

fn judged(plan: &Plan, seed: u64) -> (Profile, TimeVerdict) {
    let profile = run(plan, &mut Random::new(seed));
    let verdict = verdict(&profile, EventRange::ALL).expect("events with times");
    (profile, verdict)
}

/// A slowdown of 5 % in all, by a function that takes 2 % of the time at first.
const SLOWING: Plan = Plan {
    event_ns: 40e6,
    slowing: 0.05,
    ..Plan::USUAL
};
/// Every 20th event is longer by three quarters of an event, in one function.
const SLOW: Plan = Plan {
    events: 1000,
    slow: Some((20, 15e6)),
    ..Plan::USUAL
};
/// One event in 30 takes three times as long, in all that it does.
const LONG: Plan = Plan {
    events: 1000,
    long: Some((30, 3.0)),
    ..Plan::USUAL
};

/// Events are as long as the time between two samples, so that each is sampled where the one before
/// was.
const IN_STEP: Plan = Plan {
    events: 300,
    event_ns: 9.9e6,
    event_noise: 0.002,
    leaf_noise: 0.03,
    ..Plan::USUAL
};

fn is_slowing_path(path: &str) -> bool {
    path == SLOWING_PATH
}

fn is_slow_path(path: &str) -> bool {
    SLOW_PATH.starts_with(path) && path.ends_with("rehash") || path == SLOW_PATH
}

/// Whether the slowdown is found, whether its function and no other is named.
fn slowdown(plan: &Plan, seed: u64) -> (bool, bool, bool) {
    let (profile, verdict) = judged(plan, seed);
    let named = verdict.growing.iter().map(|it| path_of(&profile, it.node));
    let (right, wrong): (Vec<_>, Vec<_>) = named.partition(|path| is_slowing_path(path));
    (
        verdict.headline == Headline::SlowsDown,
        !right.is_empty(),
        !wrong.is_empty(),
    )
}

/// Whether the cause of slow events is named, and whether anything else is.
fn cause(plan: &Plan, seed: u64) -> (bool, bool) {
    let (profile, verdict) = judged(plan, seed);
    let paths = verdict.slow.iter().flat_map(|slow| &slow.paths);
    let named: Vec<String> = paths.map(|it| path_of(&profile, it.node)).collect();
    let right = named.iter().any(|path| is_slow_path(path));
    let other = named.iter().any(|path| !is_slow_path(path));
    let others = verdict.slow.iter().any(|slow| !slow.allocations.is_empty());
    (right, other || others)
}

fn has_any_cause(plan: &Plan, seed: u64) -> bool {
    let (_, verdict) = judged(plan, seed);
    verdict.slow.iter().any(|slow| slow.has_cause())
}

fn count(runs: u64, holds: impl Fn(u64) -> bool) -> u64 {
    (0..runs).filter(|run| holds(1000 + run)).count() as u64
}

#[test]
fn a_slowdown_is_found_and_its_function_named() {
    let found = count(10, |seed| slowdown(&SLOWING, seed) == (true, true, false));
    assert!(found >= 8, "{found} of 10");
}

#[test]
fn nothing_slows_down_where_nothing_does() {
    let alarms = count(20, |seed| {
        let (slows, right, wrong) = slowdown(&Plan::USUAL, seed);
        slows || right || wrong
    });
    assert_eq!(alarms, 0);
    let alarms = count(40, |seed| {
        let (slows, right, wrong) = slowdown(&IN_STEP, seed);
        slows || right || wrong
    });
    assert_eq!(alarms, 0);
}

#[test]
fn the_cause_of_slow_events_is_named() {
    let named = count(10, |seed| cause(&SLOW, seed) == (true, false));
    assert!(named >= 9, "{named} of 10");
}

#[test]
fn slow_events_without_a_cause_of_their_own_have_none_named() {
    let named = count(10, |seed| has_any_cause(&LONG, seed));
    assert_eq!(named, 0);
    let (_, verdict) = judged(&LONG, 1);
    assert!(!verdict.slow.is_empty());
}

#[test]
fn large_events_are_not_slow_where_a_counter_explains_them() {
    let plan = Plan {
        has_hits: true,
        events: 1000,
        ..Plan::USUAL
    };
    let (profile, verdict) = judged(&plan, 3);
    let followed = verdict.counter.as_ref().expect("hits");
    assert_eq!(profile.timeline.names[followed.name as usize], "hits");
    // 20 ms of which 30 % are there without hits, and the rest for 200 of them.
    let unit = followed.follow.bytes_per_unit;
    assert!((unit - 70_000.0).abs() < 3_500.0, "{unit}");
    let slow: usize = verdict.slow.iter().map(|slow| slow.events.len()).sum();
    assert!(slow <= 2, "{slow}");
    let planted = Plan {
        slow: Some((20, 30e6)),
        ..plan
    };
    assert_eq!(cause(&planted, 3), (true, false));
}

#[test]
fn events_that_wait_are_told_from_those_that_work() {
    let plan = Plan {
        events: 1000,
        waits: Some((25, 30e6)),
        ..Plan::USUAL
    };
    let (_, verdict) = judged(&plan, 4);
    let measures: Vec<Measure> = verdict.slow.iter().map(|slow| slow.measure).collect();
    assert_eq!(measures, [Measure::Waited]);
    let slow = &verdict.slow[0];
    assert_eq!(slow.events.len(), 40);
    assert!((slow.excess_ns - 30e6).abs() < 2e6, "{}", slow.excess_ns);
    let stages: Vec<_> = slow.stages.iter().map(|it| (it.from, it.to)).collect();
    assert_eq!(stages, [(Some(0), Some(1))]);
}

#[test]
#[ignore = "the full table takes minutes without optimisation"]
fn the_full_table() {
    let mut broken = Vec::new();
    let mut expect = |name: &str, found: u64, of: u64, range: std::ops::RangeInclusive<u64>| {
        println!("{found:5} of {of:5}  {name}");
        if !range.contains(&found) {
            broken.push(format!("{name}: {found} of {of}"));
        }
    };
    let runs = 200;
    for (name, event_ns, least) in [("40 ms", 40e6, 175), ("80 ms", 80e6, 190)] {
        let plan = Plan {
            event_ns,
            ..SLOWING
        };
        let slowing: Vec<_> = (0..runs).map(|seed| slowdown(&plan, seed)).collect();
        let number = |of: &dyn Fn(&(bool, bool, bool)) -> bool| {
            slowing.iter().filter(|it| of(it)).count() as u64
        };
        let (found, named) = (number(&|it| it.0), number(&|it| it.1));
        expect(
            &format!("5 % slower, events of {name}: found"),
            found,
            runs,
            least..=runs,
        );
        expect(
            &format!("5 % slower, events of {name}: function named"),
            named,
            runs,
            least..=runs,
        );
        expect(
            &format!("5 % slower, events of {name}: another named"),
            number(&|it| it.2),
            runs,
            0..=2,
        );
    }
    let longer = Plan {
        leaf_noise: 0.5,
        event_noise: 0.3,
        ..Plan::USUAL
    };
    let short = Plan {
        events: 200,
        event_ns: 5e6,
        ..Plan::USUAL
    };
    let hits = Plan {
        has_hits: true,
        events: 1000,
        ..Plan::USUAL
    };
    let nearly = Plan {
        event_ns: 9.7e6,
        leaf_noise: 0.06,
        ..IN_STEP
    };
    for (name, plan) in [
        ("sampled in step", IN_STEP),
        ("nearly in step", nearly),
        ("steady", Plan::USUAL),
        ("noisy", longer),
        ("short", short),
        ("with hits", hits),
        ("long events", LONG),
    ] {
        let alarms = count(runs, |seed| {
            let (slows, right, wrong) = slowdown(&plan, seed);
            slows || right || wrong
        });
        expect(&format!("{name}: called slowing"), alarms, runs, 0..=0);
        let named = count(runs, |seed| has_any_cause(&plan, seed));
        expect(&format!("{name}: a cause named"), named, runs, 0..=2);
    }
    for (name, slow, least) in [
        ("every 20th longer by 50 %", (20, 10e6), 140),
        ("every 20th longer by 75 %", (20, 15e6), 190),
        ("every 20th twice as long", (20, 20e6), 190),
        ("every 50th twice as long", (50, 20e6), 190),
    ] {
        let plan = Plan {
            slow: Some(slow),
            ..SLOW
        };
        let causes: Vec<_> = (0..runs).map(|seed| cause(&plan, seed)).collect();
        let right = causes.iter().filter(|it| it.0).count() as u64;
        let wrong = causes.iter().filter(|it| it.1).count() as u64;
        expect(&format!("{name}: cause named"), right, runs, least..=runs);
        expect(&format!("{name}: another named"), wrong, runs, 0..=2);
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
