//! What a picture of memory says of growth that slows down, on made-up runs.

mod verdict_runs;

use residue_analysis::history::EventRange;
use residue_analysis::sentences;
use residue_analysis::shape::{Agreement, Reason, Shape};
use residue_analysis::verdict::{Headline, Verdict, verdict};
use residue_profile::Profile;
use residue_profile::holders::{HeldState, HeldSum, Picture};
use residue_profile::timeline::Deferral;
use verdict_runs::{run, site, wandering};

const EVENTS: u32 = 300;

/// Ever less, as of a cache that fills up, beside what comes and goes.
fn dwindling() -> Profile {
    let sites = [
        site("leave", EVENTS, |event| {
            (200.0 * 0.985_f64.powi(event as i32)) as i64 * 512 + 512
        }),
        wandering("churn", EVENTS, 1 << 12, 7),
    ];
    run(&sites, |_| None)
}

/// All that is live, in the state that `state` gives to a birth.
fn picture(profile: &Profile, event: u32, state: impl Fn(u32) -> HeldState) -> Picture {
    let mut sums = Vec::new();
    for stack in 0..profile.stacks.len() as u32 {
        for bin in profile.births.row(stack as usize) {
            if bin.birth <= event {
                sums.push(HeldSum {
                    stack,
                    birth: bin.birth,
                    state: state(bin.birth),
                    blocks: bin.blocks,
                    bytes: bin.bytes,
                });
            }
        }
    }
    Picture {
        event,
        sums,
        ..Picture::default()
    }
}

fn judged(change: impl FnOnce(&mut Profile)) -> Verdict {
    let mut profile = dwindling();
    change(&mut profile);
    verdict(&profile, EventRange::ALL).expect("there are events")
}

fn is_slower(headline: Headline) -> bool {
    matches!(headline, Headline::Filling | Headline::Slowing)
}

#[test]
fn what_is_lost_is_a_leak_at_any_pace() {
    assert!(is_slower(judged(|_| {}).headline));
    let lost = judged(|profile| {
        // The last event is not over, and an old word holds something here and there.
        let state = |birth: u32| match birth >= EVENTS || birth.is_multiple_of(40) {
            true => HeldState::Held,
            false => HeldState::Lost,
        };
        profile.picture = Some(picture(profile, EVENTS, state));
    });
    assert_eq!(lost.headline, Headline::Leak);
    let leak = &lost.stacks[0].verdict;
    assert_eq!(leak.shape, Shape::Leak);
    assert_eq!(leak.agreement, Agreement::Agrees);
    let from = leak.reasons.iter().find_map(|reason| match reason {
        Reason::Lost { from_events, .. } => Some(*from_events),
        _ => None,
    });
    assert_eq!(from, Some(298 - 7));
    let told = sentences::of_shape(leak, "event");
    assert!(
        told.contains("% of it lost: nothing points to ")
            && told.contains("from 291 events, so it is a leak at any pace"),
        "{told}"
    );
}

#[test]
fn lists_and_cycles_that_are_lost_are_too() {
    for state in [HeldState::LostInCycle, HeldState::HeldByLost] {
        let lost = judged(|profile| profile.picture = Some(picture(profile, EVENTS, |_| state)));
        assert_eq!(lost.headline, Headline::Leak);
    }
}

#[test]
fn what_is_held_may_be_a_cache_that_fills_up() {
    for state in [HeldState::Held, HeldState::HeldInside] {
        let held = judged(|profile| profile.picture = Some(picture(profile, EVENTS, |_| state)));
        let without = judged(|_| {});
        assert_eq!(held.headline, without.headline);
        assert_eq!(held.reasons, without.reasons);
    }
}

/// Each would be evidence but for one thing.
#[test]
fn evidence_that_may_be_wrong_changes_nothing() {
    let lost = |profile: &Profile| picture(profile, EVENTS, |_| HeldState::Lost);
    type Doubt = fn(&mut Profile, &mut Picture);
    let doubts: [(&str, Doubt); 8] = [
        ("threads ran on", |_, picture| picture.others_ran = true),
        ("blocks are missing", |_, picture| {
            picture.is_incomplete = true;
        }),
        ("memory was not read", |_, picture| picture.unread_bytes = 8),
        ("there is no picture", |_, picture| {
            picture.trouble = "no memory".to_string();
        }),
        ("a fifth is held", |profile, picture| {
            *picture = self::picture(profile, EVENTS, |birth| match birth % 5 {
                0 => HeldState::Held,
                _ => HeldState::Lost,
            });
        }),
        ("it is of the beginning", |profile, picture| {
            *picture = self::picture(profile, 20, |_| HeldState::Lost);
        }),
        ("somebody freed late", |profile, _| {
            profile.timeline.deferrals.push(Deferral {
                stack: 0,
                frees: 3,
                events: 4,
                longest_events: 2,
                freed_at: None,
            });
        }),
        ("a few events lost it", |_, picture| {
            let most = picture.sums.iter().map(|sum| sum.birth).min();
            for sum in &mut picture.sums {
                sum.birth = most.unwrap_or(1) + sum.birth % 7;
            }
        }),
    ];
    for (name, doubt) in doubts {
        let verdict = judged(|profile| {
            let mut picture = lost(profile);
            doubt(profile, &mut picture);
            profile.picture = Some(picture);
        });
        assert!(
            is_slower(verdict.headline),
            "{name}: {:?}",
            verdict.headline
        );
    }
}

#[test]
fn a_leak_that_grows_steadily_says_that_it_is_lost() {
    let sites = [site("leak", EVENTS, |_| 640)];
    let mut profile = run(&sites, |_| None);
    profile.picture = Some(picture(&profile, EVENTS, |_| HeldState::Lost));
    let verdict = verdict(&profile, EventRange::ALL).expect("there are events");
    assert_eq!(verdict.headline, Headline::Leak);
    let reasons = &verdict.stacks[0].verdict.reasons;
    let is_lost = |reason: &Reason| matches!(reason, Reason::Lost { .. });
    assert!(reasons.iter().any(is_lost), "{reasons:?}");
}
