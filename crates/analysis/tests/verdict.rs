//! Verdicts on small, written-out runs: what every event adds to each stack is given,
//! and what has to be said follows from it.

mod verdict_runs;

use residue_analysis::growth::Outcome;
use residue_analysis::history::EventRange;
use residue_analysis::sentences;
use residue_analysis::shape::{Agreement, Confidence, Shape};
use residue_analysis::verdict::{Basis, Headline, Reason, StackVerdict, Verdict, verdict};
use residue_profile::timeline::{CounterTotal, Deferral};
use residue_profile::{BirthBin, Profile, Ragged};
use residue_testkit::random::Random;
use verdict_runs::{Site, run, site, wandering};

fn judge(profile: &Profile) -> Verdict {
    verdict(profile, EventRange::ALL).expect("there are events")
}

fn named<'a>(profile: &Profile, verdict: &'a Verdict, function: &str) -> &'a StackVerdict {
    let is_named = |stack: &&StackVerdict| {
        let node = profile.nodes[profile.stacks[stack.stack as usize].node as usize];
        let frame = profile.frames[node.frame as usize];
        profile.functions[frame.function as usize] == function
    };
    verdict
        .stacks
        .iter()
        .find(is_named)
        .unwrap_or_else(|| panic!("{function} is not in {:?}", verdict.stacks))
}

#[test]
fn a_small_leak_is_seen_beside_the_noise_of_others() {
    let sites = [
        wandering("churn", 300, 50 << 20, 1),
        site("leak", 300, |_| 100),
        wandering("more_churn", 300, 50 << 20, 2),
    ];
    let profile = run(&sites, |_| None);
    let verdict = judge(&profile);
    assert_eq!(
        (verdict.headline, verdict.basis),
        (Headline::Leak, Basis::Stacks)
    );
    let growth = &verdict.growth;
    assert_eq!(
        (growth.rate, growth.low, growth.high),
        (100.0, 100.0, 100.0)
    );
    let leak = named(&profile, &verdict, "leak");
    assert_eq!(leak.verdict.confidence, Confidence::High);
    assert_eq!((leak.share, leak.blocks_per_event), (Some(1.0), 100.0));
    // All together are too noisy to tell.
    assert_ne!(verdict.live.expect("live").outcome, Outcome::Growing);
}

#[test]
fn several_leaks_add_up_and_the_largest_comes_first() {
    let sites = [
        site("small", 100, |_| 10),
        site("large", 100, |_| 1000),
        site("seldom", 100, |event| if event % 5 == 0 { 500 } else { 0 }),
    ];
    let profile = run(&sites, |_| None);
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::Leak);
    let functions = ["large", "seldom", "small"];
    for (stack, function) in verdict.stacks.iter().zip(functions) {
        assert_eq!(stack.stack, named(&profile, &verdict, function).stack);
    }
    let sum = verdict.growth.rate;
    assert!((sum - 1110.0).abs() < 5.0, "{sum}");
    assert!(verdict.growth.low <= 1110.0 && 1110.0 <= verdict.growth.high);
}

#[test]
fn what_one_stack_gains_another_loses() {
    let sites = [
        site("takes", 200, |_| 100),
        site("gives", 200, |event| if event == 1 { 20_000 } else { -100 }),
    ];
    let profile = run(&sites, |_| None);
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::NoGrowth, "{verdict:?}");
    assert!(
        verdict
            .stacks
            .iter()
            .all(|stack| stack.verdict.shape != Shape::Leak)
    );
    let exchange = Reason::Exchange {
        stacks: 1,
        bytes_per_event: 100.0,
    };
    assert_eq!(verdict.reasons, [exchange]);
}

#[test]
fn what_is_freed_after_the_last_event_is_no_leak() {
    let mut held = site("held", 150, |_| 4096);
    held.is_freed_at_exit = true;
    let profile = run(&[held], |_| None);
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::FreedAtExit);
    assert_eq!(verdict.growth.rate, 4096.0);
    // A part of the run does not reach the exit, and is told of it.
    let part = verdict_of(&profile, 1, 100);
    assert_eq!(part.headline, Headline::FreedAtExit);
    let held = named(&profile, &part, "held");
    assert_eq!(
        sentences::of_shape(&held.verdict, "event"),
        "grows by 4.00 KiB/event; 600 KiB of 600 KiB freed after the last event"
    );
}

fn verdict_of(profile: &Profile, from: u32, to: u32) -> Verdict {
    verdict(profile, EventRange { from, to }).expect("there are events")
}

#[test]
fn set_up_before_a_part_is_no_part_of_it() {
    // A gigabyte in the first ten events, then 64 bytes each.
    let sites = [
        site(
            "set_up",
            1000,
            |event| if event <= 10 { 100 << 20 } else { 0 },
        ),
        site("leak", 1000, |_| 64),
    ];
    let profile = run(&sites, |_| None);
    let part = verdict_of(&profile, 51, u32::MAX);
    assert_eq!(part.headline, Headline::Leak);
    assert_eq!((part.growth.rate, part.growth.low), (64.0, 64.0));
    assert_eq!(part.stacks.len(), 1);
}

#[test]
fn survivors_of_a_part_agree_with_its_readings() {
    let profile = run(&[site("leak", 1000, |_| 64)], |_| None);
    for (from, to) in [(1, u32::MAX), (51, u32::MAX), (501, u32::MAX), (901, 1000)] {
        let part = verdict_of(&profile, from, to);
        let leak = named(&profile, &part, "leak");
        assert_eq!(
            leak.verdict.by_births,
            Some(Shape::Leak),
            "{from}: {leak:?}"
        );
        assert_eq!(leak.verdict.agreement, Agreement::Agrees);
        assert_eq!(leak.verdict.confidence, Confidence::High);
        let events = 1001 - from;
        let reason = format!("survivors from {events} of {events} events, 64 B each on average");
        assert_eq!(sentences::of_shape(&leak.verdict, "event"), reason);
    }
    // Later births are not known of a part that ends before.
    let part = verdict_of(&profile, 1, 500);
    let leak = named(&profile, &part, "leak");
    assert_eq!(leak.verdict.agreement, Agreement::BirthsUnknown);
    assert_eq!(part.growth.rate, 64.0);
}

#[test]
fn resident_growth_without_a_leak_is_growth() {
    let at_rest = || [site("rest", 300, |event| i64::from(event == 1))];
    let profile = run(&at_rest(), |event| {
        Some((64 << 20) + u64::from(event) * 8192)
    });
    let verdict = judge(&profile);
    assert_eq!(
        (verdict.headline, verdict.basis),
        (Headline::Growth, Basis::Rss)
    );
    assert_eq!(verdict.growth.rate, 8192.0);
    // A few pages in the whole run are not worth a word.
    let pages = run(&at_rest(), |event| {
        Some((64 << 20) + u64::from(event / 100) * 4096)
    });
    assert_eq!(judge(&pages).headline, Headline::NoGrowth);
}

#[test]
fn the_recorder_does_not_count_as_growth() {
    let mut profile = run(
        &[site("rest", 200, |event| i64::from(event == 1))],
        |event| Some((64 << 20) + u64::from(event) * 8192),
    );
    for moment in &mut profile.timeline.moments {
        moment.recorder_bytes = u64::from(moment.event) * 8192;
    }
    assert_eq!(judge(&profile).headline, Headline::NoGrowth);
}

#[test]
fn growth_follows_the_counter_it_depends_on() {
    let mut random = Random::new(23);
    let hits: Vec<i64> = (0..200).map(|_| 50 + random.below(400) as i64).collect();
    let tracks: Vec<f64> = (0..200).map(|_| random.below(30) as f64).collect();
    let mut profile = run(
        &[site("frame", 200, |event| 64 * hits[event as usize - 1])],
        |_| None,
    );
    let timeline = &mut profile.timeline;
    timeline.names = vec!["tracks".to_string(), "hits".to_string()];
    let mut sums = [0.0, 0.0];
    for moment in 1..200 {
        sums[0] += tracks[moment - 1];
        sums[1] += hits[moment - 1] as f64;
        for (name, total) in (0..).zip(sums) {
            timeline.totals.push(CounterTotal {
                moment: moment as u32,
                name,
                total,
            });
        }
    }
    let verdict = judge(&profile);
    let followed = verdict.counter.as_ref().expect("a counter");
    assert_eq!(profile.timeline.names[followed.name as usize], "hits");
    assert!((followed.follow.bytes_per_unit - 64.0).abs() < 1e-6);
    let of_stack = named(&profile, &verdict, "frame").counter.as_ref();
    assert_eq!(of_stack.expect("a counter").name, followed.name);
}

#[test]
fn blocks_freed_in_the_next_event_are_deferred() {
    let mut profile = run(&[wandering("hits", 200, 30_000, 24)], |_| None);
    profile.timeline.deferrals.push(Deferral {
        stack: 0,
        frees: 40_000,
        events: 40_000,
        longest_events: 1,
        freed_at: Some(1),
    });
    // Only the last event's are left.
    profile.births = Ragged::default();
    profile.births.push_row([BirthBin {
        birth: 200,
        blocks: 100,
        bytes: 100,
    }]);
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::NoGrowth);
    let hits = named(&profile, &verdict, "hits");
    assert_eq!(hits.verdict.shape, Shape::Deferred);
    assert_eq!(hits.freed_at, Some(1));
}

#[test]
fn one_event_gets_no_verdict() {
    let profile = run(&[site("leak", 1, |_| 64)], |_| None);
    assert!(verdict(&profile, EventRange::ALL).is_none());
    let profile = run(&[site("leak", 50, |_| 64)], |_| None);
    let from_the_last = EventRange {
        from: 50,
        to: u32::MAX,
    };
    assert!(verdict(&profile, from_the_last).is_none());
}

#[test]
fn a_path_of_its_own_in_every_event_leaks_all_the_same() {
    let sites: Vec<Site> = (1..=200)
        .map(|own| {
            site(&format!("path_{own}"), 200, |event| {
                if event == own { 100 } else { 0 }
            })
        })
        .collect();
    let profile = run(&sites, |_| None);
    let verdict = judge(&profile);
    assert_eq!(
        (verdict.headline, verdict.basis),
        (Headline::Leak, Basis::Live),
        "{:?}",
        verdict.reasons
    );
    assert_eq!(verdict.growth.rate, 100.0);
}
